"""What one breaker promises beyond its table of states: permits, refusals, observers, threads, restarts."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import threading
import types
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from contractd.breakers import AvailabilityPolicy, Breaker, BreakerKey, EvidencePolicy, Permit, Policies, Reason
from contractd.breakers.outbox import Outbox
from contractd.breakers.snapshot import BreakerRecord
from contractd.breakers.window import Window
from contractd.errors import UsageError
from contractd.events import BreakerMoved, BreakerWouldOpen, Event
from tests.breakers.clock import Kept, ManualClock, granted, refused

KEY = BreakerKey("mail", "availability", "send")
CONTRACT = BreakerKey("mail", "contract", "send")


class Bench:
    def __init__(self, policy: Any = None, key: BreakerKey = KEY, **knobs: Any) -> None:
        self.clock, self.told = ManualClock(), Kept()
        self.breaker = Breaker(key, policy or AvailabilityPolicy(**knobs), self.clock, Outbox(self.told))

    def call(self, mark: Any, seconds: float = 0.0, **more: Any) -> str:
        permit = granted(self.breaker.admit())
        self.clock.advance(seconds)
        return self.breaker.settle(permit, mark, **more)

    def moves(self) -> list[tuple[str, str, str]]:
        return [(e.before, e.after, e.reason) for e in self.told.events if isinstance(e, BreakerMoved)]


# The open edge


@pytest.mark.parametrize("probes", [1, 3])
async def test_of_a_thousand_callers_at_the_open_edge_as_many_get_in_as_there_are_permits(probes: int) -> None:
    bench = Bench(probes=probes)
    bench.breaker.trip()
    bench.clock.advance(10)
    running = released = 0
    gate = asyncio.Event()

    async def caller() -> str:
        nonlocal running, released
        answer = bench.breaker.admit()
        if not isinstance(answer, Permit):
            return answer.reason
        running += 1
        await gate.wait()
        released += 1
        return bench.breaker.settle(answer, "good")

    tasks = [asyncio.create_task(caller()) for _ in range(1000)]
    for _ in range(3):
        await asyncio.sleep(0)
    assert sum(task.done() for task in tasks) == 1000 - probes
    assert running == probes
    gate.set()
    said = await asyncio.gather(*tasks)
    assert said.count("probes-busy") == 1000 - probes
    assert said.count("counted") == 1, "the first good one closes; the others are late by then"
    assert bench.breaker.state == "closed"


def test_the_same_of_a_thousand_calls_from_sixteen_threads() -> None:
    bench = Bench(probes=5)
    bench.breaker.trip()
    bench.clock.advance(10)
    start = threading.Barrier(16)

    def caller(_: int) -> int:
        start.wait()
        return sum(isinstance(bench.breaker.admit(), Permit) for _ in range(63))

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(caller, range(16))) == 5
    assert bench.moves()[1:] == [("open", "half_open", "open-time-over")]


def test_results_from_many_threads_are_all_counted_and_open_it_once() -> None:
    bench = Bench(failure_rate=0.5, min_calls=801, in_a_row=None)
    permits = [granted(bench.breaker.admit()) for _ in range(800)]
    start = threading.Barrier(8)

    def settle(part: int) -> list[str]:
        start.wait()
        marks = ["bad" if index % 2 else "good" for index in range(100)]
        mine = permits[part * 100 : part * 100 + 100]
        return [bench.breaker.settle(permit, mark) for permit, mark in zip(mine, marks, strict=True)]  # type: ignore[arg-type]

    with ThreadPoolExecutor(8) as pool:
        said = [one for part in pool.map(settle, range(8)) for one in part]
    assert said == ["counted"] * 800
    assert bench.breaker.state == "closed"
    bench.call("bad")
    assert bench.moves() == [("closed", "open", "failure-rate")]


# Permits


def test_a_permit_counts_once_and_belongs_to_its_breaker() -> None:
    bench, other = Bench(in_a_row=2), Bench()
    permit = granted(bench.breaker.admit())
    assert [bench.breaker.settle(permit, "bad") for _ in range(5)] == ["counted", *["again"] * 4]
    assert bench.breaker.state == "closed"
    with pytest.raises(UsageError, match="not its own"):
        other.breaker.settle(permit, "bad")
    with pytest.raises(UsageError, match="good, bad, neutral"):
        bench.breaker.settle(granted(bench.breaker.admit()), "ok")  # type: ignore[arg-type]


def test_a_misused_mark_leaves_the_permit_to_be_settled_rightly() -> None:
    bench = Bench(in_a_row=1)
    permit = granted(bench.breaker.admit())
    with pytest.raises(UsageError):
        bench.breaker.settle(permit, "failed")  # type: ignore[arg-type]
    assert bench.breaker.settle(permit, "bad") == "counted"


def test_a_call_that_may_take_longer_brings_its_own_lease() -> None:
    bench = Bench(lease_seconds=20)
    bench.breaker.trip()
    bench.clock.advance(10)
    permit = granted(bench.breaker.admit(lease_seconds=300))
    assert permit.probe
    assert refused(bench.breaker.admit()).retry_after == 300
    bench.clock.advance(299)
    assert bench.breaker.settle(permit, "good") == "counted"
    assert bench.breaker.state == "closed"


@pytest.mark.parametrize("lease", [0.0, -1.0, math.nan, math.inf])
def test_a_lease_that_makes_no_sense_is_the_policy_s(lease: float) -> None:
    bench = Bench(lease_seconds=20)
    bench.breaker.trip()
    bench.clock.advance(10)
    granted(bench.breaker.admit(lease))
    assert refused(bench.breaker.admit()).retry_after == 20


def test_a_forgotten_call_may_be_settled_by_the_collector_in_the_midst_of_another() -> None:
    """Python closes a coroutine wherever it finds that nobody holds it, also while the breaker's lock is held."""
    bench = Bench(in_a_row=2)

    @types.coroutine
    def suspended() -> Iterator[None]:
        yield

    forever = suspended()

    async def call() -> None:
        permit = granted(bench.breaker.admit())
        try:
            await forever
        finally:
            bench.breaker.settle(permit, "bad")

    class Collecting(ManualClock):
        def monotonic(self) -> float:
            while forgotten:
                forgotten.pop().close()
            return super().monotonic()

    forgotten = [call()]
    forgotten[0].send(None)
    bench.breaker._clock = Collecting().monotonic
    ended = threading.Thread(target=lambda: bench.breaker.settle(granted(bench.breaker.admit()), "bad"), daemon=True)
    ended.start()
    ended.join(20)
    assert not ended.is_alive()
    assert bench.breaker.state == "open"


