"""Configurations that name no agent runtime: a plain ``{"mcpServers": …}`` file, and contractd's own contractd.toml.

Their tools are named as contractd itself exposes them, and there are no built-ins.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError
from contractd.runtimes.base import Context, Entry, Location, Source
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import BRACES_DEFAULT

_KEYS: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "environment": "env", "cwd": "cwd",
    "url": "url", "httpUrl": "url", "serverUrl": "url", "headers": "headers", "http_headers": "headers",
    "type": "type", "transport": "type", "enabled": "enabled", "disabled": "disabled",
    "includeTools": "include", "excludeTools": "exclude", "timeout": "known", "description": "known",
    "trust": "known", "alwaysAllow": "known", "autoApprove": "known", "name": "known", "manifest_url": "known",
    "manifest": "known",
}  # fmt: skip

_STREAMABLE = ("http", "streamable-http", "streamableHttp", "streamable_http", "remote")


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type", raw.get("transport"))
    if "manifest_url" in raw:
        return "manifest-url", False
    if "manifest" in raw:
        return "manifest-file", False
    if kind in ("stdio", "local") or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else "it has no command"
    if kind == "sse":
        return "sse", False
    if kind in _STREAMABLE:
        return "http", False
    if kind is None and any(key in raw for key in ("url", "httpUrl", "serverUrl")):
        return "http", "httpUrl" not in raw
    return "it has neither a command nor a URL" if kind is None else f"its type {str(kind)[:60]!r} is not known"


class Plain(Runtime):
    """Read generously: nobody knows who else will read it."""

    name = "contractd"
    title = "contractd"
    file_name = "contractd.toml"

    @property
    def reader(self) -> str:
        return "the program that will read it"

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=dict.fromkeys(("command", "args", "env", "url", "headers", "cwd"), BRACES_DEFAULT),
            budgets={},
        )

    def locations(self, context: Context) -> list[Location]:
        return [Location(posixpath.join(context.cwd, "contractd.toml"), "project")]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if name == "contractd.toml":
            yield 10, "the file is called contractd.toml"
        if name == "pyproject.toml" and document.get("/tool/contractd") is not None:
            yield 10, "it has a [tool.contractd]"

    def scope_of(self, path: str, context: Context) -> tuple[Any, str]:
        if posixpath.basename(path) in ("contractd.toml", "pyproject.toml"):
            return "project", "contractd reads this file itself"
        return "stated", "it was named; no runtime's scopes apply"

    def containers(self, source: Source, context: Context) -> list[str]:
        name = posixpath.basename(source.document.path)
        if name == "pyproject.toml":
            return ["/tool/contractd/providers"]
        tables = ["/mcpServers", "/servers", "/mcp_servers", "/providers"]
        return [table for table in tables if source.document.get(table) is not None]

    def check_top_level(self, source: Source, reading: Reading, context: Context) -> list[Any]:
        if not isinstance(source.document.value, dict):
            raise ConfigError("a table is expected at the top, with the servers in it", place=source.document.place(""))
        return []  # contractd.toml is checked by its own models; of a plain file nobody knows what belongs in it

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        if not pointer.endswith("/providers"):
            yield from super().entries(reader, pointer, table)
            return
        for name, raw in table.items():  # the policy's models have checked the shapes
            yield _own_entry(reader, name, raw, pointer_join(pointer, name))


def _own_entry(reader: EntryReader, name: str, raw: Mapping[str, Any], pointer: str) -> Entry:
    """A provider of contractd.toml."""
    folder = posixpath.dirname(reader.source.document.path) or reader.context.cwd
    shape = dict(raw)
    if isinstance(shape.get("command"), list):
        shape["command"], *shape["args"] = shape["command"]
    shape.setdefault("cwd", folder)
    shape["cwd"] = posixpath.normpath(posixpath.join(folder, shape["cwd"]))
    if "url" in shape:
        shape["type"] = shape.pop("transport", "http")
    own: dict[str, Role] = {
        **_KEYS, "include": "include", "exclude": "exclude", "timeout": "budget-s", "inherit_env": "known",
        "manifest_url": "url", "manifest": "path",
    }  # fmt: skip
    inner = EntryReader(replace(reader.reading, keys=own), reader.source, reader.context, reader.title)
    entry = inner.entry(name, shape, pointer)
    reader.problems += inner.problems
    spec = entry.spec
    if spec is None:
        return entry
    inherit = raw.get("inherit_env", True)
    names = spec.inherit if inherit is True else frozenset(inherit or ())
    return replace(entry, raw=raw, spec=replace(spec, inherit=names))
