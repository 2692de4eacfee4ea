"""The breaker and a naive one, driven alike by whatever Hypothesis thinks of, say the same at every step."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from contractd.breakers import AvailabilityPolicy, Breaker, BreakerKey, Permit
from contractd.breakers.outbox import Outbox
from contractd.breakers.snapshot import BreakerRecord
from contractd.events import BreakerMoved
from tests.breakers.clock import Kept, ManualClock
from tests.breakers.reference import Call, Plain

KEY = BreakerKey("p", "availability", "t")


@st.composite
def policies(draw: st.DrawFn) -> AvailabilityPolicy:
    """Times are multiples of a quarter, which floats hold exactly."""
    rate = draw(st.sampled_from([None, 0.25, 0.5, 1.0]))
    run = draw(st.sampled_from([None, 1, 2, 4])) if rate is not None else draw(st.sampled_from([1, 3]))
    slices = draw(st.sampled_from([1, 2, 4, 8]))
    return AvailabilityPolicy(
        window_seconds=slices * draw(st.sampled_from([0.25, 1.0, 2.5])),
        slices=slices,
        min_calls=draw(st.integers(1, 6)),
        failure_rate=rate,
        slow_after_seconds=draw(st.sampled_from([None, 0.5, 2.0])),
        slow_rate=draw(st.sampled_from([0.5, 1.0])),
        in_a_row=run,
        open_seconds=draw(st.sampled_from([0.0, 1.0, 4.0])),
        growth=draw(st.sampled_from([1.0, 2.0])),
        max_open_seconds=draw(st.sampled_from([4.0, 16.0])),
        probes=draw(st.integers(1, 3)),
        close_after=draw(st.integers(1, 3)),
        lease_seconds=draw(st.sampled_from([0.5, 4.0])),
    )


class Together(RuleBasedStateMachine):
    permits = Bundle("permits")

    @initialize(policy=policies())
    def start(self, policy: AvailabilityPolicy) -> None:
        self.clock, self.told, self.policy, self.process = ManualClock(), Kept(), policy, 0
        self.real = Breaker(KEY, policy, self.clock, Outbox(self.told))
        self.plain = Plain(
            window=policy.window_seconds, slices=policy.slices, min_calls=policy.min_calls, rate=policy.failure_rate,
            slow_after=policy.slow_after_seconds, slow_rate=policy.slow_rate, in_a_row=policy.in_a_row,
            open_for=policy.open_seconds, growth=policy.growth, open_most=policy.max_open_seconds,
            probes=policy.probes, close_after=policy.close_after, lease=policy.lease_seconds,
        )  # fmt: skip

    @rule(target=permits, lease=st.sampled_from([None, None, 0.25, 8.0]))
    def admit(self, lease: float | None) -> Any:
        promised = self.real.refusal()
        answer, plain = self.real.admit(lease), self.plain.admit(self.clock.now, lease)
        assert isinstance(answer, Permit) == (plain is not None)
        if plain is None:
            assert promised == answer, "what refusal() says is what admit() answers"
            return multiple()
        assert promised is None
        return self.process, answer, plain

    @rule(pair=permits, mark=st.sampled_from(["good", "good", "bad", "bad", "bad", "neutral"]))
    def settle(self, pair: tuple[int, Permit, Call], mark: Any) -> None:
        process, permit, call = pair
        if process == self.process:
            assert self.real.settle(permit, mark) == self.plain.settle(call, mark, self.clock.now)

    @rule(mark=st.sampled_from(["good", "bad"]), times=st.integers(1, 4), seconds=st.sampled_from([0.0, 0.25, 2.5]))
    def calls(self, mark: Any, times: int, seconds: float) -> None:
        for _ in range(times):
            answer, plain = self.real.admit(), self.plain.admit(self.clock.now)
            assert isinstance(answer, Permit) == (plain is not None)
            self.clock.advance(seconds)
            if isinstance(answer, Permit) and plain is not None:
                assert self.real.settle(answer, mark) == self.plain.settle(plain, mark, self.clock.now)

    @rule(seconds=st.sampled_from([0.25, 0.5, 1.0, 2.5, 4.0, 16.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def wait_as_told(self) -> None:
        """After ``retry_after`` of an open breaker a call is let in, and not before."""
        refusal = self.real.refusal()
        if refusal is not None and refusal.heals == "time":
            assert refusal.retry_after
            self.clock.advance(refusal.retry_after)
            assert self.real.refusal() is None

    @rule(name=st.sampled_from(["trip", "try_now", "renew", "reset"]))
    def command(self, name: str) -> None:
        getattr(self.real, name)()
        self.plain.command(name, self.clock.now)

    @rule()
    def into_half_open(self) -> None:
        """Where most is to be found, and chance alone seldom leads."""
        for name in ("reset", "trip", "try_now"):
            self.command(name)

    @rule(seconds=st.sampled_from([0.0, 3.0]))
    def trip_for(self, seconds: float) -> None:
        self.real.trip(seconds=seconds)
        self.plain.command("trip", self.clock.now, seconds)

    @rule(name=st.sampled_from(["forced_open", "disabled", "metrics_only"]))
    def decide(self, name: str) -> None:
        getattr(self.real, {"forced_open": "force_open", "disabled": "disable"}.get(name, name))()
        self.plain.command(name, self.clock.now)

    @rule()
    def restart(self) -> None:
        """Another process goes on from what was written. Calls in flight are lost, and so are good probes so far."""
        record = self.real.record()
        self.plain.restart(self.clock.now)
        self.process += 1
        self.real = Breaker(KEY, self.policy, self.clock, Outbox(self.told))
        if record is not None:
            self.real.restore(BreakerRecord.model_validate(json.loads(record.model_dump_json())))
        else:
            assert self.plain.state == "closed"

    @invariant()
    def both_say_the_same(self) -> None:
        if hasattr(self, "real"):
            assert self.real.state == self.plain.seen(self.clock.now)

    @invariant()
    def every_move_begins_where_the_last_one_ended(self) -> None:
        moves = [event for event in getattr(self, "told", Kept()).events if isinstance(event, BreakerMoved)]
        for earlier, later in pairwise(moves):
            assert earlier.after == later.before
            assert later.before != later.after


TestTogether = Together.TestCase
TestTogether.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
