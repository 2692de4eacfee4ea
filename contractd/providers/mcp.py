"""Ask an MCP server for its tools: find out which era it speaks, then list every page.

Era probe (spec 2026-07-28, versioning): a modern server answers ``server/discover``; any other error, or silence,
means ``initialize``. On stdio the fallback is not waited for: after a short silence ``initialize`` is sent as well,
and the first decisive answer counts, so that a slow start is not paid twice. A server that exits on the probe is
started once more and spoken to in the legacy way.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from dataclasses import dataclass

from contractd.carriers.base import Carrier
from contractd.carriers.http import HttpCarrier
from contractd.carriers.threads import in_thread
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
    Page,
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
MAX_FRUITLESS = 3
_HEADER_MISMATCH = -32020
_MISSING_CAPABILITY = -32021
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
        return None, ProviderError(_rpc_failure("server/discover", answer, "mcp-handshake")) if modern else None
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
    return Spoken("modern", discovery.protocol_version, discovery), None


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


def _headers(carrier: Carrier, version: str | None, *, modern: bool) -> None:
    if isinstance(carrier, HttpCarrier):
        carrier.protocol_version, carrier.modern = version, modern


async def fetch(carrier: Carrier, spoken: Spoken, client: str, transport: Transport) -> Fetched:
    """List every page and build the manifest. Raises ProviderError: a failed list is never an empty one."""
    tools, pages, loop = await _list(carrier, spoken, client)
    # Beside the loop: a huge list costs its own provider's time and no other's.
    manifest = await in_thread(build_manifest, tools, protocol_version=spoken.protocol_version, pages=pages)
    return Fetched(
        manifest,
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

    The spec leaves a guard to the client: a cursor seen before, or pages in a row that bring nothing new, end the walk.
    """
    walk = _Walk()
    cursor: str | None = None
    restarted = False
    while True:
        answer = await carrier.request("tools/list", list_params(client, spoken.era, spoken.protocol_version, cursor))
        if isinstance(answer, ErrorResponse):
            if answer.code == _METHOD_NOT_FOUND and not spoken.detail.has_tools and cursor is None:
                return [], 1, False  # it never said it had tools
            if cursor is not None and answer.code == _INVALID_PARAMS and not restarted:
                walk, cursor, restarted = _Walk(), None, True
                continue  # an expired cursor: drop all pages and start again (spec, pagination)
            raise ProviderError(_rpc_failure("tools/list", answer, "mcp-list"))
        try:
            page = parse_page(answer.result)
        except WireViolationError as error:
            raise ProviderError(Failure("mcp-list", str(error), retryable=False)) from None
        ended = await walk.take(page)
        if ended is not None:
            return walk.tools, walk.pages, ended
        cursor = page.next_cursor


class _Walk:
    """What the pages brought so far."""

    def __init__(self) -> None:
        self.tools: list[object] = []
        self.pages = 0
        self._known: set[bytes] = set()
        self._cursors: set[str] = set()
        self._fruitless = 0

    async def take(self, page: Page) -> bool | None:
        """None: go on; False: that was the last page; True: the cursor goes round. Raises ProviderError."""
        self.pages += 1
        fresh = page.tools
        if len(self.tools) + len(fresh) <= MAX_TOOLS and (page.next_cursor is not None or self.pages > 1):
            fresh = await in_thread(self._unseen, page.tools)
        self.tools += fresh
        self._fruitless = 0 if fresh else self._fruitless + 1
        if len(self.tools) > MAX_TOOLS:
            raise ProviderError(Failure("mcp-list", f"it lists more than {MAX_TOOLS:,} tools", retryable=False))
        if page.next_cursor is None:
            return False
        if page.next_cursor in self._cursors or self._fruitless >= MAX_FRUITLESS:
            return True
        if self.pages >= MAX_PAGES:
            count = f"{len(self.tools):,} tools on {self.pages} pages"
            message = f"its list does not end: {count}, and another page is offered"
            raise ProviderError(Failure("mcp-list", message, retryable=False))
        self._cursors.add(page.next_cursor)
        return None

    def _unseen(self, tools: list[object]) -> list[object]:
        """The tools that no earlier page brought. A tool listed twice on one page stays: it is a finding."""
        marks = [_fingerprint(tool) for tool in tools]
        fresh = [tool for tool, mark in zip(tools, marks, strict=True) if mark not in self._known]
        self._known.update(marks)
        return fresh


def _fingerprint(tool: object) -> bytes:
    try:
        return hashlib.sha256(canonical_json(tool)).digest()
    except TooComplexError:
        with contextlib.suppress(RecursionError):
            return repr(tool)[:10_000].encode("utf-8", "replace")
        return b"nested beyond everything"


def _rpc_failure(method: str, error: ErrorResponse, signal: str) -> Failure:
    code = "no code" if error.code is None else str(error.code)
    said = f": {visible(error.message, 300)}" if error.message else ""
    return Failure(signal, f"it answered {method} with error {code}{said}", None, {"code": error.code})


def _no_common_version(offered: tuple[str, ...]) -> ProviderError:
    ours = ", ".join(LEGACY_VERSIONS + MODERN_VERSIONS)
    theirs = listed(offered) or "none"
    message = f"it speaks protocol version {theirs}; contractd speaks {ours}"
    return ProviderError(Failure("mcp-14", message, retryable=False, details={"offered": list(offered)}))
