"""TOML with a mark for every key. ``tomllib`` gives the values; the places come from reading statement by statement.

``tomllib`` keeps no positions, so the text, once it is known to be valid, is cut into statements (a header, or
``key = value`` over as many lines as its value takes), and ``tomllib`` tells which keys each of them holds.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from contractd.documents.document import MAX_MARKS, Document, Mark, pointer_join
from contractd.errors import ConfigError, Place

MAX_DEPTH = 128

_WHERE = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_LINE = re.compile(r"[^\n]*")
# What a value is made of, as far as its end depends on it: strings, comments, brackets, line ends, and the rest.
_TOKEN = re.compile(
    r"""(?:\"{3}(?:\\.|[^\\])*?\"{3,5})|(?:'{3}.*?'{3,5})|"(?:\\.|[^"\\])*"|'[^']*'|\#[^\n]*|[\[{]|[\]}]|\n|[^"'#\[\]{}\n]+""",
    re.DOTALL,
)


def parse_toml(path: str, text: str) -> Document:
    """Parse ``text``. Raises ConfigError with line and column."""
    try:
        value = _plain(tomllib.loads(text.removeprefix("\ufeff")), 0)
    except (ValueError, RecursionError) as error:  # ValueError: a number too long to convert
        where = _WHERE.search(str(error))
        message = _WHERE.sub("", str(error)).strip() or "not TOML"
        if where and where.group(1):
            place = Place(path, int(where.group(1)), int(where.group(2)))
        else:
            place = Place(path, text.count("\n") + 1 if where else None)
        raise ConfigError(f"not valid TOML: {message}", place=place) from None
    marks: dict[str, Mark] = {"": Mark(1, 1)}
    left = MAX_MARKS
    for pointer, mark in _marks(text):
        left -= len(pointer)
        if left < 0:
            break
        marks.setdefault(pointer, mark)
    return Document(path, text, "toml", value, marks, marks)


def _marks(text: str) -> Iterator[tuple[str, Mark]]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    table, tables_seen = "", dict[str, int]()
    for at, statement in _statements(text):
        line = bisect_right(starts, at)
        mark = Mark(line, at - starts[line - 1] + 1)
        if not statement.startswith("["):
            for pointer in _paths(tomllib.loads(statement)):
                yield table + pointer, mark
            continue
        above = ""
        for token in _header(statement):
            yield _resolve(above, tables_seen), mark  # [a.b] makes a as well, where nothing did so before
            above = pointer_join(above, token)
        table = _resolve(above, tables_seen)
        yield table, mark
        if statement.startswith("[["):
            tables_seen[table] = tables_seen.get(table, -1) + 1
            table = f"{table}/{tables_seen[table]}"
            yield table, mark


def _header(statement: str) -> Iterator[str]:
    """The keys of ``[a.b]`` or ``[[a.b]]``, in order."""
    node = tomllib.loads(statement)
    while isinstance(node, dict) and node:
        key, node = next(iter(node.items()))
        yield key


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement of a valid document, with its offset."""
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        at = _end(_BETWEEN, text, at)
        if at >= len(text):
            return
        end = _end(_LINE, text, at) if text[at] == "[" else _value_end(text, at)
        yield at, text[at:end].rstrip(" \t\r")
        at = end


def _value_end(text: str, at: int) -> int:
    depth = 0
    while token := _TOKEN.match(text, at):
        if token.group() == "\n" and depth <= 0:
            break
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0)
        at = token.end()
    return at


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


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


def _plain(value: Any, depth: int) -> Any:
    """TOML dates and times as text: the rest of contractd speaks JSON."""
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {key: _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, depth + 1) for inner in value]
    return value if isinstance(value, str | int | float | bool) else str(value)
