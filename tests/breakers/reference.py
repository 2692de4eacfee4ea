"""A breaker as plainly as it can be written: keeps every result, works out everything anew each time. For availability.

Written from the documentation, with nothing of contractd's: no pybreaker, no totals, no events.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Call:
    generation: int
    start: float
    lease: float | None
    done: bool = False


@dataclass
class Plain:
    window: float
    slices: int
    min_calls: int
    rate: float | None
    slow_after: float | None
    slow_rate: float
    in_a_row: int | None
    open_for: float
    growth: float
    open_most: float
    probes: int
    close_after: int
    lease: float

    state: str = "closed"
    generation: int = 0
    results: list[tuple[float, bool, bool]] = field(default_factory=list)
    tried: list[Call] = field(default_factory=list)
    good: int = 0
    opened: float = 0.0
    waits: float = 0.0
    reopened: int = 0

    def _move(self, state: str, now: float, waits: float | None = None) -> None:
        if state == "open":
            self.opened = now
            if waits is not None:
                self.waits = waits
            elif self.state != "open":
                self.waits = min(self.open_for * self.growth**self.reopened, self.open_most)
                self.reopened += 1
        elif state != "half_open":
            self.results, self.reopened = [], 0
        self.state, self.tried, self.good = state, [], 0
        self.generation += 1

    def _pass_time(self, now: float, called: bool = False) -> None:
        gone = [call.lease for call in self.tried if call.lease is not None and call.lease <= now]
        if self.state == "half_open" and gone:
            self._move("open", min(gone))
        if called and self.state == "open" and now >= self.opened + self.waits:
            self._move("half_open", now)

    def seen(self, now: float) -> str:
        gone = [call.lease for call in self.tried if call.lease is not None and call.lease <= now]
        if self.state == "half_open" and gone:
            waits = min(self.open_for * self.growth**self.reopened, self.open_most)
            return "half_open" if now >= min(gone) + waits else "open"
        if self.state == "open" and now >= self.opened + self.waits:
            return "half_open"
        return self.state

    def admit(self, now: float, lease: float | None = None) -> Call | None:
        self._pass_time(now, called=True)
        if self.state in ("open", "forced_open"):
            return None
        if self.state != "half_open":
            return Call(self.generation, now, None)
        if len(self.tried) >= self.probes:
            return None
        call = Call(self.generation, now, now + (self.lease if lease is None else lease))
        self.tried.append(call)
        return call

    def settle(self, call: Call, mark: str, now: float) -> str:
        if call.done:
            return "again"
        call.done = True
        self._pass_time(now)
        if call.generation != self.generation:
            return "late"
        if call in self.tried:
            self.tried = [other for other in self.tried if other is not call]
        if mark == "neutral" or self.state == "disabled":
            return "neutral"
        failed = mark == "bad"
        slow = self.slow_after is not None and now - call.start > self.slow_after
        if self.state == "half_open":
            self.good += 1
            if failed or slow:
                self._move("open", now)
            elif self.good == self.close_after:
                self._move("closed", now)
            return "counted"
        self.results.append((now, failed, slow))
        if self.state == "closed" and (failed or slow) and self.enough(now):
            self._move("open", now)
        return "counted"

    def enough(self, now: float) -> bool:
        run = 0
        for _, failed, _ in self.results:
            run = run + 1 if failed else 0
        if self.in_a_row is not None and run >= self.in_a_row:
            return True
        width = self.window / self.slices
        inside = [row for row in self.results if int(row[0] // width) > int(now // width) - self.slices]
        if not inside or len(inside) < self.min_calls:
            return False
        if self.rate is not None and sum(failed for _, failed, _ in inside) / len(inside) >= self.rate:
            return True
        slow = sum(slow for _, _, slow in inside) / len(inside)
        return self.slow_after is not None and slow >= self.slow_rate

    def command(self, name: str, now: float, seconds: float | None = None) -> None:
        self._pass_time(now)
        decided = self.state in ("forced_open", "disabled", "metrics_only")
        if name == "trip" and not decided:
            self._move("open", now, seconds)
        elif name == "try_now" and self.state == "open":
            self._move("half_open", now)
        elif name == "renew":
            self._move(self.state if decided else "closed", now)
        elif name == "reset":
            self._move("closed", now)
        elif name in ("forced_open", "disabled", "metrics_only") and self.state != name:
            self._move(name, now)

    def restart(self, now: float) -> None:
        self._pass_time(now)
        self.tried, self.good = [], 0
        self.generation += 1