def test_a_lost_probe_opens_it_as_of_the_moment_the_lease_ran_out() -> None:
    """Nobody called for an hour: the longer open time was over long ago, and the next call tries at once."""
    bench = Bench(open_seconds=10, lease_seconds=60)
    bench.breaker.trip()
    bench.clock.advance(10)
    lost = granted(bench.breaker.admit())
    bench.clock.advance(3600)
    assert bench.breaker.state == "half_open"
    granted(bench.breaker.admit())
    assert bench.moves()[-2:] == [("half_open", "open", "probe-lost"), ("open", "half_open", "open-time-over")]
    assert bench.breaker.settle(lost, "good") == "late"
    assert bench.breaker.state == "half_open"


def test_a_lost_probe_of_a_contract_only_frees_its_place() -> None:
    bench = Bench(EvidencePolicy(lease_seconds=60), CONTRACT)
    bench.call("bad")
    bench.breaker.renegotiated()
    lost = granted(bench.breaker.admit())
    assert refused(bench.breaker.admit()).heals == "probe"
    bench.clock.advance(60)
    assert bench.breaker.state == "half_open"
    assert bench.breaker.settle(lost, "bad") == "late"
    bench.call("good")
    assert bench.breaker.state == "closed"


# What a refusal says


def test_a_refusal_carries_key_reason_and_the_seconds_to_wait() -> None:
    bench = Bench(open_seconds=10, in_a_row=2)
    bench.call("bad", signal="http-29")
    bench.call("bad", signal="http-25")
    bench.clock.advance(3)
    refusal = refused(bench.breaker.admit())
    assert (refusal.key, refusal.reason, refusal.retry_after, refusal.heals, refusal.signal) == (
        KEY, Reason.IN_A_ROW, 7, "time", "http-25",
    )  # fmt: skip
    assert str(refusal.key) == "mail.send/availability"


