"""Four breakers and two gates, asked as one: what blames one blames no other, and all of it survives a restart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.breakers import (
    CONTRACT_BROKEN,
    MISCONFIGURED,
    NEUTRAL,
    SUCCEEDED,
    TOOL_FAILED,
    TOOL_SILENT,
    UNREACHABLE,
    Admission,
    AvailabilityPolicy,
    Breaker,
    BreakerKey,
    Breakers,
    EvidencePolicy,
    Marks,
    Policies,
    Reason,
    Refusal,
)
from contractd.errors import StateError, UsageError
from contractd.events import BreakerMoved
from tests.breakers.clock import Kept, ManualClock, refused

PROVIDER, CONFIG = BreakerKey("mail", "availability"), BreakerKey("mail", "config")
TOOL, CONTRACT = BreakerKey("mail", "availability", "send"), BreakerKey("mail", "contract", "send")
ONE = Policies(
    provider=AvailabilityPolicy(in_a_row=1), tool=AvailabilityPolicy(in_a_row=1), contract=EvidencePolicy(),
    config=EvidencePolicy(heals="configuration"),
)  # fmt: skip


class Bench:
    def __init__(self, policies: Policies = ONE) -> None:
        self.clock, self.told = ManualClock(), Kept()
        self.breakers = Breakers(self.clock, self.told, policies)

    def admitted(self, tool: str | None = "send", principal: str = "") -> Admission:
        answer = self.breakers.admit("mail", tool, principal)
        assert isinstance(answer, Admission), answer
        return answer

    def call(self, marks: Marks, tool: str | None = "send", **more: Any) -> str:
        return self.breakers.settle(self.admitted(tool), marks, **more)

    def open(self) -> set[BreakerKey]:
        return {breaker.key for breaker in self.breakers if breaker.state != "closed"}


@pytest.mark.parametrize(
    ("marks", "opens"),
    [
        (SUCCEEDED, set()),
        (UNREACHABLE, {PROVIDER}),
        (TOOL_FAILED, {TOOL}),
        (TOOL_SILENT, {TOOL}),
        (CONTRACT_BROKEN, {CONTRACT}),
        (MISCONFIGURED, {CONFIG}),
        (NEUTRAL, set()),
    ],
)
def test_what_blames_one_opens_that_one_only(marks: Marks, opens: set[BreakerKey]) -> None:
    bench = Bench()
    bench.call(marks)
    assert bench.open() == opens
    sibling = bench.breakers.refusal("mail", "find")
    assert (sibling is not None) == bool(opens & {PROVIDER, CONFIG}), "a tool's trouble is not its siblings'"
    assert bench.breakers.refusal("files", "send") is None


def test_callers_errors_never_open_anything() -> None:
    bench = Bench()
    for _ in range(1000):
        assert bench.call(NEUTRAL) == "neutral"
    assert not bench.open()
    assert bench.told.events == []


def test_our_own_refusals_feed_nothing() -> None:
    bench = Bench(Policies())
    bench.call(CONTRACT_BROKEN)
    for _ in range(50):
        assert isinstance(bench.breakers.admit("mail", "send"), Refusal)
    assert bench.open() == {CONTRACT}
    assert len(bench.told.events) == 1


def test_a_refusal_names_first_what_no_waiting_heals() -> None:
    bench = Bench()
    for key in (TOOL, PROVIDER, CONTRACT, CONFIG):
        bench.breakers.breaker(key).trip()
        assert refused(bench.breakers.admit("mail", "send")).key == key
        assert bench.breakers.refusal("mail", "send") == bench.breakers.admit("mail", "send")


def test_a_call_gets_into_all_of_them_or_takes_no_place_in_any() -> None:
    bench = Bench()
    bench.call(UNREACHABLE)
    bench.breakers.breaker(TOOL).trip(seconds=100)
    bench.clock.advance(10)
    bench.told.events.clear()
    for _ in range(5):
        assert refused(bench.breakers.admit("mail", "send")).key == TOOL
    assert bench.told.events == [], "a call that is refused anyway tries nothing"
    probe = bench.admitted("find")
    assert probe.probes == (PROVIDER,)
    assert refused(bench.breakers.admit("mail", "list")).reason == Reason.PROBES_BUSY
    bench.breakers.settle(probe, SUCCEEDED)
    bench.admitted("list")


def test_what_was_taken_is_given_back_if_another_thread_took_the_last_place(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    bench.call(UNREACHABLE)
    bench.breakers.breaker(TOOL).trip(seconds=10)
    bench.clock.advance(10)
    admit = Breaker.admit

    def beaten(self: Breaker, lease_seconds: float | None = None) -> Any:
        return Refusal(TOOL, Reason.PROBES_BUSY, 1.0, "probe") if self.key == TOOL else admit(self, lease_seconds)

    with monkeypatch.context() as patched:
        patched.setattr(Breaker, "admit", beaten)
        assert refused(bench.breakers.admit("mail", "send")).reason == Reason.PROBES_BUSY
    assert bench.admitted("find").probes == (PROVIDER,)


def test_an_answer_of_any_kind_proves_that_the_provider_can_be_reached_and_silence_proves_nothing() -> None:
    bench = Bench()
    bench.call(UNREACHABLE)
    bench.clock.advance(10)
    bench.call(TOOL_SILENT)
    assert bench.breakers.breaker(PROVIDER).state == "half_open"
    bench.call(TOOL_FAILED, "find")
    assert bench.breakers.breaker(PROVIDER).state == "closed"


def test_the_provider_s_own_requests_are_no_tool_s() -> None:
    bench = Bench()
    bench.call(CONTRACT_BROKEN)
    bench.call(TOOL_FAILED, "find")
    assert bench.call(SUCCEEDED, None) == "counted", "its list can be fetched while tools are refused"
    bench.call(UNREACHABLE, None)
    assert refused(bench.breakers.admit("mail", "list")).key == PROVIDER


def test_a_contract_is_healed_by_renegotiation_only() -> None:
    bench = Bench()
    bench.call(CONTRACT_BROKEN, signal="mcp-22")
    bench.clock.advance(1e9)
    for heal in (
        lambda: bench.breakers.credential("mail", "1"), lambda: bench.breakers.credential("mail", "2"),
        bench.breakers.breaker(CONTRACT).try_now,
    ):  # fmt: skip
        heal()
        refusal = refused(bench.breakers.admit("mail", "send"))
        assert (refusal.key, refusal.retry_after, refusal.heals, refusal.signal) == (
            CONTRACT, None, "renegotiation", "mcp-22",
        )  # fmt: skip
    assert bench.breakers.renegotiated("mail", "send")
    assert bench.admitted().probes == (CONTRACT,)
    assert isinstance(bench.breakers.admit("mail", "send"), Refusal)


def test_a_broken_configuration_is_healed_by_a_changed_one_only() -> None:
    bench = Bench()
    bench.breakers.configured("mail", "sha256:a")
    bench.call(MISCONFIGURED, signal="stdio-spawn")
    bench.clock.advance(1e9)
    assert not bench.breakers.configured("mail", "sha256:a")
    assert refused(bench.breakers.admit("mail", None)).heals == "configuration"
    assert bench.breakers.configured("mail", "sha256:b")
    bench.call(SUCCEEDED)
    assert [(e.after, e.reason) for e in bench.told.events if isinstance(e, BreakerMoved)] == [
        ("open", "evidence"), ("closed", "configuration-changed"),
    ]  # fmt: skip


def test_a_changed_configuration_starts_all_of_a_provider_s_afresh_and_nobody_else_s() -> None:
    bench = Bench()
    bench.breakers.configured("mail", "a")
    bench.breakers.configured("files", "a")
    in_flight = bench.admitted("find")
    for key in (PROVIDER, CONFIG, TOOL, CONTRACT, BreakerKey("files", "availability")):
        bench.breakers.breaker(key).trip()
    bench.breakers.quota_exhausted("mail", retry_after=60)
    bench.breakers.configured("mail", "b")
    assert bench.open() == {BreakerKey("files", "availability")}
    assert bench.breakers.settle(in_flight, UNREACHABLE) == "late", "what was sent to the old one says nothing"
    bench.admitted()


def test_a_changed_credential_starts_afresh_what_a_credential_can_heal() -> None:
    bench = Bench()
    bench.breakers.credential("mail", "a", "ann")
    bench.breakers.credential("mail", "a", "bob")
    for principal in ("ann", "bob"):
        bench.breakers.quota_exhausted("mail", None, principal, retry_after=60)
    for key in (PROVIDER, CONFIG, TOOL, CONTRACT):
        bench.breakers.breaker(key).trip()
    assert bench.breakers.credential("mail", "b", "ann")
    assert bench.open() == {CONTRACT}
    assert bench.breakers.quota("mail", None, "ann") == "unknown"
    assert bench.breakers.quota("mail", None, "bob") == "exhausted"


def test_a_decision_outlives_a_changed_configuration() -> None:
    bench = Bench()
    bench.breakers.configured("mail", "a")
    bench.breakers.breaker(TOOL).force_open()
    bench.breakers.configured("mail", "b")
    refusal = refused(bench.breakers.admit("mail", "send"))
    assert (refusal.reason, refusal.heals) == (Reason.FORCED, "operator")


def test_slow_calls_are_the_tool_s_and_open_it_among_all_four_too() -> None:
    bench = Bench(Policies(tool=AvailabilityPolicy(slow_after_seconds=2, slow_rate=1.0, min_calls=3)))
    for seconds in (2, 3, 3, 3):
        admission = bench.admitted()
        bench.clock.advance(seconds)
        bench.breakers.settle(admission, SUCCEEDED)
    assert not bench.open()
    bench.clock.advance(120)
    for _ in range(3):
        bench.call(SUCCEEDED, seconds=5.0)
    assert bench.open() == {TOOL}


def test_a_late_success_counts_nowhere() -> None:
    bench = Bench(Policies(tool=AvailabilityPolicy(in_a_row=2)))
    late = bench.admitted()
    bench.breakers.breaker(TOOL).reset()
    bench.call(TOOL_FAILED)
    assert bench.breakers.settle(late, SUCCEEDED) == "counted", "by the provider's, which has not moved"
    bench.call(TOOL_FAILED)
    assert bench.open() == {TOOL}, "the two failures are in a row still"
    bench.breakers.configured("mail", "a")
    later = bench.admitted("find")
    bench.breakers.configured("mail", "b")
    assert bench.breakers.settle(later, SUCCEEDED) == "late"


def test_an_admission_is_settled_once() -> None:
    bench = Bench(Policies())
    admission = bench.admitted()
    assert [bench.breakers.settle(admission, UNREACHABLE) for _ in range(5)] == ["counted", *["again"] * 4]
    assert not bench.open()


def test_single_keys_may_have_their_own_policy_but_not_another_cure() -> None:
    clock = ManualClock()
    breakers = Breakers(clock, overrides={TOOL: AvailabilityPolicy(in_a_row=1)})
    assert breakers.breaker(TOOL).policy != breakers.breaker(BreakerKey("mail", "availability", "find")).policy
    assert breakers.breaker(TOOL) is breakers.breaker(BreakerKey("mail", "availability", "send"))
    with pytest.raises(UsageError, match="heals by time"):
        Breakers(clock, overrides={CONTRACT: AvailabilityPolicy()})


# Restarts


def used() -> Bench:
    bench = Bench(Policies())
    bench.breakers.configured("mail", "a")
    bench.breakers.credential("mail", "a", "ann")
    bench.call(CONTRACT_BROKEN, signal="mcp-22")
    for _ in range(5):
        bench.call(TOOL_FAILED, "find", signal="http-25")
    bench.breakers.breaker(BreakerKey("mail", "availability", "list")).disable()
    bench.breakers.quota_exhausted("mail", None, "bob", retry_after=100)
    bench.breakers.unauthorised(bench.admitted("read", "ann"), can_refresh=False)
    bench.clock.advance(4)
    return bench


def restarted(data: Any, age: float = 2.0, now: float = 3.0) -> Bench:
    bench = Bench(Policies())
    bench.clock.now = now
    bench.breakers.restore(data, age)
    return bench


def test_everything_goes_on_after_a_restart() -> None:
    data = json.loads(json.dumps(used().breakers.snapshot()))
    bench = restarted(data)
    assert bench.told.events == []
    contract, tool = bench.breakers.refusal("mail", "send"), bench.breakers.refusal("mail", "find")
    assert contract and (contract.reason, contract.signal, contract.retry_after) == ("evidence", "mcp-22", None)
    assert tool and (tool.reason, tool.signal, tool.retry_after) == ("failures-in-a-row", "http-25", 4)
    assert bench.breakers.breaker(BreakerKey("mail", "availability", "list")).state == "disabled"
    quota, authz = bench.breakers.refusal("mail", "x", "bob"), bench.breakers.refusal("mail", "x", "ann")
    assert quota and (quota.reason, quota.retry_after) == ("quota-exhausted", 94)
    assert authz and authz.reason == "not-authorised"
    backwards, still = restarted(data, -1e6).breakers, restarted(data, 0).breakers
    for tool, principal in (("find", ""), ("x", "bob")):
        assert backwards.refusal("mail", tool, principal) == still.refusal("mail", tool, principal)
    assert json.loads(json.dumps(restarted(data, 0, 1004).breakers.snapshot())) == data, "nothing is lost on the way"


@pytest.mark.parametrize("before", [True, False])
def test_what_was_kept_of_another_configuration_starts_afresh(before: bool) -> None:
    """Whether the configuration is known when the states are read, or told afterwards."""
    data = used().breakers.snapshot()
    bench = Bench(Policies())
    if before:
        bench.breakers.configured("mail", "other")
    bench.breakers.restore(data, 0)
    if not before:
        bench.breakers.configured("mail", "other")
    assert bench.open() <= {BreakerKey("mail", "availability", "list")}, "what somebody decided may stay"
    assert bench.breakers.refusal("mail", "send", "ann") is None
    assert bench.breakers.refusal("mail", "send", "bob") is None


@pytest.mark.parametrize("before", [True, False])
def test_what_was_kept_of_another_credential_starts_afresh(before: bool) -> None:
    data = used().breakers.snapshot()
    bench = Bench(Policies())
    if before:
        bench.breakers.credential("mail", "other", "ann")
    bench.breakers.restore(data, 0)
    if not before:
        bench.breakers.credential("mail", "other", "ann")
    assert bench.breakers.refusal("mail", "find", "ann") is None
    assert refused(bench.breakers.refusal("mail", "send", "ann")).key == CONTRACT
    assert refused(bench.breakers.refusal("mail", "send", "bob")).reason == Reason.QUOTA


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"version": 2},
        {"version": 1, "breakers": [{"provider": "mail"}]},
        {"version": 1, "more": 1},
        {"version": 1, "breakers": "x"},
        {"breakers": [
            {"provider": "m", "aspect": "config", "tool": "t", "state": "open", "reason": "evidence", "since": 1},
        ]},
        {"breakers": [{"provider": "m", "aspect": "config", "state": "open", "reason": "evidence", "since": -1}]},
    ],
)  # fmt: skip
def test_what_can_t_be_read_is_said_and_nothing_of_it_taken_over(broken: dict[str, Any]) -> None:
    bench = Bench()
    if broken == {}:
        bench.breakers.restore(broken, 0)
        return
    with pytest.raises(StateError):
        bench.breakers.restore(broken, 0)
    assert list(bench.breakers) == []


def test_a_snapshot_of_what_is_well_is_small_and_holds_no_more_than_it_must() -> None:
    bench = Bench(Policies())
    for index in range(100):
        bench.breakers.breaker(BreakerKey("mail", "availability", f"tool-{index}"))
    assert bench.breakers.snapshot() == {"version": 1}
