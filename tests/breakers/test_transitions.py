"""The table of states, every cell of it, tried on the real thing: three kinds of breakers, six states, all inputs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from contractd.breakers import AvailabilityPolicy, Breaker, BreakerKey, BreakerPolicy, EvidencePolicy, Permit
from contractd.breakers.outbox import Outbox
from contractd.breakers.states import COMMANDS, HEALINGS, PASSING, RESULTS, Healing, Input, State, target
from contractd.events import BreakerMoved
from tests.breakers.clock import Kept, ManualClock, granted

POLICIES: dict[Healing, tuple[BreakerKey, BreakerPolicy]] = {
    "time": (
        BreakerKey("p", "availability", "t"),
        AvailabilityPolicy(in_a_row=2, failure_rate=None, close_after=2, lease_seconds=60),
    ),
    "renegotiation": (BreakerKey("p", "contract", "t"), EvidencePolicy(evidence=2, close_after=2)),
    "configuration": (BreakerKey("p", "config"), EvidencePolicy(evidence=2, close_after=2, heals="configuration")),
}


class Bench:
    """A breaker, what it tells, and its clock."""

    def __init__(self, healing: Healing) -> None:
        self.clock, self.told, self.healing = ManualClock(), Kept(), healing
        key, policy = POLICIES[healing]
        self.breaker = Breaker(key, policy, self.clock, Outbox(self.told))

    def call(self, mark: str) -> None:
        self.breaker.settle(granted(self.breaker.admit()), mark)  # type: ignore[arg-type]

    def into(self, state: State) -> None:
        if state in (State.OPEN, State.HALF_OPEN):
            self.breaker.trip()
        if state is State.HALF_OPEN:
            self.breaker.try_now() or self.breaker.renegotiated()
        ways: dict[State, Callable[[], bool]] = {
            State.FORCED_OPEN: self.breaker.force_open,
            State.DISABLED: self.breaker.disable,
            State.METRICS_ONLY: self.breaker.metrics_only,
        }
        if state in ways:
            ways[state]()
        assert self.breaker.state == state

    def give(self, given: Input) -> None:
        if given is Input.GOOD:
            self.call("good")
        elif given in (Input.BAD, Input.PROBE_BAD):
            self.call("bad")
        elif given is Input.LIMIT:
            self.call("bad")
            self.call("bad")
        elif given is Input.PROBE_GOOD:
            self.call("good")
        elif given is Input.PROBE_ENOUGH:
            self.call("good")
            self.call("good")
        elif given is Input.PROBE_LOST:
            granted(self.breaker.admit())
            self.clock.advance(60)
        elif given is Input.NEUTRAL:
            self.neutral()
        elif given is Input.WAITED:
            self.clock.advance(10 if self.healing == "time" else 1e9)
            self.breaker.admit()
        else:
            getattr(self.breaker, given.removesuffix("()"))()

    def neutral(self) -> None:
        answer = self.breaker.admit()
        if isinstance(answer, Permit):
            self.breaker.settle(answer, "neutral")


# A configuration is mended or not: such a breaker is never half-open.
CELLS = [cell for cell in product(HEALINGS, State, Input) if cell[:2] != ("configuration", State.HALF_OPEN)]


@pytest.mark.parametrize(("healing", "state", "given"), CELLS)
def test_a_cell(healing: Healing, state: State, given: Input) -> None:
    after = target(state, given, healing)
    if after is None:
        assert given in RESULTS, "only results may be impossible"
        assert state in (State.OPEN, State.FORCED_OPEN) or state in PASSING or not given.startswith("probe")
        return
    bench = Bench(healing)
    bench.into(state)
    bench.told.events.clear()
    bench.give(given)
    assert bench.breaker.state == after
    bench.neutral()  # whatever waited for the next call is done and told
    moves = [event for event in bench.told.events if isinstance(event, BreakerMoved)]
    steps = [state, *(State(move.after) for move in moves)]
    assert steps[-1] == after
    assert [move.before for move in moves] == steps[:-1], "each move begins where the last one ended"


@pytest.mark.parametrize("state", State)
def test_every_command_is_possible_in_every_state(state: State) -> None:
    for healing, given in product(HEALINGS, COMMANDS):
        assert target(state, given, healing) is not None


def test_what_somebody_decided_is_left_by_decisions_only() -> None:
    decisions = {Input.RESET, Input.FORCE_OPEN, Input.DISABLE, Input.METRICS_ONLY}
    for healing, state, given in product(HEALINGS, (State.FORCED_OPEN, State.DISABLED, State.METRICS_ONLY), Input):
        if given not in decisions:
            assert target(state, given, healing) in (state, None)


def test_no_time_heals_a_contract_or_a_configuration() -> None:
    for healing, given in product(("renegotiation", "configuration"), Input):
        if given not in (Input.RENEGOTIATED, Input.RENEW, Input.RESET, Input.DISABLE, Input.METRICS_ONLY):
            assert target(State.OPEN, given, healing) in (State.OPEN, State.FORCED_OPEN, None)  # type: ignore[arg-type]
