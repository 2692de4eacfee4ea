"""The event stream: the same events however the bytes are cut."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contractd.wire import EventStream, ServerSentEvent, WireViolationError

ENDS = [b"\n", b"\r", b"\r\n"]
PIECES = st.sampled_from(
    [
        b"data",
        b"event",
        b"id",
        b":",
        b": ",
        b" ",
        b"x",
        b"{}",
        b"\xef\xbb\xbf",
        b"\xff",
        b"",
        b"retry: 5",
        *ENDS,
        *ENDS,
        *ENDS,
    ]
)


def whole(data: bytes, limit: int = 10**6) -> list[ServerSentEvent]:
    return EventStream(limit).feed(data)


@given(st.lists(PIECES, max_size=40).map(b"".join) | st.binary(max_size=60), st.lists(st.integers(0, 200), max_size=12))
@settings(max_examples=400, deadline=None)
@example(b"data: a\r\r\ndata: b\n\n", [8, 9])
@example(b"\xef\xbb\xbfdata: a\n\n", [1, 2])
def test_the_events_do_not_depend_on_how_the_stream_is_cut(data: bytes, cuts: list[int]) -> None:
    stream, events, start = EventStream(10**6), [], 0
    for cut in sorted({min(cut, len(data)) for cut in cuts} | {len(data)}):
        events += stream.feed(data[start:cut])
        start = cut
    assert events == whole(data)
    one_by_one = EventStream(10**6)
    assert [event for byte in data for event in one_by_one.feed(bytes([byte]))] == events


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "endpoint", "x"]), st.lists(st.text("ab :{}", max_size=5), min_size=1, max_size=3)
        )
    ),
    st.sampled_from(ENDS),
)
@settings(max_examples=100, deadline=None)
def test_what_is_written_as_events_is_read_as_events(written: list[tuple[str, list[str]]], end: bytes) -> None:
    text = b""
    for name, lines in written:
        text += b": a comment" + end + (b"event: " + name.encode() + end if name else b"")
        text += b"".join(b"data: " + line.encode() + end for line in lines) + end
    expected = [ServerSentEvent(name or "message", "\n".join(lines).encode()) for name, lines in written]
    assert whole(text) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"data:x\n\n", [("message", b"x")]),
        (b"data:  x\n\n", [("message", b" x")]),
        (b"data\n\n", [("message", b"")]),
        (b"data: a\ndata: b\n\n", [("message", b"a\nb")]),
        (b"event: e\ndata: a\n\ndata: b\n\n", [("e", b"a"), ("message", b"b")]),
        (b"event: e\n\ndata: b\n\n", [("message", b"b")]),
        (b"data: never ended\n", []),
        (b": keep-alive\n\n\n\n", []),
        (b"id: 5\nretry: 9\nunknown: x\ndata: a\n\n", [("message", b"a")]),
        (b"data: a\r\r", [("message", b"a")]),
        (b'{"jsonrpc":"2.0"}\n\n', []),
    ],
)
def test_the_format_is_that_of_the_standard(data: bytes, expected: list[tuple[str, bytes]]) -> None:
    assert [(event.event, event.data) for event in whole(data)] == expected


@pytest.mark.parametrize(
    "data", [b"data: " + b"x" * 2000 + b"\n\n", b"data: x\n" * 1000, b"x" * 2000, b"data\n" * 2000]
)
def test_an_event_beyond_the_limit_is_a_violation_whole_or_in_pieces(data: bytes) -> None:
    with pytest.raises(WireViolationError):
        whole(data, 1000)
    stream = EventStream(1000)
    with pytest.raises(WireViolationError):
        for start in range(0, len(data), 7):
            stream.feed(data[start : start + 7])


@pytest.mark.parametrize("data", [b"\r", b"\n", b"\r\n", b":\r", b"data:\r", b"x\r\n\r\n"])
def test_a_stream_of_tiny_lines_is_cut_in_linear_time(data: bytes) -> None:
    start = time.process_time()
    stream = EventStream(10**7)
    for _ in range(10):
        stream.feed(data * 25_000 + (b"\n\n" if data == b"data:\r" else b""))
    assert time.process_time() - start < 10
