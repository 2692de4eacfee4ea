"""Find out which era an MCP server speaks, and settle a version.

Era probe (spec 2026-07-28, versioning): a modern server answers ``server/discover``; any other error, or silence,
means ``initialize``. On stdio the fallback is not waited for: after a short silence ``initialize`` is sent as well,
and the first decisive answer counts, so that a slow start is not paid twice. A server that exits on the probe is
started once more and spoken to in the legacy way. For a client that knows ``initialize`` only there is no probe: it
is asked as that client would ask, and in the modern way only when it has refused that.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace

from contractd.carriers.base import Carrier
from contractd.carriers.http import HttpCarrier
from contractd.contracts.deviations import DeviationKind
from contractd.errors import Failure, ProviderError
from contractd.text import listed, visible
from contractd.wire import (
    LEGACY_VERSIONS,
    MODERN_VERSIONS,
    Discovery,
    Era,
    ErrorResponse,
    Initialized,
    Response,
    WireViolationError,
    discover_params,
    initialize_params,
    parse_discovery,
    parse_initialized,
    supported_versions,
)

_HEADER_MISMATCH = -32020
_MISSING_CAPABILITY = -32021
_UNSUPPORTED_VERSION = -32022

Answer = Response | ErrorResponse


@dataclass(frozen=True, slots=True)
class Spoken:
    """The era and version that client and server agreed on. ``refusal``: what the server said to the legacy era."""

    era: Era
    protocol_version: str
    detail: Initialized | Discovery
    oddities: tuple[DeviationKind, ...] = ()
    refusal: str | None = None


async def negotiate(
    carrier: Carrier, client: str, *, patience: float, legacy_only: bool = False, legacy_first: bool = False
) -> Spoken:
    """Settle era and version. ``patience``: seconds of silence after which ``initialize`` is sent beside the probe.

    ``legacy_first``: without a probe, as a client of that era does; a server that refuses is asked the modern way, and
    has ``patience`` to answer.
    Raises ProviderError: the carrier's, or ``mcp-handshake`` / ``mcp-14`` (no version in common).
    """
    if legacy_only:
        return await _initialize(carrier, client)
    if legacy_first:
        return await _legacy_first(carrier, client, patience)
    probe = asyncio.ensure_future(_discover(carrier, client))
    fallback: asyncio.Future[Spoken] | None = None
    try:
        done, _ = await asyncio.wait({probe}, timeout=patience)
        if not done:
            fallback = asyncio.ensure_future(_initialize(carrier, client))
            await asyncio.wait({probe, fallback}, return_when=asyncio.FIRST_COMPLETED)
            if not probe.done() and fallback.exception() is not None:
                # A server that took the probe first is modern by now, refuses the handshake, and is about to say so.
                await asyncio.wait({probe}, timeout=patience)
        settled, doubt = _judge(carrier, probe)
        if settled is not None:
            return settled
        try:
            return await (fallback or _initialize(carrier, client))
        except ProviderError as error:
            # It refused both ways: what it said to the probe counts where that was in terms of the modern era.
            if doubt is not None and error.failure.signal in ("mcp-handshake", "mcp-14"):
                raise doubt from None
            raise
    finally:
        for task in (probe, fallback):
            if task is not None:
                task.cancel()
        await asyncio.gather(probe, *([fallback] if fallback else []), return_exceptions=True)


async def _legacy_first(carrier: Carrier, client: str, patience: float) -> Spoken:
    try:
        return await _initialize(carrier, client)
    except ProviderError as error:
        if error.failure.signal not in ("mcp-handshake", "mcp-14") and not _may_be_legacy(error.failure):
            raise
        probe = asyncio.ensure_future(_discover(carrier, client))
        try:
            await asyncio.wait({probe}, timeout=patience)
            with contextlib.suppress(ProviderError):  # what it said to a client of its own time is what counts
                settled, _ = _judge(carrier, probe)
                if settled is not None:
                    return replace(settled, refusal=_said(error.failure))
        finally:
            probe.cancel()
            await asyncio.gather(probe, return_exceptions=True)
        raise


def _said(failure: Failure) -> str:
    """What a refusal was, in contractd's words only."""
    code, status = failure.details.get("code"), failure.details.get("status")
    if isinstance(code, int):
        return f"error {code}"
    return f"HTTP {status}" if isinstance(status, int) else "no version in common"


