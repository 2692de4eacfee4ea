"""What one comparison may cost: steps, so that the same schemas end the same way, and a deadline above them."""

from __future__ import annotations

import time
from collections.abc import Callable

MAX_STEPS = 200_000
SECONDS = 0.18
_LOOK_EVERY = 32


class Exhausted(Exception):  # noqa: N818 - the name says what is the case
    """The comparison cost more than it may; the answer is unknown."""


class Allowance:
    """Counts down; ``clock`` gives seconds: of this thread's own work, so that a busy machine decides the same."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._deadline = clock() + seconds
        self._left = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Count steps; raises Exhausted past either bound."""
        before = self._left
        self._left -= steps
        if self._left < 0 or (before // _LOOK_EVERY != self._left // _LOOK_EVERY and self.late()):
            raise Exhausted

    def late(self) -> bool:
        """Is the deadline past."""
        return self._clock() > self._deadline

    def at_least(self, seconds: float) -> Allowance:
        """A fresh allowance for what follows: what is left of the time, but not less than ``seconds``."""
        return Allowance(max(seconds, self._deadline - self._clock()), self._clock)
