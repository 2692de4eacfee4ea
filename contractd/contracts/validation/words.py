"""A broken rule in words: the path, the rule, and what would be accepted. What the schema says is hostile text too."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Any

from contractd.contracts.compat.changes import escaped
from contractd.contracts.validation.explain import Broken, together
from contractd.contracts.validation.result import Problem
from contractd.text import listed, visible

MAX_TOKEN = 200  # characters of one part of a pointer
_SHOWN = 3  # values or names in a message
_WIDTH = 60
_DECLARED = 200  # properties among which a near name is looked for

_LIMITS = {
    "minimum": "takes at least {}",
    "maximum": "takes at most {}",
    "exclusiveMinimum": "takes more than {}",
    "exclusiveMaximum": "takes less than {}",
    "multipleOf": "takes a multiple of {}",
    "minLength": "takes at least {} characters",
    "maxLength": "takes at most {} characters",
    "minItems": "takes at least {} items",
    "maxItems": "takes at most {} items",
    "minProperties": "takes at least {} properties",
    "maxProperties": "takes at most {} properties",
    "pattern": "takes text that matches {}",
}
_PLAIN = {
    "uniqueItems": "takes no item twice",
    "contains": "needs an item of the kind described there",
    "minContains": "needs more items of the kind described beside it",
    "maxContains": "takes fewer items of the kind described beside it",
    "additionalItems": "takes no more items than are described",
    "unevaluatedItems": "takes no more items than are described",
    "not": "takes what does not fit the schema there",
    "anyOf": "takes what fits one of its alternatives",
    "oneOf": "takes what fits exactly one of its alternatives",
}
_CLOSED = ("additionalProperties", "unevaluatedProperties")
_NOTHING = "takes nothing here"
_SEVERAL = "takes what fits exactly one of its alternatives, and this fits several"
_VAGUE = (_NOTHING, _SEVERAL, *_PLAIN.values())  # these say nothing of what would be taken
_ARTICLES = {"array": "an array", "integer": "an integer", "null": "null", "object": "an object"}


def problem(broken: Broken, schema: Any) -> Problem:
    """For people, and for the model that called."""
    pointer = pointer_of(broken.path)
    accepts = _accepts(broken, schema)
    if broken.alternatives:
        accepts += f", in the nearest of {broken.alternatives} alternatives"
    where = visible(pointer, 160) or "the whole value"
    message = f"{where}: {visible(broken.keyword, 40)}: {accepts}"
    return Problem(pointer, pointer_of(broken.schema_path), broken.keyword, message, accepts)


def taken(broken: Broken, schema: Any) -> str | None:
    """What is accepted, for a sentence of another's: ``a string``, ``one of 1, 2``. None where that is not said."""
    if broken.keyword == "required" and broken.names:
        return f"{visible(broken.names[0], 80)}, which must be there"
    if broken.keyword in _CLOSED and broken.names:
        declared = _declared(schema, broken.schema_path)
        return f"only {listed(declared)}" if declared else "no property"
    accepts = _accepts(broken, schema)
    return accepts.removeprefix("takes ") if accepts.startswith("takes ") and accepts not in _VAGUE else None


def pointer_of(path: Iterable[Any]) -> str:
    """RFC 6901, with tokens that are too long cut."""
    return "".join("/" + _cut(escaped(str(token))) for token in path)


def _accepts(broken: Broken, schema: Any) -> str:
    keyword, value = broken.keyword, broken.value
    if isinstance(value, Broken):  # propertyNames
        taken = _accepts(value, schema)
        return f"does not take the name {_names(broken.names)}: a name {taken}" if broken.names else f"a name {taken}"
    if keyword == "type" and isinstance(value, list):
        return "takes " + _or(
            [_ARTICLES.get(name, f"a {visible(str(name), _WIDTH)}") for name in sorted(value, key=_last_null)]
        )
    if keyword == "enum" and isinstance(value, list):
        return f"takes {_one_of(value)}"
    if keyword == "const":
        return f"takes only {_json(value)}"
    if keyword in _LIMITS and isinstance(value, int | float | str) and not isinstance(value, bool):
        return _LIMITS[keyword].format(visible(value, 2 * _WIDTH) if isinstance(value, str) else _json(value))
    if keyword in ("required", "dependentRequired", "dependencies") and broken.names:
        return "needs " + _names(broken.names)
    if keyword in _CLOSED:
        return _not_taken(broken, schema)
    if broken.branches and all(broken.branches) and together(broken):
        return _joined(broken)
    if keyword == "oneOf" and broken.branches:
        return _SEVERAL
    return _PLAIN.get(keyword, _NOTHING)


def _not_taken(broken: Broken, schema: Any) -> str:
    declared = _declared(schema, broken.schema_path)
    if not broken.names:
        return "takes only properties that are declared"
    words = f"does not take {_names(broken.names)}"
    near = difflib.get_close_matches(broken.names[0][:MAX_TOKEN], declared, 1, 0.6)
    if near:
        return f"{words} (did you mean {_names(near)}?)"
    return f"{words}; it takes {_names(declared)}" if declared else words


def _declared(schema: Any, path: tuple[Any, ...]) -> list[str]:
    """The properties beside a keyword, as far as the way leads there."""
    here = schema
    for token in path[:-1]:
        try:
            here = here[token]
        except (KeyError, IndexError, TypeError):
            return []
    properties = here.get("properties") if isinstance(here, dict) else None
    return list(properties)[:_DECLARED] if isinstance(properties, dict) else []


def _joined(broken: Broken) -> str:
    parts: list[str] = []
    options: list[Any] = []
    for branch in broken.branches:
        if branch[0].keyword == "type":
            parts.append(_accepts(branch[0], None).removeprefix("takes "))
        else:
            options += branch[0].value if branch[0].keyword == "enum" else [branch[0].value]
    return "takes " + _or(list(dict.fromkeys(parts)) + ([_one_of(options)] if options else []))


def _one_of(options: list[Any]) -> str:
    if len(options) == 1:
        return f"only {_json(options[0])}"
    more = f" (and {len(options) - _SHOWN} more)" if len(options) > _SHOWN + 1 else ""
    shown = options if not more else options[:_SHOWN]
    return "one of " + ", ".join(map(_json, shown)) + more


def _names(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(_json(name) for name in every[:_SHOWN]) + more


def _or(parts: list[str]) -> str:
    if len(parts) > _SHOWN + 1:
        parts = [*parts[:_SHOWN], f"{len(parts) - _SHOWN} more"]
    return " or ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _json(value: Any) -> str:
    """What the schema says, short and in ASCII's safety."""
    return visible(json.dumps(_shallow(value), ensure_ascii=False, default=str), _WIDTH)


def _shallow(value: Any) -> Any:
    """Texts are cut before they are written: an option may be a megabyte."""
    return value[: 2 * _WIDTH] if isinstance(value, str) else value


def _last_null(name: Any) -> tuple[bool, str]:
    return name == "null", str(name)


def _cut(token: str) -> str:
    return token if len(token) <= MAX_TOKEN else token[:MAX_TOKEN] + "…"
