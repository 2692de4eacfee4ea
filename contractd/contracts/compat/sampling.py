"""A handful of values to try where the procedure gave up: what the schemas mention, and what often tells them apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from contractd.contracts.compat.document import subschemas

MAX_SAMPLES = 250
MAX_SCHEMAS = 400
_PLAIN: tuple[Any, ...] = (None, True, False, 0, 1, -1, 0.5, "", "a", [], {}, [0], ["a"], [0, 0], {"a": 0}, {"": None})


def samples(accepting: Any, refusing: Any) -> Iterator[Any]:
    """Values that may be accepted by the one and refused by the other, at most a few hundred."""
    return islice(_samples(accepting, refusing), MAX_SAMPLES)


def _samples(accepting: Any, refusing: Any) -> Iterator[Any]:
    yield from _PLAIN
    nodes = [*_nodes(accepting), *_nodes(refusing)]
    mentioned: list[Any] = []
    for node in nodes:
        mentioned += _mentioned(node)
    yield from mentioned
    names = list(dict.fromkeys(name for node in nodes for name in _names(node)))[:12]
    for name in names:
        yield from ({name: value} for value in (*mentioned[:12], *_PLAIN[:10]))
    for value in mentioned[:12]:
        yield from ([value], dict.fromkeys(names, value), [value, value])


def _nodes(schema: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    stack = [schema]
    while stack and len(found) < MAX_SCHEMAS:
        node = stack.pop()
        if isinstance(node, dict):
            found.append(node)
            stack += subschemas(node)
    return found


def _mentioned(node: dict[str, Any]) -> Iterator[Any]:
    for keyword in ("enum", "examples"):
        if isinstance(node.get(keyword), list):
            yield from node[keyword][:8]
    for keyword in ("const", "default"):
        if keyword in node:
            yield node[keyword]
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        bound = node.get(keyword)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            yield from (bound, bound - 1, bound + 1)
    for keyword in ("minLength", "maxLength"):
        length = node.get(keyword)
        if isinstance(length, int) and 0 <= length < 200:
            yield from ("a" * length, "a" * (length + 1), "a" * max(0, length - 1))


def _names(node: dict[str, Any]) -> Iterator[str]:
    if isinstance(node.get("properties"), dict):
        yield from node["properties"]
    if isinstance(node.get("required"), list):
        yield from (name for name in node["required"] if isinstance(name, str))
