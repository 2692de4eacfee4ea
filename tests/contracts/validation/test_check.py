"""What a check says: the path, the rule, and what would be accepted."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.contracts import Contract, check_arguments, check_result, compile_schema
from contractd.contracts.validation import calls
from contractd.errors import SchemaError, UsageError

SEND = {
    "type": "object",
    "properties": {
        "to": {"type": "string"},
        "count": {"type": "integer", "maximum": 10},
        "mode": {"enum": ["a", "b", "c", "d", "e", "f", "g"]},
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    },
    "required": ["to"],
    "additionalProperties": False,
}


def messages(schema: Any, value: Any, dialect: str | None = None) -> list[str]:
    found = compile_schema(schema, dialect).check(value)
    assert found.status == "invalid", found
    return [problem.message for problem in found.problems]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"to": 1}, "/to: type: takes a string"),
        ({"to": "x", "count": 11}, "/count: maximum: takes at most 10"),
        ({"to": "x", "mode": "z"}, '/mode: enum: takes one of "a", "b", "c" (and 4 more)'),
        ({"to": "x", "when": 1}, "/when: anyOf: takes a string or null"),
        ({"to": "x", "tags": ["y", 1]}, "/tags/1: type: takes a string"),
        ({"to": "x", "tags": ["y", "y"]}, "/tags: uniqueItems: takes no item twice"),
        ({}, 'the whole value: required: needs "to"'),
        (
            {"to": "x", "counts": 1},
            'the whole value: additionalProperties: does not take "counts" (did you mean "count"?)',
        ),
        ([], "the whole value: type: takes an object"),
    ],
)
def test_a_refusal_says_where_which_rule_and_what_is_taken(value: Any, message: str) -> None:
    assert messages(SEND, value) == [message]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"const": "x"}, 1, 'the whole value: const: takes only "x"'),
        ({"type": ["string", "null", "integer"]}, [], "the whole value: type: takes an integer, a string or null"),
        ({"exclusiveMinimum": 0}, 0, "the whole value: exclusiveMinimum: takes more than 0"),
        ({"multipleOf": 5}, 3, "the whole value: multipleOf: takes a multiple of 5"),
        ({"minLength": 3}, "x", "the whole value: minLength: takes at least 3 characters"),
        ({"pattern": "^a+$"}, "b", "the whole value: pattern: takes text that matches ^a+$"),
        ({"minItems": 1}, [], "the whole value: minItems: takes at least 1 items"),
        ({"contains": {"const": 1}}, [2], "the whole value: contains: needs an item of the kind described there"),
        ({"not": {"type": "string"}}, "x", "the whole value: not: takes what does not fit the schema there"),
        ({"properties": {"a": False}}, {"a": 1}, "/a: false: takes nothing here"),
        (False, 1, "the whole value: false: takes nothing here"),
        (
            {"propertyNames": {"maxLength": 2}},
            {"abc": 1},
            'the whole value: maxLength: does not take the name "abc": a name takes at most 2 characters',
        ),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, 'the whole value: dependentRequired: needs "b"'),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, 3, "the whole value: oneOf: takes one of 1, 2"),
        (
            {"oneOf": [{"minimum": 1}, {"maximum": 5}]},
            3,
            "the whole value: oneOf: takes what fits exactly one of its alternatives, and this fits several",
        ),
        ({"unevaluatedProperties": False}, {"a": 1}, 'the whole value: unevaluatedProperties: does not take "a"'),
        ({"additionalProperties": False}, {"a": 1}, 'the whole value: additionalProperties: does not take "a"'),
    ],
)
def test_every_rule_has_its_words(schema: Any, value: Any, message: str) -> None:
    assert messages(schema, value) == [message]


def test_of_alternatives_the_nearest_is_told() -> None:
    text = {"type": "object", "properties": {"kind": {"const": "text"}, "body": {"type": "string"}}}
    picture = {
        "type": "object",
        "properties": {"kind": {"const": "picture"}, "url": {"type": "string"}},
        "required": ["kind", "url"],
    }
    schema = {"properties": {"part": {"oneOf": [text, picture, {"type": "null"}]}}}
    assert messages(schema, {"part": {"kind": "picture", "url": 1}}) == [
        "/part/url: type: takes a string, in the nearest of 3 alternatives"
    ]
    assert messages(schema, {"part": {"kind": "picture"}}) == [
        '/part: required: needs "url", in the nearest of 3 alternatives'
    ]


def test_pointers_lead_to_the_place_and_to_the_rule() -> None:
    schema = {"$defs": {"name": {"type": "string"}}, "properties": {"a/b": {"items": {"$ref": "#/$defs/name"}}}}
    problem = compile_schema(schema).check({"a/b": ["x", 1]}).problems[0]
    assert (problem.pointer, problem.schema_pointer, problem.keyword) == ("/a~1b/1", "/$defs/name/type", "type")
    assert problem.accepts == "takes a string"


def test_problems_are_few_and_names_are_cut_and_made_visible() -> None:
    found = compile_schema({"items": {"type": "string"}}).check(list(range(100)))
    assert found.status == "invalid" and len(found.problems) == 10
    name = "\u202e" + "x" * 5_000
    (problem,) = compile_schema({"additionalProperties": {"type": "string"}}).check({name: 1}).problems
    assert len(problem.message) < 600 and "\u202e" not in problem.message and len(problem.pointer) < 300
    (problem,) = compile_schema({"additionalProperties": False}).check({name: 1}).problems
    assert len(problem.message) < 600 and "\u202e" not in problem.message


@pytest.mark.parametrize("kind", ["date", "email", "uri", "ipv4", "regex", "nonsense"])
@pytest.mark.parametrize("dialect", ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"])
def test_format_is_an_annotation(kind: str, dialect: str) -> None:
    assert compile_schema({"type": "string", "format": kind}, dialect).check("(nope").status == "valid"


def test_content_is_an_annotation() -> None:
    schema = {"contentEncoding": "base64", "contentMediaType": "application/json"}
    assert compile_schema(schema, "draft-07").check("%%").status == "valid"


def test_a_dialect_has_its_own_rules() -> None:
    assert compile_schema({"type": "integer"}, "draft-04").check(1.0).status == "invalid"
    assert compile_schema({"type": "integer"}).check(1.0).status == "valid"
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 3, "exclusiveMinimum": True}
    assert messages(old, 3) == ["the whole value: exclusiveMinimum: takes more than 3"]
    assert compile_schema(old, "2020-12").check(4).status == "valid"  # it says which it is
    with pytest.raises(UsageError, match="'draft-05' is not known"):
        compile_schema({}, "draft-05")


@pytest.mark.parametrize("dialect", [None, "draft-04", "draft-07", "2020-12"])
def test_a_boolean_is_a_schema(dialect: str | None) -> None:
    assert compile_schema(True, dialect).check([1]).status == "valid"
    assert compile_schema(False, dialect).check([1]).status == "invalid"


def test_what_two_validators_see_differently_is_unknown() -> None:
    found = compile_schema({"pattern": r"^\w+$"}).check("é")  # ECMA 262 says no, Python's engine says yes
    assert (found.status, found.reason) == ("unknown", "the two validators do not agree on the value")
    assert [problem.keyword for problem in found.problems] == ["pattern"]


def test_jsonschema_reads_what_jsonschema_rs_does_not() -> None:
    checked = compile_schema({"required": ["a"], "properties": {"a": {"pattern": r"\Ax+\Z"}}})
    assert checked.check({"a": "xx"}).status == "valid"
    assert checked.check({}).status == "invalid"
    assert [problem.message for problem in checked.check({}).problems] == ['the whole value: required: needs "a"']
    found = checked.check({"a": "y"})  # one of the two has a say only, on a pattern that isn't ECMA 262's
    assert (found.status, found.reason) == ("unknown", "only one validator can read a pattern of the schema")


def test_a_contract_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    compiled = calls.compile_schema

    def counted(schema: Any) -> Any:
        made.append(schema)
        return compiled(schema)

    monkeypatch.setattr(calls, "compile_schema", counted)
    for _ in range(3):
        contract = Contract("once", {**SEND, "title": "once"})
        assert check_arguments(contract, {"to": "x"}).status == "valid"
        assert check_arguments(contract, {}).status == "invalid"
    assert len(made) == 1


def test_results_are_checked_against_the_output_schema() -> None:
    tool = Contract("t", {"type": "object"}, {"type": "object", "required": ["id"]})
    assert check_result(tool, {"id": 1}).status == "valid"
    assert check_result(tool, {}).status == "invalid"
    assert check_result(tool, None).status == "invalid"
    silent = Contract("t", {"type": "object"})
    assert check_result(silent, {}).reason == "the tool has no output schema"


def test_a_contract_whose_schema_is_of_no_use_is_unknown_and_never_raises() -> None:
    for schema in ({"type": "object", "$ref": "http://127.0.0.1:9/x"}, {"type": 5}, {"a": float("nan")}, {"a": b""}):
        found = check_arguments(Contract("t", schema), {})
        assert found.status == "unknown" and found.reason


def test_a_schema_that_is_changed_later_changes_nothing() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    checked = compile_schema(schema)
    schema["properties"]["a"]["type"] = "integer"
    assert checked.check({"a": 1}).status == "invalid"
    assert checked.check({"a": "x"}).status == "valid"


@pytest.mark.parametrize("schema", [None, 1, "x", [], {"type": 5}, {"properties": []}, {1: 2}])
def test_what_is_no_schema_is_said(schema: Any) -> None:
    with pytest.raises(SchemaError):
        compile_schema(schema)


def test_a_rule_about_names_among_alternatives_is_told_as_one() -> None:
    names = {"anyOf": [{"maxItems": 0, "propertyNames": {"enum": [None]}}]}
    (problem,) = compile_schema(names, "draft-07").check({"a": 1}).problems
    assert problem.accepts == 'does not take the name "a": a name takes only null, in the nearest of 1 alternatives'
