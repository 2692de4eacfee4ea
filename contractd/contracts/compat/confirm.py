"""Two independent validators: a witness counts only if both agree, under the dialect, on both schemas.

Nothing is ever fetched: neither validator is given a way to retrieve what the document does not hold itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import jsonschema
import jsonschema_rs
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from contractd.contracts.compat.backtracking import Patterns
from contractd.contracts.compat.dialects import Dialect
from contractd.contracts.compat.document import LISTED, NAMED, ONE

MAX_APPLIED = 120  # schemas inside one another on a value: jsonschema recurses, some four Python frames for each
MAX_REFERRED = 800  # jsonschema-rs recurses along references as it is built, and older versions overflow the stack


class Judge:
    """One schema under one dialect, read by jsonschema-rs and by jsonschema. The schema is valid in its dialect."""

    def __init__(self, schema: Any, dialect: Dialect, *, formats: bool = False) -> None:
        if isinstance(schema, dict) and "$schema" in schema:  # the dialect is what the caller says
            schema = {key: value for key, value in schema.items() if key != "$schema"}
        self._schema = schema
        self.chain = 1  # schemas that are applied to one value inside one another
        self.referred = 0  # different schemas that references lead to
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
        return classes[self._dialect.age](self._schema, registry=REGISTRY)

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns.of(self._schema)

    def quick(self, value: Any) -> bool | None:
        """What jsonschema-rs says; None where it can't."""
        if self.referred > MAX_REFERRED:
            return None
        try:
            return bool(self._fast.is_valid(value))
        except Exception:  # a validator that fails in whatever way has no opinion
            return None

    def accepts(self, value: Any) -> bool | None:
        """What both say; None where they differ, or one can't say."""
        first = self.quick(value)
        if first is None or self._patterns.dangerous(value) or self.chain * nesting(value) > MAX_APPLIED:
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


def _never(uri: str) -> Any:
    raise ValueError("references are never fetched")