@pytest.mark.parametrize(
    ("key", "policy", "heals"),
    [
        (CONTRACT, EvidencePolicy(), "renegotiation"),
        (BreakerKey("mail", "config"), EvidencePolicy(heals="configuration"), "configuration"),
    ],
)
def test_what_no_time_heals_names_no_time(key: BreakerKey, policy: EvidencePolicy, heals: str) -> None:
    bench = Bench(policy, key)
    bench.call("bad", signal="mcp-22")
    bench.clock.advance(1e9)
    refusal = refused(bench.breaker.admit())
    assert (refusal.reason, refusal.retry_after, refusal.heals) == (Reason.EVIDENCE, None, heals)
    with pytest.raises(UsageError):
        bench.breaker.trip(seconds=5)


def test_what_was_learnt_without_a_call_is_told_with_its_signal() -> None:
    bench = Bench(EvidencePolicy(), CONTRACT)
    assert bench.breaker.trip(signal="mcp-25")
    assert not bench.breaker.trip(signal="mcp-04")
    refusal = refused(bench.breaker.admit())
    assert (refusal.reason, refusal.signal) == (Reason.TRIPPED, "mcp-04")


def test_while_it_is_tried_the_failure_that_opened_it_is_still_told() -> None:
    bench = Bench(in_a_row=1)
    bench.call("bad", signal="http-25")
    bench.breaker.try_now()
    granted(bench.breaker.admit())
    assert refused(bench.breaker.admit()).signal == "http-25"


def test_a_forced_one_is_healed_by_the_operator() -> None:
    bench = Bench()
    bench.breaker.force_open()
    refusal = refused(bench.breaker.admit())
    assert (refusal.reason, refusal.retry_after, refusal.heals) == (Reason.FORCED, None, "operator")


@given(st.floats(0.001, 1e4), st.floats(0, 1e7), st.floats(0, 1e3))
def test_who_waits_as_long_as_told_gets_in_whatever_floats_lose(wait: float, start: float, part: float) -> None:
    clock = ManualClock(start)
    breaker = Breaker(KEY, AvailabilityPolicy(open_seconds=wait, max_open_seconds=1e4), clock)
    breaker.trip()
    clock.now += part
    refusal = breaker.refusal()
    if refusal is not None:
        assert refusal.retry_after is not None
        clock.now += refusal.retry_after
    granted(breaker.admit())


# Limits


def test_an_agent_that_calls_once_a_minute_opens_it_all_the_same() -> None:
    bench = Bench()
    for _ in range(5):
        assert bench.breaker.state == "closed"
        bench.call("bad", 60)
    assert bench.moves() == [("closed", "open", "failures-in-a-row")]


def test_slow_calls_open_it_and_a_slow_probe_is_no_recovery() -> None:
    bench = Bench(slow_after_seconds=2, slow_rate=0.5, min_calls=4)
    for seconds in (0, 3, 2):
        bench.call("good", seconds)
    assert bench.breaker.state == "closed", "as long as the limit is not slow"
    bench.call("good", 3)
    bench.clock.advance(10)
    bench.call("good", 3)
    assert bench.moves() == [
        ("closed", "open", "slow-rate"), ("open", "half_open", "open-time-over"), ("half_open", "open", "probe-slow"),
    ]  # fmt: skip
    bench.clock.advance(20)
    bench.breaker.settle(granted(bench.breaker.admit(lease_seconds=200)), "good", seconds=1.5)
    assert bench.breaker.state == "closed", "the caller knows how much of the time was the tool's"


def test_the_open_time_grows_up_to_its_limit_and_never_overflows() -> None:
    bench = Bench(open_seconds=1, growth=100, max_open_seconds=5000)
    bench.breaker.trip()
    waits = []
    for _ in range(400):
        waits.append(refused(bench.breaker.admit()).retry_after)
        bench.clock.advance(5000)
        bench.call("bad")
    assert waits[:4] == [1, 100, 5000, 5000]
    assert waits[-1] == 5000


