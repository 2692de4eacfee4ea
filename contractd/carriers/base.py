"""What every carrier takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from contractd.wire import ErrorResponse, Response


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what a server may make us hold. Bytes, except ``foreign_lines``."""

    message: int = 32 * 1024 * 1024
    total: int = 128 * 1024 * 1024
    stderr_tail: int = 64 * 1024
    foreign_lines: int = 20


@dataclass(frozen=True)
class Launch:
    """How a stdio server is started. ``env`` is the whole environment the child gets."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    cwd: str | None = None


@dataclass(frozen=True)
class Endpoint:
    """Where a remote server listens, and the headers it is sent (values are secrets)."""

    url: str
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a carrier saw, for people and rules. Text is as it came: not yet safe to show.

    ``started``: a process ran or a connection stood. ``exit_code`` is negative for a signal. ``ended`` says how a
    process came to its end: ``itself``, ``stdin-closed``, ``terminated``, ``killed``.
    """

    started: bool = False
    exit_code: int | None = None
    ended: str | None = None
    stderr: str = ""
    foreign: tuple[str, ...] = ()
    foreign_count: int = 0
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Carrier(Protocol):
    """One connection to one server. Used by one task at a time for ``open`` and ``close``; requests may overlap."""

    async def open(self) -> None:
        """Start the process or connect. Raises ProviderError."""
        ...

    async def request(self, method: str, params: dict[str, Any]) -> Response | ErrorResponse:
        """Send a request and await its answer; no time limit of its own. Raises ProviderError."""
        ...

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification. Raises ProviderError."""
        ...

    async def close(self, *, gently: bool = True) -> None:
        """End the server or the connection and wait until it has ended. Never raises, safe to call twice."""
        ...

    @property
    def evidence(self) -> Evidence:
        """What was seen so far."""
        ...
