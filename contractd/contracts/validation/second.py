"""jsonschema, tamed: the second opinion on what jsonschema-rs refuses, and the only one where that can't read a schema.

It recurses in Python, compares each pair for ``uniqueItems``, and matches with ``re``: asked only where that ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema
from jsonschema import validators

from contractd.contracts.compat.backtracking import MAX_STEPS, Patterns
from contractd.contracts.compat.dialects import Dialect
from contractd.contracts.compat.engines import SECOND, second
from contractd.contracts.validation.patterns import Steps, matches
from contractd.contracts.validation.values import Shape

MAX_APPLIED = 120  # schemas inside one another on a value: some four Python frames for each
MAX_WORK = 100_000  # a second at worst; usually a fifth of that

_STEPS: ContextVar[Steps] = ContextVar("steps")  # jsonschema hands nothing of ours down to a keyword


class Second:
    """One schema. ``chain`` and ``work`` are its effort."""

    def __init__(self, schema: Any, dialect: Dialect, patterns: Patterns, chain: int) -> None:
        self.validator = second(schema, dialect, _tamed())
        self._keys = Patterns((), patterns.keys)
        self._chain = chain
        self.pairs = _mentions(schema, "uniqueItems")
        self._several = _mentions(schema, "$schema", str)  # it would take another class there, with untamed patterns

    def hesitates(self, value: Any, shape: Shape, work: float) -> str | None:
        """Why it is not asked about a value."""
        if self._several:
            return "a part of the schema names its dialect once more"
        if self._chain * shape.depth > MAX_APPLIED:
            return "the value is nested too deeply for it"
        if work * (max(shape.longest, 1) if self.pairs else 1) > MAX_WORK:
            return "the value is too large for it"
        return "a pattern could take it too long" if self._keys.steps(value) > MAX_STEPS else None

    def objections(self, value: Any, most: int) -> list[Any] | None:
        """Its errors, the first few; none where it accepts the value. None where it fails before it finds any."""
        found: list[Any] = []
        _STEPS.set(Steps())
        try:
            found.extend(islice(self.validator.iter_errors(value), most))
        except Exception:  # bad patterns come in many classes, and CannotTell is one of them
            return found or None
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # a RecursionError inside rpds, which is written in Rust
                return found or None
            raise
        return found


@lru_cache(maxsize=1)
def _tamed() -> dict[int, Any]:
    extend: Any = validators.extend
    return {age: extend(known, {"pattern": _pattern}) for age, known in SECOND.items()}


def _pattern(validator: Any, pattern: Any, text: Any, schema: Any) -> Iterator[jsonschema.ValidationError]:
    if validator.is_type(text, "string") and not matches(pattern, text, _STEPS.get()):
        yield jsonschema.ValidationError("no match")


def _mentions(schema: Any, keyword: str, kind: type = object) -> bool:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get(keyword), kind) and keyword in node:
                return True
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return False
