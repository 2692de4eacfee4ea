"""A finished report as text in one of six formats.

Comes in: a ``Report``, and the documents it points into, for their source lines. Goes out: one string, ending in a
newline. Must not know: where the string goes, how the report came about. Pure: no file, no terminal, no network.

What servers said in a report is hostile: each format escapes it for whoever reads that format (see ``words.one_line``),
and source lines are shown with their secrets masked (see ``masking.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Literal, cast, get_args

from contractd.documents import Document
from contractd.preflight.model import Report
from contractd.preflight.report.words import RULE_PAGES, Page

Format = Literal["text", "json", "sarif", "junit", "github", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)

__all__ = ["FORMATS", "RULE_PAGES", "Format", "render"]


def render(
    report: Report,
    format: Format = "text",  # noqa: A002 - the option's own word
    *,
    documents: Mapping[str, Document] | None = None,
    color: bool = False,
    verbose: bool = False,
    width: int = 120,
    base: str | None = None,
    rule_pages: str = RULE_PAGES,
) -> str:
    """``report`` in ``format``.

    ``documents`` by path: without a file there are no source lines from it. ``color`` and ``width`` matter to ``text``
    only. ``base``: the absolute directory that files are named from in sarif, junit, github and markdown.
    ``rule_pages``: the page with a heading for each rule.
    """
    if format not in FORMATS:
        raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")
    page = Page(report, documents or {}, color, verbose, max(width, 40), base, rule_pages)
    # Each format is imported when it is asked for: XML is of no use to someone who reads text.
    return cast(str, import_module(f"{__name__}.as_{format}").render(page))
