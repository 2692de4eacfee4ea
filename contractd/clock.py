"""Time, as something handed in: monotonic seconds for durations, so that tests need no waiting."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What the rooms may know about time."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start; never goes back."""
        ...


class SystemClock:
    """The machine's own clock."""

    def monotonic(self) -> float:
        return time.monotonic()
