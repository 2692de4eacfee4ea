"""What one agent uses of its tools, and what a change of their contracts means to it.

Comes in: recorded calls, or a uses file that was read (``policy.load_uses``). Goes out: ``Uses``; a change judged by
them; recorded calls tried against a contract. Must not know: files, manifests' places, findings. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractd.contracts.uses.calls import ABSENT, Call, read_calls
from contractd.contracts.uses.model import ToolUse, Uses
from contractd.contracts.uses.paths import Tree, parse_path, path_text, paths_of, tree_of
from contractd.contracts.uses.record import Recorded, record

if TYPE_CHECKING:
    from contractd.contracts.uses.change import narrow_change, narrow_manifest
    from contractd.contracts.uses.replay import Replay, Target

__all__ = [
    "ABSENT",
    "Call",
    "Recorded",
    "Replay",
    "Target",
    "ToolUse",
    "Tree",
    "Uses",
    "narrow_change",
    "narrow_manifest",
    "parse_path",
    "path_text",
    "paths_of",
    "read_calls",
    "record",
    "tree_of",
]


def __getattr__(name: str) -> Any:
    # Imported when they are first used: validators come with them.
    if name in ("narrow_change", "narrow_manifest"):
        from contractd.contracts.uses import change  # noqa: PLC0415

        return getattr(change, name)
    if name in ("Replay", "Target"):
        from contractd.contracts.uses import replay  # noqa: PLC0415

        return getattr(replay, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
