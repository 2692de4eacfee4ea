"""Each keyword in each dialect that has it: one pair of schemas, judged in both directions.

``<`` reads: the left schema accepts less, so left to right is compatible for arguments and back is breaking. ``=``:
both accept the same. ``/``: each accepts something that the other refuses.
"""

from __future__ import annotations

from typing import Any

import pytest

from contractd.contracts import compare_schemas
from tests.contracts.compat.schemas import judge, proves

ALL = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
FROM_6, FROM_7, FROM_19 = ALL[1:], ALL[2:], ALL[3:]
OLD, NEW = ALL[:4], ALL[4:]

A = {"required": ["a"], "type": "object"}

CASES: list[tuple[tuple[str, ...], Any, str, Any]] = [
    # types
    (ALL, {"type": "integer"}, "<", {"type": "number"}),
    (ALL, {"type": "string"}, "<", {"type": ["string", "null"]}),
    (ALL, {"type": "string"}, "/", {"type": "integer"}),
    (ALL, {"type": ["null", "boolean", "number", "string", "array", "object"]}, "=", {}),
    (ALL, {"type": ["integer", "number"]}, "=", {"type": "number"}),
    (ALL[1:], {"type": "number", "multipleOf": 1}, "=", {"type": "integer"}),
    (ALL[:1], {"type": "integer"}, "<", {"type": "number", "multipleOf": 1}),  # 1.0 is no draft-04 integer
    (ALL[:1], {"enum": [1]}, "/", {"type": "integer"}),
    (ALL[1:], {"enum": [1]}, "<", {"type": "integer"}),
    (FROM_6, False, "<", {"type": "null"}),
    (FROM_6, {"type": "null"}, "<", True),
    # enumerations
    (ALL, {"enum": ["a"]}, "<", {"enum": ["a", "b"]}),
    (ALL, {"enum": [1]}, "=", {"enum": [1.0]}),
    (ALL, {"enum": [1]}, "/", {"enum": [True]}),
    (ALL, {"enum": [[1, {"a": 0}]]}, "=", {"enum": [[1.0, {"a": 0.0}]]}),
    (ALL, {"enum": [[0]]}, "/", {"enum": [[False]]}),
    (ALL, {"enum": [True, False]}, "=", {"type": "boolean"}),
    (FROM_6, {"const": {"a": 1}}, "<", {"type": "object", "required": ["a"]}),
    (FROM_6, {"const": "a"}, "=", {"enum": ["a"]}),
    (ALL[:1], {"type": "string", "const": "a"}, "=", {"type": "string"}),  # const is unknown to draft-04
    # numbers
    (ALL, {"minimum": 2}, "<", {"minimum": 1}),
    (ALL, {"type": "integer", "minimum": 1, "maximum": 1}, "=", {"enum": [1], "type": "integer"}),
    (FROM_6, {"exclusiveMinimum": 1}, "<", {"minimum": 1}),
    (FROM_6, {"type": "integer", "exclusiveMinimum": 0}, "=", {"type": "integer", "minimum": 1}),
    (FROM_6, {"type": "number", "exclusiveMinimum": 0}, "/", {"type": "number", "maximum": 5}),
    (ALL[:1], {"minimum": 1, "exclusiveMinimum": True}, "<", {"minimum": 1}),
    (ALL[:1], {"minimum": 1, "exclusiveMinimum": False}, "=", {"minimum": 1}),
    (ALL, {"multipleOf": 6}, "<", {"multipleOf": 3}),
    (ALL, {"allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, "=", {"multipleOf": 6}),
    (ALL, {"multipleOf": 0.5, "type": "number"}, "<", {"multipleOf": 0.25}),
    (ALL, {"type": "integer"}, "<", {"multipleOf": 0.1}),
    (ALL, {"type": "number", "maximum": 10**18}, "<", {"maximum": 10**18 + 1}),
    (ALL, {"maximum": 9007199254740992}, "<", {"maximum": 9007199254740993}),
    # strings
    (ALL, {"minLength": 2}, "<", {"minLength": 1}),
    (ALL, {"maxLength": 1}, "<", {"maxLength": 2}),
    (ALL, {"type": "string", "maxLength": 0}, "=", {"enum": [""]}),
    (ALL, {"pattern": "^ab"}, "<", {"pattern": "^a"}),
    (ALL, {"pattern": "^a{3}$"}, "<", {"minLength": 3, "maxLength": 3}),
    (ALL, {"type": "string", "pattern": "^(a|b)$"}, "=", {"enum": ["a", "b"]}),
    (ALL, {"pattern": "^(?:ab)*$"}, "/", {"pattern": "^a*$"}),
    (ALL, {"pattern": "^[ab]+$", "maxLength": 2}, "<", {"pattern": "^.{1,2}$"}),
    (ALL, {"enum": ["\U0001f600"]}, "<", {"maxLength": 1}),  # lengths are in code points
    (ALL, {"format": "email"}, "=", {}),
    (ALL, {"contentEncoding": "base64", "contentMediaType": "application/json"}, "=", {}),
    # arrays
    (ALL, {"items": {"type": "integer"}}, "<", {"items": {"type": "number"}}),
    (ALL, {"type": "array", "maxItems": 0}, "<", {"items": {"type": "string"}}),
    (ALL, {"minItems": 2}, "<", {"minItems": 1}),
    (ALL, {"uniqueItems": True}, "<", {}),
    (ALL, {"maxItems": 1}, "<", {"uniqueItems": True}),
    (ALL, {"uniqueItems": True, "items": {"type": "boolean"}}, "<", {"maxItems": 2}),
    (OLD, {"items": [{"type": "string"}]}, "=", {"items": [{"type": "string"}], "additionalItems": {}}),
    (OLD, {"items": [{}], "additionalItems": False}, "=", {"maxItems": 1}),
    (ALL, {}, "=", {"title": "x", "default": 0, "x-own": {"type": "null"}}),
    (OLD, {"items": {}, "additionalItems": False}, "=", {}),
    (OLD, {"items": [{"type": "null"}], "additionalItems": {"type": "null"}}, "=", {"items": {"type": "null"}}),
    (NEW, {"prefixItems": [{"type": "null"}], "items": {"type": "null"}}, "=", {"items": {"type": "null"}}),
    (NEW, {"prefixItems": [True, True], "items": False}, "=", {"maxItems": 2}),
    (OLD[1:], {"prefixItems": [False]}, "=", {}),
    (FROM_6, {"contains": {"type": "integer"}}, "<", {"contains": {"type": "number"}}),
    (FROM_6, {"type": "array", "contains": True}, "=", {"type": "array", "minItems": 1}),
    (FROM_6, {"items": {"type": "null"}, "contains": {"type": "string"}}, "=", {"not": {"type": "array"}}),
    (FROM_19, {"contains": True, "minContains": 2}, "=", {"minItems": 2}),
    (FROM_19, {"contains": {}, "maxContains": 1, "minContains": 0}, "=", {"maxItems": 1}),
    (FROM_19, {"contains": {"type": "null"}, "minContains": 0}, "=", {}),
    (FROM_6[:2], {"contains": {"const": 1}, "minContains": 2}, "=", {"contains": {"const": 1}}),
    # objects
    (ALL, A, "<", {}),
    (ALL, {"properties": {"a": {"type": "integer"}}}, "<", {"properties": {"a": {"type": "number"}}}),
    (ALL, {"properties": {"a": {"type": "integer"}}}, "<", {}),
    (ALL, {"properties": {"a": {}}, "additionalProperties": False}, "<", {"maxProperties": 1}),
    (ALL, {"additionalProperties": False}, "<", {"properties": {"a": {"type": "null"}}}),
    (ALL, {"additionalProperties": {"type": "integer"}}, "<", {"properties": {"a": {"type": "number"}}}),
    (ALL, {"patternProperties": {"^a": {"type": "null"}}}, "<", {"patternProperties": {"^ab": {"type": "null"}}}),
    (ALL, {"patternProperties": {"": {"type": "null"}}}, "=", {"additionalProperties": {"type": "null"}}),
    (
        ALL,
        {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False},
        "<",
        {"additionalProperties": {"type": "number"}},
    ),
    (FROM_6, {"propertyNames": {"enum": ["a"]}}, "=", {"properties": {"a": True}, "additionalProperties": False}),
    (FROM_6, {"propertyNames": {"pattern": "^a"}}, "=", {"patternProperties": {"^(?!a)": False}}),
    (FROM_6, {"propertyNames": False}, "=", {"maxProperties": 0}),
    (FROM_6, {"propertyNames": {"maxLength": 0}}, "<", {"maxProperties": 1}),
    (ALL, {"minProperties": 1}, "<", {}),
    (
        ALL,
        {"type": "object", "minProperties": 1, "maxProperties": 1, **A},
        "<",
        {"properties": {"b": {"type": "null"}}},
    ),
    (ALL[:3], {"dependencies": {"a": ["b"]}}, "=", {"dependencies": {"a": {"required": ["b"]}}}),
    (FROM_19, {"dependentRequired": {"a": ["b"]}}, "=", {"dependentSchemas": {"a": {"required": ["b"]}}}),
    (FROM_19, {"dependentRequired": {"a": ["b"]}, **A}, "<", {"required": ["b"]}),
    (ALL[:3], {"dependentRequired": {"a": ["b"]}}, "=", {}),
    # combinators
    (ALL, {"allOf": [{"type": "string"}, {"minLength": 1}]}, "=", {"type": "string", "minLength": 1}),
    (ALL, {"anyOf": [{"type": "string"}, {"type": "null"}]}, "=", {"type": ["null", "string"]}),
    (ALL, {"oneOf": [{"type": "integer"}, {"type": "number"}]}, "<", {"type": "number"}),
    (ALL, {"oneOf": [{"minimum": 2}, {"maximum": 3}], "type": "integer"}, "<", {"not": {"enum": [2, 3]}}),
    (ALL, {"not": {"not": {"type": "string"}}}, "=", {"type": "string"}),
    (ALL, {"not": {"required": ["a"]}, "type": "object"}, "=", {"properties": {"a": {"not": {}}}, "type": "object"}),
    (ALL, {"not": {}}, "<", {"type": "null"}),
    (
        FROM_7,
        {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "integer"}},
        "=",
        {"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]},
    ),
    (ALL[:2], {"if": {}, "then": {"not": {}}}, "=", {}),
    (FROM_7, {"if": {"type": "string"}}, "=", {}),
    # unevaluated*
    (FROM_19, {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, "<", {"maxProperties": 1}),
    (FROM_19, {"properties": {"a": {}}, "unevaluatedProperties": False}, "=", {"propertyNames": {"const": "a"}}),
    (
        FROM_19,
        {"anyOf": [{"properties": {"a": {"type": "null"}}, "required": ["a"]}, True], "unevaluatedProperties": False},
        "=",
        {"properties": {"a": {"type": "null"}}, "additionalProperties": False},
    ),
    (FROM_19, {"not": {"not": {"properties": {"a": {}}}}, "unevaluatedProperties": False}, "=", {"maxProperties": 0}),
    (
        FROM_19,
        {"if": {**A, "properties": {"a": {}}}, "then": {"properties": {"b": {}}}, "unevaluatedProperties": False},
        "<",
        {"propertyNames": {"enum": ["a", "b"]}},
    ),
    (NEW, {"prefixItems": [{}], "unevaluatedItems": False}, "=", {"maxItems": 1}),
    (NEW, {"contains": {"type": "null"}, "unevaluatedItems": False}, "<", {"items": {"type": "null"}}),
    (ALL[3:4], {"items": [{}], "unevaluatedItems": False}, "=", {"maxItems": 1}),
    (ALL[:3], {"unevaluatedProperties": False}, "=", {}),
]

PAIRS = [(dialect, left, sign, right) for dialects, left, sign, right in CASES for dialect in dialects]


@pytest.mark.parametrize(("dialect", "left", "sign", "right"), PAIRS)
def test_each_keyword_in_each_dialect(dialect: str, left: Any, sign: str, right: Any) -> None:
    there = compare_schemas(left, right, "arguments", dialect)
    back = compare_schemas(right, left, "arguments", dialect)
    expected = {"<": ("compatible", "breaking"), "=": ("compatible", "compatible"), "/": ("breaking", "breaking")}
    assert (there.verdict, back.verdict) == expected[sign], (there, back)
    # The results direction asks the same of the pair the other way round.
    assert compare_schemas(right, left, "results", dialect).verdict == there.verdict
    assert compare_schemas(left, right, "results", dialect).verdict == back.verdict
    for result, accepting, refusing in ((there, left, right), (back, right, left)):
        if result.witness:
            assert proves(judge(accepting, dialect), judge(refusing, dialect), result.witness.value)
