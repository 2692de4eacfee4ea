"""What can be said of a whole file: liberties with its syntax, and servers under a key that nobody reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from contractd.documents import pointer_join
from contractd.errors import ConfigError, Place
from contractd.runtimes.base import Problem, Source
from contractd.runtimes.style import Reading
from contractd.text import listed, visible

# Top-level keys under which one runtime or another keeps its servers.
CONTAINERS = ("mcpServers", "mcp", "mcp_servers", "servers", "extensions", "context_servers")
_TARGETS = frozenset({"command", "url", "httpUrl", "cmd", "uri", "serverUrl"})
_FORMATS = {"json": "JSON", "toml": "TOML", "yaml": "YAML"}
MAX_UNKNOWN = 50  # unknown top-level keys that are named one by one


def check_syntax(source: Source, reading: Reading, title: str, reader: str) -> list[Problem]:
    """Liberties with JSON. Raises ConfigError where the runtime is known to refuse the file for one."""
    document = source.document
    if document.format not in reading.formats:
        wanted = listed([_FORMATS[name] for name in sorted(reading.formats)], last="or")
        raise ConfigError(
            f"{title} reads {wanted} here, and this is {_FORMATS[document.format]}",
            place=document.place(""),
            hint="--runtime NAME says for whom the file is",
        )
    problems: list[Problem] = []
    for kind, allowed, plural, remedy in (
        ("bom", reading.bom, "byte order marks", "save the file without one"),
        ("comment", reading.comments, "comments", "remove them"),
        ("trailing-comma", reading.trailing_commas, "trailing commas", "remove them"),
    ):
        first = next((quirk for quirk in document.quirks if quirk.kind == kind), None)
        if first is None or allowed is True or document.format != "json":
            continue
        place = Place(document.path, first.mark.line, first.mark.column, "")
        if allowed is False:
            hint = f"{remedy}: {reading.over_syntax}" if reading.over_syntax else remedy
            raise ConfigError(f"{title} takes no {plural} in this file and reads none of it", place=place, hint=hint)
        doubt = reading.doubts.get(kind)
        problems.append(
            Problem(
                "syntax-not-confirmed",
                "medium" if doubt else "low",
                f"{plural} in this file: {doubt or f'whether {reader} takes them is not known'}",
                f"{remedy}, or make sure that {reader} sees the servers",
                place,
                subject=kind,
                sure="medium" if doubt else "low",
            )
        )
    return problems


def check_top_level(source: Source, reading: Reading, title: str, tables: Collection[str]) -> list[Problem]:
    """Servers under a key that this runtime does not read, and other keys it does not know."""
    document, value = source.document, source.document.value
    if not isinstance(value, dict):
        raise ConfigError(f"{title} expects a table at the top", place=document.place(""))
    problems: list[Problem] = []
    wanted = ".".join(reading.container)
    for pointer, inner in _elsewhere(value):
        if any(table == pointer or table.startswith(pointer + "/") for table in tables):
            continue
        key = pointer[1:].replace("/", ".")
        problems.append(
            Problem(
                "wrong-top-level-key",
                "high",
                f"{title} does not read {visible(key, 60)}: {listed(list(inner))} would never be started, and nothing "
                "would be said",
                f"rename {visible(key, 60)} to {wanted} and write the entries as {title} does"
                if tables
                else f"move the servers to a file in which {title} reads {wanted}",
                document.place(pointer),
                subject=key,
            )
        )
    if not problems and reading.container[0] not in value and "" not in tables and _is_bare(value):
        problems.append(
            Problem(
                "wrong-top-level-key",
                "high",
                f"the servers stand at the top of the file: {title} reads them under {wanted} only, so "
                f"{listed(list(value))} would never be started, and nothing would be said",
                f"put them into a table called {wanted}",
                document.place(""),
                subject="(top)",
            )
        )
    elif reading.top_level is not None:
        told = {problem.subject for problem in problems}
        unknown = [key for key in value if key not in reading.top_level and key not in told]
        problems += [_unknown(source, key, title) for key in unknown[:MAX_UNKNOWN]]
    return problems


def _unknown(source: Source, key: str, title: str) -> Problem:
    return Problem(
        "ignored-key",
        "low",
        f"{title} ignores the top-level key {visible(key, 60)}",
        "remove it, or look for the key that was meant",
        source.document.place(pointer_join("", key)),
        subject=key,
        sure="medium",
    )


def _elsewhere(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(pointer, table) of every table of servers under one of the usual keys, or one level further down."""
    for key in CONTAINERS:
        inner = value.get(key)
        if not isinstance(inner, Mapping):
            continue
        if _holds_servers(inner):
            yield pointer_join("", key), inner
            continue
        for deeper in CONTAINERS:
            if _holds_servers(inner.get(deeper)):
                yield pointer_join("", key, deeper), inner[deeper]


def _holds_servers(value: Any) -> bool:
    """Whether something in it is written like a server."""
    return isinstance(value, Mapping) and any(
        isinstance(inner, Mapping) and (_TARGETS & set(inner) or "type" in inner) for inner in value.values()
    )


def _is_bare(value: Mapping[str, Any]) -> bool:
    """Whether everything in it is written like a server."""
    tables = [inner for inner in value.values() if isinstance(inner, Mapping)]
    return bool(tables) and len(tables) == len(value) and all(_TARGETS & set(inner) for inner in tables)
