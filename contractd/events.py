"""What happens while contractd works, as frozen values handed to an observer.

The core knows no sink: a progress display, a log or a tracer is an ``Observer``. Events never carry payloads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ProviderStarted:
    """A provider is being contacted. ``budget`` is in seconds."""

    provider: str
    transport: str
    budget: float


@dataclass(frozen=True, slots=True)
class ProviderEnded:
    """A provider has its row: ready or failed. ``seconds`` since it was started."""

    provider: str
    status: str
    seconds: float
    tools: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ProgramAsked:
    """An installed agent runtime was asked for its version."""

    program: str
    version: str | None
    seconds: float


Event = ProviderStarted | ProviderEnded | ProgramAsked


class Observer(Protocol):
    """Receives every event, in order, on the event loop's thread; must not block."""

    def on(self, event: Event) -> None: ...


class FanOut:
    """Hands each event to several observers; a failing one doesn't stop the others or the work."""

    def __init__(self, observers: Iterable[Observer] = ()) -> None:
        self._observers = tuple(observers)

    def on(self, event: Event) -> None:
        for observer in self._observers:
            try:
                observer.on(event)
            except Exception:  # noqa: S112 - an onlooker's fault is not the work's
                continue
