"""The states of a breaker, what can happen to it, and where that leads: one table.

The moves among closed, open and half_open on results are made by pybreaker; a test tries every cell of the table on the
real thing. Commands are looked up here. ``python -m contractd.breakers.page`` prints the table for the documentation.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class State(StrEnum):
    """What a breaker is. The last three are somebody's decision and not left by results or time."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    FORCED_OPEN = "forced_open"
    DISABLED = "disabled"
    METRICS_ONLY = "metrics_only"


PASSING = frozenset({State.CLOSED, State.DISABLED, State.METRICS_ONLY})  # every call is admitted
DECIDED = frozenset({State.FORCED_OPEN, State.DISABLED, State.METRICS_ONLY})

Healing = Literal["time", "renegotiation", "configuration"]
"""What an open breaker waits for: that of availability, of a contract, of a provider's configuration."""

HEALINGS: tuple[Healing, ...] = ("time", "renegotiation", "configuration")


class Input(StrEnum):
    """What can happen to a breaker: results first, then time, then commands (methods of the same name)."""

    GOOD = "good call"
    BAD = "bad or slow call, limit not reached"
    LIMIT = "bad or slow call that reaches the limit"
    PROBE_GOOD = "good probe, more are wanted"
    PROBE_ENOUGH = "good probe, the last one wanted"
    PROBE_BAD = "bad or slow probe"
    PROBE_LOST = "probe whose lease ran out"
    NEUTRAL = "neutral or late result"
    WAITED = "next call after the open time"
    TRIP = "trip()"
    TRY_NOW = "try_now()"
    RENEGOTIATED = "renegotiated()"
    RENEW = "renew()"
    RESET = "reset()"
    FORCE_OPEN = "force_open()"
    DISABLE = "disable()"
    METRICS_ONLY = "metrics_only()"


RESULTS = frozenset(
    {Input.GOOD, Input.BAD, Input.LIMIT, Input.PROBE_GOOD, Input.PROBE_ENOUGH, Input.PROBE_BAD, Input.PROBE_LOST}
)
COMMANDS = tuple(Input)[list(Input).index(Input.TRIP) :]

_ANYWHERE = {
    Input.RESET: State.CLOSED,
    Input.FORCE_OPEN: State.FORCED_OPEN,
    Input.DISABLE: State.DISABLED,
    Input.METRICS_ONLY: State.METRICS_ONLY,
}
_RESULTS: dict[State, dict[Input, State]] = {
    State.CLOSED: {Input.GOOD: State.CLOSED, Input.BAD: State.CLOSED, Input.LIMIT: State.OPEN},
    State.OPEN: {},
    State.HALF_OPEN: {
        Input.PROBE_GOOD: State.HALF_OPEN,
        Input.PROBE_ENOUGH: State.CLOSED,
        Input.PROBE_BAD: State.OPEN,
        Input.PROBE_LOST: State.HALF_OPEN,
    },
    State.FORCED_OPEN: {},
    State.DISABLED: dict.fromkeys((Input.GOOD, Input.BAD, Input.LIMIT), State.DISABLED),
    State.METRICS_ONLY: dict.fromkeys((Input.GOOD, Input.BAD, Input.LIMIT), State.METRICS_ONLY),
}
# Beyond that, by what heals the breaker. What a lost probe means differs: of a tool that may hang, the worst; of a
# contract, nothing, and nobody would renegotiate for it.
_HEALING: dict[Healing, dict[tuple[State, Input], State]] = {
    "time": {
        (State.HALF_OPEN, Input.PROBE_LOST): State.OPEN,
        (State.OPEN, Input.WAITED): State.HALF_OPEN,
        (State.OPEN, Input.TRY_NOW): State.HALF_OPEN,
    },
    "renegotiation": {(State.OPEN, Input.RENEGOTIATED): State.HALF_OPEN},
    "configuration": {},
}


def target(state: State, given: Input, healing: Healing) -> State | None:
    """Where ``given`` leads from ``state``; None for a result that can't come in that state."""
    if (state, given) in _HEALING[healing]:
        return _HEALING[healing][state, given]
    if given in _ANYWHERE:
        return _ANYWHERE[given]
    if given in RESULTS:
        return _RESULTS[state].get(given)
    if state in DECIDED:
        return state  # no evidence, no waiting and no new configuration overrules a decision
    if given is Input.TRIP:
        return State.OPEN
    if given is Input.RENEW:
        return State.CLOSED
    return state
