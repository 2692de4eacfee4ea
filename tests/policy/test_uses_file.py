"""The uses file: what it may hold, what is said of a slip, and that it is written as it is read."""

from __future__ import annotations

import json
import re
import tomllib

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.contracts.uses import ToolUse, Tree, Uses, tree_of
from contractd.documents import parse
from contractd.errors import ConfigError
from contractd.policy import LoadedUses, load_uses, uses_schema, uses_text


def load(text: str) -> LoadedUses:
    return load_uses(parse("contracts.uses.toml", text.encode(), "toml"))


WRITTEN = """\
# By hand.
version = 1
complete = true

[tools."mail.send"]
sends = ["to", "/options/limit"]
always = ["to"]
reads = []

[tools.find]
reads = ["/rows/*/id"]
"""


def test_what_is_written_is_what_is_used() -> None:
    found = load(WRITTEN)
    assert found.uses == Uses(
        {
            "mail.send": ToolUse(tree_of([("to",), ("options", "limit")], [("to",)]), tree_of([])),
            "find": ToolUse(None, tree_of([("rows", None, "id")])),
        },
        complete=True,
    )
    assert (found.place("find").line, found.place("mail.send").line) == (10, 5)
    assert load("") == LoadedUses(Uses(), load("").document)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("version = 2", "1:1", "the file says version 2; this contractd reads 1"),
        ("version = 0", "1:1", "version: input should be 1"),
        ('version = "1"', "1:1", "version: input should be 1"),
        ("completed = true", "1:1", "completed is no part of a uses file"),
        ("[tools.a]\nsend = []", "2:1", "tools.a.send is no part of a uses file"),
        ('[tools.a]\nsends = "to"', "2:1", "tools.a.sends: input should be a valid list"),
        ('[tools.a]\nsends = [\n  "a",\n  1,\n]', "2:1", "tools.a.sends.1: input should be a valid string"),
        ('[tools.a]\nsends = ["*"]', "2:1", "'*' is no path here: it names nothing"),
        ('[tools.a]\nsends = ["/*/a"]', "2:1", "'/*/a' is no path here: arguments are an object"),
        ('[tools.a]\nsends = ["/a~"]', "2:1", "'/a~' is no path here: in a path ~ is written ~0"),
        ('[tools.a]\nsends = ["a"]\nalways = ["b"]', "3:1", "'b' is no path here: it is not among what is sent"),
        ('[tools.a]\nsends = ["/a/*/b"]\nalways = ["/a/*"]', "3:1", "'/a/*' is no path here: it ends in no name"),
        ('[tools.a]\nalways = ["b"]', "2:1", "tools.a.always: what is always sent needs sends beside it"),
        ('[tools.""]\nsends = []', "1:1", "tools.: string should have at least 1 character"),
        ("[[tools]]", "1:1", "tools: input should be a valid dictionary"),
        ("tools = ", "1", "not valid TOML"),
    ],
)
def test_a_slip_is_an_error_with_its_place(text: str, place: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(text)
    assert str(raised.value).startswith(f"contracts.uses.toml:{place}: {said}"), str(raised.value)
    assert raised.value.hint or "TOML" in said


def test_the_published_schema_takes_what_is_read_and_refuses_a_slip() -> None:
    schema = json.loads(json.dumps(uses_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(tomllib.loads(WRITTEN))
    assert not validator.is_valid({"tools": {"a": {"send": []}}})
    assert not validator.is_valid({"version": 2})


def test_the_text_is_sorted_and_has_one_name_a_line() -> None:
    uses = Uses(
        {
            "b": ToolUse(tree_of([("z",), ("a",), ("o", "x")], [("z",)]), tree_of([])),
            "mail.send": ToolUse(tree_of([]), None),
            "a": ToolUse(),
        }
    )
    head, _, rest = uses_text(uses).partition("version = 1\n")
    assert all(line.startswith("# ") for line in head.splitlines())
    assert rest == (
        "complete = false\n\n[tools.a]\n\n"
        '[tools.b]\nsends = [\n  "/o/x",\n  "a",\n  "z",\n]\nalways = [\n  "z",\n]\nreads = []\n\n'
        '[tools."mail.send"]\nsends = []\n'
    )


TEXTS = st.text(
    st.one_of(st.sampled_from('ab*/~."\\#[\n\x00\x7f\u202e\ufeff😀'), st.characters(exclude_categories=["Cs"])),
    max_size=6,
)
PATHS = (
    st.lists(st.one_of(TEXTS, st.none()), min_size=1, max_size=3).map(tuple).filter(lambda path: path[0] is not None)
)
TREES = st.lists(PATHS, max_size=4).map(tree_of)


@given(st.dictionaries(TEXTS.filter(bool), st.builds(ToolUse, TREES, TREES), max_size=3), st.booleans())
def test_what_is_written_is_read_again(tools: dict[str, ToolUse], complete: bool) -> None:
    uses = Uses(tools, complete)
    text = uses_text(uses)
    assert text == uses_text(load(text).uses)
    assert load(text).uses.complete is complete
    assert set(load(text).uses.tools) == set(tools)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)
    assert "##[" not in text


def test_a_plain_name_is_any_provider_s_and_a_qualified_one_its_own() -> None:
    def sending(*names: str) -> ToolUse:
        return ToolUse(tree_of([(name,) for name in names]), None)

    uses = Uses({"send": sending("a"), "mail.send": sending("b"), "chat.send": sending("c"), "x.y": sending("d")})
    assert uses.of("send", "mail") == sending("a", "b")
    assert uses.of("send", "other") == sending("a")
    assert uses.of("send") == sending("a", "b", "c")  # whose manifest it is is not known
    assert uses.of("y", "x") == uses.of("x.y", "z") == sending("d")  # a tool's own name may have a dot
    assert uses.of("none", "mail") is None
    assert uses.unmatched([("mail", "send"), ("mail", "other")]) == []
    assert uses.unmatched([(None, "send")]) == ["x.y"]
    assert Uses({"mail.sned": sending()}).unmatched([("mail", "send")]) == ["mail.sned"]
    assert Uses({"sned": sending()}).unmatched([("mail", "send")]) == ["sned"]


def test_what_is_not_known_of_one_reference_is_not_known_of_both() -> None:
    some = ToolUse(tree_of([("a",)]), None)
    assert Uses({"send": ToolUse(), "mail.send": some}).of("send", "mail") == ToolUse(None, None)
    assert ToolUse(Tree(), None) != ToolUse(None, None)
