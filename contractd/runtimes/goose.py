"""Goose. Read from its public source; not run here. Facts: docs/reference/runtimes.md#goose."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.documents import Document, pointer_join
from contractd.runtimes.base import Context, Entry, Location
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.shapes import FLAG, TEXT, TEXT_TABLE, TEXTS, WHOLE, Shape, or_null
from contractd.runtimes.style import Wrong, is_file, unknown_type
from contractd.runtimes.variables import DOLLAR_OR_BRACES
from contractd.text import visible

_KEYS: dict[str, Role] = {
    "enabled": "enabled", "type": "type", "name": "known", "display_name": "known", "description": "known",
    "cmd": "command", "args": "args", "envs": "env", "env_keys": "known", "timeout": "budget-s", "bundled": "known",
    "available_tools": "include", "uri": "url", "headers": "headers", "socket": "known", "code": "known",
    "dependencies": "known", "tools": "known", "instructions": "known",
}  # fmt: skip
_SLIPS = {
    "command": "cmd", "env": "envs", "url": "uri", "disabled": "enabled: false", "environment": "envs",
    "env_vars": "env_keys", "httpUrl": "uri",
}  # fmt: skip
_SHAPES: dict[str, Shape] = {
    "enabled": FLAG, "name": TEXT, "cmd": TEXT, "args": TEXTS, "envs": TEXT_TABLE, "env_keys": TEXTS, "uri": TEXT,
    "headers": TEXT_TABLE, "timeout": or_null(WHOLE), "available_tools": TEXTS, "description": or_null(TEXT),
    "bundled": or_null(FLAG),
}  # fmt: skip
_OWN = frozenset({"builtin", "platform", "frontend", "inline_python"})
_NEEDED = {"stdio": ("enabled", "name", "cmd", "args"), "streamable_http": ("enabled", "name", "description", "uri")}
# Names that envs may not set; it skips them with a warning in its log.
_WITHHELD = frozenset(
    ["PATH", "PATHEXT", "SystemRoot", "windir", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "LD_DEBUG",
     "LD_BIND_NOW", "LD_ASSUME_KERNEL", "DYLD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_FRAMEWORK_PATH",
     "PYTHONPATH", "PYTHONHOME", "NODE_OPTIONS", "RUBYOPT", "GEM_PATH", "GEM_HOME", "CLASSPATH", "GO111MODULE",
     "GOROOT", "APPINIT_DLLS", "SESSIONNAME", "ComSpec", "TEMP", "TMP", "LOCALAPPDATA", "USERPROFILE", "HOMEDRIVE",
     "HOMEPATH"]
)  # fmt: skip
_TYPES = "type: stdio or type: streamable_http"
_OVER = "skips the entry, with a line in its log only"


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    missing = [key for key in _NEEDED.get(kind, ()) if key not in raw] if isinstance(kind, str) else []
    if missing:
        return Wrong(f"it has no {missing[0]}; Goose {_OVER}", f"add {missing[0]}")
    if kind == "stdio":
        return "stdio", False
    if kind == "streamable_http":
        return "http", False
    if kind == "sse":
        return Wrong("type sse is no longer supported by Goose", "write type: streamable_http")
    if kind is None:
        return Wrong(f"it has no type; Goose {_OVER}", f"add {_TYPES}")
    return unknown_type(kind, _TYPES, f"; Goose {_OVER}")


class Goose(Runtime):
    name = "goose"
    title = "Goose"
    program = "goose"
    file_name = "config.yaml"

    def reading(self, context: Context) -> Reading:
        stated = context.environ.get("GOOSE_DEFAULT_EXTENSION_TIMEOUT", "")
        budget = float(stated) if re.fullmatch(r"[1-9][0-9]{0,4}", stated) else 300.0
        return Reading(
            container=("extensions",),
            keys=_KEYS,
            transport=_transport,
            syntax={"url": DOLLAR_OR_BRACES, "headers": DOLLAR_OR_BRACES},
            budgets={"stdio": budget, "http": budget},
            formats=frozenset({"yaml", "json"}),
            comments=True,
            withheld=_WITHHELD,
            set_it="set {name} in envs, or name it in env_keys and keep its value in Goose's keyring",
            shapes=_SHAPES,
            over_shape=_OVER,
            slips=_SLIPS,
            either=frozenset({"env"}),
        )

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        return [Location(posixpath.join(config, "goose/config.yaml"), "user")]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if is_file(document, "goose/config.yaml"):
            yield 10, "it is goose/config.yaml"
        if "goose" in name.lower():
            yield 5, f"the file name {name} says goose"
        extensions = document.get("/extensions")
        if isinstance(extensions, Mapping) and any(
            isinstance(raw, Mapping) and ({"cmd", "uri", "env_keys"} & set(raw) or _is_own(raw))
            for raw in extensions.values()
        ):
            yield 8, "its extensions are written as Goose writes them"

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """Its own extensions stand in the same table; they are no servers. Variables come from envs and env_keys."""
        if not isinstance(table, Mapping):
            yield from super().entries(reader, pointer, table)
            return
        for key, raw in table.items():
            if not isinstance(raw, Mapping):
                yield reader.entry(key, raw, pointer_join(pointer, key))
            elif not _is_own(raw):
                yield _entry(reader, key, raw, pointer_join(pointer, key))


def _is_own(raw: Any) -> bool:
    return isinstance(raw, Mapping) and isinstance(raw.get("type"), str) and raw["type"] in _OWN


def _entry(reader: EntryReader, key: str, raw: Mapping[str, Any], pointer: str) -> Entry:
    own, asked = raw.get("envs"), raw.get("env_keys")
    given = {name: value for name, value in own.items() if isinstance(value, str)} if isinstance(own, Mapping) else {}
    keys = [name for name in asked if isinstance(name, str)] if isinstance(asked, list) else []
    named = {name: reader.context.environ[name] for name in keys if name in reader.context.environ}
    inner = EntryReader(
        reader.reading, reader.source, replace(reader.context, environ={**named, **given}), reader.title
    )
    entry = inner.entry(key, raw, pointer)
    reader.problems += inner.problems
    for name in keys if entry.disabled is None else ():
        if name not in named:
            reader.problem(
                "prompted-variable",
                "info",
                f"{visible(key)}: Goose takes {visible(name, 80)} from its keyring, which contractd does not read",
                pointer_join(pointer, "env_keys"),
                server=key,
                subject=f"env_keys {name}",
                action=f"the server is contacted without it; set {visible(name, 80)} in the environment for the check",
                undetermined=True,
            )
    # An empty list of tools keeps all of them.
    return replace(entry, include=entry.include or None)
