"""A small MCP server on stdin and stdout that offers whatever tools its specification names.

usage: stub_server.py SPEC.json LOG.jsonl

SPEC.json is ``{"tools": [{"name": ..., "inputSchema": {...}}, ...], "seconds": 0, "mode": "serve"}``. A tool
may be any JSON object, malformed on purpose too: it is passed on as it is. ``seconds`` delays the answer to
``initialize``; ``mode`` is ``serve``, ``exit`` (end at once, exit code 3) or ``silent`` (never answer);
``resources`` true declares that capability too, with an empty list behind it.

Each start, request and call becomes one line of LOG.jsonl. The path is an argument and not an environment
variable, because some runtimes give their servers an environment of their own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

LATEST = "2025-06-18"


def note(log: str, **row: Any) -> None:
    with Path(log).open("a", encoding="utf-8") as out:
        out.write(json.dumps(row) + "\n")


def answer(method: str, params: dict[str, Any], spec: dict[str, Any], log: str) -> dict[str, Any]:
    """The body of the response: either ``result`` or ``error``."""
    if method == "initialize":
        time.sleep(float(spec.get("seconds", 0)))
        return {
            "result": {
                "protocolVersion": params.get("protocolVersion", LATEST),
                "capabilities": {"tools": {}, **({"resources": {}} if spec.get("resources") else {})},
                "serverInfo": {"name": "capture-stub", "version": "1"},
            }
        }
    if method == "tools/list":
        return {"result": {"tools": spec.get("tools", [])}}
    if method == "tools/call":
        note(log, event="call", tool=params.get("name"), arguments=params.get("arguments"))
        return {
            "result": {
                "content": [{"type": "text", "text": f"stub ran {params.get('name')}"}],
                "isError": False,
            }
        }
    if method == "resources/list" and spec.get("resources"):
        return {"result": {"resources": []}}
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main() -> None:
    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    log = sys.argv[2]
    note(log, event="start", cwd=str(Path.cwd()), environment=dict(os.environ))
    if spec.get("mode") == "exit":
        sys.exit(3)
    for line in sys.stdin:
        if not line.strip() or spec.get("mode") == "silent":
            continue
        request = json.loads(line)
        note(log, event="request", method=request.get("method"))
        if "id" not in request or "method" not in request:
            continue
        body = answer(request["method"], request.get("params") or {}, spec, log)
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **body}), flush=True)


if __name__ == "__main__":
    main()
