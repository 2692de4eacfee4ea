"""TOML and YAML: the same values as their own parsers give, and a mark for every key."""

from __future__ import annotations

import time
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.documents import MAX_BYTES, Document, parse, pointer_join
from contractd.errors import ConfigError

WORD = st.text("abcxyz-_1", min_size=1, max_size=5)
STRING = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=10)


def toml(text: str) -> Document:
    return parse("config.toml", text.encode())


def yml(text: str) -> Document:
    return parse("config.yaml", text.encode())


def toml_value(value: Any, chance: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        if "\n" in value:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"""\n{quoted}"""'
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        gap = chance.choice(["", "\n", " # ] } ' \"\n", "\n\n"])
        return "[" + gap + ("," + gap).join(toml_value(inner, chance) for inner in value) + gap + "]"
    return str(value)


LEAVES = st.integers(-5, 10**6) | st.booleans() | STRING | st.lists(STRING, min_size=1, max_size=3).map("\n".join)
VALUES = LEAVES | st.lists(LEAVES, max_size=4)
TABLES = st.dictionaries(WORD, st.dictionaries(WORD, VALUES, max_size=4), max_size=4)


@given(TABLES, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_toml_marks_every_key_on_its_own_line(tables: dict[str, dict[str, Any]], chance: Any) -> None:
    lines: list[str] = []
    expected: dict[str, int] = {}
    for table, pairs in tables.items():
        lines += chance.choice([[], [""], ["# [not.a.table]"]])
        expected[f"/{table}"] = len(lines) + 1
        lines.append(f"[{table}]")
        for key, value in pairs.items():
            expected[f"/{table}/{key}"] = len(lines) + 1
            lines += f"  {key} = {toml_value(value, chance)}".split("\n")
    text = "\n".join(lines)
    document = toml(text)
    assert document.value == tables == tomllib.loads(text)
    for pointer, line in expected.items():
        mark = document.mark(pointer)
        assert mark is not None and (mark.line, mark.column) == (line, 3 if pointer.count("/") == 2 else 1)


def test_toml_arrays_of_tables_dotted_keys_and_inline_tables_are_marked() -> None:
    document = toml(
        "top = 1\r\n[a.b.c]\r\nx.y = {z = [1,\r\n {q = 2}]}\r\n"
        "[[m]]\nn = 1\n[m.sub]\nk = 2\n[[m]]\nn = 3\n[[m.deep]]\nv = 4\n"
    )
    where = {pointer: mark.line for pointer, mark in document.values.items()}
    assert where["/a"] == where["/a/b"] == where["/a/b/c"] == 2
    assert where["/a/b/c/x/y/z/1/q"] == 3
    assert (where["/m/0/n"], where["/m/0/sub/k"], where["/m/1/n"], where["/m/1/deep/0/v"]) == (6, 8, 10, 12)
    assert document.get("/m/1/deep/0/v") == 4 and document.get("/m/7") is None


def test_toml_dates_are_text_and_numbers_stay_numbers() -> None:
    document = toml("a = 1979-05-27T07:32:00Z\nb = 07:32:00\nc = 1e3\nd = true")
    assert document.value == {"a": "1979-05-27 07:32:00+00:00", "b": "07:32:00", "c": 1000.0, "d": True}


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = \n", 2), ("a = 1\na = 2", 2), ("[a\n", 1), ("a = 'x", 1), ("x", 1)]
)
def test_toml_errors_have_their_line(text: str, line: int) -> None:
    with pytest.raises(ConfigError, match="not valid TOML") as caught:
        toml(text)
    assert caught.value.place is not None and caught.value.place.line == line


@given(st.text(max_size=60) | st.text("[]{}=.\"'#\n ab1-:T_", max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_toml_or_a_config_error(text: str) -> None:
    try:
        document = toml(text)
    except ConfigError as error:
        assert error.place is not None
    except UnicodeEncodeError:
        return
    else:
        for pointer in pointers(document.value, ""):
            assert pointer in document.values, pointer


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "9" * 5000,
        "a = " + "[" * 3000,
        ".".join("a" * 3000) + " = 1",
        "a = " + "{b = " * 500,
        '"\\UFFFFFFFF"=1',
    ],
)
def test_what_overflows_a_toml_parser_is_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError):
        toml(text)


@pytest.mark.parametrize(
    "text",
    [
        "a = [\n" + "1,\n" * 40_000 + "]\nb = 1\n",
        'a = """\n' + "line\n" * 100_000 + '"""',
        "\n".join(f"k{n} = [\n1,\n2]" for n in range(6_000)),
        "\n".join(f"[t{n}]\na = 1" for n in range(6_000)),
    ],
    ids=["a long array", "a long text", "many arrays", "many tables"],
)
def test_long_toml_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    assert toml(text).values
    assert time.process_time() - start < 20


def pointers(value: Any, pointer: str) -> Any:
    yield pointer
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from pointers(item, pointer_join(pointer, key))


TREES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | STRING,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRING.filter(str.strip), inner, max_size=4),
    max_leaves=15,
)


