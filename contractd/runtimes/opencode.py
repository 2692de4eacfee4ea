"""OpenCode. Facts: docs/reference/runtimes.md#opencode (the published 1.18.18, run with a scripted model)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Location, Scope, Settings
from contractd.runtimes.cleaning import part
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import OPENCODE, Syntax

_KEYS: dict[str, Role] = {
    "type": "type", "command": "argv", "environment": "env", "cwd": "cwd", "url": "url", "headers": "headers",
    "oauth": "known", "enabled": "enabled", "timeout": "budget-ms",
}  # fmt: skip
_SLIPS = {
    "args": "command as one array", "env": "environment", "httpUrl": "url", "serverUrl": "url",
    "disabled": "enabled: false", "transport": "type", "includeTools": "tools at the top level",
    "excludeTools": "tools at the top level",
}  # fmt: skip
_CLEAN = {"allowed": "A-Za-z0-9_-", "replacement": "_"}


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "local":
        if not isinstance(raw.get("command"), list):
            return "its command is no array; OpenCode refuses the whole file over it"
        return "stdio", False
    if kind == "remote":
        return "http", True
    said = json.dumps(kind)[:60] if kind is not None else "none"
    return f'its type must be "local" or "remote" (it is {said}); OpenCode refuses the whole file over it'


class OpenCode(Runtime):
    name = "opencode"
    title = "OpenCode"
    program = "opencode"
    file_name = "opencode.json"

    def reading(self, context: Context) -> Reading:
        syntax: dict[Role, Syntax] = dict.fromkeys(
            ("argv", "args", "command", "env", "cwd", "url", "headers"), OPENCODE
        )
        return Reading(
            container=("mcp",),
            keys=_KEYS,
            transport=_transport,
            syntax=syntax,
            budgets={"stdio": 30.0, "http": 30.0, "sse": 30.0},
            comments=True,
            trailing_commas=True,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        user = [Location(posixpath.join(config, "opencode", name), "user") for name in _NAMES]
        stated = context.environ.get("OPENCODE_CONFIG")
        project = [
            Location(posixpath.join(folder, name), "project")
            for folder in (context.cwd, posixpath.join(context.cwd, ".opencode"))
            for name in _NAMES
        ]
        return user + ([Location(stated, "stated")] if stated else []) + project

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        return ("project", f"the file is called {posixpath.basename(path)}") if _is_project(known, path) else known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path).lower()
        if name in _NAMES:
            yield 10, f"the file is called {name}"
        elif "opencode" in name:
            yield 5, f"the file name {name} says opencode"
        if "opencode.ai" in str(document.get("/$schema", "")):
            yield 10, "its $schema is OpenCode's"
        servers = document.get("/mcp")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and raw.get("type") in ("local", "remote") for raw in servers.values()
        ):
            yield 8, 'its servers under mcp have type "local" or "remote"'

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        """``tools: {"comms_*": false}`` hides by runtime name; the last pattern that matches decides."""
        name = f"{part(entry.name, _CLEAN)}_{part(tool, _CLEAN)}"
        rules = settings.get("tools")
        hidden: str | None = None
        for pattern, shown in rules.items() if isinstance(rules, Mapping) else ():
            if fnmatchcase(name, pattern):
                hidden = None if shown is not False else f"tools at the top level switches {pattern} off"
        return hidden

    def removes_builtin(self, name: str, profile: Any, settings: Settings) -> str | None:
        rules = settings.get("tools")
        off = isinstance(rules, Mapping) and any(
            shown is False and fnmatchcase(name, pattern) for pattern, shown in rules.items()
        )
        return "tools" if off else None

    def disable_builtins(self, names: list[str]) -> Fix | None:
        return Fix(self.file_name, json.dumps({"tools": dict.fromkeys(names, False)}))

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        names = [f"{part(entry.name, _CLEAN)}_{part(tool, _CLEAN)}" for tool in tools]
        return Fix(self.file_name, json.dumps({"tools": dict.fromkeys(names, False)}))

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms


_NAMES = ("opencode.json", "opencode.jsonc")


def _is_project(known: tuple[Scope, str], path: str) -> bool:
    return known[0] == "user" and posixpath.basename(path) in _NAMES and "/.config/opencode/" not in path
