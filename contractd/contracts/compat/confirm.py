"""Two independent validators: a witness counts only if both agree, under the dialect, on both schemas.

Nothing is ever fetched: neither validator is given a way to retrieve what the document does not hold itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jsonschema
import jsonschema_rs
from referencing.jsonschema import EMPTY_REGISTRY

from contractd.contracts.compat.dialects import Dialect
from contractd.contracts.compat.document import LISTED, NAMED, ONE

MAX_BACKTRACKING = 2_000_000  # what a backtracking engine may cost on one text, roughly
MAX_APPLIED = 120  # schemas inside one another on a value: jsonschema recurses, some four Python frames for each
MAX_NESTED = 20  # characters of a text that meets a pattern with a repetition inside a repetition

_LITERAL = re.compile(r"[\w:/;,=-]*(?![*?{+])")
_VARIABLE = re.compile(r"[*+?]|\{\d+,\d*\}")


class Judge:
    """One schema under one dialect, read by jsonschema-rs and by jsonschema. The schema is valid in its dialect."""

    def __init__(self, schema: Any, dialect: Dialect, *, formats: bool = False) -> None:
        if isinstance(schema, dict) and "$schema" in schema:  # the dialect is what the caller says
            schema = {key: value for key, value in schema.items() if key != "$schema"}
        self._schema = schema
        self.chain = 1  # schemas that are applied to one value inside one another
        self._dialect = dialect
        self._formats = formats  # does jsonschema-rs assert ``format``; jsonschema never does

    @cached_property
    def _fast(self) -> Any:
        classes = {
            4: jsonschema_rs.Draft4Validator,
            6: jsonschema_rs.Draft6Validator,
            7: jsonschema_rs.Draft7Validator,
            19: jsonschema_rs.Draft201909Validator,
            20: jsonschema_rs.Draft202012Validator,
        }
        return classes[self._dialect.age](bare(self._schema), retriever=_never, validate_formats=self._formats)

    @cached_property
    def _second(self) -> Any:
        classes: dict[int, Any] = {
            4: jsonschema.Draft4Validator,
            6: jsonschema.Draft6Validator,
            7: jsonschema.Draft7Validator,
            19: jsonschema.Draft201909Validator,
            20: jsonschema.Draft202012Validator,
        }
        return classes[self._dialect.age](self._schema, registry=EMPTY_REGISTRY)

    @cached_property
    def _patterns(self) -> list[_Cost]:
        found: dict[str, None] = {}
        stack = [self._schema]
        while stack:
            node = stack.pop()
            if isinstance(node, dict):
                if isinstance(node.get("pattern"), str):
                    found[node["pattern"]] = None
                if isinstance(node.get("patternProperties"), dict):
                    found.update(dict.fromkeys(node["patternProperties"]))
                stack += node.values()
            elif isinstance(node, list):
                stack += node
        return [_Cost.of(pattern) for pattern in found]

    def quick(self, value: Any) -> bool | None:
        """What jsonschema-rs says; None where it can't."""
        try:
            return bool(self._fast.is_valid(value))
        except Exception:  # a validator that fails in whatever way has no opinion
            return None

    def accepts(self, value: Any) -> bool | None:
        """What both say; None where they differ, or one can't say."""
        first = self.quick(value)
        if first is None or self._dangerous(value) or self.chain * nesting(value) > MAX_APPLIED:
            return None
        try:
            second = bool(self._second.is_valid(value))
        except Exception:  # as above; bad patterns come in many classes
            return None
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # a RecursionError inside rpds, which is written in Rust
                return None
            raise
        return first if first is second else None

    def _dangerous(self, value: Any) -> bool:
        """Could Python's backtracking engine take very long on this value."""
        if not self._patterns:
            return False
        texts = texts_of(value)
        return any(cost.dangerous(text) for cost in self._patterns for text in texts)


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a pattern may cost a backtracking engine: repetitions of no fixed count, and are they inside one another."""

    start: str
    anchored: bool
    count: int
    nested: bool

    @classmethod
    def of(cls, pattern: str) -> _Cost:
        count, nested, split = _repetitions(pattern)
        anchored = pattern.startswith("^") and not split
        start = _LITERAL.match(pattern, 1) if anchored else None
        return cls(start[0] if start else "", anchored, count, nested)

    def dangerous(self, text: str) -> bool:
        if not text.startswith(self.start):  # it fails at the first letters
            return False
        if self.nested and len(text) > MAX_NESTED:
            return True
        return bool(len(text) ** (self.count + (not self.anchored)) > MAX_BACKTRACKING)


def nesting(value: Any) -> int:
    """How deep a value is nested; 1 for a plain one."""
    deepest = 1
    stack = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict | list):
            stack += [(inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item)]
    return deepest


def bare(schema: Any) -> Any:
    """The schema without ``content*``: annotations here, but jsonschema-rs asserts them in draft-06 and draft-07."""
    if not isinstance(schema, dict):
        return schema
    found = {key: inner for key, inner in schema.items() if key not in ("contentEncoding", "contentMediaType")}
    for key, inner in found.items():
        if key in ONE and isinstance(inner, dict):
            found[key] = bare(inner)
        elif key in LISTED and isinstance(inner, list):
            found[key] = list(map(bare, inner))
        elif key in NAMED and isinstance(inner, dict):
            found[key] = {name: bare(part) for name, part in inner.items()}
    return found


def texts_of(value: Any) -> set[str]:
    """Every string and key in a value."""
    found: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.add(item)
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, dict):
            found.update(item)
            stack += item.values()
    return found


def _repetitions(pattern: str) -> tuple[int, bool, bool]:
    """How many parts of a pattern repeat without a fixed count, is one of them around another or a choice, and is the
    whole a choice."""
    count, nested, split = 0, False, False
    groups = [False]
    index = 0
    in_class = False
    while index < len(pattern):
        letter = pattern[index]
        closed = None
        index += 1
        if letter == "\\":
            index += 1
        elif in_class:
            in_class = letter != "]"
        elif letter == "[":
            in_class = True
        elif letter == "(":
            groups.append(False)
            index += pattern.startswith("?", index)
        elif letter == ")" and len(groups) > 1:
            closed = groups.pop()
            groups[-1] = groups[-1] or closed
        elif letter == "|":
            groups[-1] = True
            split = split or len(groups) == 1
        repeat = None if in_class else _VARIABLE.match(pattern, index)
        if repeat and repeat[0] != "?":
            count += 1
            groups[-1] = True
            nested = nested or bool(closed)
        elif repeat:
            groups[-1] = True
        if repeat:
            index = repeat.end()
    return count, nested, split


def _never(uri: str) -> Any:
    raise ValueError("references are never fetched")
