"""Pairs that defeat comparing keyword by keyword: counting, recursion, overlapping keys, and constraints that meet."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from contractd.contracts import compare_schemas
from tests.contracts.compat.schemas import judge, proves


def linked(value: Any, *, ends: bool = True) -> dict[str, Any]:
    """A list of objects; without an end there is none."""
    node = {
        "type": "object",
        "properties": {"value": value, "next": {"$ref": "#/$defs/node"}},
        "required": ["value"] if ends else ["value", "next"],
        "additionalProperties": False,
    }
    return {"$ref": "#/$defs/node", "$defs": {"node": node}}


def chain(*kinds: str) -> dict[str, Any]:
    """``{"n": {"n": null}}``; each kind is followed by the next, the last by the first, and null ends at ``end``."""
    definitions = {}
    for index, kind in enumerate(kinds):
        after = {"$ref": f"#/$defs/k{(index + 1) % len(kinds)}"}
        more = {"type": "object", "properties": {"n": after}, "required": ["n"], "additionalProperties": False}
        definitions[f"k{index}"] = {"anyOf": [{"type": "null"}, more]} if kind == "end" else more
    return {"$ref": "#/$defs/k0", "$defs": definitions}


def choices(count: int) -> list[dict[str, Any]]:
    return [{"type": "object", "properties": {"k": {"const": n}}, "required": ["k"]} for n in range(count)]


def different(least: int, items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True, "minItems": least}


OBJECT = {"type": "object"}
THREE = {"enum": [1, 2, 3]}
SAFE: list[tuple[Any, Any]] = [
    # recursion
    (linked({"type": "integer"}), linked({"type": "number"})),
    (linked({}, ends=False), {"not": {}}),
    (chain("end", "more"), chain("end")),
    (chain("end", "end", "end"), chain("end")),
    (chain("end"), chain("end", "end")),
    (
        {"properties": {"a": {"$ref": "#"}}, "additionalProperties": False, "type": "object"},
        {"properties": {"a": {"properties": {"a": {"type": "object"}}}}, "maxProperties": 1},
    ),
    # counting
    (different(3, {"type": "boolean"}), False),
    (different(3, THREE), {"contains": {"const": 2}}),
    (
        {
            "prefixItems": [{"enum": [1, 2]}, {"enum": [1, 2]}, THREE],
            "minItems": 3,
            "uniqueItems": True,
            "type": "array",
        },
        {"prefixItems": [True, True, {"const": 3}]},
    ),
    (
        different(
            0,
            {
                "type": "object",
                "properties": {"a": {"type": "boolean"}},
                "required": ["a"],
                "additionalProperties": False,
            },
        ),
        {"maxItems": 2},
    ),
    (different(0, {"type": "string", "pattern": "^[ab]{0,2}$"}), {"maxItems": 7}),
    ({**OBJECT, "propertyNames": {"pattern": "^[ab]$"}, "minProperties": 2}, {"required": ["a", "b"]}),
    (
        {**OBJECT, "properties": {"a": {}, "b": {}}, "additionalProperties": False, "minProperties": 2},
        {"required": ["a", "b"]},
    ),
    ({**OBJECT, "maxProperties": 1, "required": ["a"]}, {"properties": {"a": {}}, "additionalProperties": False}),
    (
        {
            "type": "array",
            "contains": {"type": "string"},
            "maxContains": 3,
            "items": {"type": ["string", "null"]},
            "minItems": 5,
        },
        {"contains": {"type": "null"}, "minContains": 2},
    ),
    ({"type": "array", "items": {"type": "boolean"}, "maxItems": 1}, {"enum": [[], [True], [False]]}),
    # keys that meet
    (
        {"patternProperties": {"^a": {"type": "integer"}, "b$": {"type": "string"}}},
        {"propertyNames": {"not": {"pattern": "^ab$"}}},
    ),
    (
        {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
        {"patternProperties": {"^ab": {"type": "number"}}},
    ),
    ({"patternProperties": {"^x": False}, "propertyNames": {"pattern": "^x"}}, {"maxProperties": 0}),
    (
        {"properties": {"ab": {"minimum": 5}}, "patternProperties": {"^a": {"type": "integer", "maximum": 4}}},
        {"properties": {"ab": False}},
    ),
    (
        {"additionalProperties": {"type": "null"}, "properties": {"a": {"type": "integer"}}},
        {"propertyNames": True, "additionalProperties": {"type": ["null", "integer"]}},
    ),
    (
        {"patternProperties": {f"p{n}": {"type": "integer"} for n in range(14)}},
        {"patternProperties": {f"p{n}": {"type": "number"} for n in range(14)}},
    ),
    # numbers that meet
    ({"type": "integer"}, {"oneOf": [{"multipleOf": 2}, {"not": {"multipleOf": 2}}]}),
    ({"type": "integer"}, {"oneOf": [{"minimum": 3}, {"maximum": 2}]}),
    ({"type": "number", "multipleOf": 0.1}, {"multipleOf": 0.05}),
    ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 2}, {"const": 1}),
    ({"type": "integer", "minimum": 0, "maximum": 300}, {"enum": list(range(301))}),
    (
        {"type": "integer", "maximum": 10**7, "not": {"anyOf": [{"multipleOf": 2}, {"multipleOf": 5}]}},
        {"not": {"multipleOf": 10}},
    ),
    # strings that meet
    ({"type": "string", "pattern": "^[ab]$"}, {"enum": ["a", "b"]}),
    ({"type": "string", "minLength": 3, "maxLength": 3, "pattern": "^a*$"}, {"const": "aaa"}),
    ({"type": "string", "pattern": "(a)\\1", "minLength": 3}, {"pattern": "(a)\\1"}),  # not regular, yet plainly so
    ({"type": "string", "pattern": "^(?=.*\\d)[a-z\\d]+$"}, {"not": {"pattern": "^[a-z]*$"}}),
    # combinators
    ({"oneOf": choices(30)}, {"oneOf": choices(31)}),
    ({"oneOf": choices(30)}, {"anyOf": choices(30)}),
    ({"anyOf": choices(30)}, {"oneOf": choices(30)}),
    (
        {"allOf": [{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"minProperties": 1}]},
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    ),
    (
        {"not": {"allOf": [{"not": {"type": "string"}}, {"not": {"minimum": 3, "type": "number"}}]}},
        {"anyOf": [{"type": "string"}, {"type": "number", "exclusiveMinimum": 2}]},
    ),
    # references
    ({"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "integer"}}}, {"type": "number"}),
    ({"$id": "https://e.example/x", "$ref": "y", "$defs": {"q": {"$id": "y", "type": "null"}}}, {"type": "null"}),
    ({"$ref": "#/$defs/a%20b", "$defs": {"a b": {"type": "null"}}}, {"type": "null"}),
    ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, {"type": "null"}),
    ({"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "integer"}}}, {"type": "number"}),
]
BREAKING: list[tuple[Any, Any]] = [
    (linked({"type": "number"}), linked({"type": "integer"})),
    (chain("end"), chain("end", "more")),
    (different(2, THREE), {"contains": {"const": 2}}),
    (different(0, {"type": "string", "pattern": "^[ab]{0,2}$"}), {"maxItems": 6}),
    ({**OBJECT, "propertyNames": {"pattern": "^[abc]$"}, "minProperties": 2}, {"required": ["a", "b"]}),
    (
        {"patternProperties": {"^a": {"type": "integer"}, "b$": {"type": "string"}}},
        {"propertyNames": {"not": {"pattern": "^a"}}},
    ),
    ({"type": "number"}, {"oneOf": [{"minimum": 3}, {"maximum": 2}]}),
    ({"type": "number", "multipleOf": 0.05}, {"multipleOf": 0.1}),
    ({"type": "number", "minimum": 2}, {"multipleOf": 0.001}),
    ({"oneOf": choices(31)}, {"oneOf": choices(30)}),
    ({"type": "integer", "minimum": 0, "maximum": 300}, {"enum": list(range(300))}),
    ({"type": "string"}, {"pattern": "(a)\\1"}),
    ({"type": "string", "minLength": 40_000}, {"minLength": 40_001}),
    ({"type": "array", "minItems": 900}, {"minItems": 901}),
    ({"type": "array", "uniqueItems": True, "minItems": 60}, {"minItems": 61}),
    (
        {"patternProperties": {f"p{n}": {"type": "number"} for n in range(14)}},
        {"patternProperties": {f"p{n}": {"type": "integer" if n == 9 else "number"} for n in range(14)}},
    ),
    ({"type": "object", "minProperties": 200}, {"minProperties": 201}),
    ({}, {"type": ["null", "boolean", "integer", "string", "array", "object"]}),
    ({"type": "array"}, {"uniqueItems": True}),
    ({"type": "array", "minItems": 2, "items": THREE}, {"uniqueItems": True}),
    ({"maximum": 9007199254740993}, {"maximum": 9007199254740992}),
]


@pytest.mark.parametrize(("old", "new"), SAFE)
def test_a_proof_is_found(old: Any, new: Any) -> None:
    result = compare_schemas(old, new, seconds=5)
    assert (result.verdict, result.reason) == ("compatible", None)


@pytest.mark.parametrize(("old", "new"), BREAKING)
def test_a_witness_is_found(old: Any, new: Any) -> None:
    result = compare_schemas(old, new, seconds=5)
    assert result.verdict == "breaking", result.reason
    assert result.witness
    assert proves(judge(old, "2020-12"), judge(new, "2020-12"), result.witness.value)


@pytest.mark.parametrize(
    ("old", "new", "smallest"),
    [
        ({"type": "string"}, {"type": "integer"}, ""),
        ({"type": "string", "minLength": 3}, {"pattern": "z"}, "aaa"),
        ({"type": "object", "required": ["id"]}, {"required": ["id", "name"]}, {"id": 0}),
        ({"items": {"type": "integer"}, "type": "array"}, {"items": {"type": "string"}}, [0]),
        ({"type": "integer"}, {"type": "integer", "maximum": 99}, 100),
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}}, {"properties": {"b": {"type": "null"}}},
         {"b": False}),
        ({"type": "string", "format": "date"}, {"type": "null"}, "2000-01-01"),
    ],
)  # fmt: skip
def test_the_witness_is_small_and_always_the_same(old: Any, new: Any, smallest: Any) -> None:
    found = [compare_schemas(old, new, seconds=5).witness for _ in range(2)]
    assert [witness and witness.value for witness in found] == [smallest, smallest]


def test_nothing_can_be_left_out_of_a_witness() -> None:
    old = {"type": "object", "properties": {name: {"type": "string"} for name in "abcdef"}, "required": list("abc")}
    new = json.loads(json.dumps(old))
    new["properties"]["e"] = {"type": "string", "maxLength": 2}
    witness = compare_schemas(old, new).witness
    assert witness
    assert sorted(witness.value) == ["a", "b", "c", "e"]
    before, after = judge(old, "2020-12"), judge(new, "2020-12")
    for name in witness.value:
        rest = {key: value for key, value in witness.value.items() if key != name}
        assert not proves(before, after, rest)


def test_each_schema_is_read_in_its_own_dialect() -> None:
    older = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 10, "exclusiveMinimum": True}
    newer = {"$schema": "http://json-schema.org/draft-07/schema#", "exclusiveMinimum": 10}
    assert compare_schemas(older, newer).verdict == "compatible"
    assert compare_schemas(older, newer, "results").verdict == "compatible"
    assert compare_schemas(older, newer, dialect="draft-07").verdict == "compatible"  # it has no meaning in draft-07
    integers = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "integer"}
    strict = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}
    result = compare_schemas(integers, strict)
    assert result.verdict == "breaking"
    assert result.witness
    assert isinstance(result.witness.value, float)  # an integer with a point, which only draft-04 refuses


INTEGER, POINTED = {"type": "integer"}, {"type": "number", "not": {"type": "integer"}}


@pytest.mark.parametrize(
    "items",
    [
        [INTEGER, POINTED],
        [{"type": "array", "items": [kind], "minItems": 1, "maxItems": 1} for kind in (INTEGER, POINTED)],
        [{"type": "object", "properties": {"a": kind}, "required": ["a"]} for kind in (INTEGER, POINTED)],
    ],
)
def test_equal_numbers_that_draft_04_tells_apart(items: list[Any]) -> None:
    """1 is an integer there and 1.0 is none, yet ``[1, 1.0]`` are no different items."""
    old = {"type": "array", "items": items, "minItems": 2, "maxItems": 2}
    assert compare_schemas(old, {"uniqueItems": True}, dialect="draft-04").verdict in ("breaking", "unknown")
    assert compare_schemas(old, {"uniqueItems": True}, dialect="draft-06").verdict == "compatible"


def test_a_draft_04_array_of_two_alike() -> None:
    old = {"type": "array", "items": [{"type": "string"}, {"type": "null"}], "maxItems": 2}
    assert compare_schemas(old, {"uniqueItems": True}, dialect="draft-04").verdict == "compatible"
    for numbers in ([{"enum": [1, "a"]}, {"enum": [0]}], [{"minimum": 3}, {"maximum": 2}]):
        apart = {"type": "array", "items": [{"type": ["number", "string"], **each} for each in numbers], "maxItems": 2}
        apart["items"][1]["type"] = "number"  # type: ignore[index]
        assert compare_schemas(apart, {"uniqueItems": True}, dialect="draft-04").verdict == "compatible"
    old["items"][1] = {"type": ["null", "string"]}  # type: ignore[index]
    assert compare_schemas(old, {"uniqueItems": True}, dialect="draft-04").verdict == "breaking"


@pytest.mark.parametrize("place", ["value", "member", "key"])
@pytest.mark.parametrize(("length", "pattern"), [(0, "^.*$"), (0, "^.{0,255}$"), (1, "^.+$"), (3, "^.*$")])
def test_the_end_of_a_line_where_engines_agree_on_it(place: str, length: int, pattern: str) -> None:
    """``.`` leaves out ends of lines, which engines read differently at the end of a text only."""
    old, new = {"type": "string", "minLength": length}, {"type": "string", "pattern": pattern}
    if place == "member":
        old, new = {"properties": {"a": old}}, {"properties": {"a": new}}
    elif place == "key":
        old, new = {"propertyNames": old}, {"propertyNames": new}
    result = compare_schemas(old, new)
    assert result.verdict == "breaking"
    assert result.witness
    assert proves(judge(old, "2020-12"), judge(new, "2020-12"), result.witness.value)


def test_numbers_beyond_64_bits() -> None:
    """Older versions of jsonschema-rs can't read them: then the answer is unknown, and never a wrong one."""
    assert compare_schemas({"maximum": 10**30}, {"maximum": 10**31}).verdict in ("compatible", "unknown")
    assert compare_schemas({"maximum": 10**31}, {"maximum": 10**30}).verdict in ("breaking", "unknown")


