"""Quota waits for a time, authz for another credential; neither is a breaker, and neither touches one."""

from __future__ import annotations

import math
from typing import Any

import pytest

from contractd.breakers import NEUTRAL, SUCCEEDED, Admission, Breakers, GatePolicy, Marks, Policies, Reason
from contractd.events import GateMoved
from tests.breakers.clock import Kept, ManualClock, refused


class Bench:
    def __init__(self, **knobs: Any) -> None:
        self.clock, self.told = ManualClock(), Kept()
        self.breakers = Breakers(self.clock, self.told, Policies(gates=GatePolicy(**knobs)))

    def admitted(self, principal: str = "ann", tool: str = "send") -> Admission:
        answer = self.breakers.admit("mail", tool, principal)
        assert isinstance(answer, Admission), answer
        return answer

    def refused(self, principal: str = "ann", tool: str = "send") -> Any:
        return refused(self.breakers.admit("mail", tool, principal))

    def moves(self) -> list[tuple[str, str, str, str]]:
        return [(e.gate, e.before, e.after, e.reason) for e in self.told.events if isinstance(e, GateMoved)]


# Quota


def test_an_exhausted_quota_is_refused_until_the_time_that_was_named() -> None:
    bench = Bench()
    assert bench.breakers.quota_exhausted("mail", None, "ann", retry_after=90) == 90
    bench.clock.advance(30)
    refusal = bench.refused()
    assert (refusal.reason, refusal.retry_after, refusal.heals) == (Reason.QUOTA, 60, "time")
    assert str(refusal.key) == "mail/quota of ann"
    bench.admitted("bob")
    bench.clock.advance(60)
    assert bench.breakers.quota("mail", None, "ann") == "unknown", "the wait is over; what is left, nobody said"
    bench.breakers.settle(bench.admitted(), SUCCEEDED)
    assert bench.moves() == [
        ("quota", "unknown", "exhausted", "quota-exhausted"), ("quota", "exhausted", "unknown", "quota-wait-over"),
    ]  # fmt: skip


def test_a_reset_that_is_due_leaves_what_was_said_standing_for_a_while() -> None:
    bench = Bench(quota_seconds=30)
    bench.breakers.quota_reported("mail", remaining=7, resets_in=0)
    bench.clock.advance(29)
    assert bench.breakers.quota("mail") == "available"
    bench.clock.advance(1)
    assert bench.breakers.quota("mail") == "unknown"


def test_one_principal_s_new_credential_opens_no_other_s_gate() -> None:
    bench = Bench()
    for principal in ("ann", "bob"):
        bench.breakers.credential("mail", "a", principal)
        bench.breakers.unauthorised(bench.admitted(principal), can_refresh=False)
    bench.breakers.credential("mail", "b", "ann")
    bench.admitted("ann")
    bench.refused("bob")


def test_a_tool_s_quota_is_not_its_siblings() -> None:
    bench = Bench()
    bench.breakers.quota_exhausted("mail", "send", "ann", retry_after=90)
    assert bench.refused().key.tool == "send"
    bench.admitted(tool="find")


def test_an_unknown_quota_is_neither_available_nor_exhausted() -> None:
    bench = Bench()
    assert bench.breakers.quota("mail") == "unknown"
    bench.breakers.quota_reported("mail", remaining=7, resets_in=60)
    assert bench.breakers.quota("mail") == "available"
    bench.clock.advance(60)
    assert bench.breakers.quota("mail") == "unknown", "a reading does not outlive its reset"
    bench.breakers.quota_reported("mail", remaining=0, resets_in=60)
    assert bench.breakers.quota("mail") == "exhausted"
    bench.breakers.quota_reported("mail", remaining=7, resets_in=60)
    assert bench.breakers.quota("mail") == "exhausted", "an older answer may arrive later"


@pytest.mark.parametrize("nonsense", [None, math.nan, -5.0])
def test_where_no_time_is_named_it_waits_longer_each_time_until_a_call_goes_through(nonsense: float | None) -> None:
    bench = Bench(quota_seconds=30, max_quota_seconds=100)
    waits = []
    for _ in range(4):
        waits.append(bench.breakers.quota_exhausted("mail", "send", "ann", retry_after=nonsense))
        bench.clock.advance(waits[-1])
    assert waits == [30, 60, 100, 100]
    bench.breakers.settle(bench.admitted(), SUCCEEDED)
    assert bench.breakers.quota_exhausted("mail", "send", "ann") == 30


