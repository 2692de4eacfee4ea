"""From a file of recorded calls to what is used: every bad line is loud, and no value gets out."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.contracts.uses import ABSENT, Call, ToolUse, path_text, paths_of, read_calls, record
from contractd.contracts.uses.calls import MAX_LINE, structured
from contractd.contracts.uses.paths import Tree, always_of
from contractd.errors import ConfigError
from contractd.policy import uses_text
from tests.contracts.uses.test_paths import kept


def read(data: bytes | str) -> list[Call]:
    return list(read_calls(io.BytesIO(data.encode() if isinstance(data, str) else data), "calls.jsonl"))


def line(tool: str, arguments: Any = None, **more: Any) -> str:
    return json.dumps({"tool": tool, "arguments": arguments or {}, **more}) + "\n"


def sends(use: ToolUse) -> list[str] | None:
    return None if use.sends is None else [path_text(path) for path in paths_of(use.sends)]


def always(use: ToolUse) -> list[str]:
    return [path_text(path) for path in always_of(use.sends or Tree())]


def reads(use: ToolUse) -> list[str] | None:
    return None if use.reads is None else [path_text(path) for path in paths_of(use.reads)]


# ---- reading


def test_a_line_is_a_call() -> None:
    text = line("a", {"x": 1}, result=[1], time="now") + "\r\n   \n" + '{"tool": "mail.send"}'
    assert read(text) == [Call(1, "a", {"x": 1}, [1]), Call(4, "mail.send", {})]


def test_a_byte_order_mark_and_crlf_are_no_matter() -> None:
    text = line("a").replace("\n", "\r\n") + line("b").replace("\n", "\r\n")
    assert [call.tool for call in read(b"\xef\xbb\xbf" + text.encode())] == ["a", "b"]


BAD = [
    (b'{"tool": "a"', r"it is not JSON \(column 13\)"),
    (b"[]", "it is no JSON object"),
    (b'"a"', "it is no JSON object"),
    (b'{"arguments": {}}', '"tool" is missing'),
    (b'{"tool": 7}', '"tool" is no name'),
    (b'{"tool": ""}', '"tool" is no name'),
    (b'{"tool": "' + b"a" * 2000 + b'"}', '"tool" has 2,000 characters'),
    (b'{"tool": "a", "arguments": []}', '"arguments" is no object'),
    (b'{"tool": "a", "arguments": null}', '"arguments" is no object'),
    (b'{"tool": "a", "tool": "b"}', "the key tool stands in it twice"),
    (b'{"tool": "a", "arguments": {"x": 1, "x": 2}}', "the key x stands in it twice"),
    (b'{"tool": "a", "arguments": {"x": NaN}}', "NaN is no JSON"),
    (b'{"tool": "a", "arguments": {"x": -Infinity}}', "-Infinity is no JSON"),
    (b'{"tool": "a", "arguments": {"x": 1e999}}', "it has a number beyond the range of IEEE doubles"),
    (b'{"tool": "a", "arguments": {"x": 1' + b"0" * 400 + b"}}", "it has a number beyond the range of IEEE doubles"),
    (b'{"tool": "a", "arguments": {"x": 1' + b"0" * 9000 + b"}}", "it has a number that is too long"),
    (b'{"tool": "a", "arguments": {"x": "\\ud800"}}', "it has half a surrogate pair"),
    (b'{"tool": "a", "arguments": {"\\udfff": 1}}', "it has half a surrogate pair"),
    (b'{"tool": "a", "x": ' + b"[" * 200 + b"]" * 200 + b"}", "it is nested deeper than 128 levels"),
    (b'{"tool": "a", "x": ' + b"[" * 200_000, "it is nested deeper than 128 levels"),
    (b'{"tool": "a\xff"}', "it is not UTF-8 text"),
    (b'{"tool": "a"} {"tool": "b"}', r"it is not JSON \(column 15\)"),
]


@pytest.mark.parametrize(("data", "said"), BAD, ids=range(len(BAD)))
def test_a_bad_line_is_an_error_that_names_it(data: bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"^calls\.jsonl:2: no recorded call: {said}") as raised:
        read(line("a").encode() + data + b"\n" + line("b").encode())
    assert raised.value.hint


def test_all_bad_lines_are_counted_and_the_first_ones_numbered() -> None:
    with pytest.raises(ConfigError, match=r":1: no recorded call: it is no JSON object \(so is line 3\)$"):
        read("1\n" + line("a") + "2\n")
    with pytest.raises(ConfigError, match=r"\(so are lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 90 more\)$"):
        read("1\n" * 100)


def test_the_good_lines_come_before_the_error() -> None:
    calls = read_calls(io.BytesIO((line("a") + "1\n" + line("b")).encode()), "c")
    assert [next(calls).tool, next(calls).tool] == ["a", "b"]
    with pytest.raises(ConfigError):
        next(calls)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b" \r\n"])
def test_a_file_without_a_call_is_an_error(data: bytes) -> None:
    with pytest.raises(ConfigError, match=r"^calls\.jsonl: there is no recorded call in it"):
        read(data)


def test_a_file_in_utf_16_says_so() -> None:
    with pytest.raises(ConfigError, match=r":1: no recorded call: the file is UTF-16; save it as UTF-8"):
        read(line("a").encode("utf-16"))


class Endless:
    """A file whose second line is some hundred megabytes long."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks
        self.first, self.last = [line("a").encode()], [line("b").encode()]

    def readline(self, size: int, /) -> bytes:
        if self.first:
            return self.first.pop()
        if self.left:
            self.left -= 1
            return b"x" * (size - 1) + b"\n" if not self.left else b"x" * size
        return self.last.pop() if self.last else b""


