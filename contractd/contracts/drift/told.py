"""The part of a schema that a caller is told of: its declared properties, and integers that JSON carries safely.

A model fills in the parameters it is shown. Most schemas leave their objects open, so that by the letter an optional
parameter more refuses a call that sent the same name with another value; nobody was told of that name. What comes out
accepts a part of what the schema accepts, never more.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final
from urllib.parse import unquote

from contractd.contracts.compat.kinds import freeze
from contractd.contracts.compat.result import Direction
from contractd.contracts.references import at_pointer

SAFE: Final = 2**53 - 1  # RFC 7493 section 2.2: beyond it a double may not hold an integer
# Where one of these stands anywhere, closing an object here could refuse what is declared there.
_ENTANGLED: Final = frozenset(
    ("allOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "patternProperties",
     "unevaluatedProperties", "propertyNames", "contains", "$dynamicRef", "$recursiveRef", "extends")
)  # fmt: skip
_BESIDE: Final = ("$ref", "anyOf")
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_ONE: Final = ("items", "additionalProperties", "additionalItems")
_NAMED: Final = ("properties", "$defs", "definitions")


def told_of(schema: Any, direction: Direction) -> Any:
    """The schema, narrowed to what it declares; the schema itself where that can't be told apart.

    Arguments that are described by no property at all are none; an object of that kind in another place may hold
    whatever it wants. Nothing that is declared is lost: a name that is only required is declared by that.
    """
    if not isinstance(schema, dict) or _entangled(schema, schema):
        return schema
    narrowed = _told(schema)
    stated = any(key in schema for key in ("additionalProperties", *_BESIDE))
    if direction == "arguments" and not stated and _can_close(schema):
        narrowed["additionalProperties"] = False
        narrowed |= _mentioned(schema, narrowed)
    return narrowed


def _entangled(schema: Any, root: dict[str, Any]) -> bool:
    """Whether properties may be declared for one object in several places."""
    if not isinstance(schema, dict):
        return False
    if not _ENTANGLED.isdisjoint(schema) or ("properties" in schema and any(key in schema for key in _BESIDE)):
        return True
    branches = schema.get("anyOf")
    if isinstance(branches, list) and not _apart([_resolved(branch, root) for branch in branches]):
        return True
    return any(_entangled(part, root) for part in _parts(schema))


def _resolved(schema: Any, root: dict[str, Any]) -> Any:
    """Behind a plain local reference."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if isinstance(reference, str) and reference.startswith("#/"):
        return at_pointer(root, unquote(reference[1:]))
    return schema


def _apart(branches: list[Any]) -> bool:
    """Whether no object can fit two alternatives: one of them at most takes objects, or a required property of the
    same name has other values in each. Else what one declares, a call may send beside what the other does."""
    taking = [branch for branch in branches if _takes_objects(branch)]
    if len(taking) < 2:
        return True
    required = [set(branch.get("required", ())) if isinstance(branch, dict) else set() for branch in taking]
    return any(_marks_apart(name, taking) for name in set.intersection(*required) if isinstance(name, str))


def _takes_objects(branch: Any) -> bool:
    if not isinstance(branch, dict):
        return branch is not False
    named = branch.get("type")
    if "const" in branch or "enum" in branch:
        return any(isinstance(value, dict) for value in (branch.get("enum") or [branch.get("const")]))
    return named is None or named == "object" or (isinstance(named, list) and "object" in named)


def _marks_apart(name: str, branches: list[dict[str, Any]]) -> bool:
    seen: set[Hashable] = set()
    for branch in branches:
        mark = branch["properties"].get(name) if isinstance(branch.get("properties"), dict) else None
        if not isinstance(mark, dict) or not ("const" in mark or isinstance(mark.get("enum"), list)):
            return False
        values = {freeze(value) for value in (mark["enum"] if "enum" in mark else [mark["const"]])}
        if not seen.isdisjoint(values):
            return False
        seen |= values
    return True


def _parts(schema: dict[str, Any]) -> list[Any]:
    found = [schema[key] for key in _ONE if key in schema]
    for key in _NAMED:
        found += schema[key].values() if isinstance(schema.get(key), dict) else ()
    for key in ("anyOf", "prefixItems", "items"):
        found += schema[key] if isinstance(schema.get(key), list) else ()
    return found


def _told(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    for key in _ONE:
        if key in schema:
            inner = schema[key]
            result[key] = list(map(_told, inner)) if isinstance(inner, list) else _told(inner)
    for key in _NAMED:
        if isinstance(schema.get(key), dict):
            result[key] = {name: _told(inner) for name, inner in schema[key].items()}
    for key in ("anyOf", "prefixItems"):
        if isinstance(schema.get(key), list):
            result[key] = list(map(_told, schema[key]))
    # One that is stated open is meant to be.
    if schema.get("properties") and "additionalProperties" not in schema and _can_close(schema):
        result["additionalProperties"] = False
        result |= _mentioned(schema, result)
    named = schema.get("type")
    integers = named == "integer" or (isinstance(named, list) and "integer" in named and "number" not in named)
    if integers and not _means_large(schema):
        result.setdefault("maximum", SAFE)
        result.setdefault("minimum", -SAFE)
    return result


def _means_large(schema: dict[str, Any]) -> bool:
    """Whether the schema itself speaks of integers beyond: then they were told of."""
    stated = [schema[key] for key in _BOUNDS if isinstance(schema.get(key), int | float)]
    return any(key in schema for key in ("const", "enum", "multipleOf")) or any(abs(one) > SAFE for one in stated)


def _names(schema: dict[str, Any]) -> set[str]:
    """The properties that are declared, or named by a rule."""
    required, dependent = schema.get("required"), schema.get("dependentRequired")
    found = [*(schema["properties"] if isinstance(schema.get("properties"), dict) else ())]
    found += required if isinstance(required, list) else []
    for name, needed in dependent.items() if isinstance(dependent, dict) else ():
        found += [name, *(needed if isinstance(needed, list) else ())]
    return {name for name in found if isinstance(name, str)}


def _can_close(schema: dict[str, Any]) -> bool:
    """Whether what is declared is enough for an object: else closing would leave none."""
    least = schema.get("minProperties", 0)
    enough = isinstance(least, int | float) and least <= len(_names(schema))
    return enough and "const" not in schema and "enum" not in schema


def _mentioned(schema: dict[str, Any], narrowed: dict[str, Any]) -> dict[str, Any]:
    """``properties`` with those that only a rule names."""
    declared = narrowed.get("properties") if isinstance(narrowed.get("properties"), dict) else {}
    more: dict[str, Any] = {name: {} for name in sorted(_names(schema)) if name not in (declared or {})}
    return {"properties": {**(declared or {}), **more}} if more else {}
