"""Ask an MCP server for its tools: find out which era it speaks, then list every page.

Era probe (spec 2026-07-28, versioning): a modern server answers ``server/discover``; any other error, or silence,
means ``initialize``. On stdio the fallback is not waited for: after a short silence ``initialize`` is sent as well,
and the first decisive answer counts, so that a slow start is not paid twice. A server that exits on the probe is
started once more and spoken to in the legacy way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from contractd.carriers.base import Carrier
from contractd.carriers.http import HttpCarrier
from contractd.contracts.canonical import canonical_json
from contractd.contracts.manifest import build_manifest
from contractd.errors import Failure, ProviderError, TooComplexError
from contractd.providers.base import Fetched, Transport
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
    list_params,
    parse_discovery,
    parse_initialized,
    parse_page,
    supported_versions,
)

MAX_PAGES = 500
MAX_TOOLS = 20_000
_UNSUPPORTED_VERSION = -32022
_INVALID_PARAMS = -32602
_METHOD_NOT_FOUND = -32601

Answer = Response | ErrorResponse


@dataclass(frozen=True, slots=True)
class Spoken:
    """The era and version that client and server agreed on."""

    era: Era
    protocol_version: str
    detail: Initialized | Discovery


async def negotiate(carrier: Carrier, client: str, *, patience: float, legacy_only: bool = False) -> Spoken:
    """Settle era and version. ``patience``: seconds of silence after which ``initialize`` is sent beside the probe.

    Raises ProviderError: the carrier's, or ``mcp-handshake`` / ``mcp-14`` (no version in common).
    """
    if legacy_only:
        return await _initialize(carrier, client)
    probe = asyncio.ensure_future(_discover(carrier, client))
    try:
        done, _ = await asyncio.wait({probe}, timeout=patience)
        if done:
            return await _decide(carrier, client, probe)
        return await _race(carrier, client, probe)
    finally:
        probe.cancel()
        await asyncio.gather(probe, return_exceptions=True)


async def _race(carrier: Carrier, client: str, probe: asyncio.Future[Answer]) -> Spoken:
    """The probe met silence: ask the legacy way too, and take the first answer that decides."""
    fallback = asyncio.ensure_future(_initialize(carrier, client))
    try:
        both: set[asyncio.Future[Any]] = {probe, fallback}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if probe.done() and not probe.exception() and isinstance(probe.result(), Response):
            return await _decide(carrier, client, probe)
        try:
            return await fallback
        except ProviderError:
            # A server that took the probe first is modern by now and refuses the handshake (-32022).
            if isinstance(answer := await probe, Response):
                return _modern(carrier, _discovery(answer))
            raise
    finally:
        fallback.cancel()
        await asyncio.gather(fallback, return_exceptions=True)


async def _decide(carrier: Carrier, client: str, probe: Awaitable[Answer]) -> Spoken:
    try:
        answer = await probe
    except ProviderError as error:
        if not _may_be_legacy(error.failure):
            raise
        return await _initialize(carrier, client)
    if isinstance(answer, Response):
        discovery = _discovery(answer)
        if discovery.protocol_version is None and any(version in LEGACY_VERSIONS for version in discovery.offered):
            return await _initialize(carrier, client)
        return _modern(carrier, discovery)
    offered = supported_versions(answer.data) if answer.code == _UNSUPPORTED_VERSION else ()
    if offered and not any(version in LEGACY_VERSIONS for version in offered):
        raise _no_common_version(offered)
    return await _initialize(carrier, client)


async def _discover(carrier: Carrier, client: str) -> Answer:
    _headers(carrier, MODERN_VERSIONS[-1], modern=True)
    return await carrier.request("server/discover", discover_params(client))


async def _initialize(carrier: Carrier, client: str) -> Spoken:
    _headers(carrier, None, modern=False)
    answer = await carrier.request("initialize", initialize_params(client))
    if isinstance(answer, ErrorResponse):
        offered = supported_versions(answer.data)
        if offered and not any(version in LEGACY_VERSIONS + MODERN_VERSIONS for version in offered):
            raise _no_common_version(offered)
        raise ProviderError(_rpc_failure("initialize", answer, "mcp-handshake"))
    try:
        initialized = parse_initialized(answer.result)
    except WireViolationError as error:
        raise ProviderError(Failure("mcp-handshake", str(error), retryable=False)) from None
    if not initialized.supported:
        raise _no_common_version((initialized.protocol_version,))
    _headers(carrier, initialized.protocol_version, modern=False)
    await carrier.notify("notifications/initialized", {})
    return Spoken("legacy", initialized.protocol_version, initialized)


def _may_be_legacy(failure: Failure) -> bool:
    """A legacy HTTP server meets the probe with any refusal: no session, unknown method, an empty 202, even 500."""
    status = failure.details.get("status")
    if isinstance(status, int):
        return status not in (401, 403, 407, 429, 503)
    return failure.signal in ("mcp-empty", "mcp-unusable", "mcp-28", "aiohttp-19")


def _discovery(answer: Response) -> Discovery:
    try:
        return parse_discovery(answer.result)
    except WireViolationError as error:
        raise ProviderError(Failure("mcp-handshake", str(error), retryable=False)) from None


def _modern(carrier: Carrier, discovery: Discovery) -> Spoken:
    _headers(carrier, discovery.protocol_version, modern=True)
    if discovery.protocol_version is None:
        raise _no_common_version(discovery.offered)
    return Spoken("modern", discovery.protocol_version, discovery)


def _headers(carrier: Carrier, version: str | None, *, modern: bool) -> None:
    if isinstance(carrier, HttpCarrier):
        carrier.protocol_version, carrier.modern = version, modern


async def fetch(carrier: Carrier, spoken: Spoken, client: str, transport: Transport) -> Fetched:
    """List every page and build the manifest. Raises ProviderError: a failed list is never an empty one."""
    tools, pages, loop = await _list(carrier, spoken, client)
    return Fetched(
        build_manifest(tools, protocol_version=spoken.protocol_version, pages=pages),
        transport,
        era=spoken.era,
        protocol_version=spoken.protocol_version,
        server=spoken.detail.server,
        declares_tools=spoken.detail.has_tools,
        pages=pages,
        cursor_loop=loop,
    )


async def _list(carrier: Carrier, spoken: Spoken, client: str) -> tuple[list[object], int, bool]:
    """All tools, the number of pages, and whether the cursor went round instead of ending.

    The spec leaves a guard to the client. A cursor seen before, or a page that brings nothing new, ends the walk.
    """
    tools: list[object] = []
    known: set[bytes] = set()
    seen: set[str] = set()
    cursor: str | None = None
    restarted = False
    page_number = 0
    while True:
        answer = await carrier.request("tools/list", list_params(client, spoken.era, spoken.protocol_version, cursor))
        if isinstance(answer, ErrorResponse):
            if answer.code == _METHOD_NOT_FOUND and not spoken.detail.has_tools and cursor is None:
                return [], 1, False  # it never said it had tools
            if cursor is not None and answer.code == _INVALID_PARAMS and not restarted:
                tools, known, seen, cursor, restarted, page_number = [], set(), set(), None, True, 0
                continue  # an expired cursor: drop all pages and start again (spec, pagination)
            raise ProviderError(_rpc_failure("tools/list", answer, "mcp-list"))
        try:
            page = parse_page(answer.result)
        except WireViolationError as error:
            raise ProviderError(Failure("mcp-list", str(error), retryable=False)) from None
        page_number += 1
        fresh = [tool for tool in page.tools if page_number == 1 or _fingerprint(tool) not in known]
        known.update(_fingerprint(tool) for tool in page.tools)
        tools += fresh
        if page.next_cursor is None:
            return tools, page_number, False
        if page.next_cursor in seen or (page_number > 1 and not fresh):
            return tools, page_number, True
        if page_number >= MAX_PAGES or len(tools) > MAX_TOOLS:
            message = f"its list does not end: {len(tools):,} tools on {page_number} pages, and another page is offered"
            raise ProviderError(Failure("mcp-list", message, retryable=False))
        seen.add(page.next_cursor)
        cursor = page.next_cursor


def _fingerprint(tool: object) -> bytes:
    try:
        return canonical_json(tool)
    except TooComplexError:
        return repr(tool)[:10_000].encode("utf-8", "replace")


def _rpc_failure(method: str, error: ErrorResponse, signal: str) -> Failure:
    code = "no code" if error.code is None else str(error.code)
    said = f": {visible(error.message, 300)}" if error.message else ""
    return Failure(signal, f"it answered {method} with error {code}{said}", None, {"code": error.code})


def _no_common_version(offered: tuple[str, ...]) -> ProviderError:
    ours = ", ".join(LEGACY_VERSIONS + MODERN_VERSIONS)
    theirs = listed(offered) or "none"
    message = f"it speaks protocol version {theirs}; contractd speaks {ours}"
    return ProviderError(Failure("mcp-14", message, retryable=False, details={"offered": list(offered)}))
