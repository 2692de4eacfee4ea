"""Uses as the text of a uses file: sorted, one block a tool and one name a line, so that two branches merge.

Names only; there is no count and no date, which would change with every recording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contractd.contracts.uses.model import ToolUse, Uses
from contractd.contracts.uses.paths import Path, always_of, path_text, paths_of
from contractd.policy.uses import VERSION
from contractd.text import is_hidden

_HEAD = """\
# What this agent sends to its tools and reads of their results: contractd diff --uses judges changes by it.
# From recorded calls it holds what was sent, and what came: the most that was read. Edit it as you know better.
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def uses_text(uses: Uses) -> str:
    """The whole file. Equal uses give equal text."""
    blocks = [f"{_HEAD}version = {VERSION}\ncomplete = {str(uses.complete).lower()}\n"]
    blocks += [_tool(name, uses.tools[name]) for name in sorted(uses.tools)]
    return "\n".join(blocks)


def _tool(name: str, use: ToolUse) -> str:
    lines = [f"[tools.{name if _BARE.fullmatch(name) else _text(name)}]"]
    if use.sends is not None:
        lines += _list("sends", paths_of(use.sends))
        lines += _list("always", always_of(use.sends)) if always_of(use.sends) else ()
    if use.reads is not None:
        lines += _list("reads", paths_of(use.reads))
    return "\n".join(lines) + "\n"


def _list(key: str, paths: list[Path]) -> Iterator[str]:
    if not paths:
        yield f"{key} = []"
        return
    yield f"{key} = ["
    yield from (f"  {_text(path_text(path))}," for path in paths)
    yield "]"


def _text(text: str) -> str:
    """A TOML basic string; what nobody sees stands as an escape, and so does ``##[``, a command to GitHub's runner."""
    parts = []
    for char in text:
        if char in '"\\':
            parts.append("\\" + char)
        elif is_hidden(char):
            parts.append(f"\\u{ord(char):04X}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08X}")
        else:
            parts.append(char)
    return f'"{"".join(parts)}"'.replace("##[", "#\\u0023[")
