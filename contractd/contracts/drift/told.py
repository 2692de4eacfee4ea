"""The part of a schema that a caller is told of: its declared properties, and integers that JSON carries safely.

A model fills in the parameters it is shown. Most schemas leave their objects open, so that by the letter an optional
parameter more refuses a call that sent the same name with another value; nobody was told of that name. What comes out
accepts a part of what the schema accepts, never more.
"""

from __future__ import annotations

from typing import Any, Final

from contractd.contracts.compat.result import Direction

SAFE: Final = 2**53 - 1  # RFC 7493 section 2.2: beyond it a double may not hold an integer
# Where one of these stands anywhere, closing an object here could refuse what is declared there.
_ENTANGLED: Final = frozenset(
    ("allOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "patternProperties",
     "unevaluatedProperties", "propertyNames", "contains", "$dynamicRef", "$recursiveRef", "extends")
)  # fmt: skip
_BESIDE: Final = ("$ref", "anyOf")
_ONE: Final = ("items", "additionalProperties", "additionalItems")
_NAMED: Final = ("properties", "$defs", "definitions")


def told_of(schema: Any, direction: Direction) -> Any:
    """The schema, narrowed to what it declares; the schema itself where that can't be told apart.

    Arguments that are described by no property at all are none; an object of that kind in another place may hold
    whatever it wants.
    """
    if not isinstance(schema, dict) or _entangled(schema):
        return schema
    narrowed = _told(schema)
    if direction == "arguments" and not any(key in schema for key in ("additionalProperties", *_BESIDE)):
        narrowed["additionalProperties"] = False
    return narrowed


def _entangled(schema: Any) -> bool:
    """Whether properties may be declared for one object in several places."""
    if not isinstance(schema, dict):
        return False
    if not _ENTANGLED.isdisjoint(schema) or ("properties" in schema and any(key in schema for key in _BESIDE)):
        return True
    return any(map(_entangled, _parts(schema)))


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
    if schema.get("properties") and "additionalProperties" not in schema:  # one that is stated open is meant to be
        result["additionalProperties"] = False
    named = schema.get("type")
    if named == "integer" or (isinstance(named, list) and "integer" in named and "number" not in named):
        result.setdefault("maximum", SAFE)
        result.setdefault("minimum", -SAFE)
    return result
