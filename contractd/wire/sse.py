"""The event stream format (WHATWG HTML, server-sent events, section 9.2.6), fed with chunks of bytes."""

from __future__ import annotations

from dataclasses import dataclass

from contractd.wire.mcp import WireViolationError


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

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that ``chunk`` completes."""
        scanned = max(len(self._buffer) - 1, 0)
        self._buffer += chunk
        events: list[ServerSentEvent] = []
        start = 0
        while True:
            end = _line_end(self._buffer, max(start, scanned))
            if end is None:
                break
            line = bytes(self._buffer[start : end[0]])
            start = end[1]
            event = self._line(line)
            if event:
                events.append(event)
        del self._buffer[:start]
        if len(self._buffer) + self._size > self._limit:
            raise WireViolationError(f"one event of more than {self._limit:,} bytes")
        return events

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


def _line_end(buffer: bytearray, start: int) -> tuple[int, int] | None:
    """Where the first line from ``start`` ends and the next begins; a lone CR at the very end may be half of CR LF."""
    line_feed = buffer.find(b"\n", start)
    carriage = buffer.find(b"\r", start, line_feed if line_feed >= 0 else len(buffer))
    if carriage >= 0:
        if carriage + 1 == len(buffer):
            return None
        return carriage, carriage + (2 if buffer[carriage + 1 : carriage + 2] == b"\n" else 1)
    return (line_feed, line_feed + 1) if line_feed >= 0 else None
