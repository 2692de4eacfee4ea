"""A real process that speaks just enough MCP: waits, then answers. Run with ``python -I -S``, argument: seconds."""

import json
import sys
import time

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
TOOLS = [{"name": f"tool_{number}", "inputSchema": SCHEMA} for number in range(5)]


def answer(message: dict) -> dict:
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        server = {"name": "stub", "version": "1"}
        return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}}
    if message["method"] == "tools/list":
        return {"result": {"tools": TOOLS}}
    return {"error": {"code": -32601, "message": "no such method"}}


def main() -> None:
    time.sleep(float(sys.argv[1]))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}), flush=True)


main()
