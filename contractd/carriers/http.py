"""JSON-RPC over streamable HTTP: one POST a message, answered with JSON or an event stream (MCP, transports).

The cause is kept: status, ``Retry-After``, ``WWW-Authenticate``. No cookie, no netrc; redirects are followed on the
same origin only, so that configured headers never reach another host.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import aiohttp
from yarl import URL

from contractd.carriers.base import Endpoint, Evidence, Limits
from contractd.carriers.exchange import Replies
from contractd.carriers.http_failures import connection_failure, kept_headers, status_failure, unusable
from contractd.carriers.threads import ThreadResolver
from contractd.errors import Failure, ProviderError
from contractd.text import visible
from contractd.wire import (
    ErrorResponse,
    EventStream,
    Foreign,
    Message,
    Request,
    Response,
    WireViolationError,
    decode,
    encode_notification,
    encode_request,
)

_ACCEPT = "application/json, text/event-stream"
_MAX_REDIRECTS = 3
_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")  # 2025-11-25, transports, session management
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2


def new_session(connected: Callable[[], None]) -> aiohttp.ClientSession:
    """A client that brings nothing of its own: no cookies, no netrc, no proxy, no total time limit.

    ``connected`` is called when a connection stands.
    """

    async def note(*_: object) -> None:
        connected()

    trace = aiohttp.TraceConfig()
    trace.on_connection_create_end.append(note)
    return aiohttp.ClientSession(
        trace_configs=[trace],
        cookie_jar=aiohttp.DummyCookieJar(),
        connector=aiohttp.TCPConnector(resolver=ThreadResolver()),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        headers={"User-Agent": "contractd"},
        max_line_size=64 * 1024,
        max_field_size=64 * 1024,
    )


def usable_url(endpoint: Endpoint) -> URL:
    """The endpoint's URL, once it and the headers can be sent. Raises ProviderError."""
    try:
        url = URL(endpoint.url)
        url.origin()
    except ValueError:
        raise ProviderError(Failure("aiohttp-22", "its URL can't be used", retryable=False)) from None
    if url.scheme not in ("http", "https"):
        raise ProviderError(Failure("aiohttp-22", "its URL is neither http nor https", retryable=False))
    for name, value in endpoint.headers.items():
        if not _TOKEN.fullmatch(name) or any(char in value for char in "\r\n\0"):
            message = f"its configured header {visible(name, 60)} can't be sent: it holds what no header may hold"
            raise ProviderError(Failure("aiohttp-22", message, retryable=False))
    return url


def merged(configured: Mapping[str, str], ours: dict[str, str]) -> dict[str, str]:
    """``ours`` over the configured headers; header names know no upper case."""
    taken = {name.lower() for name in ours}
    return {name: value for name, value in configured.items() if name.lower() not in taken} | ours


def same_origin(one: URL, other: URL) -> bool:
    """Scheme, host and port are equal (RFC 6454)."""
    return one.origin() == other.origin()


def _redirect(response: aiohttp.ClientResponse, url: URL) -> URL | None:
    """Where the same request is to be sent instead, if that is the same origin."""
    if response.status not in (307, 308) or "Location" not in response.headers:
        return None
    try:
        target = url.join(URL(response.headers["Location"]))
        return target if same_origin(url, target) else None
    except ValueError:
        return None