def test_a_line_without_end_is_passed_by_without_being_kept() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match=r":2: no recorded call: the line has more than 8,388,608 bytes$"):
            list(read_calls(Endless(20), "calls.jsonl"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 * MAX_LINE


def test_many_calls_take_no_more_memory_than_few() -> None:
    class Many:
        left = 20_000

        def readline(self, size: int, /) -> bytes:
            Many.left -= 1
            return line("a", {"n": Many.left, "l": [{"k": Many.left}]}).encode() if Many.left >= 0 else b""

    tracemalloc.start()
    try:
        found = record(read_calls(Many(), "c"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found.calls, sends(found.uses.tools["a"])) == (20_000, ["/l/*/k", "n"])
    assert peak < 1_000_000


# ---- results as MCP gives them


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}, {"a": 1}),
        ({"structuredContent": {"a": 1}}, {"a": 1}),
        ({"content": [{"type": "text", "text": "x"}]}, ABSENT),
        ({"content": [], "isError": True, "structuredContent": {"a": 1}}, ABSENT),
        ({"content": [], "isError": False, "_meta": {}, "structuredContent": None}, None),
        ({"content": "text"}, {"content": "text"}),
        ({"content": [1]}, {"content": [1]}),
        ({"content": [], "other": 1}, {"content": [], "other": 1}),
        ({"a": 1}, {"a": 1}),
        ({}, {}),
        ("text", "text"),
        (None, None),
    ],
)
def test_of_a_result_the_structured_part_counts(result: Any, value: Any) -> None:
    assert structured(result) == value


# ---- recording


def recorded(*lines: str) -> dict[str, ToolUse]:
    return dict(record(read("".join(lines))).uses.tools)


def test_what_is_sent_and_what_every_call_sends() -> None:
    found = recorded(
        line("send", {"to": "a", "cc": "b", "options": {"limit": 1}}),
        line(
            "send",
            {"to": "a", "options": {"limit": 2, "sort": "x"}, "parts": [{"name": "n"}, {"name": 1, "size": 1}]},
        ),
        line("send", {"to": "a", "tags": ["x", "y"], "matrix": [[1], [{"z": 1}]]}),
        line("other"),
    )
    assert sends(found["send"]) == [
        "/matrix/*/*/z", "/options/limit", "/options/sort", "/parts/*/name", "/parts/*/size", "cc", "tags", "to",
    ]  # fmt: skip
    assert always(found["send"]) == ["/matrix/*/*/z", "/options/limit", "/parts/*/name", "to"]
    assert (sends(found["other"]), always(found["other"])) == ([], [])
    assert found["send"].reads is None


def test_what_came_is_the_most_that_was_read() -> None:
    found = recorded(
        line("find", result={"rows": [{"id": 1, "name": "x"}], "total": 1}),
        line("find", result={"structuredContent": {"rows": [], "next": "n"}}),
        line("text", result={"content": [{"type": "text", "text": "x"}]}),
        line("list", result=[{"a": 1}]),
        line("none", result={}),
    )
    assert reads(found["find"]) == ["/rows/*/id", "/rows/*/name", "next", "total"]
    assert [found[name].reads for name in ("text", "list", "none")] == [None, None, None]


def test_an_object_whose_names_are_data_is_one_thing() -> None:
    found = recorded(
        line("a", {"headers": {"Accept": "x", "X-Key": "y"}, "people": {"ada@example.org": 1}, "by_id": {"17": {}}}),
        line("a", {"wide": {f"n{number}": number for number in range(65)}}),
    )
    assert sends(found["a"]) == ["/headers/Accept", "/headers/X-Key", "by_id", "people", "wide"]


def test_no_value_is_written_and_no_name_that_is_one() -> None:
    secret = "s3cr3t-value"
    arguments = {"a": secret, "m": {f"{secret}@x": [secret]}}
    found = record(read(line("t", arguments, result={"b": {f"{secret} {secret}": secret}})))
    assert secret not in uses_text(found.uses)


def test_calls_that_differ_too_much_are_not_told_apart() -> None:
    many = [line("t", {f"n{number}_{part}": 1 for part in range(100)}) for number in range(3)]
    found = record(read("".join(many) + line("u", {"x": 1})))
    assert found.blurred == ("t",)
    assert found.uses.tools["t"] == ToolUse(None, None)
    assert sends(found.uses.tools["u"]) == ["x"]


def test_there_is_a_bound_on_everything() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = {"d": deep}
    assert sends(recorded(line("t", {"deep": deep}))["t"]) == ["/deep" + "/d" * 16]
    with pytest.raises(ConfigError, match="more than 10,000 tools"):
        record(Call(1, f"t{number}", {}) for number in range(10_001))
    wide = {f"a{one}": {f"b{two}": {f"c{three}": 1 for three in range(30)} for two in range(30)} for one in range(30)}
    with pytest.raises(ConfigError, match="differ in more than 200,000 places"):
        record(Call(1, f"t{number}", wide) for number in range(100))


VALUES = st.recursive(
    st.sampled_from([None, 0, "a"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "c", "7", "x@y"]), inner, max_size=3)
    ),
    max_leaves=10,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "c", "7"]), VALUES, max_size=3)


@given(st.lists(ARGUMENTS, min_size=1, max_size=6), st.randoms())
def test_every_recorded_call_keeps_to_what_was_recorded_in_any_order(calls: list[dict[str, Any]], random: Any) -> None:
    use = record(Call(1, "t", arguments) for arguments in calls).uses.tools["t"]
    assert use.sends is not None
    assert all(kept(use.sends, arguments) for arguments in calls)
    shuffled = list(calls)
    random.shuffle(shuffled)
    assert record(Call(1, "t", arguments) for arguments in shuffled).uses.tools["t"] == use
