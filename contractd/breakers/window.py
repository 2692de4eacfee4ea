"""Results of the last so many seconds, in slices: memory does not grow with the number of calls.

A slice is forgotten as a whole, so a result counts for at least the window less one slice, and never for longer than
the window. Slices begin at multiples of their width on the clock.
"""

from __future__ import annotations

from collections.abc import Iterable

Row = tuple[float, int, int, int]
"""A slice as plain data: seconds from its middle to now, calls, bad ones, slow ones."""


class Window:
    """How many calls there were, how many of them bad, how many slow. ``calls``, ``bad`` and ``slow`` hold as of the
    last ``record`` or ``roll``. Not safe by itself in threads: the breaker holds the lock.
    """

    __slots__ = ("_count", "_head", "_slices", "_width", "bad", "calls", "slow")

    def __init__(self, seconds: float, slices: int) -> None:
        self._width = seconds / slices
        self._count = slices
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.calls = self.bad = self.slow = 0
        self._head = 0
        self._slices = [[0, 0, 0] for _ in range(self._count)]

    def roll(self, now: float) -> None:
        """Forget what is older than the window at ``now``; a ``now`` before the last one changes nothing."""
        head = int(now // self._width)
        if head <= self._head:
            return
        for index in range(max(self._head + 1, head - self._count + 1), head + 1):
            old = self._slices[index % self._count]
            if old[0]:
                self.calls -= old[0]
                self.bad -= old[1]
                self.slow -= old[2]
                old[:] = 0, 0, 0
        self._head = head

    def good(self, now: float) -> None:
        """Count a result that is neither bad nor slow. On the path of every call, hence by itself."""
        if now // self._width > self._head:
            self.roll(now)
        self._slices[self._head % self._count][0] += 1
        self.calls += 1

    def record(self, now: float, bad: bool, slow: bool) -> None:
        """Count one result at ``now``."""
        self.roll(now)
        row = self._slices[self._head % self._count]
        row[0] += 1
        self.calls += 1
        if bad:
            row[1] += 1
            self.bad += 1
        if slow:
            row[2] += 1
            self.slow += 1

    def rows(self, now: float) -> list[Row]:
        """The slices that hold something, the oldest first."""
        self.roll(now)
        found: list[Row] = []
        for index in range(self._head - self._count + 1, self._head + 1):
            calls, bad, slow = self._slices[index % self._count]
            if calls:
                found.append((now - (index + 0.5) * self._width, calls, bad, slow))
        return found

    def load(self, now: float, rows: Iterable[Row]) -> None:
        """Take over ``rows`` of an earlier run, whose ages hold at ``now``; those too old are left out."""
        self.clear()
        self.roll(now)
        self._head = int(now // self._width)
        for age, calls, bad, slow in rows:
            index = min(int((now - age) // self._width), self._head)
            if index <= self._head - self._count:
                continue
            row = self._slices[index % self._count]
            for place, number in enumerate((calls, bad, slow)):
                row[place] += number
            self.calls += calls
            self.bad += bad
            self.slow += slow
