"""TOML with a mark for every key. ``tomllib`` gives the values; the places come from reading statement by statement.

``tomllib`` keeps no positions, so the text is cut into statements (a header, or ``key = value`` over as many lines as
its value takes), each small enough that ``tomllib`` itself tells which keys it holds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from contractd.documents.document import Document, Mark, pointer_join
from contractd.errors import ConfigError, Place

_WHERE = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_LONGEST_STATEMENT = 2000  # lines


def parse_toml(path: str, text: str) -> Document:
    """Parse ``text``. Raises ConfigError with line and column."""
    try:
        value = tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = _WHERE.search(str(error))
        message = _WHERE.sub("", str(error)).strip() or "not TOML"
        if where and where.group(1):
            place = Place(path, int(where.group(1)), int(where.group(2)))
        else:
            place = Place(path, text.count("\n") + 1 if where else None)
        raise ConfigError(f"not valid TOML: {message}", place=place) from None
    marks: dict[str, Mark] = {"": Mark(1, 1)}
    for pointer, mark in _marks(text):
        marks.setdefault(pointer, mark)
    return Document(path, text, "toml", _plain(value), marks, marks)


def _marks(text: str) -> Iterator[tuple[str, Mark]]:
    lines = text.splitlines()
    table, tables_seen = "", dict[str, int]()
    number = 0
    while number < len(lines):
        line = lines[number].strip().lstrip("\ufeff")
        if not line or line.startswith("#"):
            number += 1
            continue
        column = lines[number].index(line[0]) + 1
        if line.startswith("["):
            keys = list(_paths(_loads(line)))
            table = keys[-1] if keys else ""
            if line.startswith("[["):
                table = table.rpartition("/")[0]  # without the 0 of the one element that this line alone makes
                table = _resolve(table, tables_seen)
                tables_seen[table] = tables_seen.get(table, -1) + 1
                table = f"{table}/{tables_seen[table]}"
            else:
                table = _resolve(table, tables_seen)
            yield table, Mark(number + 1, column)
            number += 1
            continue
        taken, found = _statement(lines, number)
        for pointer in _paths(found):
            yield table + pointer, Mark(number + 1, column)
        number += taken


def _statement(lines: list[str], start: int) -> tuple[int, dict[str, Any]]:
    """How many lines the statement takes, and what it sets."""
    for taken in range(1, min(len(lines) - start, _LONGEST_STATEMENT) + 1):
        found = _loads("\n".join(lines[start : start + taken]))
        if found:
            return taken, found
    return 1, {}


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _resolve(table: str, arrays: dict[str, int]) -> str:
    """``/a/b`` under the array of tables ``/a`` means its latest element: ``/a/2/b``."""
    resolved = ""
    for token in table.split("/")[1:]:
        resolved += "/" + token
        if resolved in arrays and resolved != table:
            resolved += f"/{arrays[resolved]}"
    return resolved


def _paths(value: Any, pointer: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            here = pointer_join(pointer, key)
            yield here
            yield from _paths(inner, here)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            here = pointer_join(pointer, index)
            yield here
            yield from _paths(inner, here)


def _plain(value: Any) -> Any:
    """TOML dates and times as text: the rest of contractd speaks JSON."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool) else str(value)
