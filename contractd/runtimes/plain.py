"""Configurations that name no agent runtime: a plain ``{"mcpServers": …}`` file, and contractd's own contractd.toml.

Their tools are named as contractd itself exposes them, and there are no built-ins.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError
from contractd.policy import ProviderPolicy
from contractd.runtimes.base import Context, Entry, Location, Problem, Scope, Source
from contractd.runtimes.files import check_top_level
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.style import NO_COMMAND, NO_TARGET, is_file, slug, unknown_type
from contractd.runtimes.variables import BRACES_DEFAULT
from contractd.text import visible

_KEYS: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "environment": "env", "cwd": "cwd",
    "manifest_url": "url", "httpUrl": "url", "url": "url", "serverUrl": "url", "headers": "headers",
    "http_headers": "headers", "type": "type", "transport": "type", "enabled": "enabled", "disabled": "disabled",
    "includeTools": "include", "excludeTools": "exclude", "timeout": "known", "description": "known",
    "trust": "known", "alwaysAllow": "known", "autoApprove": "known", "name": "known", "manifest": "path",
}  # fmt: skip
_OWN_KEYS: dict[str, Role] = {
    **_KEYS, "include": "include", "exclude": "exclude", "timeout": "budget-s", "inherit_env": "known",
}  # fmt: skip
_STREAMABLE = ("http", "streamable-http", "streamableHttp", "streamable_http", "remote")
_OWN_FILES = ("contractd.toml", "pyproject.toml")


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type", raw.get("transport"))
    if "manifest_url" in raw:
        return "manifest-url", False
    if "manifest" in raw:
        return "manifest-file", False
    if kind in ("stdio", "local") or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else NO_COMMAND
    if kind == "sse":
        return "sse", False
    if kind in _STREAMABLE:
        return "http", False
    if kind is None and any(key in raw for key in ("url", "httpUrl", "serverUrl")):
        return "http", "httpUrl" not in raw
    return NO_TARGET if kind is None else unknown_type(kind, '"type": "stdio", "http" or "sse"')


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
            bom=None,
            formats=frozenset({"json", "toml", "yaml"}),
            closed=False,
            home_roles=frozenset({"cwd"}),
        )

    def locations(self, context: Context) -> list[Location]:
        return [Location(posixpath.join(context.cwd, "contractd.toml"), "project")]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if is_file(document, "contractd.toml"):
            yield 10, "the file is called contractd.toml"
        if is_file(document, "pyproject.toml") and document.get("/tool/contractd") is not None:
            yield 10, "it has a [tool.contractd]"

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        if posixpath.basename(path) in _OWN_FILES:
            return "project", "contractd reads this file itself"
        return "stated", "it was named; no runtime's scopes apply"

    def containers(self, source: Source, context: Context) -> list[str]:
        if is_file(source.document, "pyproject.toml"):
            return ["/tool/contractd/providers"]
        tables = ["/mcpServers", "/servers", "/mcp_servers", "/providers"]
        return [table for table in tables if source.document.get(table) is not None]

    def check_top_level(self, source: Source, reading: Reading, context: Context) -> list[Problem]:
        """contractd.toml is checked by its own models; of a plain file nobody knows what else belongs in it."""
        if not isinstance(source.document.value, dict):
            raise ConfigError("a table is expected at the top, with the servers in it", place=source.document.place(""))
        if self.containers(source, context) or is_file(source.document, *_OWN_FILES):
            return []
        return check_top_level(source, reading, self.title, [])

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        if not pointer.endswith("/providers") or not isinstance(table, Mapping):
            yield from super().entries(reader, pointer, table)
            return
        for name, raw in table.items():
            try:
                ProviderPolicy.model_validate(raw)
            except ValidationError as error:
                where = pointer_join(pointer, name)
                said = error.errors()[0]["msg"].removeprefix("Value error, ")
                reader.bad(name, visible(said), where, action="contractd config schema prints what a provider may hold")
                yield Entry(name, slug(name), None, reader.source, where)
            else:
                yield _own_entry(reader, name, raw, pointer_join(pointer, name))


def _own_entry(reader: EntryReader, name: str, raw: Mapping[str, Any], pointer: str) -> Entry:
    """A provider of contractd.toml, of which the policy's model has checked the shape."""
    folder = posixpath.normpath(posixpath.join(reader.context.cwd, posixpath.dirname(reader.source.document.path)))
    shape = dict(raw)
    if isinstance(shape.get("command"), list):
        shape["command"], *shape["args"] = shape["command"]
    if "url" in shape:
        shape["type"] = shape.pop("transport", "http")
    own = replace(reader.reading, keys=_OWN_KEYS, closed=True, either=frozenset({"cwd"}), default_cwd=folder)
    inner = EntryReader(own, reader.source, reader.context, reader.title, who=reader.who)
    entry = inner.entry(name, shape, pointer)
    reader.problems += inner.problems
    if entry.spec is None:
        return entry
    inherit = raw.get("inherit_env", True)
    names = entry.spec.inherit if inherit is True else frozenset(inherit or ())
    return replace(entry, raw=raw, spec=replace(entry.spec, inherit=names))