def test_what_is_only_counted_tells_once_when_it_would_have_opened() -> None:
    bench = Bench(in_a_row=2)
    bench.breaker.metrics_only()
    bench.told.events.clear()
    for mark in ("bad", "bad", "bad", "good", "bad", "bad"):
        bench.call(mark, 200, signal="http-25")
    assert bench.breaker.state == "metrics_only"
    told = [(e.reason, e.signal) for e in bench.told.events if isinstance(e, BreakerWouldOpen)]
    assert told == [("failures-in-a-row", "http-25")] * 2
    assert len(bench.told.events) == 2


def test_good_calls_are_no_evidence_for_a_contract_and_old_evidence_is_forgotten() -> None:
    bench = Bench(EvidencePolicy(evidence=2, window_seconds=600), CONTRACT)
    bench.call("bad")
    bench.clock.advance(600)
    bench.call("bad")
    assert bench.breaker.state == "closed"
    for _ in range(10):
        bench.call("good", 1)
    bench.call("bad")
    assert bench.breaker.state == "open"


def test_evidence_of_a_call_made_under_the_old_contract_counts_no_more() -> None:
    bench = Bench(EvidencePolicy(), CONTRACT)
    old = granted(bench.breaker.admit())
    bench.breaker.renegotiated()
    assert bench.breaker.settle(old, "bad") == "late"
    assert bench.breaker.state == "closed"


# Observers


class Nosy:
    """Asks and commands the breaker from within, and raises."""

    def __init__(self) -> None:
        self.breaker: Breaker | None = None
        self.seen: list[tuple[str, str]] = []

    def on(self, event: Event) -> None:
        assert isinstance(event, BreakerMoved)
        assert self.breaker
        self.seen.append((event.after, self.breaker.state))
        if event.after == "open":
            self.breaker.try_now()
        raise RuntimeError("an observer's own fault")


def test_an_observer_may_ask_and_command_and_raise_and_hears_all_in_order() -> None:
    nosy, clock = Nosy(), ManualClock()
    breaker = nosy.breaker = Breaker(KEY, AvailabilityPolicy(in_a_row=1), clock, Outbox(nosy))
    assert breaker.settle(granted(breaker.admit()), "bad") == "counted"
    assert nosy.seen == [("open", "open"), ("half_open", "half_open")]
    breaker.settle(granted(breaker.admit()), "good")
    assert nosy.seen[-1] == ("closed", "closed")


# Restarts


def test_it_goes_on_after_a_restart_with_its_age_on_another_clock() -> None:
    bench = Bench(open_seconds=10)
    bench.breaker.trip(signal="stdio-06")
    bench.clock.advance(10)
    bench.call("bad", signal="stdio-04")
    bench.clock.advance(5)
    record = bench.breaker.record()
    assert record
    data = json.loads(record.model_dump_json())
    after = Bench(open_seconds=10)
    after.clock.now = 7.0
    after.breaker.restore(BreakerRecord.model_validate(data), age=4)
    assert after.told.events == []
    refusal = refused(after.breaker.admit())
    assert (refusal.reason, refusal.retry_after, refusal.signal) == (Reason.PROBE_FAILED, 11, "stdio-04")
    after.clock.advance(11)
    after.call("bad")
    assert refused(after.breaker.admit()).retry_after == 40, "how often it was reopened is kept"


def test_a_window_goes_on_too_and_grows_old_meanwhile() -> None:
    bench = Bench(window_seconds=100, in_a_row=None)
    for mark in ("bad", "bad", "good", "bad"):
        bench.call(mark, 5)
    record = bench.breaker.record()
    assert record
    for age, state in ((0, "open"), (60, "open"), (120, "closed")):
        after = Bench(window_seconds=100, in_a_row=None)
        after.clock.now = 64.0
        after.breaker.restore(record, age)
        after.call("bad")
        assert after.breaker.state == state, age


def test_a_contract_stays_broken_whatever_the_age_and_a_decision_stays_made() -> None:
    bench = Bench(EvidencePolicy(), CONTRACT)
    bench.call("bad")
    record = bench.breaker.record()
    assert record
    after = Bench(EvidencePolicy(), CONTRACT)
    after.breaker.restore(record, 1e9)
    assert refused(after.breaker.admit()).retry_after is None
    assert after.breaker.renegotiated()
    for decide in ("force_open", "disable", "metrics_only"):
        bench = Bench()
        getattr(bench.breaker, decide)()
        record = bench.breaker.record()
        assert record
        after = Bench()
        after.breaker.restore(record, 5)
        assert after.breaker.state == bench.breaker.state
        after.breaker.reset()
        assert after.breaker.state == "closed"


