"""Witnesses that also keep to ``format``, where that is possible: an annotation here, but a stranger's validator may
assert it (draft-07 7.2 leaves that open), and a call that a person is shown should look like one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

from contractd.contracts.compat.document import subschemas

MAX_TRIED = 60

EXAMPLES: Final = {
    "date-time": "2000-01-01T00:00:00Z",
    "date": "2000-01-01",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "idn-email": "a@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "::1",
    "uri": "https://example.com/",
    "uri-reference": "/a",
    "uri-template": "/{a}",
    "iri": "https://example.com/",
    "iri-reference": "/a",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "json-pointer": "/a",
    "relative-json-pointer": "0",
    "regex": "a",
}


def formats_in(schema: Any) -> list[str]:
    """The formats a schema mentions, as far as examples are known for them."""
    found: dict[str, None] = {}
    seen: set[int] = set()
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            if isinstance(node.get("format"), str) and node["format"] in EXAMPLES:
                found[node["format"]] = None
            stack += subschemas(node)
    return list(found)


def formatted(value: Any, formats: list[str], fits: Callable[[Any], bool]) -> Any | None:
    """``value`` with examples of formats in place of strings, such that it ``fits``; None where none was found."""
    candidates = _replaced(value, [EXAMPLES[name] for name in formats])
    return next(filter(fits, islice(candidates, MAX_TRIED)), None)


def _replaced(value: Any, examples: list[str]) -> Iterator[Any]:
    """All strings replaced by one example, then one string at a time."""
    yield from (_everywhere(value, example) for example in examples)
    yield from _one_place(value, examples)


def _everywhere(value: Any, example: str) -> Any:
    if isinstance(value, str):
        return example
    if isinstance(value, list):
        return [_everywhere(item, example) for item in value]
    if isinstance(value, dict):
        return {key: _everywhere(inner, example) for key, inner in value.items()}
    return value


def _one_place(value: Any, examples: list[str]) -> Iterator[Any]:
    if isinstance(value, str):
        yield from examples
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in _one_place(item, examples))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: other} for other in _one_place(inner, examples))
