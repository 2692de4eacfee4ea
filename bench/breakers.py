"""What asking a breaker costs beside pybreaker used as documented.

    python -m bench.breakers [--runs N]

Nanoseconds of one call that does nothing, the least of N runs that are taken in turn; the ratios within one run are
what counts. pybreaker's own is ``with breaker.calling()``, the one way of it that works around an await.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable
from typing import Any

import pybreaker

from bench.common import brief, machine, table
from contractd.breakers import (
    SUCCEEDED,
    TOOL_FAILED,
    Admission,
    AvailabilityPolicy,
    Breaker,
    BreakerKey,
    Breakers,
    Permit,
    Policies,
)
from contractd.clock import SystemClock

KEY = BreakerKey("mail", "availability", "send")
# Neither the rate nor the run is ever reached: what is measured is a failure, not an opening.
NEVER = AvailabilityPolicy(min_calls=10**9, in_a_row=10**9)
_LOOPS = 5000


class _NoLock:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def calls() -> dict[str, dict[str, Callable[[], Any]]]:
    """What is timed: row, then column."""
    theirs, theirs_open = pybreaker.CircuitBreaker(fail_max=10**9), pybreaker.CircuitBreaker(reset_timeout=10**6)
    theirs_open.open()
    one, bare, shut = (Breaker(KEY, NEVER, SystemClock()) for _ in range(3))
    bare._lock = _NoLock()  # type: ignore[assignment]
    shut.force_open()
    four, four_shut = (Breakers(SystemClock(), policies=Policies(tool=NEVER, provider=NEVER)) for _ in range(2))
    four_shut.breaker(KEY).force_open()

    def their_call() -> None:
        with theirs.calling():
            pass

    def their_refusal() -> None:
        with contextlib.suppress(pybreaker.CircuitBreakerError), theirs_open.calling():
            pass

    def their_failure() -> None:
        with contextlib.suppress(ValueError), theirs.calling():
            raise ValueError

    def ours(breaker: Breaker, mark: Any) -> Callable[[], Any]:
        def call() -> None:
            permit = breaker.admit()
            assert isinstance(permit, Permit)
            breaker.settle(permit, mark)

        return call

    def all_four(marks: Any) -> Callable[[], Any]:
        def call() -> None:
            admission = four.admit("mail", "send")
            assert isinstance(admission, Admission)
            four.settle(admission, marks)

        return call

    return {
        "good call while closed": {
            "pybreaker": their_call, "breaker": ours(one, "good"), "without its lock": ours(bare, "good"),
            "all four": all_four(SUCCEEDED),
        },
        "refusal": {
            "pybreaker": their_refusal, "breaker": shut.admit, "all four": lambda: four_shut.admit("mail", "send"),
        },
        "failure": {
            "pybreaker": their_failure, "breaker": ours(one, "bad"), "without its lock": ours(bare, "bad"),
            "all four": all_four(TOOL_FAILED),
        },
    }  # fmt: skip


def once(call: Callable[[], Any]) -> float:
    """Nanoseconds of one call."""
    start = time.perf_counter()
    for _ in range(_LOOPS):
        call()
    return (time.perf_counter() - start) / _LOOPS * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description="What asking a breaker costs beside pybreaker.")
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    print(machine())
    rows, timed = [], calls()
    least = {(row, column): float("inf") for row, columns in timed.items() for column in columns}
    for _ in range(runs):
        for row, columns in timed.items():
            for column, call in columns.items():
                least[row, column] = min(least[row, column], once(call))
    columns = ("breaker", "without its lock", "all four")
    for row in timed:
        theirs = least[row, "pybreaker"]
        cells = [least.get((row, column)) for column in columns]
        rows.append(
            [row, f"{theirs:.0f} ns", *("" if ns is None else f"{ns:.0f} ns ({brief(ns / theirs)})" for ns in cells)]
        )
    print(table(["", "`with pybreaker…calling()`", *columns], rows))


if __name__ == "__main__":
    main()
