"""JSON-RPC over a child process: one message a line on stdin and stdout (MCP, transports, stdio)."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Any

from contractd.carriers.base import Evidence, Launch, Limits
from contractd.carriers.exchange import Exchange, reply_to
from contractd.carriers.process import Nursery, ServerProcess
from contractd.errors import Failure, ProviderError
from contractd.wire import (
    ErrorResponse,
    Foreign,
    Message,
    Request,
    Response,
    decode,
    encode_notification,
)

_MAX_UNREAD = 1024 * 1024  # bytes of our answers that the server has not read yet


class StdioCarrier:
    """See ``Carrier``. Server requests are answered: ping with an empty result, anything else with -32601."""

    def __init__(self, launch: Launch, nursery: Nursery, limits: Limits | None = None) -> None:
        self._launch = launch
        self._nursery = nursery
        self._limits = limits or Limits()
        self._exchange = Exchange()
        self._foreign: list[str] = []
        self._foreign_count = 0
        self._answered = False
        self._process: ServerProcess | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self) -> None:
        self._process = await self._nursery.start(self._launch, self._limits)
        self._reader = asyncio.create_task(self._read(self._process))

    async def request(self, method: str, params: dict[str, Any]) -> Response | ErrorResponse:
        return await self._exchange.ask(method, params, self._send)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        await self._send(encode_notification(method, params))

    async def close(self, *, gently: bool = True) -> None:
        if self._process is None:
            return
        try:
            await self._process.stop(gently=gently and self._exchange.over is None)
        finally:
            if self._reader is not None:
                self._reader.cancel()
        if self._reader is not None:
            await asyncio.wait({self._reader})

    @property
    def evidence(self) -> Evidence:
        process = self._process
        return Evidence(
            started=process is not None,
            exit_code=process.exit_code if process else None,
            ended=process.ended if process else None,
            stderr=process.stderr if process else "",
            foreign=tuple(self._foreign),
            foreign_count=self._foreign_count,
        )

    async def _send(self, data: bytes) -> None:
        process = self._process
        assert process is not None, "open() comes first"
        try:
            process.stdin.write(data + b"\n")
            await process.stdin.drain()
        except (OSError, RuntimeError):
            # The reader meets the end of the process too and says more; wait for its word.
            if self._reader is not None:
                await asyncio.wait({self._reader}, timeout=1)
            failure = self._exchange.over or Failure("stdio-07", "it closed its stdin", retryable=True)
            raise ProviderError(failure) from None

    async def _read(self, process: ServerProcess) -> None:
        try:
            failure = await self._read_lines(process)
        except Exception as error:
            failure = Failure("stdio-read", f"its output could not be read: {type(error).__name__}")
        self._exchange.end(failure or await self._end_of_output(process))

    async def _read_lines(self, process: ServerProcess) -> Failure | None:
        buffer, total = bytearray(), 0
        while chunk := await process.stdout.read(256 * 1024):
            total += len(chunk)
            if total > self._limits.total:
                return Failure("stdio-flood", f"it wrote more than {self._limits.total:,} bytes to stdout")
            scanned = len(buffer)
            buffer += chunk
            start = 0
            while (end := buffer.find(b"\n", max(start, scanned))) >= 0:
                self._line(bytes(buffer[start:end]))
                start = end + 1
            del buffer[:start]
            if len(buffer) > self._limits.message:
                return Failure("stdio-flood", f"it wrote one line of more than {self._limits.message:,} bytes")
        if buffer.strip():
            self._line(bytes(buffer))
        return None

    def _line(self, line: bytes) -> None:
        line = line.strip()
        if line:
            for message in decode(line):
                self._take(message)

    def _take(self, message: Message) -> None:
        if isinstance(message, Response | ErrorResponse):
            self._answered = self._exchange.take(message) or self._answered
        elif isinstance(message, Request):
            self._reply(message)
        elif isinstance(message, Foreign):
            self._foreign_count += 1
            if len(self._foreign) < self._limits.foreign_lines:
                self._foreign.append(message.text)

    def _reply(self, request: Request) -> None:
        assert self._process is not None
        stdin = self._process.stdin
        if stdin.is_closing() or stdin.transport.get_write_buffer_size() > _MAX_UNREAD:
            return  # a server that asks and never reads its answers must not make us hold them all
        with contextlib.suppress(OSError, RuntimeError):
            stdin.write(reply_to(request) + b"\n")

    async def _end_of_output(self, process: ServerProcess) -> Failure:
        """stdout has ended: with the process, or before it."""
        code = await process.wait_briefly(0.5)
        when = "before it answered anything" if not self._answered else "in mid-conversation"
        if code is None:
            return Failure("stdio-06", f"it closed its stdout {when}, and runs on", retryable=None)
        if code in (-signal.SIGKILL, 128 + signal.SIGKILL):
            return Failure("stdio-04", f"it was killed (SIGKILL, often for want of memory) {when}", retryable=None)
        if code < 0:
            return Failure("stdio-05", f"it died of {_signal_name(-code)} {when}", retryable=None)
        if not self._answered:
            return Failure("stdio-02", f"it exited with code {code} {when}", retryable=False)
        return Failure("stdio-exit", f"it exited with code {code} {when}", retryable=None)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
