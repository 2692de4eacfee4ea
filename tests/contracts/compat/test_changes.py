"""The list of changes: each kind once, with its pointers, and nothing where nothing changed."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.contracts import compare_schemas
from contractd.contracts.compat import Change

CASES: list[tuple[Any, Any, list[tuple[str, str | None, str | None, str]]]] = [
    ({"type": "integer"}, {"type": "number"}, [("type-widened", "/type", "/type", "widens")]),
    ({}, {"type": "string"}, [("type-narrowed", None, "/type", "narrows")]),
    ({"type": "string"}, {"type": "null"}, [("type-changed", "/type", "/type", "unclear")]),
    ({"enum": [1, 2]}, {"enum": [1]}, [("enum-value-removed", "/enum", "/enum", "narrows")]),
    ({"enum": [1]}, {"enum": [1, 2]}, [("enum-value-added", "/enum", "/enum", "widens")]),
    ({}, {"const": 1}, [("enum-added", None, "/const", "narrows")]),
    ({"minimum": 1}, {"minimum": 2}, [("bound-tightened", "/minimum", "/minimum", "narrows")]),
    ({"maxLength": 1}, {"maxLength": 2}, [("bound-loosened", "/maxLength", "/maxLength", "widens")]),
    ({"maximum": 5}, {"exclusiveMaximum": 5}, [("bound-tightened", "/maximum", None, "narrows")]),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}, []),
    ({"minItems": 0}, {}, []),
    ({"multipleOf": 2}, {"multipleOf": 4}, [("multiple-tightened", "/multipleOf", "/multipleOf", "narrows")]),
    ({"pattern": "a"}, {"pattern": "b"}, [("pattern-changed", "/pattern", "/pattern", "unclear")]),
    ({"required": ["a"]}, {"required": ["a", "b"]}, [("required-added", None, "/required/1", "narrows")]),
    ({"required": ["a", "b"]}, {"required": ["b"]}, [("required-removed", "/required/0", None, "widens")]),
    ({"properties": {"a/b": {}}}, {}, [("property-removed", "/properties/a~1b", None, "widens")]),
    ({"properties": {}}, {"properties": {"a": {}}}, [("property-added", None, "/properties/a", "narrows")]),
    ({}, {"additionalProperties": False}, [("object-closed", None, "/additionalProperties", "narrows")]),
    ({"additionalProperties": False}, {}, [("object-opened", "/additionalProperties", None, "widens")]),
    ({"items": {}}, {"items": {"type": "null"}}, [("type-narrowed", None, "/items/type", "narrows")]),
    ({}, {"items": {"type": "null"}}, [("items-changed", None, "/items", "narrows")]),
    ({"anyOf": [{"type": "null"}]}, {"anyOf": [{"type": "null"}, {}]},
     [("composition-changed", "/anyOf", "/anyOf", "widens")]),
    ({"not": {"type": "null"}}, {"not": {}}, [("type-widened", "/not/type", None, "unclear")]),
    ({"uniqueItems": True}, {}, [("unique-items-removed", "/uniqueItems", None, "widens")]),
    ({"default": 1}, {"default": True}, [("default-changed", "/default", "/default", "neither")]),
    ({"description": "a"}, {"description": "b"}, [("description-changed", "/description", "/description", "neither")]),
    ({"format": "date"}, {}, [("format-changed", "/format", None, "neither")]),
    ({}, {"$schema": "https://json-schema.org/draft/2020-12/schema"},
     [("dialect-changed", None, "/$schema", "neither")]),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"minimum": 1}}}, {"$ref": "#/$defs/a", "$defs": {"a": {"minimum": 2}}},
     [("bound-tightened", "/$defs/a/minimum", "/$defs/a/minimum", "unclear")]),
    ({"patternProperties": {"^a": {}}}, {}, [("pattern-property-removed", "/patternProperties/^a", None, "widens")]),
    ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"]}},
     [("dependency-changed", "/dependentRequired/a", "/dependentRequired/a", "unclear")]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_each_kind_of_change(old: Any, new: Any, expected: list[tuple[str, str | None, str | None, str]]) -> None:
    for direction in ("arguments", "results"):
        changes = compare_schemas(old, new, direction).changes  # type: ignore[arg-type]
        assert changes == tuple(
            Change(kind, at_old, at_new, direction, f"{direction}-{kind}", effect)  # type: ignore[arg-type]
            for kind, at_old, at_new, effect in expected
        )


def test_nothing_changed() -> None:
    assert compare_schemas({"type": "null"}, {"type": "null"}).changes == ()


def test_the_list_is_bounded() -> None:
    old = {"properties": {f"p{n}": {"type": "string"} for n in range(2000)}}
    new = {"properties": {f"p{n}": {"type": "null"} for n in range(2000)}}
    changes = compare_schemas(old, new).changes
    assert (len(changes), changes[-1].kind) == (501, "changes-not-listed")


def test_changes_are_told_where_the_verdict_is_unknown() -> None:
    result = compare_schemas({"type": "strin", "title": "a"}, {"type": "strin", "title": "b"})
    assert (result.verdict, [change.kind for change in result.changes]) == ("unknown", ["title-changed"])
