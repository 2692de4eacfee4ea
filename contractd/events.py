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


@dataclass(frozen=True, slots=True)
class BreakerMoved:
    """A circuit breaker went from one state to another. ``tool`` is None for a provider's own.

    ``signal`` is the id of the last failure, ``retry_after`` in seconds from the move; None where no time heals it.
    """

    provider: str
    tool: str | None
    aspect: str
    before: str
    after: str
    reason: str
    signal: str | None = None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class BreakerWouldOpen:
    """A circuit breaker that only counts (metrics_only) would have opened now. Once for each time it would."""

    provider: str
    tool: str | None
    aspect: str
    reason: str
    signal: str | None = None


@dataclass(frozen=True, slots=True)
class GateMoved:
    """A quota or authz gate of a principal closed or opened. ``retry_after`` in seconds, None: no time opens it."""

    provider: str
    tool: str | None
    principal: str
    gate: str
    before: str
    after: str
    reason: str
    retry_after: float | None = None


Event = ProviderStarted | ProviderEnded | ProgramAsked | BreakerMoved | BreakerWouldOpen | GateMoved


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
