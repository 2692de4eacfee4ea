"""Where a breaker stands, and how it got there: moves, open times, generations, calls that are being tried.

All of it with the time handed in, and none of it safe in threads: ``Breaker`` holds a lock around every call.
"""

from __future__ import annotations

import math

from contractd.breakers.keys import BreakerKey
from contractd.breakers.limits import Reason, limit_of
from contractd.breakers.machine import Machine
from contractd.breakers.outbox import Outbox
from contractd.breakers.permit import Mark, Permit, Refusal, Settled
from contractd.breakers.policy import AvailabilityPolicy, BreakerPolicy
from contractd.breakers.snapshot import BreakerRecord
from contractd.breakers.states import DECIDED, PASSING, Input, State, target
from contractd.events import BreakerMoved, BreakerWouldOpen

_BENEATH = {State.FORCED_OPEN: State.OPEN, State.DISABLED: State.CLOSED, State.METRICS_ONLY: State.CLOSED}
_RESTARTS = frozenset({Input.TRIP, Input.RENEGOTIATED, Input.RENEW, Input.RESET})  # also where the state stays
_LONGEST_LEASE = 86400.0
_TICK = 1e-6  # what adding and subtracting seconds may lose; nobody can wait so exactly


class Course:
    """The state of one breaker, moved by pybreaker (``Machine``)."""

    __slots__ = (
        *("_goal", "_machine", "_next_wait", "_now", "_outbox"),
        *("_policy", "_probes", "_reason", "_signal", "_since", "_stated", "_timed", "_wait", "_why", "_would_open"),
        *("closed", "generation", "key", "limit", "passing", "state"),
    )

    def __init__(self, key: BreakerKey, policy: BreakerPolicy, outbox: Outbox, now: float) -> None:
        self.key, self._policy, self._outbox = key, policy, outbox
        self._timed = policy if isinstance(policy, AvailabilityPolicy) else None
        self._machine = Machine(policy.close_after, self._limit_reached, self._moved)
        self.limit = limit_of(policy)
        self.state = State.CLOSED
        self.closed = self.passing = True
        self.generation = 0
        self._probes: list[Permit] = []
        self._reason = Reason.RESET
        self._signal: str | None = None
        self._would_open = False
        self._since = now
        self._wait = self._next_wait = self._first_wait
        # Of the move that pybreaker is about to make: when, why, into which state of ours, open for how long.
        self._now, self._why = now, Reason.RESET
        self._goal: State | None = None
        self._stated: float | None = None

    @property
    def _first_wait(self) -> float:
        return self._timed.open_seconds if self._timed else math.inf

    # Looking: nothing changes

    def view(self, now: float) -> tuple[State, float, Reason, list[float]]:
        """What time has made of it: the state, the end of its open time, why, and the ends of the leases of calls that
        are being tried."""
        state, until, why = self.state, self._since + self._wait, self._reason
        if not self._probes:
            due = state is State.OPEN and now >= until - _TICK
            return (State.HALF_OPEN, until, Reason.WAITED, []) if due else (state, until, why, [])
        running = [permit.expires or 0.0 for permit in self._probes]
        if self._timed and min(running) <= now:
            until = min(running) + self._next_wait
            due = now >= until - _TICK
            return (State.HALF_OPEN, until, Reason.WAITED, []) if due else (State.OPEN, until, Reason.PROBE_LOST, [])
        return state, until, why, [end for end in running if end > now]

    def refusal(self, now: float) -> Refusal | None:
        """What a call would be refused with; None if it would be admitted."""
        state, until, why, running = self.view(now)
        if state is State.HALF_OPEN and len(running) >= self._policy.probes:
            return Refusal(self.key, Reason.PROBES_BUSY, min(running) - now, "probe", self._signal)
        if state is State.OPEN:
            return Refusal(self.key, why, until - now if self._timed else None, self._policy.heals, self._signal)
        if state is State.FORCED_OPEN:
            return Refusal(self.key, why, None, "operator")
        return None

    # Calls

    def look(self, now: float) -> Refusal | None:
        """The same, acting on leases that ran out."""
        self._advance(now)
        return self.refusal(now)

    def admit(self, now: float, lease: float | None) -> Permit | Refusal:
        """A permit for a call that is tried, or why there is none."""
        refusal = self.look(now)
        if refusal is not None:
            return refusal
        if self.state is State.OPEN:
            self._go(State.HALF_OPEN, Reason.WAITED, now)
        if lease is None or not 0 < lease <= _LONGEST_LEASE:
            lease = self._policy.lease_seconds
        permit = Permit(self.generation, now, now + lease, self)
        self._probes.append(permit)
        return permit

    def settle(self, permit: Permit, mark: Mark, now: float, *, slow: bool, signal: str | None) -> Settled:
        """Take a result in, if it belongs to what there is now."""
        self._advance(now)
        if permit.generation != self.generation:
            return "late"
        if permit.probe:
            self._probes.remove(permit)
        if mark == "neutral" or self.state is State.DISABLED:
            return "neutral"
        self._now, failed = now, mark == "bad"
        if failed:
            self._signal = signal
        if self.state is State.HALF_OPEN:
            self._why = Reason.PROBE_FAILED if failed else Reason.PROBE_SLOW if slow else Reason.PROBES_GOOD
        elif failed or slow:
            self.limit.bad(now, failed=failed, slow=slow)
        else:
            self.limit.good(now)
        if self.state is State.METRICS_ONLY:
            self._tell_if_it_would_open(self.limit.reached(now))
        elif failed or slow:
            self._machine.failed()
        else:
            self._machine.succeeded()
        return "counted"

    def command(self, given: Input, reason: Reason, now: float, *, seconds: float | None, signal: str | None) -> bool:
        """Carry out a command as the table of states has it. Is the state another one now."""
        self._advance(now)
        before, healing = self.state, self._policy.heals
        after = target(before, given, healing)
        assert after is not None
        if given is Input.RENEGOTIATED and healing != "renegotiation":
            return False
        if given is Input.TRIP and after is not State.OPEN:
            if after is State.METRICS_ONLY:
                self._tell_if_it_would_open(reason)
            return False
        if after is not before or given in _RESTARTS:
            if given is Input.TRIP:
                self._signal, self._stated = signal, seconds
            kept = after is before and after in DECIDED  # started afresh, and still for the same reason
            self._go(after, self._reason if kept else reason, now)
        return after is not before

    # Moving

    def _advance(self, now: float) -> None:
        """Act on leases that ran out, as of the moment they did."""
        if not self._probes:
            return
        lost = [permit for permit in self._probes if (permit.expires or 0.0) <= now]
        if lost and self._timed:
            self._go(State.OPEN, Reason.PROBE_LOST, min(permit.expires or 0.0 for permit in lost))
            return
        for permit in lost:
            permit.generation = -1
            self._probes.remove(permit)

    def _go(self, state: State, why: Reason, now: float) -> None:
        self._now, self._why, self._goal = now, why, state
        self._machine.enter(_BENEATH.get(state, state))
        self._goal = self._stated = None

    def _limit_reached(self) -> bool:
        """pybreaker asks, while closed and after a failure."""
        reason = self.limit.reached(self._now)
        if reason is None:
            return False
        self._why = reason
        return True

    def _moved(self, entered: State) -> None:
        """pybreaker has moved, or entered its state anew."""
        before, after = self.state, self._goal or entered
        if after is State.OPEN:
            self._wait = self._open_time(again=before is State.OPEN)
        elif after is not State.HALF_OPEN:
            self.limit.clear()
            self._next_wait, self._signal = self._first_wait, None
        self._enter(after)
        self._would_open = False
        self._since, self._reason = self._now, self._why
        if before is not after:
            wait = self._wait if after is State.OPEN and self._timed else None
            key = self.key
            self._outbox.put(
                BreakerMoved(key.provider, key.tool, key.aspect, before, after, self._why, self._signal, wait)
            )

    def _enter(self, state: State) -> None:
        """A new generation: what is in flight is late from now on."""
        self.state, self.closed, self.passing = state, state is State.CLOSED, state in PASSING
        self.generation += 1
        self._probes = []

    def _open_time(self, *, again: bool) -> float:
        """Seconds to stay open; each reopening takes longer, what was commanded does not count as one."""
        if self._stated is not None:
            return self._stated
        if again or self._timed is None:
            return self._wait
        wait = self._next_wait
        self._next_wait = min(wait * self._timed.growth, self._timed.max_open_seconds)
        return wait

    def _tell_if_it_would_open(self, reason: Reason | None) -> None:
        if reason is not None and not self._would_open:
            key = self.key
            self._outbox.put(BreakerWouldOpen(key.provider, key.tool, key.aspect, reason, self._signal))
        self._would_open = reason is not None

    # What outlives a restart

    def record(self, now: float) -> BreakerRecord | None:
        """As plain data; None if there is nothing to keep."""
        self._advance(now)
        rows = tuple(self.limit.rows(now))
        if self.state is State.CLOSED and not rows and not self.limit.run:
            return None
        return BreakerRecord(
            provider=self.key.provider,
            aspect=self.key.aspect,
            tool=self.key.tool,
            state=self.state,
            reason=self._reason,
            signal=self._signal,
            since=max(0.0, now - self._since),
            waits=self._wait if self._timed else None,
            next_wait=self._next_wait if self._timed else None,
            in_a_row=self.limit.run,
            window=rows,
        )

    def restore(self, record: BreakerRecord, now: float, age: float) -> None:
        """Go on where ``record`` was made, ``age`` seconds ago. No event: nothing moved."""
        state = record.state
        beneath = _BENEATH.get(state, state)
        self._machine = Machine(self._policy.close_after, self._limit_reached, self._moved, beneath)
        self._enter(state)
        self._reason, self._signal = record.reason, record.signal
        self._since = now - age - record.since
        if self._timed:
            self._wait = self._first_wait if record.waits is None else record.waits
            self._next_wait = min(max(record.next_wait or 0.0, self._first_wait), self._timed.max_open_seconds)
        self.limit.load(now, [(row[0] + age, *row[1:]) for row in record.window], record.in_a_row)
