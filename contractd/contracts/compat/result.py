"""What a comparison of two schemas says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["compatible", "breaking", "unknown"]
Direction = Literal["arguments", "results"]
Effect = Literal["narrows", "widens", "neither", "unclear"]


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that proves a break: one side accepts it, the other refuses it, as two validators agree."""

    value: Any


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, for people: the witness, not the list of changes, is what proves a break.

    The pointers (RFC 6901) lead to the place in the old and in the new schema; None where it is in one of them only.
    ``effect`` says whether the change alone narrows or widens what is accepted, does neither, or can't be told.
    """

    kind: str
    pointer_old: str | None
    pointer_new: str | None
    direction: Direction
    rule: str
    effect: Effect


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict. ``reason`` is given where it is unknown."""

    verdict: Verdict
    direction: Direction
    witness: Witness | None = None
    changes: tuple[Change, ...] = ()
    reason: str | None = None
