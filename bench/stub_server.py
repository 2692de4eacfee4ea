"""A real process that speaks just enough MCP: waits, then answers. Run with ``python -I -S``, argument: seconds."""

import json
import sys
import time

TOOLS = [{"name": f"tool_{n}", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}} for n in range(5)]


def main() -> None:
    time.sleep(float(sys.argv[1]))
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "initialize":
            version = message["params"]["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "stub", "version": "1"}}
        elif message.get("method") == "tools/list":
            result = {"tools": TOOLS}
        elif "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
            continue
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


main()
