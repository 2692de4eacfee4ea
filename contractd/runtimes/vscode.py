"""VS Code with Copilot. Read from its public source; not run here. Facts: docs/reference/runtimes.md#vs-code."""

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
from contractd.runtimes.shapes import SCALAR_TABLE, Shape
from contractd.runtimes.style import NO_COMMAND, NO_TARGET, holds_text, is_called, is_file, project_folder, unknown_type
from contractd.runtimes.variables import BRACES_DEFAULT, Syntax

_KEYS: dict[str, Role] = {
    "type": "type", "command": "command", "args": "args", "env": "env", "envFile": "env-file", "cwd": "cwd",
    "url": "url", "headers": "headers", "dev": "known", "sandboxEnabled": "known", "sandbox": "known",
    "oauth": "known", "gallery": "known", "version": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url with type http", "serverUrl": "url with type http", "environment": "env", "transport": "type"}
_SHAPES: dict[str, Shape] = {"env": SCALAR_TABLE}
_ROLES: tuple[Role, ...] = ("command", "args", "env", "cwd", "url", "headers")
# ${env:NAME}, and variables of its own without a prefix; input, command and config may ask a person.
_OWN_OR_ENV = re.compile(
    r"\$\{(?:env:(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<bare>(?:workspaceFolder|userHome)\w*|pathSeparator|/|cwd))\}"
)
_SYNTAX = Syntax(_OWN_OR_ENV, "${env:NAME}", "empty")
_PROMPTS = re.compile(r"\$\{(?:input|command|config):[^}]+\}")
_USER_FILE = "Code/User/mcp.json"
_PORTABLE = (".mcp.json", "mcp-config.json")


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else NO_COMMAND
    if kind == "sse":
        return "sse", False
    if kind == "http" or (kind is None and "url" in raw):
        return "http", True
    return NO_TARGET if kind is None else unknown_type(kind, '"type": "stdio", "http" or "sse"')


class VsCode(Runtime):
    name = "vscode-copilot"
    title = "VS Code"
    program = "code"
    version_pattern = re.compile(r"^(\d+\.\d+\.\d+)", re.MULTILINE)
    file_name = "mcp.json"

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("servers",),
            keys=_KEYS,
            transport=_transport,
            syntax=dict.fromkeys(_ROLES, _SYNTAX),
            budgets={},
            comments=True,
            trailing_commas=True,
            top_level=frozenset({"servers", "inputs", "$schema", "sandbox"}),
            prompts=_PROMPTS,
            shapes=_SHAPES,
            over_shape="does not accept the entry",
            slips=_SLIPS,
            home_roles=frozenset({"command", "args", "cwd"}),
        )

    def reading_of(self, source: Source, context: Context) -> Reading:
        """A file of its own in .vscode or the user's profile, or the portable form that other programs read too."""
        reading = self.reading(context)
        if _is_portable(source):
            syntax = dict.fromkeys(_ROLES, BRACES_DEFAULT)
            return replace(reading, container=("mcpServers",), syntax=syntax, top_level=None, prompts=None)
        folder = project_folder(source, context) if source.scope == "project" else context.cwd
        return replace(
            reading,
            default_cwd=context.home if is_file(source.document, _USER_FILE) else folder,
            own_variables={
                "workspaceFolder": folder, "workspaceFolderBasename": posixpath.basename(folder), "cwd": folder,
                "userHome": context.home, "pathSeparator": "/", "/": "/",
            },
        )  # fmt: skip

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        return [
            Location(posixpath.join(config, _USER_FILE), "user"),
            Location(posixpath.join(context.cwd, ".vscode/mcp.json"), "project"),
        ]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        if path.endswith("/.vscode/mcp.json"):
            return "project", "its folder is called .vscode"
        return super().scope_of(path, context)

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if is_file(document, ".vscode/mcp.json", _USER_FILE):
            yield 10, f"it is {'/'.join(document.path.split('/')[-2:])}"
        if is_file(document, ".copilot/mcp-config.json"):
            yield 10, "it is .copilot/mcp-config.json"
        if "vscode" in name.lower() or "copilot" in name.lower():
            yield 5, f"the file name {name} says so"
        if isinstance(document.get("/servers"), Mapping) and document.format == "json":
            yield 5, "its servers stand under servers"
        if isinstance(document.get("/inputs"), list):
            yield 4, "it has inputs"
        if is_called(document, "mcp.json"):
            yield 1, "the file is called mcp.json"  # though it reads no mcpServers there
        if holds_text(document.get("/mcpServers"), "${env:"):
            yield 2, "it writes variables as ${env:NAME}"


def _is_portable(source: Source) -> bool:
    named = posixpath.basename(source.document.path) in _PORTABLE
    return named and source.document.get("/servers") is None
