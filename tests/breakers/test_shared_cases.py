"""113 behaviours of seven breakers, where they are at hand: which are ours, and by which knob the others differ."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from contractd.breakers import AvailabilityPolicy, Breaker, BreakerKey
from tests.breakers.adapter import DIFFERS, OURS, Driver, policy, run
from tests.breakers.clock import ManualClock, granted, refused

SHARED = Path(__file__).resolve().parents[3] / "shared"
FILE = SHARED / "cases" / "breaker_cases.json"
REFERENCE = SHARED / "tools" / "breakers" / "ref_breaker.py"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))["cases"] if FILE.exists() else []

needed = pytest.mark.skipif(not CASES, reason=f"needs {FILE.name} of ../shared/cases, which is not part of the project")


@needed
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_comes_out_as_it_says_or_differs_as_it_is_listed(case: dict[str, Any]) -> None:
    wrong = run(case, Driver(case["config"]))
    assert bool(wrong) == (case["id"] in DIFFERS), wrong


@needed
def test_none_of_the_known_flaws_is_ours_and_what_is_to_be_adopted_is() -> None:
    by_word: dict[str, list[str]] = {}
    for case in CASES:
        by_word.setdefault(case["recommend"], []).append(case["id"])
    assert set(by_word["reject"]) <= set(DIFFERS)
    differing = [name for name in by_word["adopt"] if name in DIFFERS]
    assert (len(by_word["adopt"]), len(differing)) == (89, 9)
    assert {DIFFERS[name] for name in differing} == {
        *("half_open", "evaluate_on", "open_edge", "window", "eager_half_open")
    }


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    if not REFERENCE.exists():
        pytest.skip("needs the reference breaker of ../shared/tools, which is not part of the project")
    spec = importlib.util.spec_from_file_location("shared_reference_breaker", REFERENCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needed
@pytest.mark.parametrize("case", [case for case in CASES if case["id"] in DIFFERS], ids=lambda case: case["id"])
def test_it_is_that_knob_and_no_other_by_which_a_case_differs(case: dict[str, Any], reference: ModuleType) -> None:
    """On the shared reference, which passes all cases: with this one knob turned to ours it fails this one."""

    class Turned:
        def __init__(self, config: dict[str, Any]) -> None:
            self.clock = ManualClock()
            self.breaker = reference.Ref(config, self.clock.monotonic)
            self.acquire, self.settle, self.read = self.breaker.acquire, self.breaker.settle, self.breaker.read
            self.advance, self.to = self.clock.advance, self.breaker.to

    knob, config = DIFFERS[case["id"]], case["config"]
    ours = {"kind": "time", "size": 86400} if knob == "window" else OURS[knob]
    assert config.get(knob) != ours
    assert run(case, Turned(config)) == []
    assert run(case, Turned({**config, knob: ours, "close_after": policy(config).close_after})) != []


# The flaws themselves, with nothing else in their way.


def breaker(**knobs: Any) -> tuple[Breaker, ManualClock]:
    clock = ManualClock()
    given: dict[str, Any] = {"failure_rate": None, "in_a_row": 1, "growth": 1, **knobs}
    return Breaker(BreakerKey("p", "availability", "t"), AvailabilityPolicy(**given), clock), clock


def test_a_late_good_probe_does_not_close_what_a_bad_one_opened() -> None:
    one, _ = breaker(probes=2)
    one.trip()
    one.try_now()
    first, second = granted(one.admit()), granted(one.admit())
    one.settle(first, "bad")
    assert one.settle(second, "good") == "late"
    assert one.state == "open"


def test_a_late_failure_does_not_prolong_the_open_time() -> None:
    one, clock = breaker(in_a_row=2)
    late = granted(one.admit())
    for _ in range(2):
        one.settle(granted(one.admit()), "bad")
    clock.advance(6)
    assert one.settle(late, "bad") == "late"
    assert refused(one.admit()).retry_after == 4
    clock.advance(4)
    granted(one.admit())


def test_cancelled_calls_open_nothing_and_close_nothing() -> None:
    one, clock = breaker()
    for _ in range(10):
        assert one.settle(granted(one.admit()), "neutral") == "neutral"
    assert one.state == "closed"
    one.settle(granted(one.admit()), "bad")
    clock.advance(10)
    one.settle(granted(one.admit()), "neutral")
    assert one.state == "half_open"
    granted(one.admit())