@given(TREES, st.booleans())
@settings(max_examples=120, deadline=None)
def test_yaml_gives_back_what_was_written_with_a_mark_for_all_of_it(value: Any, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True, width=60)
    document = yml(text)
    assert document.value == value
    assert set(document.values) == set(pointers(value, ""))
    rows = text.split("\n")
    for mark in document.keys.values():
        assert rows[mark.line - 1][mark.column - 1 :].strip()


def test_yaml_reads_scalars_as_the_core_schema_of_1_2_does() -> None:
    document = yml("a: yes\nb: on\nc: 'true'\nd: True\ne: ~\nf: 1_000\ng: 0o17\nh: 1e3\ni: 12:30\nj: 2001-01-01\nk:\n")
    assert document.value == {
        "a": "yes", "b": "on", "c": "true", "d": True, "e": None, "f": "1_000", "g": "0o17", "h": 1000.0, "i": "12:30",
        "j": "2001-01-01", "k": None,
    }  # fmt: skip


def test_yaml_anchors_repeat_and_repeated_keys_are_quirks() -> None:
    document = yml("a: &x {k: 1}\nb: *x\na: 2\n")
    assert document.value == {"a": 2, "b": {"k": 1}}
    assert [(quirk.kind, quirk.detail, quirk.mark.line) for quirk in document.quirks] == [("duplicate-key", "a", 3)]


LAUGHS = "a0: &a0 [x,x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1},*a{n - 1}]\n" for n in range(1, 40))


@pytest.mark.parametrize(
    "text",
    [
        "a: [", "a: b: c", "- *nobody", "a: !!python/object:os.system x\n? [b]\n: 1", "\t- x", "--- 1\n--- 2", LAUGHS,
        "&a [*a]", "[" * 3000, '"\\UFFFFFFFF"', "%YAML " + "9" * 5000 + "\n--- a", "a: \x01", "x: " + "y" * 1_100_000,
    ],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_usable_yaml_is_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        yml(text)
    assert caught.value.place is not None


def test_yaml_runs_nothing() -> None:
    assert yml("a: !!python/object/apply:os.system ['exit 1']").value == {"a": ["exit 1"]}


@given(st.text(max_size=60) | st.text("[]{}:-?&*!|>'\"%@#\n ab1", max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_is_yaml_or_a_config_error(text: str) -> None:
    try:
        yml(text)
    except ConfigError as error:
        assert error.place is not None
    except UnicodeEncodeError:
        return


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.json", "{}", "json"),
        ("x.JSONC", "{}", "json"),
        ("x.toml", "", "toml"),
        ("x.yml", "", "yaml"),
        ("-", '  {"a": 1}', "json"),
        ("-", "// c\n{}", "json"),
        ("-", "# c\n[servers]\n", "toml"),
        ("-", "a = 1", "toml"),
        ("-", "# c\na: 1", "yaml"),
        ("-", "a: b=c", "yaml"),
    ],
)
def test_the_format_is_told_by_name_or_by_the_first_line(name: str, text: str, expected: str) -> None:
    assert parse(name, text.encode()).format == expected


def test_a_stated_format_is_obeyed() -> None:
    assert parse("x.json", b"a: 1", "yaml").value == {"a": 1}


def test_other_encodings_than_utf_8_are_refused_with_their_line() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        data = ("" if encoding == "utf-16" else "\ufeff").encode(encoding) + '{"ä": 1}'.encode(encoding)
        with pytest.raises(ConfigError, match="UTF-16, which agent runtimes don't read"):
            parse("x.json", data)
    with pytest.raises(ConfigError, match="not UTF-8") as caught:
        parse("x.json", b'{\n"a": "\xff"}')
    assert caught.value.place is not None and caught.value.place.line == 2
    with pytest.raises(ConfigError, match="UTF-16"):
        parse("x.json", b"\xff\xfe\x00")


def test_a_file_too_large_is_not_read() -> None:
    with pytest.raises(ConfigError, match="8,388,609 bytes"):
        parse("x.json", b" " * (MAX_BYTES + 1))
