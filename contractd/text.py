"""Hostile text, made safe to show. Names, descriptions and results come from programs nobody here wrote.

Control characters, bidi controls and invisible characters become visible escapes, and everything is bounded.
Each output format adds its own escaping on top (see ``preflight/report``).
"""

from __future__ import annotations

import re
import unicodedata

# Categories that change what a reader sees without being seen: controls, formats (bidi, zero width), surrogates,
# private use, unassigned, line and paragraph separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that are drawn as nothing or as a blank: fillers, joiners, variation selectors.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# What the runner takes for a command at the start of a line, blanks and colours before it or not.
_COMMAND = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*)::", re.MULTILINE)


def visible(text: str, limit: int = 200) -> str:
    """``text`` on one line with every control or invisible character as an escape, at most ``limit`` characters.

    A cut is marked with an ellipsis and the number of characters left out.
    """
    cut = text[:limit]
    shown = "".join(_escape(char) for char in cut)
    return shown if len(text) <= limit else f"{shown}… (+{len(text) - limit} characters)"


def visible_lines(text: str, *, lines: int = 20, width: int = 400) -> tuple[str, ...]:
    """The last ``lines`` lines of ``text``, each made visible; for stderr tails."""
    tail = text.splitlines()[-lines:]
    return tuple(visible(line.replace("\t", "    "), width) for line in tail)


def is_hidden(char: str) -> bool:
    """Whether a character is one that a reader does not see, or that changes how others are seen."""
    if char == " " or (char.isascii() and char.isprintable()):
        return False
    return unicodedata.category(char) in _UNSAFE or _INVISIBLE.match(char) is not None


def _escape(char: str) -> str:
    if is_hidden(char):
        code = ord(char)
        if code <= 0xFF:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return char


def defused(text: str) -> str:
    """What GitHub's runner would take for a command, in whichever stream it stands, spelt so that it doesn't."""
    return _COMMAND.sub(r"\1\\x3a:", text).replace("##[", "##\\x5b")


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """``2 servers``, ``1 server``."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def listed(names: list[str] | tuple[str, ...], limit: int = 8, *, last: str = "and") -> str:
    """``a, b and c``; past ``limit`` names the rest is counted."""
    shown = [visible(name, 80) for name in names[:limit]]
    if len(names) > limit:
        return ", ".join(shown) + f" {last} {len(names) - limit} more"
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + f" {last} {shown[-1]}"
