"""Whatever Python hands over as a value: JSON or not, a check says so and never fails, and never repeats it."""

from __future__ import annotations

import collections
import enum
import json
import math
import random
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts import compile_schema
from contractd.contracts.validation.values import MAX_DEPTH, shape_of

ANY = compile_schema({})
OPEN = compile_schema({"type": "object", "properties": {"a": {"type": ["string", "array", "integer", "object"]}}})


class Text(str):
    pass


class Word(enum.StrEnum):
    A = "a"


class Number(enum.IntEnum):
    ONE = 1


class Mapping(dict[str, Any]):
    pass


def deep(depth: int, leaf: Any = None) -> Any:
    for _ in range(depth):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"a": math.nan}, "/a"),
        ({"a": [1, math.inf]}, "/a/1"),
        ({"a": b"x"}, "/a"),
        ({"a": {1, 2}}, "/a"),
        ({"a": Decimal("1.5")}, "/a"),
        ({"a": object()}, "/a"),
        ({"a": (x for x in ())}, "/a"),
        ({"a": {1: 2}}, "/a"),
        ({None: 2}, ""),
    ],
)
def test_what_is_no_json_is_invalid_whatever_the_schema(value: Any, pointer: str) -> None:
    for checked in (ANY, OPEN, compile_schema(True)):
        found = checked.check(value)
        assert found.status == "invalid"
        assert [(problem.pointer, problem.keyword) for problem in found.problems] == [(pointer, "json")]


@pytest.mark.parametrize("value", [(1, 2), Text("x"), Word.A, Number.ONE, Mapping(a=1), collections.OrderedDict(b=2)])
def test_what_json_writes_as_json_is_taken_as_that(value: Any) -> None:
    for schema in ({"type": "array"}, {"type": "string"}, {"type": "integer"}, {"type": "object"}, {"const": "a"}):
        checked = compile_schema({"properties": {"a": schema}})
        assert checked.check({"a": value}) == checked.check({"a": json.loads(json.dumps(value))})


def test_circles_and_depth_end() -> None:
    around: list[Any] = []
    around.append(around)
    loop: dict[str, Any] = {}
    loop["a"] = loop
    for value in (around, loop, deep(100_000), deep(MAX_DEPTH + 1)):
        found = ANY.check(value)
        assert found.status == "unknown" and "nested deeper than" in (found.reason or "")
    assert ANY.check(deep(MAX_DEPTH - 1)).status == "valid"
    assert compile_schema({"items": {"$ref": "#"}, "type": "array"}).check(deep(90, [])).status == "valid"


def test_a_thread_with_little_stack_survives_what_is_let_through() -> None:
    again = {"anyOf": [{"allOf": [{"$ref": "#"}]}, {"type": "string"}]}
    program = f"""
import threading
from contractd.contracts import compile_schema

def main():
    checked = compile_schema({{"type": "array", "items": {again!r}}})
    for depth in range(1, 125):
        value = 1
        for _ in range(depth):
            value = [value]
        checked.check(value)
    print("alive")

threading.stack_size(128 * 1024)  # what musl gives a thread
thread = threading.Thread(target=main)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr[-500:]


def test_a_deep_value_is_refused_as_far_as_a_second_validator_can_be_asked() -> None:
    checked = compile_schema({"items": {"$ref": "#"}, "type": "array"})
    assert checked.check(deep(20, 1)).status == "invalid"
    found = checked.check(deep(80, 1))
    assert found.status == "unknown" and "second validator" in (found.reason or "")
    assert [problem.keyword for problem in found.problems] == ["type"]


def test_size_is_bounded_even_where_parts_are_shared() -> None:
    laughs: Any = ["ha"]
    for _ in range(60):
        laughs = [laughs, laughs]
    for value in (laughs, [0] * 300_000, {"a": "x" * 20_000_000}, dict.fromkeys(map(str, range(300_000)), "")):
        assert ANY.check(value).status == "unknown"


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}, 10**400, {"a": -(10**5_000)}])
def test_what_no_validator_reads_is_unknown(value: Any) -> None:
    assert ANY.check(value).status == "unknown"
    assert ANY.check("fine").status == "valid"


def test_wide_numbers_are_numbers() -> None:
    checked = compile_schema({"type": "integer", "maximum": 2**70})
    assert checked.check(2**69).status == "valid"
    assert checked.check(2**71).status == "invalid"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.tuples(inner)
    ),
    max_leaves=12,
)


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_no_value_makes_a_check_fail(value: Any) -> None:
    shape_of(value)
    for checked in (ANY, OPEN):
        assert checked.check(value).status in ("valid", "invalid", "unknown")


MARK = "tok_SECRET"
RULES: list[Any] = [
    {"type": "integer"},
    {"type": ["integer", "null"]},
    {"enum": [1, 2, "three"]},
    {"const": {"a": 1}},
    {"maxLength": 3},
    {"minLength": 99},
    {"pattern": "^[0-9]+$"},
    {"pattern": "^(?=[0-9])"},
    {"format": "date", "maxLength": 2},
    {"not": {"type": "string"}},
    {"anyOf": [{"type": "integer"}, {"maxLength": 2}]},
    {"oneOf": [{"type": "string"}, {"minLength": 1}]},
    {"items": {"type": "integer"}},
    {"items": False},
    {"maxItems": 0},
    {"uniqueItems": True},
    {"contains": {"type": "integer"}},
    {"prefixItems": [{"type": "integer"}], "unevaluatedItems": False},
    {"properties": {"k": {"type": "integer"}}},
    {"additionalProperties": {"type": "integer"}},
    {"unevaluatedProperties": {"type": "integer"}},
    {"dependentSchemas": {"k": {"properties": {"k": {"const": 1}}}}},
    {"if": {"type": "string"}, "then": {"maxLength": 1}},
    {"maxProperties": 0},
    {"pattern": r"\Anever\Z"},
    False,
]
VALUES = st.recursive(
    st.just(MARK) | st.text(max_size=4).map(lambda text: text + MARK) | st.just(MARK * 50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("kab"), inner, max_size=3),
    max_leaves=6,
)


def tower(rule: Any) -> Any:
    shapes = [
        {"properties": {"k": rule, "a": rule}},
        {"items": rule},
        {"anyOf": [rule, {"type": "integer"}]},
        {"allOf": [rule]},
        rule,
    ]
    return random.Random(str(rule)).choice(shapes)


@given(st.sampled_from(RULES), st.booleans(), VALUES)
@settings(max_examples=600, deadline=None)
def test_the_value_stands_in_no_message(rule: Any, inside: bool, value: Any) -> None:
    found = compile_schema(tower(rule) if inside else rule).check(value)
    assert MARK not in repr(found)
    assert (found.status == "valid") <= (not found.problems)
    assert found.status != "invalid" or found.problems
