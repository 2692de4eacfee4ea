"""Qwen Code. Facts: docs/reference/runtimes.md#qwen-code (0.21.10 and 0.24.4 run with a scripted model)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings, Visible
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.variables import DOLLAR_OR_BRACES, Syntax

_KEYS: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "cwd": "cwd", "url": "url", "httpUrl": "url",
    "headers": "headers", "tcp": "known", "type": "type", "timeout": "known", "discoveryTimeoutMs": "budget-ms",
    "trust": "known", "description": "known", "includeTools": "include", "excludeTools": "exclude",
    "alwaysLoadTools": "always-visible", "oauth": "known", "extensionName": "known", "authProviderType": "known",
    "targetAudience": "known", "targetServiceAccount": "known",
}  # fmt: skip
_SLIPS = {
    "environment": "env", "serverUrl": "httpUrl", "disabled": "mcp.excluded at the top level",
    "enabled": "mcp.excluded at the top level", "alwaysLoad": "alwaysLoadTools", "transport": "httpUrl or url",
}  # fmt: skip


def _transport(raw: Mapping[str, Any]) -> Chosen:
    if raw.get("httpUrl"):
        return "http", False
    if raw.get("url"):
        return "sse", False
    if raw.get("command"):
        return "stdio", False
    return "it has neither a command nor a URL"


def _shared_transport(raw: Mapping[str, Any]) -> Chosen:
    """In .mcp.json Qwen Code reads Claude Code's form."""
    if raw.get("url") and raw.get("type") in ("http", "streamable-http"):
        return "http", False
    return _transport(raw)


class QwenCode(Runtime):
    name = "qwen-code"
    title = "Qwen Code"
    program = "qwen"
    file_name = "settings.json"

    def reading(self, context: Context) -> Reading:
        syntax: dict[Role, Syntax] = dict.fromkeys(
            ("command", "args", "env", "cwd", "url", "headers"), DOLLAR_OR_BRACES
        )
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=syntax,
            budgets={"stdio": 30.0, "http": 5.0, "sse": 5.0},
            comments=True,
            trailing_commas=None,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        return [
            Location("/etc/qwen-code/system-defaults.json", "system"),
            Location(posixpath.join(context.home, ".qwen/settings.json"), "user"),
            Location(posixpath.join(context.cwd, ".mcp.json"), "project"),
            Location(posixpath.join(context.cwd, ".qwen/settings.json"), "project"),
            Location("/etc/qwen-code/settings.json", "system"),
        ]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        if known[0] != "user" or path.startswith(posixpath.join(context.home, ".qwen/")):
            return known
        if path.endswith("/.qwen/settings.json"):
            return "project", "its folder is called .qwen, outside the home directory"
        return ("project", "the file is called .mcp.json") if path.endswith("/.mcp.json") else known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if document.path.endswith(".qwen/settings.json"):
            yield 10, "it is .qwen/settings.json"
        name = posixpath.basename(document.path).lower()
        if "qwen" in name:
            yield 5, f"the file name {name} says qwen"
        if document.get("/security/auth/selectedType") in ("openai", "qwen-oauth"):
            yield 5, "it signs in as Qwen Code does"
        servers = document.get("/mcpServers")
        entries = [raw for raw in servers.values() if isinstance(raw, Mapping)] if isinstance(servers, Mapping) else []
        if any({"discoveryTimeoutMs", "alwaysLoadTools"} & set(raw) for raw in entries):
            yield 5, "its entries have keys that only Qwen Code reads"
        elif any("httpUrl" in raw for raw in entries):
            yield 3, "its entries say httpUrl"

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        shared = posixpath.basename(reader.source.document.path) == ".mcp.json"
        if shared:
            reader.reading = replace(reader.reading, transport=_shared_transport)
        for entry in super().entries(reader, pointer, table):
            kind = entry.raw.get("type")
            if not shared and entry.raw.get("url") and not entry.raw.get("httpUrl") and kind in _HTTP_TYPES:
                reader.problem(
                    "transport-mismatch",
                    "high",
                    f'{entry.name}: Qwen Code reads url as the legacy HTTP+SSE transport and ignores "type": '
                    f"{json.dumps(kind)}; a live streamable HTTP server fails to start",
                    f"{entry.pointer}/url",
                    server=entry.name,
                    action="rename url to httpUrl",
                )
            yield entry

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        gate = _gate(entry, settings)
        return entry if gate is None else replace(entry, gate=gate)

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        known = super().visibility(entry, profile, likely)
        return "yes" if known == "deferred" and entry.always_visible else known

    def disable_builtins(self, names: list[str]) -> Fix | None:
        return Fix(self.file_name, json.dumps({"tools": {"disabled": names}}))

    def reveal(self, entry: Entry) -> Fix | None:
        return Fix(f"the entry of {entry.name}", '"alwaysLoadTools": true')

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        return Fix(f"the entry of {entry.name}", f'"excludeTools": {json.dumps(tools)}')

    def filter_matches(self, pattern: str, tools: Sequence[str]) -> bool:
        return pattern.partition("(")[0] in tools

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms


_HTTP_TYPES = ("http", "streamable-http", "streamableHttp")


def _gate(entry: Entry, settings: Settings) -> Gate | None:
    excluded = settings.names("mcp.excluded")
    if any(fnmatchcase(entry.name, pattern) for pattern in excluded):
        return certain_gate("mcp.excluded names it", f"take {entry.name} out of mcp.excluded")
    allowed = settings.names("mcp.allowed")
    if allowed and not any(fnmatchcase(entry.name, pattern) for pattern in allowed):
        return certain_gate("mcp.allowed does not name it", f"add {entry.name} to mcp.allowed")
    if entry.source.scope == "project":
        return Gate(
            "it stands in a project's file; headless and in approval mode default, Qwen Code starts no such server",
            False,
            "start with --approval-mode yolo, or move the entry to ~/.qwen/settings.json",
        )
    return None
