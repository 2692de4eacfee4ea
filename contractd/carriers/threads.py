"""Blocking work beside the event loop, in a thread of its own.

Not in asyncio's pool: its few threads can all be held by name servers that don't answer, healthy providers would wait
for them, and the interpreter would wait for them again when it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from aiohttp.abc import AbstractResolver, ResolveResult

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of ``function``. Given up by cancellation, its thread ends when it ends and holds up nobody."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # T may itself be None

    def work() -> None:
        result, problem = None, None
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            problem = error
        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(deliver, result, problem)

    threading.Thread(target=work, name=f"contractd-{function.__name__}", daemon=True).start()
    return await future


class ThreadResolver(AbstractResolver):
    """Host names by the system's own resolver, each look-up in its own thread."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await in_thread(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
        return [
            ResolveResult(
                hostname=host,
                host=_address(address),
                port=int(address[1]),
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        pass


def _address(address: tuple[object, ...]) -> str:
    # A link-local IPv6 address is reachable with its scope only.
    return f"{address[0]}%{address[3]}" if len(address) == 4 and address[3] else str(address[0])
