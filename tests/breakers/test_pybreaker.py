"""pybreaker is a real part: its states, its listener; and none of its traps is ours."""

from __future__ import annotations

import datetime
import gc
import weakref
from typing import Any

import pybreaker
import pytest

from contractd.breakers import AvailabilityPolicy, Breaker, BreakerKey
from contractd.breakers import machine as machine_module
from contractd.breakers.machine import Machine
from contractd.breakers.states import State
from tests.breakers.clock import ManualClock, granted

KEY = BreakerKey("mail", "availability", "send")


def made(close_after: int = 1, *, trips: bool = True, state: State = State.CLOSED) -> tuple[Machine, list[State]]:
    moves: list[State] = []
    return Machine(close_after, lambda: trips, moves.append, state), moves


def test_the_moves_are_pybreaker_s() -> None:
    machine, moves = made(close_after=2)
    machine.failed()
    machine.enter(State.HALF_OPEN)
    machine.succeeded()
    assert machine.state == pybreaker.STATE_HALF_OPEN
    machine.succeeded()
    assert moves == [State.OPEN, State.HALF_OPEN, State.CLOSED]
    assert machine.state == pybreaker.STATE_CLOSED


def test_good_probes_are_counted_anew_each_time_it_is_half_open() -> None:
    machine, moves = made(close_after=2)
    for _ in range(3):
        machine.enter(State.OPEN)
        machine.enter(State.HALF_OPEN)
        machine.succeeded()
        machine.failed()
    assert State.CLOSED not in moves


def test_a_failure_that_is_not_enough_moves_nothing() -> None:
    machine, moves = made(trips=False)
    machine.failed()
    assert moves == []
    assert machine.state == pybreaker.STATE_CLOSED


def test_another_listener_of_pybreaker_s_hears_of_the_same_moves() -> None:
    heard: list[str] = []

    class Listener(pybreaker.CircuitBreakerListener):
        def state_change(self, cb: Any, old_state: Any, new_state: Any) -> None:
            heard.append(new_state.name)

    clock = ManualClock()
    breaker = Breaker(KEY, AvailabilityPolicy(in_a_row=1), clock)
    breaker.course._machine._breaker.add_listener(Listener())
    breaker.settle(granted(breaker.admit()), "bad")
    clock.advance(10)
    breaker.settle(granted(breaker.admit()), "good")
    breaker.force_open()
    assert heard == ["open", "half-open", "closed", "open"]


def test_the_wall_clock_plays_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of a minute re-admits in pybreaker itself."""

    class Jumpy(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + datetime.timedelta(days=jump)

    jump = 0
    monkeypatch.setattr(pybreaker, "datetime", Jumpy)
    clock = ManualClock()
    breaker = Breaker(KEY, AvailabilityPolicy(in_a_row=1), clock)
    breaker.settle(granted(breaker.admit()), "bad")
    for jump in (400, -400):  # noqa: B007 - read by now()
        assert breaker.state == "open"
    clock.advance(10)
    granted(breaker.admit())


def test_a_failure_leaves_nothing_for_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    made_here: list[weakref.ref[BaseException]] = []

    class Failed(machine_module._Failed):
        def __init__(self) -> None:
            made_here.append(weakref.ref(self))

    monkeypatch.setattr(machine_module, "_Failed", Failed)
    gc.disable()
    try:
        for trips, state in ((False, State.CLOSED), (True, State.CLOSED), (True, State.HALF_OPEN)):
            made(trips=trips, state=state)[0].failed()
        assert len(made_here) == 3
        assert [ref() for ref in made_here] == [None, None, None]
    finally:
        gc.enable()


def test_a_failure_fed_while_an_exception_is_handled_does_not_chain_to_it() -> None:
    """The caller's exception must not hang on in a breaker, nor the breaker's on the caller's."""
    machine, _ = made(trips=True)
    try:
        raise ValueError("the caller's own")
    except ValueError as error:
        machine.failed()
        assert error.__context__ is None
        assert error.__cause__ is None
