"""The source lines of a finding, with a caret under the column; secrets masked, controls escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from contractd.documents import Document
from contractd.errors import Place
from contractd.preflight.report.cells import cells, cut
from contractd.preflight.report.masking import MASK, Masker
from contractd.preflight.report.words import one_line

_JSON_LINES = re.compile(r"\r\n|\r|\n")
_LEAD = 40  # columns kept before the caret where a long line has to be cut on the left
_REACH = 500  # characters beyond what is shown that are searched for a secret's other half
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|[\w.-]+")

Spans = Callable[[str], list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Shown:
    """One line to show. ``caret``: column and length of what is meant, from 0. ``gap``: lines are left out above."""

    number: int
    text: str
    caret: tuple[int, int] | None = None
    gap: bool = False


class Sources:
    """The documents of one report; each is cut into lines and searched for secrets once, when first needed."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._ready: dict[str, tuple[list[str], Masker]] = {}

    def around(self, place: Place, width: int, *, secret: bool = False) -> list[Shown]:
        """The line of ``place``, and the line of the entry (a server's) it belongs to if that is another one.

        ``secret``: what stands at ``place`` is known to be one.
        """
        document = self._documents.get(place.file)
        if document is None or place.line is None:
            return []
        lines, masker = self._prepared(document)
        value = document.get(place.pointer or "") if secret else None
        spans = partial(masker.spans, also=value if isinstance(value, str) else None)
        if not 1 <= place.line <= len(lines):
            return []
        shown = []
        entry = _entry_line(document, place)
        if entry:
            shown.append(_show(lines[entry - 1], entry, None, spans, width))
        line = _show(lines[place.line - 1], place.line, place.column, spans, width)
        gap = entry is not None and place.line > entry + 1
        return [*shown, Shown(line.number, line.text, line.caret, gap)]

    def _prepared(self, document: Document) -> tuple[list[str], Masker]:
        if document.path not in self._ready:
            # A JSON string may hold U+2028, which ends no line there.
            lines = document.text.splitlines() if document.format == "yaml" else _JSON_LINES.split(document.text)
            self._ready[document.path] = lines, Masker(document)
        return self._ready[document.path]


def _entry_line(document: Document, place: Place) -> int | None:
    tokens = (place.pointer or "").split("/")
    if len(tokens) < 4 or place.line is None:
        return None
    pointer = "/".join(tokens[:3])
    mark = document.keys.get(pointer) or document.values.get(pointer)
    return mark.line if mark and mark.line < place.line else None


def _show(line: str, number: int, column: int | None, spans: Spans, width: int) -> Shown:
    at = min(max((column or 1) - 1, 0), len(line))
    # Only the neighbourhood is looked at: a minified file is one line of a megabyte.
    start, end, reach = max(0, at - 2 * width), at + 2 * width, max(0, at - 2 * width - _REACH)
    glyphs = _glyphs(line[start:end], spans(line[reach : end + _REACH]), start - reach)
    widths = [cells(glyph) for glyph in glyphs]
    at -= start
    first = 0
    while sum(widths) > width and sum(widths[first:at]) > _LEAD:
        first += 1
    lead = "…" if start + first else ""
    tail = "…" if end < len(line) else ""
    text = cut(lead + "".join(glyphs[first:]) + tail, width).rstrip()
    if column is None:
        return Shown(number, text)
    token = _TOKEN.match(line, at + start)
    length = sum(widths[at : token.end() - start]) if token else 1
    before = cells(lead) + sum(widths[first:at])
    return Shown(number, text, (before, max(1, min(length, width - before))))


def _glyphs(part: str, spans: list[tuple[int, int]], offset: int) -> list[str]:
    """What is shown for each character of ``part``; for a masked stretch the mask, then nothing."""
    glyphs = ["  " if char == "\t" else one_line(char) for char in part]
    for begin, end in ((max(0, begin - offset), end - offset) for begin, end in spans):
        if begin < len(glyphs) and end > 0:
            glyphs[begin:end] = [MASK, *[""] * (min(end, len(glyphs)) - begin - 1)]
    return glyphs