def test_no_server_can_shut_us_out_for_ever_and_the_latest_end_holds() -> None:
    bench = Bench(max_quota_seconds=3600)
    assert bench.breakers.quota_exhausted("mail", retry_after=math.inf) == 3600
    bench.clock.advance(3000)
    assert bench.breakers.quota_exhausted("mail", retry_after=5) == 600
    assert bench.breakers.quota_exhausted("mail") == 600, "said by several calls at once: it waits already"
    assert bench.breakers.quota_exhausted("mail", retry_after=0) == 600


# Authz


def test_a_refused_credential_is_refreshed_once_and_then_closed_until_it_changes() -> None:
    bench = Bench()
    bench.breakers.credential("mail", "sha256:a", "ann")
    assert bench.breakers.unauthorised(bench.admitted()) == "refresh"
    assert bench.refused().reason == Reason.REFRESHING
    assert bench.refused().heals == "credential"
    bench.admitted("bob")
    bench.breakers.refresh_ended("mail", "ann", ok=True)
    assert bench.breakers.unauthorised(bench.admitted()) == "closed"
    bench.clock.advance(1e9)
    refusal = bench.refused()
    assert (refusal.reason, refusal.retry_after) == (Reason.UNAUTHORISED, None)
    assert not bench.breakers.credential("mail", "sha256:a", "ann")
    bench.refused()
    assert bench.breakers.credential("mail", "sha256:b", "ann")
    bench.admitted()
    assert bench.moves() == [
        ("authz", "open", "refreshing", "credential-refreshing"),
        ("authz", "refreshing", "open", "credential-refreshed"),
        ("authz", "open", "closed", "not-authorised"),
        ("authz", "closed", "open", "credential-changed"),
    ]


def test_a_call_that_goes_through_earns_the_next_refresh() -> None:
    bench = Bench()
    for marks in (SUCCEEDED, Marks("good", "good", "good", "good"), SUCCEEDED):
        assert bench.breakers.unauthorised(bench.admitted()) == "refresh"
        bench.breakers.refresh_ended("mail", "ann", ok=True)
        bench.breakers.settle(bench.admitted(), marks)


def test_what_can_t_be_refreshed_closes_at_once() -> None:
    bench = Bench()
    assert bench.breakers.unauthorised(bench.admitted(), can_refresh=False) == "closed"
    bench.refused()
    other = Bench()
    other.breakers.unauthorised(other.admitted())
    other.breakers.refresh_ended("mail", "ann", ok=False)
    assert other.breakers.authz("mail", "ann") == "closed"


def test_of_many_refused_calls_one_is_to_refresh_and_the_old_ones_close_nothing_afterwards() -> None:
    bench = Bench()
    calls = [bench.admitted() for _ in range(5)]
    old_and_fine = bench.admitted()
    assert [bench.breakers.unauthorised(call) for call in calls[:3]] == ["refresh", "late", "late"]
    bench.breakers.refresh_ended("mail", "ann", ok=True)
    assert [bench.breakers.unauthorised(call) for call in calls[3:]] == ["late", "late"]
    bench.breakers.settle(old_and_fine, SUCCEEDED)
    assert bench.breakers.unauthorised(bench.admitted()) == "closed", "an older success earns no refresh"


def test_a_refresh_of_which_nothing_is_heard_counts_as_the_one() -> None:
    bench = Bench(refresh_seconds=60)
    bench.breakers.unauthorised(bench.admitted())
    bench.clock.advance(59)
    assert bench.refused().retry_after == 1
    bench.clock.advance(1)
    assert bench.breakers.unauthorised(bench.admitted()) == "closed"
    bench.breakers.refresh_ended("mail", "ann", ok=True)
    assert bench.breakers.authz("mail", "ann") == "closed", "too late"


def test_a_refused_credential_is_told_of_once_for_each_call() -> None:
    bench = Bench()
    call = bench.admitted()
    bench.breakers.settle(call, NEUTRAL)
    assert bench.breakers.unauthorised(call) == "late"
    assert bench.breakers.authz("mail", "ann") == "open"


def test_no_breaker_hears_of_quota_or_authz() -> None:
    bench = Bench()
    bench.breakers.credential("mail", "sha256:0", "ann")
    for _ in range(20):
        bench.breakers.unauthorised(bench.admitted())
        bench.breakers.credential("mail", f"sha256:{len(bench.told.events)}", "ann")
        bench.breakers.quota_exhausted("mail", "send", "ann", retry_after=1)
        bench.clock.advance(1)
    assert {breaker.state for breaker in bench.breakers} == {"closed"}
    assert all(breaker.record() is None for breaker in bench.breakers)