def _judge(carrier: Carrier, probe: asyncio.Future[Answer]) -> tuple[Spoken | None, ProviderError | None]:
    """What the probe settles: an era; or nothing, with what to report if ``initialize`` is refused as well.

    Raises ProviderError where the legacy way need not be tried.
    """
    if not probe.done():
        return None, None
    error = probe.exception()
    if isinstance(error, ProviderError):
        if _may_be_legacy(error.failure):
            return None, None
        raise error
    answer = probe.result()
    if isinstance(answer, ErrorResponse):
        if answer.code == _UNSUPPORTED_VERSION:
            offered = supported_versions(answer.data)
            doubt = _no_common_version(offered)
            if offered and not any(version in LEGACY_VERSIONS for version in offered):
                raise doubt
            return None, doubt if offered else None
        modern = answer.code in (_HEADER_MISMATCH, _MISSING_CAPABILITY)
        return None, ProviderError(rpc_failure("server/discover", answer, "mcp-handshake")) if modern else None
    try:
        discovery = parse_discovery(answer.result)
    except WireViolationError as problem:  # some legacy servers answer any method with something
        return None, ProviderError(Failure("mcp-handshake", str(problem), retryable=False))
    if discovery.protocol_version is None:
        doubt = _no_common_version(discovery.offered)
        if not any(version in LEGACY_VERSIONS for version in discovery.offered):
            raise doubt
        return None, doubt
    _headers(carrier, discovery.protocol_version, modern=True)
    return Spoken("modern", discovery.protocol_version, discovery, answer.oddities), None


async def _discover(carrier: Carrier, client: str) -> Answer:
    _headers(carrier, MODERN_VERSIONS[-1], modern=True)
    return await carrier.request("server/discover", discover_params(client))


async def _initialize(carrier: Carrier, client: str) -> Spoken:
    _headers(carrier, None, modern=False)
    answer = await carrier.request("initialize", initialize_params(client))
    offered = supported_versions(answer.data) if isinstance(answer, ErrorResponse) else ()
    mutual = [version for version in LEGACY_VERSIONS if version in offered]
    if mutual:  # it refuses instead of answering with its own version: ask for that one
        answer = await carrier.request("initialize", initialize_params(client, mutual[-1]))
    if isinstance(answer, ErrorResponse):
        if offered and not mutual:
            raise _no_common_version(offered)
        raise ProviderError(rpc_failure("initialize", answer, "mcp-handshake"))
    try:
        initialized = parse_initialized(answer.result)
    except WireViolationError as error:
        raise ProviderError(Failure("mcp-handshake", str(error), retryable=False)) from None
    if not initialized.supported:
        raise _no_common_version((initialized.protocol_version,))
    _headers(carrier, initialized.protocol_version, modern=False)
    await carrier.notify("notifications/initialized", {})
    return Spoken("legacy", initialized.protocol_version, initialized, answer.oddities)


def _may_be_legacy(failure: Failure) -> bool:
    """A legacy HTTP server meets the probe with any refusal: no session, unknown method, an empty 202, even 500."""
    status = failure.details.get("status")
    if isinstance(status, int):
        return status not in (401, 403, 407, 429, 503)
    return failure.signal in ("mcp-empty", "mcp-unusable", "mcp-28", "aiohttp-19")


def _headers(carrier: Carrier, version: str | None, *, modern: bool) -> None:
    if isinstance(carrier, HttpCarrier):
        carrier.protocol_version, carrier.modern = version, modern


def rpc_failure(method: str, error: ErrorResponse, signal: str) -> Failure:
    """That the server answered with an error."""
    code = "no code" if error.code is None else str(error.code)
    said = f": {visible(error.message, 300)}" if error.message else ""
    return Failure(signal, f"it answered {method} with error {code}{said}", None, {"code": error.code})


def _no_common_version(offered: tuple[str, ...]) -> ProviderError:
    ours = ", ".join(LEGACY_VERSIONS + MODERN_VERSIONS)
    theirs = listed(offered) or "none"
    message = f"it speaks protocol version {theirs}; contractd speaks {ours}"
    return ProviderError(Failure("mcp-14", message, retryable=False, details={"offered": list(offered)}))
