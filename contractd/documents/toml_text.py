"""Strings and keys as TOML, for the files that contractd writes."""

from __future__ import annotations

import re

from contractd.text import is_hidden

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_string(text: str) -> str:
    """A basic string. What nobody sees stands as an escape, and so does ``##[``, a command to GitHub's runner; half a
    surrogate pair, which TOML can't hold, becomes U+FFFD."""
    escaped = "".join(map(_escaped, text)).replace("##[", "#\\u0023[")
    return f'"{escaped}"'


def toml_key(text: str) -> str:
    """A key, quoted where it must be."""
    return text if _BARE.fullmatch(text) else toml_string(text)


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if "\ud800" <= char <= "\udfff":
        return "\\uFFFD"
    if is_hidden(char):
        return f"\\u{ord(char):04X}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08X}"
    return char
