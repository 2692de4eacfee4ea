"""The one adapter between the shared cases (``breaker_cases.json``) and a breaker, and which of them differ, and why.

A case is run with its own numbers (limits, times, probes) and with our ways. Where a library's other way is what the
case is about, it is listed under the knob that differs; the tests hold that list to be exact in both directions.
"""

from __future__ import annotations

from typing import Any

from contractd.breakers import AvailabilityPolicy, Breaker, BreakerKey, Permit
from tests.breakers.clock import ManualClock

# Knobs of the shared reference, and our value of each.
OURS: dict[str, Any] = {
    "late": "drop",
    "late_failure_extends": False,
    "cancel_as": "ignored",
    "excluded_as": "ignored",
    "half_open": "any_failure",
    "evaluate_on": "failure",
    "open_edge": "inclusive",
    "eager_half_open": True,
    "permit_returns_on_result": True,
    "probes": 1,  # only where the case has no limit at all
    "window": "time",
    "probe_lease_s": 60,
}
# Case: the knob by which it differs.
DIFFERS = {
    "pyb-19": "excluded_as",
    "pyb-21": "probes",
    "pyb-22": "late",
    "pyb-23": "cancel_as",
    "pyb-25": "late",
    "r4j-16": "evaluate_on",
    "r4j-19": "half_open",
    "r4j-20": "half_open",
    "r4j-21": "half_open",
    "r4j-23": "half_open",
    "r4j-24": "half_open",
    "r4j-29": "open_edge",
    "r4j-41": "late",
    "r4j-42": "probe_lease_s",
    "r4j-43": "half_open",
    "r4j-44": "open_edge",
    "r4j-45": "permit_returns_on_result",
    "r4j-46": "window",
    "pol-26": "excluded_as",
    "pol-28": "eager_half_open",
    "fsg-06": "half_open",
    "fsg-07": "half_open",
    "fsg-08": "half_open",
    "fsg-09": "half_open",
    "fsg-13": "half_open",
    "fsg-15": "half_open",
    "hys-05": "cancel_as",
}
_FOREVER = 86400.0
_MARKS = {"S": "good", "F": "bad", "I": "neutral", "C": "neutral", "N": "neutral"}


def policy(config: dict[str, Any]) -> AvailabilityPolicy:
    """Our policy with the numbers of a case."""
    window = config.get("window") or {}
    size = float(window.get("size", _FOREVER)) if window.get("kind") == "time" else _FOREVER
    ratio = config.get("fail_ratio")
    rate = config["policy"] == "rate"
    share = ratio[0] / ratio[1] if rate and ratio else config.get("rate")
    ratio_early = config.get("success_ratio")
    return AvailabilityPolicy(
        window_seconds=size,
        slices=int(size / window.get("slice", 1)) if size < _FOREVER else 10,
        min_calls=max(1, min(config.get("min_calls", 1), window.get("size", _FOREVER)) if window.get("kind") == "count"
        and config.get("clamp_min", True) else config.get("min_calls", 1)),
        failure_rate=share if rate else None,
        slow_after_seconds=config.get("slow_after_s"),
        slow_rate=config.get("slow_rate", 1.0),
        in_a_row=None if rate else config["fail_max"],
        open_seconds=config["open_s"],
        growth=config.get("open_mult", 1),
        max_open_seconds=_FOREVER,
        probes=config["probes"] or OURS["probes"],
        close_after=ratio_early[0] if ratio_early else config.get("close_after") or (
            config["probes"] if config["half_open"] == "rate" else 1),
        lease_seconds=config.get("probe_lease_s", OURS["probe_lease_s"]),
    )  # fmt: skip


class Driver:
    """What the shared runner drives: acquire, settle, read, advance, to."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.clock = ManualClock()
        self.strict = bool(config.get("strict_manual"))
        self.breaker = Breaker(BreakerKey("p", "availability", "t"), policy(config), self.clock)

    def acquire(self) -> Permit | None:
        answer = self.breaker.admit()
        return answer if isinstance(answer, Permit) else None

    def settle(self, permit: Permit, outcome: str, seconds: float) -> None:
        self.breaker.settle(permit, _MARKS[outcome], seconds=seconds)  # type: ignore[arg-type]

    def read(self) -> str:
        return self.breaker.state

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def to(self, state: str, argument: float | None = None) -> str:
        breaker = self.breaker
        if state == "half_open":
            if breaker.state == "closed" and not self.strict:
                breaker.trip()  # to set the stage: from closed there is no way but through open
            return "ok" if breaker.try_now() else "illegal"
        if state in ("open", "open_for"):
            breaker.trip(seconds=argument)
        else:
            {
                "closed": breaker.reset,
                "reset": breaker.reset,
                "forced_open": breaker.force_open,
                "disabled": breaker.disable,
                "metrics_only": breaker.metrics_only,
            }[state]()
        return "ok"


def run(case: dict[str, Any], driver: Any) -> list[str]:
    """What of a case did not come out as it says."""
    permits: dict[str, Any] = {}
    wrong: list[str] = []
    for index, event in enumerate(case["events"]):
        kind, rest = event[0], event[1:]
        if kind == "=":
            if driver.read() != rest:
                wrong.append(f"{index} {event}: {driver.read()}")
        elif kind == "+":
            driver.advance(float(rest))
        elif kind in ">?":
            state, _, argument = rest.partition(":")
            answer = driver.to(state, float(argument) if argument else None)
            if kind == "?" and answer != "illegal":
                wrong.append(f"{index} {event}: not refused")
        elif kind == "R":
            body, _, seconds = rest.partition("@")
            driver.settle(permits[body[:-1]], body[-1], float(seconds or 0))
        else:
            permit = driver.acquire()
            if kind == "X":
                if permit is not None:
                    wrong.append(f"{index} X: admitted")
                continue
            if permit is None:
                return [*wrong, f"{index} {event}: refused"]
            if kind == "A":
                permits[rest] = permit
            else:
                driver.settle(permit, kind, float(rest[1:] or 0))
    return wrong
