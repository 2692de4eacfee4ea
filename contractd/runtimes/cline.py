"""Cline: the editor extension, read from its public source, and the command line program 3.0.65, run against a
scripted model. Facts: docs/reference/runtimes.md#cline."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Location, Source
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.shapes import FLAG, TABLE, TEXT, TEXT_TABLE, TEXTS, Shape
from contractd.runtimes.style import NO_COMMAND, NO_TARGET, Ignored, Wrong, holds_text, is_file, unknown_type
from contractd.runtimes.variables import ENV_LITERAL, Syntax
from contractd.text import visible

_KEYS: dict[str, Role] = {
    "type": "type", "transportType": "type", "command": "command", "args": "args", "cwd": "cwd", "env": "env",
    "url": "url", "headers": "headers", "disabled": "disabled", "timeout": "budget-s", "autoApprove": "known",
    "alwaysAllow": "known", "remoteConfigured": "known", "oauth": "known", "metadata": "known", "transport": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url with type streamableHttp", "serverUrl": "url", "environment": "env"}
_IGNORED = {"enabled": Ignored("the server is started all the same", "write disabled: true")}
_SHAPES: dict[str, Shape] = {
    "command": TEXT, "args": TEXTS, "cwd": TEXT, "env": TEXT_TABLE, "url": TEXT, "headers": TEXT_TABLE,
    "disabled": FLAG, "transport": TABLE,
}  # fmt: skip
# What the extension passes on: the official SDK's default list.
_INHERITED = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
_FILE = "cline_mcp_settings.json"
_PROGRAMS_FILE = f".cline/data/settings/{_FILE}"
_NO_URL = Wrong("it has no url", "give its address under url")
_CONNECT = 3.0  # seconds the program gives a server to come up, unless the entry says more


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind, legacy = raw.get("type"), raw.get("transportType")
    if kind is None and legacy is not None:
        kind = "streamableHttp" if legacy == "http" else legacy
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else NO_COMMAND
    if kind == "streamableHttp":
        return ("http", False) if "url" in raw else _NO_URL
    if kind == "sse" or (kind is None and "url" in raw):
        return ("sse", False) if "url" in raw else _NO_URL
    return NO_TARGET if kind is None else unknown_type(kind, '"type": "stdio", "sse" or "streamableHttp"')


class Cline(Runtime):
    name = "cline"
    title = "Cline"
    program = "cline"
    file_name = _FILE

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
            bom=False,
            shapes=_SHAPES,
            over_shape="starts none of the servers in the file over it, and nothing is said",
            whole_file=True,
            slips=_SLIPS,
            ignored=_IGNORED,
        )

    def reading_of(self, source: Source, context: Context) -> Reading:
        """The program, other than the extension, expands nothing, passes everything on and waits less."""
        reading = self.reading(context)
        if not is_file(source.document, _PROGRAMS_FILE):
            return reading
        budgets = dict.fromkeys(reading.budgets, _CONNECT)
        return replace(reading, syntax={}, inherit="all", budgets=budgets)

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        storage = f"Code/User/globalStorage/saoudrizwan.claude-dev/settings/{_FILE}"
        return [
            Location(posixpath.join(config, storage), "user"),
            Location(posixpath.join(context.home, _PROGRAMS_FILE), "user"),
        ]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if name == _FILE:
            yield 10, f"the file is called {_FILE}"
        elif "cline" in name.lower():
            yield 5, f"the file name {name} says cline"
        servers = document.get("/mcpServers")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping)
            and ({"autoApprove", "alwaysAllow", "transportType", "remoteConfigured"} & set(raw)
                 or raw.get("type") == "streamableHttp")
            for raw in servers.values()
        ):  # fmt: skip
            yield 4, "its entries are written as Cline writes them"
        if holds_text(servers, "${env:"):
            yield 2, "it writes variables as ${env:NAME}"

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """The program's own nested form, {"transport": {…}}, is read as if it were flat."""
        if isinstance(table, Mapping):
            table = {name: {**raw, **raw["transport"]} if _nested(raw) else raw for name, raw in table.items()}
        yield from super().entries(reader, pointer, table)

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        pairs = {name: "${env:" + name + "}" for name in names}
        return Fix(f"the entry of {visible(entry.name, 60)}", f'"env": {json.dumps(pairs)}')


def _nested(raw: Any) -> bool:
    return isinstance(raw, Mapping) and isinstance(raw.get("transport"), Mapping)