@pytest.mark.parametrize("keyword", ["$id", "id"])
def test_references_of_older_drafts(keyword: str) -> None:
    dialect = "draft-04" if keyword == "id" else "draft-06"
    named = {"definitions": {"x": {keyword: "#here", "type": "null"}}, "properties": {"a": {"$ref": "#here"}}}
    assert compare_schemas(named, {"properties": {"a": {"type": "null"}}}, dialect=dialect).verdict == "compatible"
    lone = {"definitions": {"x": {"type": "null"}}, "$ref": "#/definitions/x", "type": "string"}
    assert compare_schemas(lone, {"type": "null"}, dialect=dialect).verdict == "compatible"  # its siblings are ignored
    assert compare_schemas({"type": "null"}, lone, dialect=dialect).verdict == "compatible"


@pytest.mark.parametrize("dialect", ["draft-04", "draft-06", "draft-07"])
def test_the_metaschema_is_at_hand(dialect: str) -> None:
    """A tool that takes a schema as an argument may say so; nothing is fetched for it."""
    old = {"properties": {"schema": {"$ref": f"http://json-schema.org/{dialect}/schema#"}}, "type": "object"}
    assert compare_schemas(old, {"type": "object"}, dialect=dialect).verdict == "compatible"
    result = compare_schemas({"type": "object", "properties": {"schema": {"type": "object"}}}, old, dialect=dialect)
    assert result.verdict == "breaking"


