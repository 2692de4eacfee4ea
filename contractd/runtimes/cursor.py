"""Cursor. Closed source; read from its documentation and from reports. Facts: docs/reference/runtimes.md#cursor."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Location, Scope, Source
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.style import NO_COMMAND, NO_TARGET, holds_text, is_called, is_file, project_folder, unknown_type
from contractd.runtimes.variables import Syntax

_KEYS: dict[str, Role] = {
    "type": "type", "command": "command", "args": "args", "env": "env", "envFile": "env-file", "url": "url",
    "headers": "headers", "auth": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url", "serverUrl": "url", "environment": "env"}
_ROLES: tuple[Role, ...] = ("command", "args", "env", "url", "headers")
_OWN_OR_ENV = re.compile(
    r"\$\{(?:env:(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<bare>workspaceFolder\w*|userHome|pathSeparator|/))\}"
)


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else NO_COMMAND
    if kind == "sse":
        return "sse", False
    if kind in ("http", "streamable-http", "streamableHttp") or (kind is None and "url" in raw):
        return "http", True
    return NO_TARGET if kind is None else unknown_type(kind, '"type": "stdio", "http" or "sse"')


class Cursor(Runtime):
    name = "cursor"
    title = "Cursor"
    program = "cursor"
    file_name = "mcp.json"

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=dict.fromkeys(_ROLES, Syntax(_OWN_OR_ENV, "${env:NAME}", "empty")),
            budgets={},
            slips=_SLIPS,
            closed=False,
        )

    def reading_of(self, source: Source, context: Context) -> Reading:
        folder = project_folder(source, context) if source.scope == "project" else context.cwd
        return replace(
            self.reading(context),
            own_variables={
                "workspaceFolder": folder, "workspaceFolderBasename": posixpath.basename(folder),
                "userHome": context.home, "pathSeparator": "/", "/": "/",
            },
        )  # fmt: skip

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
        name = posixpath.basename(document.path)
        if is_file(document, ".cursor/mcp.json"):
            yield 10, "it is .cursor/mcp.json"
        if "cursor" in name.lower():
            yield 5, f"the file name {name} says cursor"
        if is_called(document, "mcp.json"):
            yield 2, "the file is called mcp.json"
        if holds_text(document.get("/mcpServers"), "${env:"):
            yield 2, "it writes variables as ${env:NAME}"
