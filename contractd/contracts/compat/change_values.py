"""How the values of keywords differ between two schemas at one place: types, enumerations, bounds, annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from contractd.contracts.compat.kinds import Number, exact, freeze
from contractd.contracts.compat.result import Effect

ValueChange = tuple[str, str, Effect]  # kind, keyword, effect

_EVERY_TYPE: Final = frozenset(("null", "boolean", "integer", "fraction", "string", "array", "object"))
_LEAST: Final = ("minLength", "minItems", "minProperties", "minContains")
_MOST: Final = ("maxLength", "maxItems", "maxProperties", "maxContains")
_ANNOTATIONS: Final = {
    "default": "default-changed",
    "description": "description-changed",
    "title": "title-changed",
    "examples": "examples-changed",
    "format": "format-changed",
    "contentEncoding": "content-changed",
    "contentMediaType": "content-changed",
    "contentSchema": "content-changed",
    "deprecated": "deprecation-changed",
    "readOnly": "access-changed",
    "writeOnly": "access-changed",
    "$comment": "comment-changed",
    "$schema": "dialect-changed",
}
_UNTOLD: Final = {
    "$ref": "reference-changed",
    "$dynamicRef": "reference-changed",
    "$recursiveRef": "reference-changed",
    "$id": "identifier-changed",
    "id": "identifier-changed",
    "$anchor": "identifier-changed",
}


# Everything else that means something; what is in none of these tables says nothing to a validator, and is text to a
# model.
_MEANING: Final = frozenset(
    (
        "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
        "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "contains", "maxContains",
        "minContains", "maxProperties", "minProperties", "required", "dependentRequired", "properties",
        "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties", "items", "prefixItems",
        "additionalItems", "unevaluatedItems", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
        "dependentSchemas", "dependencies", "$defs", "definitions", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary",
    )
)  # fmt: skip


def other_keywords(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Keywords that JSON Schema does not know and whose values differ."""
    for keyword in dict.fromkeys((*old, *new)):
        if keyword in _MEANING or keyword in _ANNOTATIONS or keyword in _UNTOLD:
            continue
        if (keyword in old) != (keyword in new) or freeze(old.get(keyword)) != freeze(new.get(keyword)):
            yield keyword


def value_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    """The changes of everything that is not a schema of its own."""
    yield from _types(old, new)
    yield from _enumerations(old, new)
    yield from _bounds(old, new)
    yield from _counts(old, new)
    yield from _texts(old, new)
    yield from _required(old, new)
    for keyword, kind in (*_ANNOTATIONS.items(), *_UNTOLD.items()):
        if (keyword in old) != (keyword in new) or freeze(old.get(keyword)) != freeze(new.get(keyword)):
            if keyword == "id" and not all(isinstance(side.get("id", ""), str) for side in (old, new)):
                continue
            yield kind, keyword, "neither" if keyword in _ANNOTATIONS else "unclear"


