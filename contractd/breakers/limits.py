"""When enough is enough: results in, a reason to open out."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from contractd.breakers.policy import AvailabilityPolicy, BreakerPolicy, EvidencePolicy
from contractd.breakers.window import Row, Window

_EVIDENCE_SLICES = 10


class Reason(StrEnum):
    """Why a breaker or a gate is where it is: in refusals and events, stable."""

    FAILURE_RATE = "failure-rate"
    SLOW_RATE = "slow-rate"
    IN_A_ROW = "failures-in-a-row"
    EVIDENCE = "evidence"
    PROBE_FAILED = "probe-failed"
    PROBE_SLOW = "probe-slow"
    PROBE_LOST = "probe-lost"
    PROBES_BUSY = "probes-busy"
    PROBES_GOOD = "probes-good"
    WAITED = "open-time-over"
    TRIPPED = "tripped"
    TRY_NOW = "try-now"
    RENEGOTIATED = "renegotiated"
    RENEWED = "configuration-changed"
    CREDENTIAL = "credential-changed"
    RESET = "reset"
    FORCED = "forced"
    DISABLED = "disabled"
    METRICS_ONLY = "metrics-only"
    QUOTA = "quota-exhausted"
    QUOTA_OVER = "quota-wait-over"
    REFRESHING = "credential-refreshing"
    REFRESHED = "credential-refreshed"
    UNAUTHORISED = "not-authorised"


class Limit(Protocol):
    """What a breaker counts while it is closed."""

    def good(self, now: float) -> None:
        """A call ended well, and in time."""

    def bad(self, now: float, *, failed: bool, slow: bool) -> None:
        """A call failed, was slow, or both."""

    def reached(self, now: float) -> Reason | None:
        """Is it enough."""

    def clear(self) -> None:
        """Start afresh."""

    def rows(self, now: float) -> list[Row]:
        """The window as plain data."""

    def load(self, now: float, rows: list[Row], run: int) -> None:
        """Take over what an earlier run counted."""

    run: int


class Rates:
    """Availability: the share of bad and of slow calls, and how many were bad in a row."""

    __slots__ = ("_in_a_row", "_min_calls", "_rate", "_slow_rate", "_window", "run")

    def __init__(self, policy: AvailabilityPolicy) -> None:
        self._window = Window(policy.window_seconds, policy.slices)
        self._min_calls = policy.min_calls
        self._rate = policy.failure_rate
        self._slow_rate = policy.slow_rate if policy.slow_after_seconds is not None else None
        self._in_a_row = policy.in_a_row
        self.run = 0

    def good(self, now: float) -> None:
        self._window.good(now)
        self.run = 0

    def bad(self, now: float, *, failed: bool, slow: bool) -> None:
        self._window.record(now, failed, slow)
        self.run = self.run + 1 if failed else 0

    def reached(self, now: float) -> Reason | None:
        window = self._window
        window.roll(now)
        if self._in_a_row is not None and self.run >= self._in_a_row:
            return Reason.IN_A_ROW
        if window.calls < self._min_calls:
            return None
        if self._rate is not None and window.bad / window.calls >= self._rate:
            return Reason.FAILURE_RATE
        if self._slow_rate is not None and window.slow / window.calls >= self._slow_rate:
            return Reason.SLOW_RATE
        return None

    def clear(self) -> None:
        self._window.clear()
        self.run = 0

    def rows(self, now: float) -> list[Row]:
        return self._window.rows(now)

    def load(self, now: float, rows: list[Row], run: int) -> None:
        self._window.load(now, rows)
        self.run = run


class Evidence:
    """Contracts and configuration: so many pieces of evidence. A good call is none to the contrary, since a drifted
    tool still answers the calls that the change does not touch."""

    __slots__ = ("_enough", "_window", "run")

    def __init__(self, policy: EvidencePolicy) -> None:
        self._window = Window(policy.window_seconds, _EVIDENCE_SLICES)
        self._enough = policy.evidence
        self.run = 0

    def good(self, now: float) -> None:
        pass

    def bad(self, now: float, *, failed: bool, slow: bool) -> None:
        self._window.record(now, failed, slow)

    def reached(self, now: float) -> Reason | None:
        self._window.roll(now)
        return Reason.EVIDENCE if self._window.bad >= self._enough else None

    def clear(self) -> None:
        self._window.clear()

    def rows(self, now: float) -> list[Row]:
        return self._window.rows(now)

    def load(self, now: float, rows: list[Row], run: int) -> None:
        self._window.load(now, rows)


def limit_of(policy: BreakerPolicy) -> Limit:
    """What is counted under ``policy``."""
    return Rates(policy) if isinstance(policy, AvailabilityPolicy) else Evidence(policy)
