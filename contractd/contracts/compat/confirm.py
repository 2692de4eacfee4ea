"""Two independent validators: a witness counts only if both agree, under the dialect, on both schemas.

Nothing is ever fetched: neither validator is given a way to retrieve what the document does not hold itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from contractd.contracts.compat.backtracking import Patterns
from contractd.contracts.compat.dialects import Dialect
from contractd.contracts.compat.engines import asked, fast, second

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
        return fast(self._schema, self._dialect, formats=self._formats)

    @cached_property
    def _second(self) -> Any:
        return second(self._schema, self._dialect)

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
        return first if first is asked(lambda: self._second, value) else None


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
