"""Every page of a server's ``tools/list``, and the manifest of what they hold.

The spec leaves the guard against a list without end to the client. What is not as MCP's schema says is noted here.
"""

from __future__ import annotations

import contextlib
import hashlib

from contractd.carriers.base import Carrier
from contractd.carriers.threads import in_thread
from contractd.contracts.canonical import canonical_json
from contractd.contracts.deviations import Deviation, DeviationKind, Noted
from contractd.contracts.manifest import build_manifest
from contractd.errors import Failure, ProviderError, TooComplexError
from contractd.providers.base import Fetched, Transport
from contractd.providers.mcp import Spoken, rpc_failure
from contractd.wire import ErrorResponse, Page, WireViolationError, list_params, parse_page

MAX_PAGES = 500
MAX_TOOLS = 20_000
MAX_FRUITLESS = 3
_INVALID_PARAMS = -32602
_METHOD_NOT_FOUND = -32601


async def fetch(carrier: Carrier, spoken: Spoken, client: str, transport: Transport) -> Fetched:
    """List every page and build the manifest. Raises ProviderError: a failed list is never an empty one."""
    walk, loop, noted = await _list(carrier, spoken, client)
    tools, pages = walk.tools, walk.pages
    # Where the cursor goes round, everything comes again; where the list ends, a tool that came twice is in it twice.
    again = () if loop else tuple(walk.repeated)
    # Beside the loop: a huge list costs its own provider's time and no other's.
    manifest = await in_thread(
        build_manifest, tools, again=again, protocol_version=spoken.protocol_version, pages=pages
    )
    return Fetched(
        manifest,
        transport,
        era=spoken.era,
        protocol_version=spoken.protocol_version,
        server=spoken.detail.server,
        declares_tools=spoken.detail.has_tools,
        declares_more=spoken.detail.has_more,
        pages=pages,
        cursor_loop=loop,
        refusal=spoken.refusal,
        deviations=_noticed(spoken, noted, listed=bool(tools)),
    )


def _noticed(spoken: Spoken, in_pages: Noted, *, listed: bool) -> tuple[Deviation, ...]:
    every = Noted()
    handshake = "initialize" if spoken.era == "legacy" else "server/discover"
    every.add(*_of_message(spoken.oddities, handshake), *spoken.detail.deviations, *in_pages.found)
    if listed and not spoken.detail.has_tools:
        text = "it lists tools without having declared the capability"
        every.add(Deviation("undeclared", f"{handshake}.capabilities.tools", text))
    return every.found


_MESSAGES: dict[DeviationKind, str] = {
    "batch": "the answer stands in an array (a batch)",
    "jsonrpc-version": 'the answer does not say "jsonrpc": "2.0"',
    "error-null": 'the answer has "error": null beside its result',
    "extra-member": "the answer has members that JSON-RPC does not give it",
    "id-null": "the answer's id is not the request's",
    "id-text": "the answer's id is text, and the request's was a number",
}


def _of_message(kinds: tuple[DeviationKind, ...], method: str) -> list[Deviation]:
    return [Deviation(kind, method, f"{_MESSAGES[kind]}, to {method}") for kind in kinds]


async def _list(carrier: Carrier, spoken: Spoken, client: str) -> tuple[_Walk, bool, Noted]:
    """What the pages brought, whether the cursor went round instead of ending, and what was noticed.

    The spec leaves a guard to the client: a cursor seen before, or pages in a row that bring nothing new, end the walk.
    """
    walk, noted = _Walk(), Noted()
    cursor: str | None = None
    restarted = False
    while True:
        answer = await carrier.request("tools/list", list_params(client, spoken.era, spoken.protocol_version, cursor))
        if isinstance(answer, ErrorResponse):
            if answer.code == _METHOD_NOT_FOUND and not spoken.detail.has_tools and cursor is None:
                walk.pages = 1
                return walk, False, noted  # it never said it had tools
            if cursor is not None and answer.code == _INVALID_PARAMS and not restarted:
                walk, cursor, restarted = _Walk(), None, True
                continue  # an expired cursor: drop all pages and start again (spec, pagination)
            raise ProviderError(rpc_failure("tools/list", answer, "mcp-list"))
        try:
            page = parse_page(answer.result)
        except WireViolationError as error:
            raise ProviderError(Failure("mcp-list", str(error), retryable=False)) from None
        noted.add(*_of_message(answer.oddities, "tools/list"), *page.deviations)
        ended = await walk.take(page)
        if ended is not None:
            return walk, ended, noted
        cursor = page.next_cursor


class _Walk:
    """What the pages brought so far. ``repeated``: the names of tools that came again on a later page."""

    def __init__(self) -> None:
        self.tools: list[object] = []
        self.pages = 0
        self.repeated: dict[str, None] = {}
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
        fresh = []
        for tool, mark in zip(tools, marks, strict=True):
            if mark not in self._known:
                fresh.append(tool)
            elif isinstance(tool, dict) and isinstance(tool.get("name"), str):
                self.repeated[tool["name"]] = None
        self._known.update(marks)
        return fresh


def _fingerprint(tool: object) -> bytes:
    try:
        return hashlib.sha256(canonical_json(tool)).digest()
    except TooComplexError:
        with contextlib.suppress(RecursionError):
            return repr(tool)[:10_000].encode("utf-8", "replace")
        return b"nested beyond everything"
