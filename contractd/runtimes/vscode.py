"""VS Code with Copilot. Read from its public source; not run here. Facts: docs/reference/runtimes.md#vs-code."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Location, Scope, Source
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import VSCODE, Syntax

_KEYS: dict[str, Role] = {
    "type": "type", "command": "command", "args": "args", "env": "env", "envFile": "env-file", "cwd": "cwd",
    "url": "url", "headers": "headers", "dev": "known", "sandboxEnabled": "known", "sandbox": "known",
    "oauth": "known", "gallery": "known", "version": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url with type http", "serverUrl": "url with type http", "environment": "env", "transport": "type"}


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else "it has no command"
    if kind == "sse":
        return "sse", False
    if kind == "http" or (kind is None and "url" in raw):
        return "http", True
    return "it has neither a command nor a url" if kind is None else f"type {json.dumps(kind)[:60]} is not known"


class VsCode(Runtime):
    name = "vscode-copilot"
    title = "VS Code"
    program = "code"
    version_pattern = re.compile(r"^(\d+\.\d+\.\d+)", re.MULTILINE)
    file_name = "mcp.json"

    def reading(self, context: Context) -> Reading:
        syntax: dict[Role, Syntax] = dict.fromkeys(("command", "args", "env", "cwd", "url", "headers"), VSCODE)
        return Reading(
            container=("servers",),
            keys=_KEYS,
            transport=_transport,
            syntax=syntax,
            budgets={},
            comments=True,
            trailing_commas=True,
            top_level=frozenset({"servers", "inputs", "$schema", "sandbox"}),
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        return [
            Location(posixpath.join(config, "Code/User/mcp.json"), "user"),
            Location(posixpath.join(context.cwd, ".vscode/mcp.json"), "project"),
        ]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        if path.endswith("/.vscode/mcp.json"):
            return "project", "its folder is called .vscode"
        return super().scope_of(path, context)

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if document.path.endswith(".vscode/mcp.json"):
            yield 10, "it is .vscode/mcp.json"
        if "vscode" in posixpath.basename(document.path).lower():
            yield 5, "the file name says vscode"
        if isinstance(document.get("/servers"), Mapping) and document.format == "json":
            yield 5, "its servers stand under servers"
        if isinstance(document.get("/inputs"), list):
            yield 4, "it has inputs"

    def containers(self, source: Source, context: Context) -> list[str]:
        portable = source.document.get("/servers") is None and source.document.path.endswith(
            (".mcp.json", "mcp-config.json")
        )
        return ["/mcpServers"] if portable else ["/servers"]
