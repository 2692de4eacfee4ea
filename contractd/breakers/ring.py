"""The breakers that one call goes through, asked and answered together.

Nearly always all of them are closed and the call goes well. Then the lock, which they share, is taken once to ask and
once to answer, and no permits are made. In any other case each breaker is asked by itself.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from contractd.breakers.breaker import Breaker
from contractd.breakers.keys import BreakerKey
from contractd.breakers.limits import Evidence
from contractd.breakers.marks import SUCCEEDED, Marks
from contractd.breakers.permit import Permit, Refusal, Settled


class Entry:
    """A call that got into a ring: permits, or (all were closed) the generations of then."""

    __slots__ = ("admitted", "generations", "permits")

    def __init__(self, admitted: float, generations: list[int], permits: list[Permit] | None = None) -> None:
        self.admitted = admitted
        self.generations = generations
        self.permits = permits


class Ring:
    """``lock``: the one that all ``breakers`` hold."""

    __slots__ = ("_clock", "_courses", "_limits", "_lock", "_slow_after", "breakers")

    def __init__(self, breakers: tuple[Breaker, ...], clock: Callable[[], float], lock: threading.RLock) -> None:
        self.breakers = breakers
        self._clock, self._lock = clock, lock
        self._courses = tuple(breaker.course for breaker in breakers)
        self._limits = tuple(course.limit for course in self._courses if not isinstance(course.limit, Evidence))
        self._slow_after = min((breaker.slow_after or math.inf for breaker in breakers), default=math.inf)

    def admit(self, lease_seconds: float | None) -> Entry | Refusal:
        """Into all of them, or into none: what was taken is given back (another thread may have been quicker at the
        last one). The caller delivers what is to be told."""
        with self._lock:
            for course in self._courses:
                if not course.closed:
                    break
            else:
                return Entry(self._clock(), [course.generation for course in self._courses])
            now = self._clock()
            for course in self._courses:
                refusal = None if course.passing else course.look(now)
                if refusal is not None:
                    return refusal
        permits: list[Permit] = []
        for breaker in self.breakers:
            answer = breaker.admit(lease_seconds)
            if isinstance(answer, Refusal):
                for earlier, permit in zip(self.breakers, permits, strict=False):
                    earlier.settle(permit, "neutral")
                return answer
            permits.append(answer)
        return Entry(permits[0].admitted, [], permits)

    def settle(self, entry: Entry, marks: Marks, seconds: float | None, signal: str | None) -> Settled:
        """Tell each what it is to know. ``counted`` if any counted it, else ``late`` if any held it to be."""
        if marks is SUCCEEDED and entry.permits is None:
            with self._lock:
                now = self._clock()
                took = now - entry.admitted if seconds is None else seconds
                # A breaker that moved since is of another generation, so these are all closed still.
                if took <= self._slow_after and entry.generations == [course.generation for course in self._courses]:
                    for limit in self._limits:
                        limit.good(now)
                    return "counted"
        permits = entry.permits
        if permits is None:
            pairs = zip(entry.generations, self._courses, strict=True)
            permits = [Permit(generation, entry.admitted, None, course) for generation, course in pairs]
        said = [
            breaker.settle(permit, marks.of(breaker.key), seconds=seconds, signal=signal)
            for breaker, permit in zip(self.breakers, permits, strict=True)
        ]
        return "counted" if "counted" in said else "late" if "late" in said else "neutral"


class Admission:
    """A call may be sent. Give it back with ``Breakers.settle`` whatever becomes of it, once.

    ``probes``: the keys of half-open breakers that it is a trial for. If (provider, availability) is among them, a dead
    process is started anew before the call.
    """

    __slots__ = ("authz_generation", "entry", "principal", "provider", "settled", "tool")

    def __init__(self, provider: str, tool: str | None, principal: str, entry: Entry, authz_generation: int) -> None:
        self.provider, self.tool, self.principal = provider, tool, principal
        self.entry, self.authz_generation = entry, authz_generation
        self.settled = False

    @property
    def probes(self) -> tuple[BreakerKey, ...]:
        return tuple(permit.course.key for permit in self.entry.permits or () if permit.probe)
