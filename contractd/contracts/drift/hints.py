"""Annotations judged by danger, with MCP's documented defaults in place of what is not said.

MCP 2026-07-28, schema ``ToolAnnotations``: not read-only, destructive, not idempotent, open world unless it is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from contractd.contracts.contract import Annotations
from contractd.contracts.drift.result import Difference

# hint: the word for it, and the value that allows more harm.
_HINTS: Final = {
    "readOnlyHint": ("read-only", False),
    "destructiveHint": ("destructive", True),
    "idempotentHint": ("idempotent", False),
    "openWorldHint": ("open-world", True),
}


def hint_changes(old: Annotations, new: Annotations) -> Iterator[Difference]:
    """A difference for each hint whose resolved value flipped."""
    before, after = old.resolved(), new.resolved()
    for hint, (word, risky) in _HINTS.items():
        if before[hint] is after[hint]:
            continue
        yield Difference(
            f"{word}-{'gained' if after[hint] else 'lost'}",
            f"/annotations/{hint}" if hint in old.declared else None,
            f"/annotations/{hint}" if hint in new.declared else None,
            "annotations",
            "riskier" if after[hint] is risky else "safer",
        )
