"""The event stream format (WHATWG HTML, server-sent events, section 9.2.6), fed with chunks of bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contractd.wire.mcp import WireViolationError

_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One dispatched event. ``data`` has its lines joined by newlines."""

    event: str
    data: bytes


class EventStream:
    """Cuts a byte stream into events. Raises WireViolationError for an event of more than ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._event = ""
        self._data: list[bytes] = []
        self._size = 0
        self._first = True
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that ``chunk`` completes."""
        if self._after_cr and chunk:  # the last chunk ended in CR: a LF now belongs to the same line's end
            chunk, self._after_cr = chunk.removeprefix(b"\n"), False
        scanned = len(self._buffer)
        self._buffer += chunk
        events: list[ServerSentEvent] = []
        start = 0
        while end := _END.search(self._buffer, max(start, scanned)):
            line = bytes(self._buffer[start : end.start()])
            start = end.end()
            self._after_cr = start == len(self._buffer) and end.group() == b"\r"
            self._bound(len(line))
            event = self._line(line)
            if event:
                events.append(event)
        del self._buffer[:start]
        self._bound(len(self._buffer))
        return events

    def _bound(self, more: int) -> None:
        if more + self._size > self._limit:
            raise WireViolationError(f"one event of more than {self._limit:,} bytes")

    def _line(self, line: bytes) -> ServerSentEvent | None:
        if self._first:
            self._first = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
        elif name == b"event":
            self._event = value[:200].decode("utf-8", "replace")
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        event, data = self._event, self._data
        self._event, self._data, self._size = "", [], 0
        return ServerSentEvent(event or "message", b"\n".join(data)) if data else None
