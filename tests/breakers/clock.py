"""A clock that only moves when it is told to, and an observer that keeps what it is told."""

from __future__ import annotations

from contractd.breakers import Permit, Refusal
from contractd.events import Event


class ManualClock:
    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def monotonic(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now = round(self.now + seconds, 6)


class Kept:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        self.events.append(event)


def granted(answer: Permit | Refusal) -> Permit:
    assert isinstance(answer, Permit), answer
    return answer


def refused(answer: object) -> Refusal:
    assert isinstance(answer, Refusal), answer
    return answer
