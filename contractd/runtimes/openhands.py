"""OpenHands CLI. Facts: docs/reference/runtimes.md#openhands (the published 1.16.0, run with a scripted model)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Location
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import BRACES_DEFAULT, Syntax

_KEYS: dict[str, Role] = {
    "transport": "type", "command": "command", "args": "args", "env": "env", "cwd": "cwd", "url": "url",
    "headers": "headers", "enabled": "enabled", "auth": "known", "timeout": "known", "description": "known",
    "icon": "known",
}  # fmt: skip
_SLIPS = {
    "type": "transport", "httpUrl": "url with transport http", "serverUrl": "url", "environment": "env",
    "disabled": "enabled: false",
}  # fmt: skip
# What a stdio server gets of the environment: the official SDK's default list.
_INHERITED = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("transport")
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else "it has no command"
    if kind == "sse":
        return "sse", False
    if kind in ("http", "streamable-http"):
        return "http", False
    if kind is None and isinstance(raw.get("url"), str):
        # fastmcp, which it is built on, takes a URL with /sse in its path for HTTP+SSE.
        return ("sse", False) if "/sse" in raw["url"] else ("http", False)
    return "it has neither a command nor a url" if kind is None else f"transport {json.dumps(kind)[:60]} is not known"


class OpenHands(Runtime):
    name = "openhands"
    title = "OpenHands"
    program = "openhands"
    file_name = "mcp.json"

    def reading(self, context: Context) -> Reading:
        syntax: dict[Role, Syntax] = dict.fromkeys(("command", "args", "env", "url", "headers"), BRACES_DEFAULT)
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=syntax,
            budgets={"stdio": 30.0, "http": 30.0, "sse": 30.0},
            inherit=_INHERITED,
            comments=False,
            trailing_commas=False,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        folder = context.environ.get("OPENHANDS_PERSISTENCE_DIR") or posixpath.join(context.home, ".openhands")
        return [Location(posixpath.join(folder, "mcp.json"), "user")]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if document.path.endswith(".openhands/mcp.json"):
            yield 10, "it is .openhands/mcp.json"
        if "openhands" in posixpath.basename(document.path).lower():
            yield 5, "the file name says openhands"
        servers = document.get("/mcpServers")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and raw.get("transport") in ("stdio", "http", "sse") for raw in servers.values()
        ):
            yield 4, 'its entries have a "transport"'

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        if timed_out:
            return "a server that never answers aborts the whole agent after 30 s; no model is asked, exit status 0"
        if others == 0:
            return "with its only server down the agent aborts or hangs; no model is asked, exit status 0"
        return None

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        pairs = {name: "${" + name + "}" for name in names}
        return Fix(f"the entry of {entry.name}", f'"env": {json.dumps(pairs)}')
