"""Who asked what: answers find their request by id in whatever order they come, and what a server asks is answered."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

from contractd.errors import Failure, ProviderError
from contractd.wire import ErrorResponse, Request, Response, encode_error, encode_request, encode_result

Send = Callable[[bytes], Awaitable[None]]

_MAX_OPEN = 16  # answers of ours that a server has not taken yet


class Exchange:
    """Requests over one stream of answers. ``over`` is why there will be no more of them."""

    def __init__(self) -> None:
        self.over: Failure | None = None
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Response | ErrorResponse]] = {}

    async def ask(self, method: str, params: dict[str, Any], send: Send) -> Response | ErrorResponse:
        """Send a request and await its answer. Raises ProviderError."""
        request_id = next(self._ids)
        future: asyncio.Future[Response | ErrorResponse] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        try:
            if self.over:
                raise ProviderError(self.over)
            await send(encode_request(request_id, method, params))
            return await future
        finally:
            self._waiting.pop(request_id, None)

    def take(self, answer: Response | ErrorResponse) -> bool:
        """Hand an answer to whoever waits for it; whether anybody did."""
        future = self._waiting.get(answer.id) if answer.id is not None else None
        if future is None or future.done():
            return False
        future.set_result(answer)
        return True

    def end(self, failure: Failure) -> None:
        """No more answers will come: everybody who waits is told why."""
        self.over = failure
        for future in self._waiting.values():
            fail(future, failure)


def fail(future: asyncio.Future[Any], failure: Failure) -> None:
    """End a future that may be awaited by nobody any more."""
    if not future.done():
        future.set_exception(ProviderError(failure))
        future.exception()  # seen: one that was given up meanwhile must not be logged as forgotten


def reply_to(request: Request) -> bytes:
    """What contractd answers a server: ping with an empty result, anything else with -32601, for it offers nothing."""
    if request.method == "ping":
        return encode_result(request.id, {})
    return encode_error(request.id, -32601, "contractd offers no such method")


class Replies:
    """Answers that are sent beside a request that still waits; a server that takes none of them is sent no more."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._tasks: set[asyncio.Task[None]] = set()

    def to(self, request: Request) -> None:
        """Answer a server's request, unless too many answers are on their way."""
        if len(self._tasks) >= _MAX_OPEN:
            return
        task = asyncio.create_task(self._reply(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Give up what is still on its way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _reply(self, request: Request) -> None:
        with contextlib.suppress(ProviderError):  # if the server is gone, the request that waits will say so
            await self._send(reply_to(request))