@pytest.mark.parametrize(("mark", "after"), [("good", "closed"), ("bad", "open"), ("neutral", "half_open")])
def test_one_that_was_being_tried_is_tried_again_after_a_restart(mark: str, after: str) -> None:
    bench = Bench(close_after=2)
    bench.breaker.trip()
    bench.breaker.try_now()
    bench.call("good")
    granted(bench.breaker.admit())
    record = bench.breaker.record()
    assert record
    again = Bench(close_after=2)
    again.breaker.restore(record, 5)
    again.call("good")
    assert again.breaker.state == "half_open", "good probes of the earlier run count no more"
    again.call(mark)
    assert again.breaker.state == after


def test_what_was_in_flight_before_a_restore_is_late() -> None:
    bench = Bench(in_a_row=1)
    record = Bench().breaker.record()
    assert record is None, "nothing to keep of a breaker that is well"
    permit = granted(bench.breaker.admit())
    bench.breaker.trip()
    record = bench.breaker.record()
    assert record
    bench.breaker.restore(record)
    assert bench.breaker.settle(permit, "bad") == "late"


# The window


@given(
    st.integers(1, 6),
    st.sampled_from([0.1, 0.25, 0.7, 1.0, 3.0]),
    st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 1.0, 4.0, 50.0]), st.booleans(), st.booleans()), max_size=40),
)
def test_totals_are_the_sums_of_what_is_inside(
    slices: int, width: float, calls: list[tuple[float, bool, bool]]
) -> None:
    window, now, kept = Window(slices * width, slices), 1000.0, []
    width = (slices * width) / slices  # as floats have it
    for pause, bad, slow in calls:
        now += pause
        window.record(now, bad, slow)
        kept.append((int(now // width), bad, slow))
        inside = [row for row in kept if row[0] > int(now // width) - slices]
        assert (window.calls, window.bad, window.slow) == (
            len(inside), sum(bad for _, bad, _ in inside), sum(slow for _, _, slow in inside),
        )  # fmt: skip
        again = Window(slices * width, slices)
        again.load(now, window.rows(now))
        assert (again.calls, again.bad, again.slow, again.rows(now)) == (
            window.calls, window.bad, window.slow, window.rows(now),
        )  # fmt: skip


@pytest.mark.parametrize(("age", "calls"), [(8.5, 3), (9.8, 3), (9.95, 0), (10.5, 0), (1e9, 0), (-0.5, 3)])
def test_a_slice_that_grew_too_old_meanwhile_is_left_out(age: float, calls: int) -> None:
    window = Window(10, 10)
    window.load(1000.9, [(age, 3, 1, 0)])
    assert window.calls == calls
    window.good(1000.9)
    assert window.calls == calls + 1


def test_a_window_s_memory_does_not_grow_with_the_calls() -> None:
    bench = Bench(failure_rate=1.0, in_a_row=None)
    mark: Any
    for index in range(2000):
        mark = "bad" if index % 2 else "good"
        bench.call(mark)
    gc.collect()
    before = len(gc.get_objects())
    for index in range(2000):
        mark = "bad" if index % 2 else "good"
        bench.call(mark)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


# Knobs


@pytest.mark.parametrize(
    "wrong",
    [
        {"failure_rate": 0},
        {"failure_rate": 1.5},
        {"window_seconds": 0},
        {"open_seconds": -1},
        {"open_seconds": math.nan},
        {"max_open_seconds": 1},
        {"probes": 0},
        {"growth": 0.5},
        {"failure_rate": None, "in_a_row": None},
        {"windw_seconds": 3},
    ],
)
def test_knobs_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AvailabilityPolicy(**wrong)


def test_each_key_heals_by_its_own_and_no_key_is_made_up() -> None:
    with pytest.raises(ValidationError):
        Policies(contract=EvidencePolicy(heals="configuration"))
    with pytest.raises(ValidationError):
        EvidencePolicy(evidence=4)
    for aspect, tool in (("contract", None), ("config", "send"), ("quota", None)):
        with pytest.raises(UsageError):
            BreakerKey("mail", aspect, tool)  # type: ignore[arg-type]
