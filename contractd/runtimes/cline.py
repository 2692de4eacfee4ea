"""Cline: the editor extension, read from its public source. Facts: docs/reference/runtimes.md#cline."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Location
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import ENV_LITERAL, Syntax

_KEYS: dict[str, Role] = {
    "type": "type", "transportType": "type", "command": "command", "args": "args", "cwd": "cwd", "env": "env",
    "url": "url", "headers": "headers", "disabled": "disabled", "timeout": "budget-s", "autoApprove": "known",
    "alwaysAllow": "known", "remoteConfigured": "known", "oauth": "known", "metadata": "known", "transport": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url with type streamableHttp", "serverUrl": "url", "enabled": "disabled", "environment": "env"}
# What the extension passes on: the official SDK's default list.
_INHERITED = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type", raw.get("transportType"))
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else "it has no command"
    if kind in ("streamableHttp", "http"):
        return "http", False
    if kind == "sse" or (kind is None and "url" in raw):
        return "sse", False
    return "it has neither a command nor a url" if kind is None else f"type {json.dumps(kind)[:60]} is not known"


class Cline(Runtime):
    name = "cline"
    title = "Cline"
    program = "cline"
    file_name = "cline_mcp_settings.json"

    def reading(self, context: Context) -> Reading:
        syntax: dict[Role, Syntax] = dict.fromkeys(("command", "args", "cwd", "env", "url", "headers"), ENV_LITERAL)
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=syntax,
            budgets={"stdio": 60.0, "http": 60.0, "sse": 60.0},
            inherit=_INHERITED,
            comments=False,
            trailing_commas=False,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        storage = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
        return [
            Location(posixpath.join(config, storage), "user"),
            Location(posixpath.join(context.home, ".cline/data/settings/cline_mcp_settings.json"), "user"),
        ]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if name == "cline_mcp_settings.json":
            yield 10, "the file is called cline_mcp_settings.json"
        elif "cline" in name.lower():
            yield 5, "the file name says cline"
        servers = document.get("/mcpServers")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and {"autoApprove", "alwaysAllow", "transportType"} & set(raw)
            for raw in servers.values()
        ):
            yield 4, "its entries have autoApprove"

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """The program's own nested form, {"transport": {…}}, is read as if it were flat."""
        if isinstance(table, Mapping):
            table = {name: {**raw, **raw["transport"]} if _nested(raw) else raw for name, raw in table.items()}
        yield from super().entries(reader, pointer, table)

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        pairs = {name: "${env:" + name + "}" for name in names}
        return Fix(f"the entry of {entry.name}", f'"env": {json.dumps(pairs)}')


def _nested(raw: Any) -> bool:
    return isinstance(raw, Mapping) and isinstance(raw.get("transport"), Mapping)
