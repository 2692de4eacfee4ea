"""Goose. Read from its public source; not run here. Facts: docs/reference/runtimes.md#goose."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.documents import Document, pointer_join
from contractd.runtimes.base import Context, Entry, Fix, Location
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.variables import DOLLAR_OR_BRACES

_KEYS: dict[str, Role] = {
    "enabled": "enabled", "type": "type", "name": "known", "display_name": "known", "description": "known",
    "cmd": "command", "args": "args", "envs": "env", "env_keys": "known", "timeout": "budget-s", "bundled": "known",
    "available_tools": "include", "uri": "url", "headers": "headers", "socket": "known", "code": "known",
    "dependencies": "known", "tools": "known", "instructions": "known",
}  # fmt: skip
_SLIPS = {"command": "cmd", "env": "envs", "url": "uri", "disabled": "enabled: false", "environment": "envs"}
_OWN = frozenset({"builtin", "platform", "frontend", "inline_python"})


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "stdio":
        return ("stdio", False) if raw.get("cmd") else "it has no cmd"
    if kind == "streamable_http":
        return "http", False
    return f"type {str(kind)[:60]} is not supported; Goose skips the entry with a line in its log"


class Goose(Runtime):
    name = "goose"
    title = "Goose"
    program = "goose"
    file_name = "config.yaml"

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("extensions",),
            keys=_KEYS,
            transport=_transport,
            syntax={"url": DOLLAR_OR_BRACES, "headers": DOLLAR_OR_BRACES},
            budgets={"stdio": 300.0, "http": 300.0},
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        return [Location(posixpath.join(config, "goose/config.yaml"), "user")]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if document.path.endswith("goose/config.yaml"):
            yield 10, "it is goose/config.yaml"
        if "goose" in posixpath.basename(document.path).lower():
            yield 5, "the file name says goose"
        extensions = document.get("/extensions")
        if isinstance(extensions, Mapping) and any(
            isinstance(raw, Mapping) and ({"cmd", "uri", "env_keys"} & set(raw) or raw.get("type") in _OWN)
            for raw in extensions.values()
        ):
            yield 8, "its extensions are written as Goose writes them"

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """Its own extensions stand in the same table; they are no servers. Variables come from envs and env_keys."""
        servers = {
            key: raw
            for key, raw in (table.items() if isinstance(table, Mapping) else ())
            if not (isinstance(raw, Mapping) and raw.get("type") in _OWN)
        }
        for key, raw in servers.items():
            inner = reader
            if isinstance(raw, Mapping):
                inner = EntryReader(reader.reading, reader.source, _with_own(reader.context, raw), reader.title)
            yield inner.entry(key, raw, pointer_join(pointer, key))
            if inner is not reader:
                reader.problems += inner.problems

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        return Fix(f"the entry of {entry.name}", "available_tools: [the tools to keep]", "yaml")


def _with_own(context: Context, raw: Mapping[str, Any]) -> Context:
    """The variables an entry can name: its envs, and those of env_keys that are set here."""
    own = (
        {key: str(value) for key, value in (raw.get("envs") or {}).items()}
        if isinstance(raw.get("envs"), Mapping)
        else {}
    )
    keys = raw.get("env_keys")
    named = {key: context.environ[key] for key in keys if key in context.environ} if isinstance(keys, list) else {}
    return replace(context, environ={**named, **own})
