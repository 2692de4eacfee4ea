"""One circuit breaker: may a call be sent, and what does its end say.

``admit`` and ``settle`` are short, never wait, and hold a lock, so that each is whole on an event loop and among
threads; between them the call runs with no lock held. The moves are pybreaker's (``machine.py``); window, permits,
generations, clock and decisions are ours (``course.py``).
"""

from __future__ import annotations

import math
import threading

from contractd.breakers.course import Course
from contractd.breakers.keys import BreakerKey
from contractd.breakers.limits import Reason
from contractd.breakers.outbox import Outbox
from contractd.breakers.permit import Mark, Permit, Refusal, Settled
from contractd.breakers.policy import AvailabilityPolicy, BreakerPolicy
from contractd.breakers.snapshot import BreakerRecord
from contractd.breakers.states import Input, State
from contractd.clock import Clock
from contractd.errors import UsageError

_MARKS = ("good", "bad", "neutral")


class Breaker:
    """A breaker for ``key``. Made by ``Breakers``, or alone."""

    __slots__ = ("_clock", "_lock", "_outbox", "course", "key", "policy", "slow_after")

    def __init__(
        self,
        key: BreakerKey,
        policy: BreakerPolicy,
        clock: Clock,
        outbox: Outbox | None = None,
        lock: threading.RLock | None = None,
    ) -> None:
        self.key = key
        self.policy = policy
        self._clock = clock.monotonic
        self._outbox = outbox or Outbox()
        self._lock = lock or threading.RLock()  # the collector may end a forgotten call in the midst of another
        self.slow_after = policy.slow_after_seconds if isinstance(policy, AvailabilityPolicy) else None
        self.course = Course(key, policy, self._outbox, self._clock())

    def __repr__(self) -> str:
        return f"<Breaker {self.key}: {self.state}>"

    # Calls

    def admit(self, lease_seconds: float | None = None) -> Permit | Refusal:
        """May a call be sent now. ``lease_seconds``: how long it may take, above 0 and up to a day; else the
        policy's lease holds."""
        with self._lock:
            course, now = self.course, self._clock()
            if course.passing:
                return Permit(course.generation, now, None, course)
            answer = course.admit(now, lease_seconds)
        self._outbox.deliver()
        return answer

    def settle(self, permit: Permit, mark: Mark, *, seconds: float | None = None, signal: str | None = None) -> Settled:
        """What became of the call; counts once, and raises UsageError for nothing but misuse.

        ``seconds``: how long it took, if that is not the time since it was admitted. ``signal``: the id of what went
        wrong, for refusals and events.
        """
        with self._lock:
            course, now = self.course, self._clock()
            if permit.course is not course:
                raise UsageError(f"a permit was given back to {self.key} that is not its own")
            if permit.settled:
                return "again"
            slow = self.slow_after is not None and self.slow_after < (
                now - permit.admitted if seconds is None else seconds
            )
            if mark == "good" and course.closed and permit.generation == course.generation and not slow:
                permit.settled = True
                course.limit.good(now)  # to pybreaker, a success while closed means nothing
                return "counted"
            if mark not in _MARKS:
                raise UsageError(f"a call's end is {', '.join(_MARKS)}; not {mark!r}")
            permit.settled = True
            answer = course.settle(permit, mark, now, slow=slow, signal=signal)
        self._outbox.deliver()
        return answer

    # What it says

    @property
    def state(self) -> State:
        """What the next call would meet. Looking changes nothing, so an open breaker whose time is over reads half_open
        before any call has come."""
        with self._lock:
            return self.course.view(self._clock())[0]

    @property
    def generation(self) -> int:
        """Rises with every move; results of an older one are dropped."""
        return self.course.generation

    def refusal(self) -> Refusal | None:
        """What ``admit`` would refuse a call with; None if it would not. Nothing is taken, nothing changes."""
        with self._lock:
            return self.course.refusal(self._clock())

    # Commands; each says whether the state is another one now

    def trip(self, *, seconds: float | None = None, signal: str | None = None) -> bool:
        """Open it on what was learnt without a call. ``seconds`` instead of the policy's open time."""
        timed = isinstance(self.policy, AvailabilityPolicy)
        if seconds is not None and not (timed and 0 <= seconds < math.inf):
            raise UsageError(f"{self.key} can't be opened for {seconds} seconds")
        return self._command(Input.TRIP, Reason.TRIPPED, seconds=seconds, signal=signal)

    def try_now(self) -> bool:
        """Let the next calls try, before the open time is over. Nothing to breakers that no time heals."""
        return self._command(Input.TRY_NOW, Reason.TRY_NOW)

    def renegotiated(self) -> bool:
        """The contract was negotiated anew, and is compatible or was accepted: probes are let through. Evidence against
        the old one, also of calls still in flight, counts no more. Nothing to the other kinds."""
        return self._command(Input.RENEGOTIATED, Reason.RENEGOTIATED)

    def renew(self, reason: Reason = Reason.RENEWED) -> bool:
        """Configuration or credential changed: it is as new, unless somebody decided on its state."""
        return self._command(Input.RENEW, reason)

    def reset(self) -> bool:
        """An operator's word: closed and as new, whatever it was, a decided state included."""
        return self._command(Input.RESET, Reason.RESET)

    def force_open(self) -> bool:
        """Refuse every call until ``reset``."""
        return self._command(Input.FORCE_OPEN, Reason.FORCED)

    def disable(self) -> bool:
        """Admit every call and count nothing until ``reset``."""
        return self._command(Input.DISABLE, Reason.DISABLED)

    def metrics_only(self) -> bool:
        """Admit every call and count, and tell when it would have opened, until ``reset``."""
        return self._command(Input.METRICS_ONLY, Reason.METRICS_ONLY)

    def _command(
        self, given: Input, reason: Reason, *, seconds: float | None = None, signal: str | None = None
    ) -> bool:
        with self._lock:
            moved = self.course.command(given, reason, self._clock(), seconds=seconds, signal=signal)
        self._outbox.deliver()
        return moved

    # What outlives a restart

    def record(self) -> BreakerRecord | None:
        """Its state with its age as plain data; None if there is nothing to keep."""
        with self._lock:
            record = self.course.record(self._clock())
        self._outbox.deliver()
        return record

    def restore(self, record: BreakerRecord, age: float = 0.0) -> None:
        """Go on where ``record`` was made, ``age`` seconds ago. Calls in flight become late; no event is sent."""
        with self._lock:
            self.course.restore(record, self._clock(), max(0.0, age))