class HttpCarrier:
    """See ``Carrier``. ``protocol_version`` and ``modern`` are set by whoever negotiates; they decide the headers."""

    def __init__(self, endpoint: Endpoint, limits: Limits | None = None) -> None:
        self.protocol_version: str | None = None
        self.modern = False
        self._endpoint = endpoint
        self._url = URL()
        self._limits = limits or Limits()
        self._ids = itertools.count(1)
        self._replies = Replies(self._reply)
        self._session: aiohttp.ClientSession | None = None
        self._mcp_session: str | None = None
        self._reached = False
        self._received = 0
        self._status: int | None = None
        self._headers: dict[str, str] = {}
        self._foreign: list[str] = []

    async def open(self) -> None:
        self._url = usable_url(self._endpoint)
        self._session = new_session(self._connected)

    async def request(self, method: str, params: dict[str, Any]) -> Response | ErrorResponse:
        request_id = next(self._ids)
        headers = self._request_headers(method)
        async with self._post(encode_request(request_id, method, params), headers) as response:
            self._note(response)
            if response.status >= 300 or response.status in (202, 204):
                return await self._refused(response, request_id)
            session_id = response.headers.get("Mcp-Session-Id")
            if method == "initialize" and session_id:
                if not _SESSION_ID.fullmatch(session_id):
                    raise unusable("it names its session by what no header can carry")
                self._mcp_session = session_id
            return await self._answer(response, request_id)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        async with self._post(encode_notification(method, params), self._request_headers(method)) as response:
            self._note(response)
            if response.status >= 400:
                raise ProviderError(status_failure(response.status, self._headers))

    async def close(self, *, gently: bool = True) -> None:
        if self._session is None:
            return
        try:
            await self._replies.close()
            if gently and self._mcp_session:  # tell a stateful server that its session is over (2025-11-25, transports)
                with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError, ValueError):
                    async with asyncio.timeout(1):
                        await self._end_session(self._session)
        finally:
            await self._session.close()

    @property
    def evidence(self) -> Evidence:
        return Evidence(
            started=self._reached,
            status=self._status,
            headers=dict(self._headers),
            foreign=tuple(self._foreign),
            foreign_count=len(self._foreign),
        )

    async def _end_session(self, session: aiohttp.ClientSession) -> None:
        async with session.delete(self._url, headers=self._request_headers(None), allow_redirects=False):
            self._mcp_session = None

    def _request_headers(self, method: str | None) -> dict[str, str]:
        ours = {"Accept": _ACCEPT, "Content-Type": "application/json"}
        if self.protocol_version:
            ours["MCP-Protocol-Version"] = self.protocol_version
        if self.modern and method:
            ours["Mcp-Method"] = method
        if self._mcp_session:
            ours["Mcp-Session-Id"] = self._mcp_session
        return merged(self._endpoint.headers, ours)

    async def _reply(self, body: bytes) -> None:
        async with self._post(body, self._request_headers(None)):
            pass  # what it says to an answer of ours is no evidence about its own

    @contextlib.asynccontextmanager
    async def _post(self, body: bytes, headers: dict[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        assert self._session is not None, "open() comes first"
        url = self._url
        try:
            for _ in range(_MAX_REDIRECTS + 1):
                async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                    target = _redirect(response, url)
                    if target is None:
                        yield response
                        return
                    url = target
        except WireViolationError as error:
            raise unusable(str(error)) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise ProviderError(connection_failure(error)) from error
        raise ProviderError(Failure("http-34", "it redirects in circles", retryable=False))

    def _connected(self) -> None:
        self._reached = True

    def _note(self, response: aiohttp.ClientResponse) -> None:
        self._status = response.status
        self._headers = kept_headers(response.headers)

    async def _refused(self, response: aiohttp.ClientResponse, request_id: int) -> ErrorResponse:
        """A status that is no success. 400 and 404 may carry the JSON-RPC error that explains them (2026-07-28)."""
        if response.status in (400, 404) and response.content_type == "application/json":
            with contextlib.suppress(ProviderError, aiohttp.ClientPayloadError):  # the status says enough
                for message in decode(await self._body(response, 1024 * 1024)):
                    if isinstance(message, ErrorResponse) and message.id in (None, request_id):
                        return message
        raise ProviderError(status_failure(response.status, self._headers))

    async def _answer(self, response: aiohttp.ClientResponse, request_id: int) -> Response | ErrorResponse:
        if response.content_type == "text/event-stream":
            return await self._from_events(response, request_id)
        body = await self._body(response, self._limits.message)
        if not body.strip():
            raise unusable("it answered 200 with an empty body", "mcp-empty")
        if response.content_type != "application/json":
            kind = response.content_type or "no content type"
            raise unusable(f"it answered 200 with {kind}, which is neither JSON nor an event stream", "aiohttp-19")
        answer = self._pick(decode(body), request_id)
        if answer is None:
            raise unusable("its answer is no JSON-RPC response to the request")
        return answer

    async def _from_events(self, response: aiohttp.ClientResponse, request_id: int) -> Response | ErrorResponse:
        stream = EventStream(self._limits.message)
        async for chunk in response.content.iter_any():
            self._count(len(chunk))
            for event in stream.feed(chunk):
                if not event.data.strip():
                    continue  # a place to resume from, or a sign of life (2025-11-25, transports)
                answer = self._pick(decode(event.data), request_id)
                if answer is not None:
                    return answer
        raise unusable("its event stream ended without an answer", "mcp-28")

    def _pick(self, messages: list[Message], request_id: int) -> Response | ErrorResponse | None:
        for message in messages:
            if isinstance(message, Response | ErrorResponse) and message.id in (request_id, None):
                return message
            if isinstance(message, Request):
                self._replies.to(message)
            elif isinstance(message, Foreign) and len(self._foreign) < self._limits.foreign_lines:
                self._foreign.append(message.text)
        return None

    async def _body(self, response: aiohttp.ClientResponse, limit: int) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_any():
            body += chunk
            self._count(len(chunk))
            if len(body) > limit:
                raise unusable(f"its answer has more than {limit:,} bytes")
        return bytes(body)

    def _count(self, size: int) -> None:
        """All answers together are bounded: many pages are no way around the limit for one."""
        self._received += size
        if self._received > self._limits.total:
            raise unusable(f"it sent more than {self._limits.total:,} bytes")