def test_one_name_for_two_things_is_unknown() -> None:
    twice = {"$ref": "#x", "$defs": {"a": {"$anchor": "x", "type": "null"}, "b": {"$anchor": "x", "type": "string"}}}
    assert compare_schemas(twice, {"type": "null"}).reason == "two parts of the schema have one anchor"


def test_a_reference_that_depends_on_the_way_to_it_is_unknown() -> None:
    """2020-12 core 8.2.3.2: the outermost resource with the anchor is meant, here the one that extends the other."""
    node = {"$id": "https://e.example/node", "$dynamicAnchor": "n", "properties": {"next": {"$dynamicRef": "#n"}}}
    extended = {"$id": "https://e.example/x", "$dynamicAnchor": "n", "$ref": "node", "maxProperties": 1}
    result = compare_schemas({**extended, "$defs": {"node": node}}, {"type": "null"})
    assert (result.verdict, result.reason) == ("unknown", "a $dynamicRef that depends on the way to it")


def test_two_readings_of_a_removed_keyword_are_both_kept_in_mind() -> None:
    """``dependencies`` is gone since 2019-09, but jsonschema-rs still applies it."""
    old = {"type": "object", "dependencies": {"a": ["b"]}}
    assert compare_schemas(old, {"type": "object"}).verdict == "compatible"
    assert compare_schemas(old, {"type": "object", "dependentRequired": {"a": ["b"]}}).verdict == "unknown"
    assert compare_schemas({**old, "minProperties": 1}, old).verdict == "compatible"


def test_a_usual_pair_is_decided_at_once() -> None:
    properties = {f"p{n}": {"type": "string", "maxLength": 100, "description": "x" * 50} for n in range(20)}
    old = {"type": "object", "properties": properties, "required": ["p1", "p2"], "additionalProperties": False}
    new = json.loads(json.dumps(old))
    new["properties"]["p3"]["maxLength"] = 200
    compare_schemas(old, new)
    start = time.process_time()
    assert compare_schemas(old, new).verdict == "compatible"
    assert time.process_time() - start < 2  # some milliseconds; more would mean that it was searched for
