"""Schemas that would keep a validator busy, or fetch: refused, or unknown for the values on which it would show.

What these cost without bounds: 2**22 applications 0.2 s, 2**40 half a day; nested ``unevaluatedProperties`` 18 s at 20
levels and 2.6 times as much for each more; ``(?=a)a*b`` on 200,000 letters 40 s. jsonschema needs still more.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contractd.contracts import compile_schema
from contractd.errors import SchemaError

CPU_SECONDS = 20.0  # of this thread: no measure of speed, but far from what grows exponentially


@pytest.fixture(autouse=True)
def _bounded_and_offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    before = time.thread_time()
    yield
    assert time.thread_time() - before < CPU_SECONDS


def ladder(keyword: str, rungs: int) -> dict[str, Any]:
    defs: dict[str, Any] = {f"a{i}": {keyword: [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(rungs)}
    return {"$defs": {**defs, f"a{rungs}": {"type": "string"}}, "$ref": "#/$defs/a0"}


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/x", "https://example.com/x#/a", "//example.com/x", "other"])
def test_a_remote_reference_is_refused(target: str) -> None:
    with pytest.raises(SchemaError, match="never fetches"):
        compile_schema({"properties": {"a": {"$ref": target}}})


def test_a_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{}")
    for target in (f"file://{tmp_path}/s.json", f"{tmp_path}/s.json", "file:///etc/passwd"):
        with pytest.raises(SchemaError, match="never fetches"):
            compile_schema({"$ref": target})
        with pytest.raises(SchemaError, match="is not known"):
            compile_schema({"$schema": target})


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_dynamic_references_lead_nowhere_else_either(keyword: str) -> None:
    with pytest.raises(SchemaError):
        compile_schema({"$schema": "https://json-schema.org/draft/2019-09/schema", keyword: "http://127.0.0.1:9/x"})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"not": {"$ref": "#"}},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"},
        {"$dynamicAnchor": "x", "anyOf": [{"$dynamicRef": "#x"}]},
        {"if": {"$ref": "#"}},
    ],
)
def test_a_circle_is_refused(schema: Any) -> None:
    with pytest.raises(SchemaError, match="leads back to itself"):
        compile_schema(schema)


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize("rungs", [24, 40, 1_000])
def test_a_ladder_that_doubles_is_refused(keyword: str, rungs: int) -> None:
    with pytest.raises(SchemaError, match=r"expand to more than|too many schemas"):
        compile_schema(ladder(keyword, rungs))


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_a_short_ladder_is_climbed(keyword: str) -> None:
    checked = compile_schema(ladder(keyword, 4))
    assert checked.check("x").status == ("invalid" if keyword == "oneOf" else "valid")
    assert checked.check(1).status == "invalid"
    tall = compile_schema(ladder(keyword, 14)).check(1)  # decided or not, but in bounded time
    assert tall.status in ("invalid", "unknown")


def test_a_schema_that_doubles_at_each_level_of_the_value_is_unknown_there() -> None:
    again = [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]
    checked = compile_schema({"type": "array", "anyOf": again})
    assert checked.check([[], [[]]]).status == "valid"
    assert checked.check([[1]]).status == "invalid"
    found = checked.check(nested(60))
    assert (found.status, found.reason) == ("unknown", "checking the value against this schema could take too long")


def test_unevaluated_inside_unevaluated_is_bounded() -> None:
    schema: Any = {"properties": {"a": {"type": "integer"}}}
    for _ in range(4):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    assert compile_schema(schema).check({"a": 1}).status == "valid"
    assert compile_schema(schema).check({"b": 1}).status == "invalid"
    for _ in range(24):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    with pytest.raises(SchemaError, match="too many schemas"):
        compile_schema(schema)


def test_a_chain_is_bounded_before_the_stack_is() -> None:
    defs: dict[str, Any] = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}]} for i in range(2_000)}
    with pytest.raises(SchemaError, match="apply inside one another"):
        compile_schema({"$defs": {**defs, "a2000": True}, "$ref": "#/$defs/a0"})


def test_depth_and_size_are_bounded() -> None:
    deep: Any = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}}
    wide = {"properties": {f"p{i}": {} for i in range(100_000)}}
    for schema in (deep, wide, {"anyOf": [{"properties": {"a": {}}} for _ in range(9_000)]}, {"enum": [0] * 300_000}):
        with pytest.raises(SchemaError):
            compile_schema(schema)


def test_many_alternatives_for_many_items_are_unknown() -> None:
    checked = compile_schema({"items": {"anyOf": [{"const": number} for number in range(4_000)]}})
    assert checked.check([1, 2]).status == "valid"
    assert checked.check([-1] * 100_000).status == "unknown"


def test_large_limits_cost_nothing() -> None:
    schema = {"maxItems": 10**9, "minItems": 2, "contains": {"const": 1}, "maxContains": 10**9, "uniqueItems": True}
    checked = compile_schema(schema)
    assert checked.check(list(range(50_000))).status == "valid"
    assert checked.check([2] * 50_000).status == "unknown"  # one says invalid; the second would compare each pair
    assert checked.check([2] * 50).status == "invalid"
    assert checked.check([10**30 + n for n in range(2_000)]).status == "unknown"  # each pair for both of them


def test_many_patterns_on_many_keys_are_bounded() -> None:
    checked = compile_schema({"patternProperties": {f"^x{i}[a-z]+y$": {"type": "integer"} for i in range(1_500)}})
    assert checked.check({"x1ay": 1}).status == "valid"
    assert checked.check({f"x{i}y": 1 for i in range(40_000)}).status == "unknown"


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(a|a)*$", r"^(\w+\s?)*$", r"(x+x+)+y", r"^([a-z]+)*[0-9]$"])
def test_a_pattern_that_kills_a_backtracking_engine_is_decided_by_a_linear_one(pattern: str) -> None:
    checked = compile_schema({"pattern": pattern})
    assert checked.check("a" * 60 + "!").status == "invalid"
    assert checked.check("a" * 50_000 + "!").status == "invalid"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^(?!b)(a|a)*(?=c)", "a" * 60),
        (r"^(a+)+\1$", "a" * 60 + "!"),
        (r"(?=a)a*b", "a" * 200_000),
        (r"^(?=(a+)+$)", "a" * 60 + "!"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_what_only_backtracking_decides_is_unknown_where_that_could_take_long(
    pattern: str, text: str, wrapped: bool
) -> None:
    schema: Any = {"pattern": pattern}
    schema = {"if": schema, "then": {"type": "integer"}} if wrapped else schema
    found = compile_schema(schema).check(text)
    assert (found.status, found.reason) == ("unknown", "a pattern of the schema could take too long on the value")
    keys = compile_schema({"patternProperties": {pattern: False}}).check({text: 1})
    assert keys.status == "unknown"


def test_many_texts_that_are_bearable_one_by_one_are_bounded_together() -> None:
    texts = ["a" * 1_300 + str(number) for number in range(2_000)]
    hard = compile_schema({"items": {"pattern": "(?=a)[a-z0-9]*!"}})
    assert hard.check(texts[:2]).status == "invalid"
    assert hard.check(texts).status == "unknown"
    easy = compile_schema({"items": {"pattern": "x?[a-z0-9]*!?$"}, "minItems": 9_999})
    assert easy.check(texts).status == "invalid"


def test_what_only_backtracking_decides_is_decided_on_ordinary_texts() -> None:
    checked = compile_schema({"pattern": r"^(?!-)[a-z-]+(?<!-)$"})
    assert checked.check("a-b").status == "valid"
    assert checked.check("-a").status == "invalid"


@pytest.mark.parametrize("pattern", ["((a{1,100}){1,100}){1,100}", "(?:a?){5000}b", "[ab]*a[ab]{2000}c"])
def test_a_pattern_of_great_size_is_bounded(pattern: str) -> None:
    assert compile_schema({"pattern": pattern}).check("ab" * 500_000).status == "unknown"


def test_many_large_patterns_are_refused() -> None:
    large = [
        {"pattern": f"(([ab{letter}]{{1,90}}){{1,60}}){{1,{most}}}$"} for letter in "cdefghij" for most in (7, 8, 9)
    ]
    with pytest.raises(SchemaError, match="patterns are too large"):
        compile_schema({"allOf": large * 20})


def test_a_pattern_does_not_weigh_on_texts_it_never_meets() -> None:
    schema = {"properties": {"path": {"pattern": "^(/[a-z]+)+$"}, "content": {"type": "string"}}, "required": ["path"]}
    checked = compile_schema(schema)
    assert checked.check({"path": "/tmp", "content": "a" * 1_000_000}).status == "valid"
    assert checked.check({"content": "a" * 1_000_000}).status == "invalid"
    digest = compile_schema({"properties": {"sha": {"pattern": "^[0-9a-f]{64}$"}, "content": {"type": "string"}}})
    assert digest.check({"sha": "a" * 64, "content": "a" * 5_000_000}).status == "valid"
    assert digest.check({"sha": "a" * 63, "content": "a" * 5_000_000}).status == "invalid"
