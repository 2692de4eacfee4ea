"""A server written with the official SDK: ``sdk_server.py TRANSPORT [PORT]``, with three tools."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("official", version="1.2.3", log_level="ERROR")


@server.tool()
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"hello {name}"


@server.tool()
def nothing() -> None:
    """Take nothing, do nothing."""


if __name__ == "__main__":
    transport = sys.argv[1]
    if transport == "stdio":
        server.run("stdio")
    elif transport == "sse":
        server.run("sse", port=int(sys.argv[2]))
    else:
        server.run(
            "streamable-http",
            port=int(sys.argv[2]),
            json_response=transport == "http-json",
            stateless_http=transport == "http-stateless",
        )
