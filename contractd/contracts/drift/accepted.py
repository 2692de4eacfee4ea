"""What a schema accepts where it refused a value, in a few words. They come from the schema, never from the value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from contractd.contracts.references import at_pointer
from contractd.text import listed, visible

_MOST = 8
_BOUNDS: Final = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
}
_CLOSED: Final = ("additionalProperties", "unevaluatedProperties")


def what_is_accepted(keyword: str, kind: Any, schema: Any, path: Sequence[Any]) -> str | None:
    """For people; None where the rule says nothing that fits in a line. ``kind`` and ``path``: as jsonschema-rs tells
    of its errors."""
    if keyword in _BOUNDS:
        bound = getattr(kind, "limit", getattr(kind, "multiple_of", None))
        return None if bound is None else _counted(_BOUNDS[keyword].format(_plain(bound)))
    if keyword == "type":
        types = getattr(kind, "types", None)
        return " or ".join(sorted(map(str, types))) if types else None
    if keyword == "enum":
        options = getattr(kind, "options", None)
        return _one_of(options) if isinstance(options, list) else None
    if keyword == "const":
        return _plain(kind.expected_value) if hasattr(kind, "expected_value") else None
    if keyword == "pattern":
        return f"text that matches {visible(str(getattr(kind, 'pattern', '')), 120)}"
    if keyword == "required":
        return f"{visible(str(getattr(kind, 'property', '')), 80)}, which must be there"
    if keyword in _CLOSED:
        return _declared(schema, path)
    if keyword == "uniqueItems":
        return "items that differ from each other"
    return _alternatives(kind) if keyword in ("anyOf", "oneOf") else None


def _alternatives(kind: Any) -> str | None:
    """What each of the alternatives would take, where that is one thing each."""
    context = getattr(kind, "context", None)
    if not isinstance(context, list) or not 0 < len(context) <= _MOST or any(len(errors) != 1 for errors in context):
        return None
    parts = []
    for (error,) in context:
        path = list(error.schema_path)
        # Its place is told from the root or not: so nothing is looked up in the schema.
        parts.append(what_is_accepted(str(path[-1]), error.kind, None, path) if path else None)
    known = [part for part in parts if part is not None]
    return " or ".join(dict.fromkeys(known)) if len(known) == len(parts) else None


def _counted(text: str) -> str:
    return text[:-1].replace("propertie", "property") if " 1 " in text else text


def _declared(schema: Any, path: Sequence[Any]) -> str | None:
    """The properties that are declared beside the rule."""
    pointer = "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path[:-1])
    beside = at_pointer(schema, pointer) if pointer else schema
    properties = beside.get("properties") if isinstance(beside, dict) else None
    if not isinstance(properties, dict) or not properties:
        return "no property" if path[-1:] == ["additionalProperties"] and isinstance(beside, dict) else None
    return f"only {listed(list(properties), _MOST)}"


def _one_of(options: list[Any]) -> str | None:
    more = f" or {len(options) - _MOST} more" if len(options) > _MOST else ""
    return f"one of {', '.join(map(_plain, options[:_MOST]))}{more}"


def _plain(value: Any) -> str:
    """A value of the schema, as JSON."""
    try:
        return visible(json.dumps(value, ensure_ascii=False), 80)
    except (TypeError, ValueError):
        return visible(str(value), 80)
