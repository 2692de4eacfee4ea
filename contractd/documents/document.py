"""The value every parser of this room returns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from contractd.errors import Place

MAX_MARKS = 64 * 1024 * 1024  # characters of all pointers; what comes after gets the mark of its container

_LINE_END = re.compile(r"\r\n|\r|\n")

QuirkKind = Literal["comment", "trailing-comma", "duplicate-key", "bom"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the text; both count from 1, columns in characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Quirk:
    """Something a strict JSON parser refuses or silently drops, and where. ``detail`` is the key, if there is one."""

    kind: QuirkKind
    mark: Mark
    detail: str = ""
    pointer: str = ""


@dataclass(frozen=True)
class Document:
    """One parsed file. ``path`` is shown to people; ``value`` is plain JSON data.

    ``values`` and ``keys`` map RFC 6901 pointers to the mark of the value and of its key.
    """

    path: str
    text: str
    format: Literal["json", "toml", "yaml"]
    value: Any
    values: Mapping[str, Mark] = field(repr=False, default_factory=dict)
    keys: Mapping[str, Mark] = field(repr=False, default_factory=dict)
    quirks: tuple[Quirk, ...] = ()

    def mark(self, pointer: str, *, key: bool = True) -> Mark | None:
        """The mark of ``pointer`` (its key where there is one), or of the nearest ancestor that has one."""
        while True:
            found = (self.keys.get(pointer) if key else None) or self.values.get(pointer)
            if found or not pointer:
                return found
            pointer = pointer.rpartition("/")[0]

    def place(self, pointer: str = "", *, key: bool = True) -> Place:
        """Where ``pointer`` stands, for an error or a finding."""
        found = self.mark(pointer, key=key)
        return Place(self.path, found.line if found else None, found.column if found else None, pointer)

    def get(self, pointer: str, default: Any = None) -> Any:
        """The value at ``pointer``."""
        here = self.value
        for token in pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            if isinstance(here, dict) and name in here:
                here = here[name]
            elif isinstance(here, list) and re.fullmatch("[0-9]{1,9}", name) and int(name) < len(here):
                here = here[int(name)]
            else:
                return default
        return here

    def lines(self, first: int, last: int) -> list[tuple[int, str]]:
        """The text of lines ``first`` to ``last`` (from 1), numbered; what lies outside is left out."""
        rows = self._rows
        return [(number, rows[number - 1]) for number in range(max(first, 1), min(last, len(rows)) + 1)]

    @cached_property
    def _rows(self) -> list[str]:
        rows = _LINE_END.split(self.text)  # what the marks count; str.splitlines knows more line ends than files do
        return rows if rows[-1] else rows[:-1]


def pointer_join(base: str, *tokens: str | int) -> str:
    """``base`` extended by tokens, escaped as RFC 6901 section 3 says."""
    return base + "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)
