"""Cursor. Closed source; read from its documentation and from reports. Facts: docs/reference/runtimes.md#cursor."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Location, Scope
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import VSCODE, Syntax

_KEYS: dict[str, Role] = {
    "type": "type", "command": "command", "args": "args", "env": "env", "envFile": "env-file", "url": "url",
    "headers": "headers", "auth": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url", "serverUrl": "url", "environment": "env"}


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else "it has no command"
    if kind == "sse":
        return "sse", False
    if kind in ("http", "streamable-http", "streamableHttp") or (kind is None and "url" in raw):
        return "http", True
    return "it has neither a command nor a url" if kind is None else f"type {json.dumps(kind)[:60]} is not known"


class Cursor(Runtime):
    name = "cursor"
    title = "Cursor"
    program = "cursor"
    file_name = "mcp.json"

    def reading(self, context: Context) -> Reading:
        syntax: dict[Role, Syntax] = dict.fromkeys(("command", "args", "env", "url", "headers"), VSCODE)
        return Reading(
            container=("mcpServers",), keys=_KEYS, transport=_transport, syntax=syntax, budgets={}, slips=_SLIPS
        )

    def locations(self, context: Context) -> list[Location]:
        return [
            Location(posixpath.join(context.home, ".cursor/mcp.json"), "user"),
            Location(posixpath.join(context.cwd, ".cursor/mcp.json"), "project"),
        ]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        if known[0] == "user" and path.endswith("/.cursor/mcp.json") and not path.startswith(context.home + "/.cursor"):
            return "project", "its folder is called .cursor, outside the home directory"
        return known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if document.path.endswith(".cursor/mcp.json"):
            yield 10, "it is .cursor/mcp.json"
        if "cursor" in posixpath.basename(document.path).lower():
            yield 5, "the file name says cursor"
