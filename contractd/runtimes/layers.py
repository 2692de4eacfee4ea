"""Several files, one configuration: which entry of a name counts, what shows through, settings laid over settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contractd.documents import pointer_join
from contractd.errors import Place
from contractd.runtimes.base import Entry, Problem, Settings, Source
from contractd.text import visible


@dataclass(frozen=True)
class Table:
    """One table of servers: where it stands, and the entries of it that count. ``entries`` may be no table at all.

    ``below``: weaker sources whose values show through in its entries.
    """

    source: Source
    pointer: str
    entries: Any
    below: tuple[Source, ...] = ()


def counting(tables: Sequence[tuple[Source, str]], *, merges: bool, bases: Sequence[Source] = ()) -> list[Table]:
    """The tables with the entries that count, weakest first: of equal names the last.

    ``merges``: the entries of one name are laid over one another key by key, over those in ``bases`` (sources of
    settings only) too.
    """
    last: dict[str, int] = {}
    layers: dict[str, list[tuple[Source, Any]]] = {}
    found = [(source, pointer, source.document.get(pointer)) for source, pointer in tables]
    for index, (source, pointer, table) in enumerate(found):
        for name, raw in table.items() if isinstance(table, Mapping) else ():
            last[name] = index
            if merges and name not in layers:
                layers[name] = [(base, base.document.get(pointer_join(pointer, name))) for base in bases]
            layers.setdefault(name, []).append((source, raw))
    result: list[Table] = []
    for index, (source, pointer, table) in enumerate(found):
        if not isinstance(table, Mapping):
            if table is not None:
                result.append(Table(source, pointer, table))
            continue
        mine = {name: raw for name, raw in table.items() if last[name] == index}
        if merges:
            result += [_merged(source, pointer, name, layers[name]) for name in mine]
        elif mine:
            result.append(Table(source, pointer, mine))
    return result


def _merged(source: Source, pointer: str, name: str, layers: list[tuple[Source, Any]]) -> Table:
    value: dict[str, Any] = {}
    for _, raw in layers:
        if isinstance(raw, Mapping):
            _lay_over(value, raw, frozenset(), "")
    whole = value if isinstance(layers[-1][1], Mapping) else layers[-1][1]
    below = tuple({id(layer): layer for layer, _ in reversed(layers[:-1])}.values())
    return Table(source, pointer, {name: whole}, below)


def merged_settings(
    sources: Iterable[Source],
    joined: frozenset[str] = frozenset(),
    as_read: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> Settings:
    """All sources laid over one another, tables key by key; the arrays at the ``joined`` paths are united.

    ``as_read``: what the runtime makes of one file's value before it merges.
    """
    value: dict[str, Any] = {}
    kept = tuple(sources)
    for source in kept:
        if isinstance(source.document.value, dict):
            _lay_over(value, as_read(source.document.value) if as_read else source.document.value, joined, "")
    return Settings(value, kept)


def _lay_over(into: dict[str, Any], value: Mapping[str, Any], joined: frozenset[str], above: str) -> None:
    for key, inner in value.items():
        old, here = into.get(key), f"{above}.{key}" if above else key
        if isinstance(inner, Mapping):
            if not isinstance(old, dict):
                old = into[key] = {}
            _lay_over(old, inner, joined, here)
        elif here in joined and isinstance(old, list) and isinstance(inner, list):
            known = {item for item in old if isinstance(item, str)}
            into[key] = [*old, *(item for item in inner if not (isinstance(item, str) and item in known))]
        else:
            into[key] = inner


def duplicates(source: Source, pointers: Sequence[str]) -> list[Problem]:
    """Servers written twice in one table: the parsers of all these formats keep the later one."""
    problems: list[Problem] = []
    for quirk in source.document.quirks:
        if quirk.kind != "duplicate-key" or quirk.pointer.rpartition("/")[0] not in pointers:
            continue
        problems.append(
            Problem(
                "duplicate-name",
                "medium",
                f"the server {visible(quirk.detail)} is written twice; the later one counts, the first is lost",
                "give each server a name of its own",
                Place(source.document.path, quirk.mark.line, quirk.mark.column, quirk.pointer),
                server=quirk.detail,
                subject=quirk.detail,
            )
        )
    return problems


def unique_ids(entries: Iterable[Entry]) -> list[Entry]:
    """Two names with one slug keep apart by a number."""
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    result: list[Entry] = []
    for entry in entries:
        unique = entry.id
        while unique in seen:
            numbers[entry.id] = number = numbers.get(entry.id, 1) + 1
            unique = f"{entry.id}-{number}"
        seen.add(unique)
        spec = replace(entry.spec, id=unique) if entry.spec else None
        result.append(replace(entry, id=unique, spec=spec))
    return result
