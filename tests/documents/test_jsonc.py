"""JSON with comments: what it means, where everything stands, which liberty was taken; and nothing else ever raised."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contractd.documents import Document, parse, pointer_join
from contractd.errors import ConfigError

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


def read(text: str) -> Document:
    return parse("settings.json", text.encode("utf-8", "surrogatepass"))


def quirks(text: str) -> list[tuple[str, int, int]]:
    return [(quirk.kind, quirk.mark.line, quirk.mark.column) for quirk in read(text).quirks]


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_what_json_writes_is_read_as_json_reads_it_and_without_quirks(
    value: Any, indent: Any, ascii_only: bool
) -> None:
    document = read(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    assert document.value == value and document.quirks == ()
    assert json.dumps(document.value) == json.dumps(value)  # 1 is not 1.0 is not True


@given(JSON, st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_comments_and_trailing_commas_change_no_value_and_each_is_a_quirk_where_it_stands(
    value: Any, chance: Any
) -> None:
    text, expected = decorated(value, chance)
    document = read(text)
    assert document.value == value
    assert sorted(quirk.kind for quirk in document.quirks) == sorted(expected)
    rows = text.split("\n")
    for quirk in document.quirks:
        here = rows[quirk.mark.line - 1][quirk.mark.column - 1 :]
        assert here.startswith("," if quirk.kind == "trailing-comma" else "/"), (quirk, here)


def decorated(value: Any, chance: Any) -> tuple[str, list[str]]:
    """``value`` as JSON with liberties strewn in, and the kinds of them."""
    kinds: list[str] = []

    def gap() -> str:
        roll = chance.random()
        if roll < 0.1:
            kinds.append("comment")
            return ' // "not": {a value}, \n'
        if roll < 0.2:
            kinds.append("comment")
            return "/* , ] } \n // */"
        return chance.choice(["", " ", "\n", "\t"])

    def ending(empty: bool) -> str:
        if empty or chance.random() < 0.6:
            return gap()
        kinds.append("trailing-comma")
        return gap() + "," + gap()

    def write(item: Any) -> str:
        if isinstance(item, dict):
            pairs = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{write(inner)}{gap()}" for key, inner in item.items()]
            return "{" + ",".join(pairs) + ending(not pairs) + "}"
        if isinstance(item, list):
            return "[" + ",".join(f"{gap()}{write(inner)}{gap()}" for inner in item) + ending(not item) + "]"
        return json.dumps(item)

    return gap() + write(value) + gap(), kinds


@given(JSON, st.sampled_from([None, 2]))
@settings(max_examples=120, deadline=None)
def test_every_mark_points_at_its_key_and_at_its_value(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    document = read(text)
    starts = [0]
    for char in text:
        if char == "\n":
            starts.append(starts[-1])
        starts[-1] += 1
    lines = text.split("\n")

    def at(mark: Any) -> str:
        return "\n".join([lines[mark.line - 1][mark.column - 1 :], *lines[mark.line :]])

    decoder = json.JSONDecoder()
    pointers = list(walk(value, ""))
    assert set(document.values) == set(pointers)
    for pointer in pointers:
        assert document.get(pointer) == decoder.raw_decode(at(document.values[pointer]))[0]
        if pointer in document.keys:
            key = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            assert decoder.raw_decode(at(document.keys[pointer]))[0] == key
            assert document.mark(pointer) == document.keys[pointer]
        place = document.place(pointer + "/no/such/thing")
        assert place.line is not None and place.column is not None


def walk(value: Any, pointer: str) -> Any:
    yield pointer
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from walk(item, pointer_join(pointer, key))


@given(st.text(max_size=40) | st.text("{}[]\",:/*\\ \n\r-+.eE01tfnu\ufeff'", max_size=60))
@settings(max_examples=300, deadline=None)
@example("\ufeff")
@example('{"a":1e')
@example('"\\ud800\\u')
@example("[" * 5000)
@example("²")
@example("/*")
@example("-" * 100)
@example("1" * 5000)
def test_any_text_is_a_document_or_a_config_error_with_its_place(text: str) -> None:
    try:
        document = read(text)
    except ConfigError as error:
        assert error.place is not None and error.place.file == "settings.json" and error.message
        assert error.place.line is None or 1 <= error.place.line <= text.count("\n") + text.count("\r") + 1
    else:
        assert document.mark("") is not None


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_document_or_a_config_error(data: bytes) -> None:
    for name in ("a.json", "a.toml", "a.yaml", "a"):
        try:
            parse(name, data)
        except ConfigError as error:
            assert error.place is not None


def test_liberties_are_reported_at_their_place() -> None:
    text = '\ufeff{\n  // one\n  "a": [1, 2,],\n  "b": {"c": 1}, /* two */\n}'
    liberties = [("bom", 1, 1), ("comment", 2, 3), ("trailing-comma", 3, 13), ("trailing-comma", 4, 16)]
    assert sorted(quirks(text)) == sorted([*liberties, ("comment", 4, 18)])


def test_a_repeated_key_keeps_the_last_value_and_says_where_the_repetition_stands() -> None:
    document = read('{"a": {"x": {"deep": 1}, "y": 2},\n "b": 1,\n "a": {"z": 3}}')
    assert document.value == {"a": {"z": 3}, "b": 1}
    ((kind, line, column),) = quirks(document.text)
    assert (kind, line, column) == ("duplicate-key", 3, 2)
    assert (document.quirks[0].detail, document.quirks[0].pointer) == ("a", "/a")
    assert set(document.values) == {"", "/a", "/a/z", "/b"} and set(document.keys) == {"/a", "/a/z", "/b"}
    assert document.mark("/a") is not None and document.mark("/a").line == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_alike_in_marks_and_in_the_lines_shown(end: str) -> None:
    document = read(f'{{{end}"a": "x\u2028y\x85z",{end}"b": 2{end}}}')
    assert document.mark("/b").line == 3  # type: ignore[union-attr]
    assert document.lines(3, 3) == [(3, '"b": 2')]
    assert [number for number, _ in document.lines(-5, 99)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "says", "line", "column"),
    [
        ("", "empty", 1, 1),
        ("  \n // only\n", "empty", 3, 1),
        ('{"a" 1}', "colon", 1, 6),
        ('{"a": 1 "b": 2}', "comma or }", 1, 9),
        ("[1 2]", "comma or ]", 1, 4),
        ("{'a': 1}", "key in double quotes", 1, 2),
        ("{a: 1}", "key in double quotes", 1, 2),
        ('{"a": undefined}', "value is expected", 1, 7),
        ('{"a": "x\ny"}', "not closed", 1, 7),
        ('{"a": "\\x"}', "escape", 1, 8),
        ('{"a": 01}', "comma or }", 1, 8),
        ('{"a": NaN}', "value is expected", 1, 7),
        ('{"a": 1}}', "after the end", 1, 9),
        ('{"a": 1', "comma or }", 1, 8),
        ("[,]", "value is expected", 1, 2),
        ("[1,,2]", "value is expected", 1, 4),
        ("{,}", "key in double quotes", 1, 2),
        ("/* x", "not closed", 1, 1),
    ],
)
def test_what_no_runtime_takes_is_refused_at_its_place(text: str, says: str, line: int, column: int) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        read(text)
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (line, column)


def test_surrogates_are_joined_and_a_lone_one_is_replaced() -> None:
    assert read('"\\ud83d\\ude00"').value == "😀"
    assert read('["\\ud83d", "\\ude00", "\\ud83dx"]').value == ["\ufffd", "\ufffd", "\ufffdx"]


BOMBS = {
    "many repeated keys after many others": lambda: (
        "{" + ",".join(f'"k{n}":1' for n in range(40_000)) + ',"z":1' * 40_000 + "}"
    ),
    "a long key over many values": lambda: '{"' + "k" * 8000 + '":[' + "1," * 50_000 + "1]}",
    "many comments": lambda: "[" + "/**/" * 100_000 + "]",
    "one long string": lambda: '"' + "\\n" * 1_000_000 + '"',
    "many lines": lambda: "[" + "\n" * 2_000_000 + "]",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_hostile_configuration_is_read_in_bounded_time(bomb: str) -> None:
    """Linear, that is: the quadratic ways took minutes."""
    text = BOMBS[bomb]()
    start = time.process_time()
    document = read(text)
    assert time.process_time() - start < 20
    assert len(document.quirks) <= 1001
    assert sum(map(len, document.values)) < 80 * 1024 * 1024
    assert document.mark("/" + "k" * 8000 + "/49999") is not None


def test_keys_too_long_to_be_pointed_at_are_refused() -> None:
    with pytest.raises(ConfigError, match="8,192"):
        read('{"' + "k" * 9000 + '": 1}')
