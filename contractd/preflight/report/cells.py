"""Terminal columns: how wide text is, how to cut, pad, wrap and colour it. Takes safe text only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from contractd.text import defused

_SGR = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_COLOR = re.compile(r"(\x1b\[[0-9;]*m)")

_LAST_AT_LEAST = 12  # columns of a table's last column
_LONGEST_NAME = 64


class Paint:
    """Colour, or none at all."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, text: str, *styles: str) -> str:
        """``text`` in the styles; the empty string stays empty."""
        if not self._on or not styles or not text:
            return text
        return f"\x1b[{';'.join(_SGR[style] for style in styles)}m{text}\x1b[0m"


def cells(text: str) -> int:
    """How many columns a terminal takes for it."""
    return len(text) if text.isascii() else sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def pad(text: str, width: int) -> str:
    """At least ``width`` columns."""
    return text + " " * (width - cells(text))


def squeeze(text: str, width: int) -> str:
    """At most ``width`` columns: the middle goes, since long names differ at their ends."""
    if cells(text) <= width:
        return text
    head, tail = (width - 1) - (width - 1) // 2, (width - 1) // 2
    return f"{_take(text, head)}…{_take(text[::-1], tail)[::-1]}"


def cut(text: str, width: int) -> str:
    """At most ``width`` columns: the end goes."""
    return text if cells(text) <= width else _take(text, width - 1) + "…"


def _take(text: str, width: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += _cell(char)
        if used > width:
            return text[:index]
    return text


def wrap(text: str, width: int, *, first: int = 0, indent: str = "") -> list[str]:
    """Break at blanks. The first line has ``first`` columns before it already, the others start with ``indent``."""
    full = max(width - cells(indent), 1)
    lines: list[str] = []
    line, room = "", width - first
    for word in text.split(" "):
        for piece in _pieces(word, full):
            joined = f"{line} {piece}" if line else piece
            if cells(joined) <= room:
                line = joined
                continue
            lines.append(line)
            line, room = piece, full
    lines.append(line)
    return [lines[0], *(indent + line for line in lines[1:])]


def _pieces(word: str, width: int) -> list[str]:
    pieces = []
    while cells(word) > width:
        piece = _take(word, width) or word[0]
        pieces.append(piece)
        word = word[len(piece) :]
    return [*pieces, word]


def table(rows: Sequence[Sequence[str]], width: int) -> list[list[str]] | None:
    """Pad the cells of each column and cut the last one. None where the columns before it leave too little room:
    what tells rows apart is never cut, save a name that is longer than any that a model provider takes."""
    widths = [min(max(cells(row[column]) for row in rows), _LONGEST_NAME) for column in range(len(rows[0]) - 1)]
    room = width - sum(widths) - 2 * len(widths)
    if room < _LAST_AT_LEAST:
        return None
    return [
        [*(pad(squeeze(cell, size), size) for cell, size in zip(row[:-1], widths, strict=True)), cut(row[-1], room)]
        for row in rows
    ]


def finished(text: str) -> str:
    """No line ends in blanks or is a workflow command: wrapping may have put hostile text at the start of one."""
    lines = "\n".join(_trimmed(line) for line in text.split("\n"))
    return defused(lines)


def _trimmed(line: str) -> str:
    parts = _COLOR.split(line)
    for index in range(len(parts) - 1, -1, -2):  # colours stand at the odd places
        parts[index] = parts[index].rstrip(" ")
        if parts[index]:
            break
    return "".join(parts)
