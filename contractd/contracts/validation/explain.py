"""Which rules refuse a value: read from the errors of either validator, never from their messages, which echo it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_NAMED = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
MAX_NAMES = 20
_DEEPEST = 8  # alternatives inside one another that are looked into


@dataclass(frozen=True, slots=True)
class Broken:
    """One rule that is broken. ``value``: what the schema says under the keyword, or the limit that counts.

    ``names``: the properties that are missing, or not taken. ``branches``: what each alternative of an ``anyOf`` or
    ``oneOf`` objects to. ``alternatives``: how many there were, where this one is of the nearest.
    """

    path: tuple[Any, ...]
    schema_path: tuple[Any, ...]
    keyword: str
    value: Any = None
    names: tuple[str, ...] = ()
    branches: tuple[tuple[Broken, ...], ...] = ()
    alternatives: int = 0


class OutOfBounds(Exception):  # noqa: N818 - the name says what is the case
    """jsonschema-rs gave up on a pattern, so its verdict counts for nothing."""


def from_fast(error: Any, checked: Any) -> Broken:
    """An error of jsonschema-rs about the value that was ``checked``. Raises OutOfBounds."""
    kind = error.kind
    kind_name = type(kind).__name__
    if kind_name in ("BacktrackLimitExceeded", "RegexEngineFailure"):
        raise OutOfBounds
    path, schema_path = tuple(error.instance_path), tuple(error.schema_path)
    keyword = keyword_of(schema_path)
    branches: tuple[tuple[Broken, ...], ...] = ()
    value, names = None, ()  # type: Any, tuple[str, ...]
    if kind_name in ("AnyOf", "OneOfNotValid", "OneOfMultipleValid"):
        branches = tuple(tuple(from_fast(inner, checked) for inner in branch) for branch in kind.context)
    elif kind_name in ("AdditionalProperties", "UnevaluatedProperties"):
        names = tuple(map(str, kind.unexpected[:MAX_NAMES]))
    elif kind_name == "Required":
        names = (kind.property,)
    elif kind_name == "PropertyNames":
        value, names = from_fast(kind.error, checked), _texts([kind.error.instance])
    elif kind_name == "FalseSchema":
        names = _texts(_at(checked, path)) if keyword in ("additionalProperties", "propertyNames") else ()
    elif kind_name not in ("Not", "Contains"):
        value = kind.value
    return Broken(path, schema_path, keyword, value, names, branches)


def from_second(error: Any) -> Broken:
    """An error of jsonschema."""
    path, schema_path = tuple(error.absolute_path), tuple(error.absolute_schema_path)
    keyword = str(error.validator) if error.validator is not None else keyword_of(schema_path)
    value, names = error.validator_value, ()  # type: Any, tuple[str, ...]
    branches: tuple[tuple[Broken, ...], ...] = ()
    if keyword in ("anyOf", "oneOf") and error.context:
        by_branch: dict[Any, list[Broken]] = {}
        for inner in error.context:
            by_branch.setdefault(inner.schema_path[0], []).append(from_second(inner))
        branches = tuple(map(tuple, by_branch.values()))
    elif keyword == "required":
        names = _texts(name for name in value if name not in error.instance)[:1] if isinstance(value, list) else ()
    elif keyword == "additionalProperties" and value is False and "patternProperties" not in error.schema:
        names = _texts(name for name in error.instance if name not in error.schema.get("properties", {}))
    elif keyword == "type":
        value = [value] if isinstance(value, str) else value
    elif keyword in ("exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum") and isinstance(value, bool):
        value = error.schema.get(keyword.replace("exclusiveM", "m"))
    return Broken(path, schema_path, keyword, value, names, branches)


def nearest(broken: Broken, depth: int = 0) -> Broken:
    """In place of an ``anyOf`` or ``oneOf`` that is not met, what the alternative objects to that was probably meant.

    Alternatives that all turn on one place stay as they are: their rules can be told together.
    """
    if not broken.branches or not all(broken.branches) or depth >= _DEEPEST or together(broken):
        return broken
    best = min(broken.branches, key=lambda branch: _distance(broken, branch))
    found = nearest(min(best, key=lambda inner: -len(inner.path)), depth + 1)
    return Broken(
        *(found.path, found.schema_path, found.keyword, found.value, found.names, found.branches),
        alternatives=max(len(broken.branches), found.alternatives),
    )


def together(broken: Broken) -> bool:
    """Does each alternative object to the value as a whole, by one rule that says what it takes."""
    return all(len(branch) == 1 and branch[0].path == broken.path and _tells(branch[0]) for branch in broken.branches)


def _tells(broken: Broken) -> bool:
    """Whether it is a rule about the value itself; one about the names in it may have the same keyword."""
    if isinstance(broken.value, Broken):
        return False
    return broken.keyword == "const" or (broken.keyword in ("type", "enum") and isinstance(broken.value, list))


def _distance(broken: Broken, branch: tuple[Broken, ...]) -> tuple[int, int]:
    """Of another type is farthest, then another mark (a ``const`` one level below, as in tagged unions)."""
    here = len(broken.path)
    if any(len(inner.path) == here and inner.keyword in ("type", "const", "enum", "false") for inner in branch):
        return 2, len(branch)
    marked = any(len(inner.path) == here + 1 and inner.keyword in ("const", "enum") for inner in branch)
    return int(marked), len(branch)


def keyword_of(schema_path: tuple[Any, ...]) -> str:
    """The last token, if it is a keyword; ``false`` where a schema that takes nothing stands there."""
    if not schema_path or not isinstance(schema_path[-1], str):
        return "false"
    return "false" if len(schema_path) > 1 and schema_path[-2] in _NAMED else schema_path[-1]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for token in path:
        try:
            value = value[token]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _texts(names: Iterable[Any]) -> tuple[str, ...]:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        return ()
    found: list[str] = []
    for name in names:
        if len(found) == MAX_NAMES:
            break
        if isinstance(name, str):
            found.append(name)
    return tuple(found)
