"""How much work a question about strings may cost, and the two ways of giving no answer.

Patterns come from strangers. Whatever grows with what a pattern asks for (states made, transitions followed,
alternatives read) is counted on a ``Budget``; past its limit the question ends with ``TooBig``. Steps are counted,
never time, so the same question has the same outcome on every machine.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

DEFAULT_STEPS = 25_000  # a step costs about two microseconds: some 50 ms until a hostile pattern is given up


class TooBig(Exception):  # noqa: N818
    """The question could not be decided within its budget. Nothing is known about the answer."""

    def __init__(self, reason: str = "more steps than the budget allows") -> None:
        super().__init__(reason)
        self.reason = reason


class NotRegular(ValueError):  # noqa: N818
    """The pattern describes no regular language, is invalid, or is not understood; ``reason`` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Budget:
    """A counter of steps with a limit. It only ever fills: one budget stands for one whole comparison.

    ``kept``: what was worked out within it and may be asked for again.
    """

    __slots__ = ("kept", "limit", "used")

    def __init__(self, limit: int = DEFAULT_STEPS) -> None:
        self.limit = limit
        self.used = 0
        self.kept: dict[Hashable, Any] = {}

    def spend(self, steps: int = 1) -> None:
        """Count ``steps``; raise ``TooBig`` when the limit is passed."""
        self.used += steps
        if self.used > self.limit:
            raise TooBig

    def half(self) -> Budget:
        """A budget of half of what is left, for an attempt that may fail. The caller settles what it used."""
        return Budget(max(0, self.limit - self.used) // 2)
