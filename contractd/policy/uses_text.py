"""Uses as the text of a uses file: sorted, one block a tool and one name a line, so that two branches merge.

Names only; there is no count and no date, which would change with every recording.
"""

from __future__ import annotations

from collections.abc import Iterator

from contractd.contracts.uses.model import ToolUse, Uses
from contractd.contracts.uses.paths import Path, always_of, path_text, paths_of
from contractd.documents import toml_key, toml_string
from contractd.policy.uses import VERSION

_HEAD = """\
# What this agent sends to its tools and reads of their results: contractd diff --uses judges changes by it.
# From recorded calls it holds what was sent, and what came: the most that was read. Edit it as you know better.
"""


def uses_text(uses: Uses) -> str:
    """The whole file. Equal uses give equal text."""
    blocks = [f"{_HEAD}version = {VERSION}\ncomplete = {str(uses.complete).lower()}\n"]
    blocks += [_tool(name, uses.tools[name]) for name in sorted(uses.tools)]
    return "\n".join(blocks)


def _tool(name: str, use: ToolUse) -> str:
    lines = [f"[tools.{toml_key(name)}]"]
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
    yield from (f"  {toml_string(path_text(path))}," for path in paths)
    yield "]"
