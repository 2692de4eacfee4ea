"""An MCP server through which agents write to each other: list_agents, send_message, check_inbox.

    python server.py --as planner [--dir messages]        serve over stdio as the agent "planner"
    python server.py --register reviewer [--dir messages] make "reviewer" a possible recipient, and exit
    python server.py --unregister reviewer [--dir …]      take it away again, and exit

Needs the official SDK (``pip install 'mcp>=2.3,<3'``). What is written where: ``store.py``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from store import MessageError, Store, checked

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def build(store: Store, agent: str) -> MCPServer:
    """The server as ``agent`` sees it."""
    server = MCPServer("message-server", instructions=f"You are {agent}. Only registered agents can be written to.")

    @contextmanager
    def logged(tool: str) -> Iterator[list[str]]:
        """Write the call down with the message ids it was about, and turn a refusal into the tool's own error."""
        ids: list[str] = []
        try:
            yield ids
        except MessageError as error:
            store.log(agent, tool, ok=False, ids=ids)
            raise ToolError(str(error)) from None
        store.log(agent, tool, ok=True, ids=ids)

    @server.tool(annotations=READS)
    def list_agents() -> list[str]:
        """The names of the agents that can be written to now."""
        with logged("list_agents"):
            return store.agents()

    @server.tool(annotations=WRITES)
    def send_message(recipient: str, message: str) -> dict[str, str]:
        """Put a message into the inbox of a registered agent. Answers with the id under which it was stored."""
        with logged("send_message") as ids:
            ids.append(store.send(agent, recipient, message))
            return {"id": ids[0], "recipient": recipient}

    @server.tool(annotations=READS)
    def check_inbox(after: str | None = None) -> list[dict[str, str]]:
        """The messages in your own inbox, oldest first; with ``after``, only those after the message of that id."""
        with logged("check_inbox") as ids:
            messages = store.inbox(agent, after)
            ids.extend(message["id"] for message in messages)
            return messages

    return server


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--as", dest="agent", metavar="NAME", help="serve as this agent, over stdio")
    what.add_argument("--register", metavar="NAME", help="make this agent a possible recipient")
    what.add_argument("--unregister", metavar="NAME", help="take this agent away again")
    parser.add_argument("--dir", type=Path, default=os.environ.get("MESSAGE_DIR", "messages"), help="where to write")
    chosen = parser.parse_args()
    store = Store(Path(chosen.dir))
    try:
        if chosen.register:
            store.register(chosen.register)
        elif chosen.unregister:
            store.unregister(chosen.unregister)
        else:
            build(store, checked(chosen.agent)).run("stdio")
    except MessageError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