def _types(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    before, after = _type_set(old), _type_set(new)
    if before != after:
        if after < before:
            yield "type-narrowed", "type", "narrows"
        elif before < after:
            yield "type-widened", "type", "widens"
        else:
            yield "type-changed", "type", "unclear"


def _type_set(schema: dict[str, Any]) -> frozenset[str]:
    named = schema.get("type")
    if named is None:
        return _EVERY_TYPE
    names = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    found = {name for name in names if isinstance(name, str)}
    if "number" in found:
        found = (found - {"number"}) | {"integer", "fraction"}
    return frozenset(found)


def _enumerations(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    before, after = _value_set(old), _value_set(new)
    keyword = "const" if "const" in old or "const" in new else "enum"
    if before == after:
        return
    if before is None:
        yield "enum-added", keyword, "narrows"
    elif after is None:
        yield "enum-removed", keyword, "widens"
    else:
        if before - after:
            yield "enum-value-removed", keyword, "narrows"
        if after - before:
            yield "enum-value-added", keyword, "widens"


def _value_set(schema: dict[str, Any]) -> frozenset[Any] | None:
    found: frozenset[Any] | None = None
    if isinstance(schema.get("enum"), list):
        found = frozenset(map(freeze, schema["enum"]))
    if "const" in schema:
        only = frozenset((freeze(schema["const"]),))
        found = only if found is None else found & only
    return found


def _bounds(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    """Bounds of numbers as sets: ``exclusiveMinimum: 0`` on integers is ``minimum: 1``, and no change."""
    for least, side in ((True, "inimum"), (False, "aximum")):
        before, after = _bound(old, least), _bound(new, least)
        if before == after:
            continue
        keyword = "m" + side
        if not any(keyword in schema for schema in (old, new)):
            keyword = "exclusiveM" + side
        tightened = before is None or (after is not None and (after > before) is least)
        yield ("bound-tightened", keyword, "narrows") if tightened else ("bound-loosened", keyword, "widens")
    yield from _multiples(old, new)


def _bound(schema: dict[str, Any], least: bool) -> tuple[Number, bool] | None:
    """The bound in force, such that a larger tuple is a higher bound; None where there is none."""
    plain, exclusive = ("minimum", "exclusiveMinimum") if least else ("maximum", "exclusiveMaximum")
    found = []
    if _is_number(schema.get(plain)):
        strict = schema.get(exclusive) is True  # draft-04
        found.append((exact(schema[plain]), strict))
    if _is_number(schema.get(exclusive)):
        found.append((exact(schema[exclusive]), True))
    if schema.get("type") == "integer":
        found = [(_inward(number, strict, least), False) for number, strict in found]
    if not found:
        return None
    ordered = [(number, strict if least else not strict) for number, strict in found]
    return max(ordered) if least else min(ordered)


def _inward(number: Number, strict: bool, least: bool) -> int:
    """The outermost integer within a bound."""
    if least:
        return math.floor(number) + 1 if strict else math.ceil(number)
    return math.ceil(number) - 1 if strict else math.floor(number)


def _multiples(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    before, after = (
        exact(side["multipleOf"]) if _is_number(side.get("multipleOf")) and side["multipleOf"] > 0 else None
        for side in (old, new)
    )
    if before == after:
        return
    if before is None or (after is not None and after % before == 0):
        yield "multiple-tightened", "multipleOf", "narrows"
    elif after is None or before % after == 0:
        yield "multiple-loosened", "multipleOf", "widens"
    else:
        yield "multiple-changed", "multipleOf", "unclear"


def _counts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    for keyword in (*_LEAST, *_MOST):
        least = keyword in _LEAST
        before, after = (side.get(keyword) if _is_number(side.get(keyword)) else None for side in (old, new))
        if least and keyword != "minContains":
            before, after = before or None, after or None  # a least count of zero says nothing
        if before == after:
            continue
        tightened = before is None if before is None or after is None else (after > before) is least
        yield ("bound-tightened", keyword, "narrows") if tightened else ("bound-loosened", keyword, "widens")
    if bool(old.get("uniqueItems")) is not bool(new.get("uniqueItems")):
        if new.get("uniqueItems"):
            yield "unique-items-added", "uniqueItems", "narrows"
        else:
            yield "unique-items-removed", "uniqueItems", "widens"


def _texts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    before, after = old.get("pattern"), new.get("pattern")
    if before == after:
        return
    if before is None:
        yield "pattern-added", "pattern", "narrows"
    elif after is None:
        yield "pattern-removed", "pattern", "widens"
    else:
        yield "pattern-changed", "pattern", "unclear"


def _required(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ValueChange]:
    before, after = _names(old), _names(new)
    for index, name in enumerate(after):
        if name not in before:
            yield "required-added", f"required/{index}", "narrows"
    for index, name in enumerate(before):
        if name not in after:
            yield "required-removed", f"required/{index}", "widens"


def _names(schema: dict[str, Any]) -> list[Any]:
    required = schema.get("required")
    return required if isinstance(required, list) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
