"""The ``.env`` files that some runtimes load before they expand variables: ``NAME=value`` lines, as text. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_START = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]{0,200})[ \t]*=[ \t]*")
_LINE = re.compile(r"[^\r\n]*")
_QUOTES = "'\"`"


def parse_env_file(text: str) -> dict[str, str]:
    """The variables of a file; a line that is none is passed over, and of two equal names the later counts."""
    found: dict[str, str] = {}
    unclosed: set[str] = set()  # quotes that are not closed any more: not to be looked for again
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        match = _START.match(text, at)
        if match is None:
            at = _next_line(text, at)
            continue
        at = match.end()
        quote = text[at : at + 1]
        end = text.find(quote, at + 1) if quote and quote in _QUOTES and quote not in unclosed else -1
        if end > 0:
            value = text[at + 1 : end]
            found[match[1]] = value.replace("\\n", "\n").replace("\\r", "\r") if quote == '"' else value
            at = _next_line(text, end + 1)
            continue
        if quote:
            unclosed |= {quote} & set(_QUOTES)
        line = _LINE.match(text, at)
        written = line.group() if line else ""
        found[match[1]] = re.split(r"(?:^|\s)#", written, maxsplit=1)[0].strip()
        at = _next_line(text, at)
    return found


def with_env_files(environ: Mapping[str, str], texts: list[str]) -> dict[str, str]:
    """``environ`` with what the files add to it: a variable that is there already stays, and of two files the first
    counts."""
    result = dict(environ)
    for text in texts:
        for name, value in parse_env_file(text).items():
            result.setdefault(name, value)
    return result


def _next_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1
