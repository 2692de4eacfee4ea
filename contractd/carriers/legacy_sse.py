"""MCP's first remote transport, HTTP+SSE (2024-11-05, deprecated since): a GET stream that names where to POST."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from yarl import URL

from contractd.carriers.base import Endpoint, Evidence, Limits
from contractd.carriers.exchange import Exchange, Replies, fail
from contractd.carriers.http import merged, new_session, same_origin, usable_url
from contractd.carriers.http_failures import connection_failure, kept_headers, status_failure, unusable
from contractd.errors import Failure, ProviderError
from contractd.wire import (
    ErrorResponse,
    EventStream,
    Request,
    Response,
    ServerSentEvent,
    WireViolationError,
    decode,
    encode_notification,
)


class LegacySseCarrier:
    """See ``Carrier``. ``open`` returns once the server has named its endpoint."""

    def __init__(self, endpoint: Endpoint, limits: Limits | None = None) -> None:
        self._endpoint = endpoint
        self._limits = limits or Limits()
        self._url = URL()
        self._exchange = Exchange()
        self._replies = Replies(self._post)
        self._session: aiohttp.ClientSession | None = None
        self._reader: asyncio.Task[None] | None = None
        self._target: asyncio.Future[URL] | None = None
        self._reached = False
        self._status: int | None = None
        self._headers: dict[str, str] = {}

    async def open(self) -> None:
        self._url = usable_url(self._endpoint)
        self._target = asyncio.get_running_loop().create_future()
        self._session = new_session(self._connected)
        self._reader = asyncio.create_task(self._read(self._session))
        await asyncio.shield(self._target)

    async def request(self, method: str, params: dict[str, Any]) -> Response | ErrorResponse:
        return await self._exchange.ask(method, params, self._post)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        await self._post(encode_notification(method, params))

    async def close(self, *, gently: bool = True) -> None:
        try:
            if self._reader is not None:
                self._reader.cancel()
                await asyncio.wait({self._reader})
            await self._replies.close()
        finally:
            if self._session is not None:
                await self._session.close()

    @property
    def evidence(self) -> Evidence:
        return Evidence(started=self._reached, status=self._status, headers=dict(self._headers))

    async def _post(self, body: bytes) -> None:
        assert self._session is not None and self._target is not None, "open() comes first"
        headers = merged(self._endpoint.headers, {"Content-Type": "application/json"})
        try:
            async with self._session.post(
                self._target.result(), data=body, headers=headers, allow_redirects=False
            ) as response:
                if response.status >= 300:
                    self._status = response.status
                    self._headers = kept_headers(response.headers)
                    raise ProviderError(status_failure(response.status, self._headers))
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise ProviderError(connection_failure(error)) from error

    async def _read(self, session: aiohttp.ClientSession) -> None:
        try:
            failure = await self._stream(session)
        except ProviderError as error:
            failure = error.failure
        except WireViolationError as error:
            failure = Failure("mcp-unusable", str(error), retryable=False)
        except Exception as error:
            failure = connection_failure(error)
        assert self._target is not None
        fail(self._target, failure)
        self._exchange.end(failure)

    async def _stream(self, session: aiohttp.ClientSession) -> Failure:
        headers = merged(self._endpoint.headers, {"Accept": "text/event-stream", "Cache-Control": "no-store"})
        async with session.get(self._url, headers=headers, allow_redirects=False) as response:
            self._status = response.status
            self._headers = kept_headers(response.headers)
            if response.status != 200:
                return status_failure(response.status, self._headers)
            if response.content_type != "text/event-stream":
                return Failure("aiohttp-19", "it answers, but not with an event stream", retryable=False)
            stream, total = EventStream(self._limits.message), 0
            async for chunk in response.content.iter_any():
                total += len(chunk)
                if total > self._limits.total:
                    return Failure("mcp-unusable", "its event stream is endless", retryable=False)
                for event in stream.feed(chunk):
                    self._take(event)
        return Failure("mcp-28", "it closed its event stream", retryable=True)

    def _connected(self) -> None:
        self._reached = True

    def _take(self, event: ServerSentEvent) -> None:
        assert self._target is not None
        if event.event == "endpoint" and not self._target.done():
            self._target.set_result(self._named(event.data.decode("utf-8", "replace").strip()))
            return
        for message in decode(event.data):
            if isinstance(message, Response | ErrorResponse):
                self._exchange.take(message)
            elif isinstance(message, Request):
                self._replies.to(message)

    def _named(self, reference: str) -> URL:
        try:
            target = self._url.join(URL(reference))
            if same_origin(self._url, target):
                return target
        except ValueError:
            raise unusable("it names an endpoint that is no URL") from None
        raise unusable("it names an endpoint on another host; the configured headers are not sent there")
