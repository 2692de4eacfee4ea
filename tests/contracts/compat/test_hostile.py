"""Schemas from strangers: depth, size, recursion, references and patterns are bounded, and nothing is fetched."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import pytest

from contractd.contracts import compare_schemas
from contractd.errors import UsageError


def nested(depth: int, leaf: Any) -> Any:
    for _ in range(depth):
        leaf = {"properties": {"a": leaf}}
    return leaf


def tower(keyword: str, floors: int, leaf: dict[str, Any]) -> dict[str, Any]:
    for floor in range(floors):
        leaf = {keyword: [leaf, {"type": "object", "properties": {f"p{floor}": leaf}, "required": [f"p{floor}"]}]}
    return json.loads(json.dumps(leaf))  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/x", "https://example.com/x#/a", "file:///etc/passwd", "other"])
@pytest.mark.parametrize("dialect", ["draft-07", "2020-12"])
def test_a_reference_outside_is_never_followed(target: str, dialect: str) -> None:
    result = compare_schemas({"$ref": target}, {"type": "null"}, dialect=dialect)
    assert (result.verdict, result.witness) == ("unknown", None)
    assert "leads outside" in (result.reason or "")


def test_a_reference_to_nothing_is_said() -> None:
    assert "leads to nothing" in (compare_schemas({"$ref": "#/$defs/gone"}, {"type": "null"}).reason or "")


def test_a_circle_on_one_value_is_unknown() -> None:
    circle = {"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/x"}]}}}
    for old, new in ((circle, {"type": "string"}), ({"type": "string"}, circle), ({"not": circle}, circle)):
        result = compare_schemas(old, new)
        assert result.verdict == "unknown"
    assert compare_schemas(circle, {"type": "string"}).reason == "a reference leads back to itself"


def test_a_circle_that_is_unchanged_is_compatible() -> None:
    circle = {"$ref": "#"}
    assert compare_schemas(circle, dict(circle)).verdict == "compatible"


@pytest.mark.parametrize("depth", [60, 200, 5000])
def test_deep_schemas_are_bounded(depth: int) -> None:
    result = compare_schemas(nested(depth, {"type": "string"}), nested(depth, {"type": "null"}))
    assert result.verdict == "unknown"
    assert "deeper" in (result.reason or "")


def test_large_schemas_are_bounded() -> None:
    many = {"enum": list(range(60_000))}
    assert compare_schemas(many, {"enum": [0]}).verdict == "unknown"


def test_a_long_chain_of_references_does_not_recurse() -> None:
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(3000)} | {"d3000": {"type": "string"}}
    assert (
        compare_schemas({"$ref": "#/$defs/d0", "$defs": chain}, {"type": "string"}, seconds=5).verdict == "compatible"
    )
    # Python's validator recurses along such a chain, so no witness can be confirmed.
    assert compare_schemas({"$ref": "#/$defs/d0", "$defs": chain}, {"type": "null"}, seconds=5).verdict == "unknown"


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_towers_of_combinators_do_not_explode(keyword: str) -> None:
    result = compare_schemas(
        tower(keyword, 8, {"type": "string"}), tower(keyword, 8, {"type": "string", "minLength": 1})
    )
    assert result.verdict in ("compatible", "breaking", "unknown")


def test_a_ladder_of_doubling_references_is_decided() -> None:
    ladder: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    ladder["d40"] = {"type": "string"}
    schema = {"$ref": "#/$defs/d0", "$defs": ladder}
    assert compare_schemas(schema, {"type": ["string", "null"]}).verdict == "compatible"


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "(.*a){25}", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*\\1b"])
def test_patterns_that_backtrack_for_ever_are_bounded(pattern: str) -> None:
    hostile = {"type": "string", "pattern": pattern, "minLength": 40}
    for old, new in ((hostile, {"maxLength": 3}), ({"type": "string", "minLength": 40}, hostile)):
        assert compare_schemas(old, new).verdict in ("compatible", "breaking", "unknown")


def test_time_is_bounded_by_the_clock_that_is_given() -> None:
    ticks = iter(range(10_000_000))
    hard = {
        "allOf": [{"oneOf": [{"required": [f"{letter}{n}"]} for letter in "abc"]} for n in range(14)],
        "type": "object",
    }
    result = compare_schemas(hard, {"minProperties": 14}, seconds=50, clock=lambda: float(next(ticks)))
    assert (result.verdict, result.reason) == ("unknown", "the comparison costs more than it may")


def test_what_grows_with_pairs_is_counted() -> None:
    """The steps end these, where the clock stands still: pairs of alternatives, and a chain of choices."""
    union = {"oneOf": [{"type": "object", "required": [f"p{n}"]} for n in range(900)]}
    needs = {"dependentRequired": {f"p{n}": [f"p{n + 1}"] for n in range(1500)}, "required": ["p0"], "type": "object"}
    for old, new in ((union, {"minProperties": 1}), (needs, {"required": ["p1500"]})):
        result = compare_schemas(old, new, clock=lambda: 0.0)
        assert (result.verdict, result.reason) == ("unknown", "the comparison costs more than it may")


def test_a_wide_union_told_apart_by_a_constant_is_no_matter_of_pairs() -> None:
    def union(kind: Any) -> Any:
        ways = [{"properties": {"k": {"const": n}, "v": kind}, "required": ["k"], "type": "object"} for n in range(700)]
        return {"oneOf": ways}

    assert compare_schemas(union({"type": "null"}), {"type": "object"}, seconds=5).verdict == "compatible"
    assert compare_schemas({"oneOf": [{"const": n} for n in range(900)]}, {"maximum": 899}, seconds=5).verdict == (
        "compatible"
    )


def test_words_for_patterns_that_are_given_up_are_sought_within_the_time() -> None:
    letters = {"^\\p{L}+$": {"type": "array"}, "\\bfoo\\b": {"maximum": 1000}, "^\\p{Lu}": {"minItems": 1}}
    old = {"type": "object", "patternProperties": letters, "additionalProperties": False, "minProperties": 2}
    new = {**old, "patternProperties": {**letters, "\\bfoo\\b": {"maximum": 1.5}}}
    compare_schemas(old, new)
    start = time.thread_time()
    compare_schemas(old, new)
    assert time.thread_time() - start < 1  # what is allowed is 0.2 seconds


@pytest.mark.parametrize(
    "schema",
    [{"type": "strin"}, {"minimum": "1"}, {"properties": []}, {"required": "a"}, {"pattern": 1}, 7, None, [], "x"],
)
def test_what_is_no_schema_is_unknown(schema: Any) -> None:
    for old, new in ((schema, {"type": "null"}), ({"type": "null"}, schema)):
        result = compare_schemas(old, new)
        assert result.verdict == "unknown"
        assert result.reason


LATER = (
    *("const", "contains", "propertyNames", "if", "then", "prefixItems", "dependentSchemas", "minContains"),
    *("$anchor", "$dynamicRef", "$recursiveRef", "unevaluatedItems", "$defs", "$id"),
)


@pytest.mark.parametrize("keyword", LATER)
def test_keywords_of_later_dialects_may_hold_anything(keyword: str) -> None:
    for value in (None, 1, "#nowhere", "http://[::1", [], [1], {"a": 1}, {"format": []}, {"$ref": "#/gone"}):
        old: dict[str, Any] = {"type": "string", keyword: value}
        assert compare_schemas(old, {"type": "string"}, dialect="draft-04").verdict == "compatible"
        assert compare_schemas(old, {"type": "object", keyword: value}, dialect="draft-04").verdict == "breaking"


def test_an_identifier_that_can_not_be_read() -> None:
    assert compare_schemas({"$id": "http://[::1", "type": "null"}, {"type": "string"}).verdict in (
        "unknown",
        "breaking",
    )


def test_text_that_is_no_unicode() -> None:
    """JSON can spell half a surrogate pair; no second validator can read it."""
    old = {"properties": {"\ud800": {"type": "null"}}, "required": ["\ud800"], "type": "object"}
    assert compare_schemas(old, {"type": "object"}).verdict in ("compatible", "unknown")
    assert compare_schemas({"const": "\ud800"}, {"const": "\udfff"}).verdict == "unknown"


def test_an_unknown_dialect_is_said() -> None:
    assert "dialect" in (compare_schemas({"$schema": "https://example.com/mine"}, {}).reason or "")
    with pytest.raises(UsageError):
        compare_schemas({}, {}, dialect="draft-3")
    with pytest.raises(UsageError):
        compare_schemas({}, {}, direction="sideways")  # type: ignore[arg-type]


def test_keys_and_texts_that_look_like_something_else() -> None:
    old = {"properties": {"$ref": {"type": "string"}, "properties": {"const": 1}, "enum": {"type": "integer"}}}
    new = {"properties": {"$ref": {"type": "string"}, "properties": {"const": 1}, "enum": {"type": "number"}}}
    assert compare_schemas(old, new).verdict == "compatible"
    assert compare_schemas(new, old).verdict == "breaking"
    assert compare_schemas({"const": {"$ref": "#/nowhere"}}, {"type": "object"}).verdict == "compatible"
