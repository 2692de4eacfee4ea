"""Does a schema refuse a value, and by which rule: the one place that asks a validator about values for people."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from contractd.contracts.compat.backtracking import Patterns
from contractd.contracts.compat.confirm import MAX_REFERRED
from contractd.contracts.compat.document import subschemas
from contractd.contracts.compat.engines import fast
from contractd.contracts.compat.verdict import effective_dialect
from contractd.contracts.drift.result import Refusal
from contractd.contracts.validation.explain import OutOfBounds, from_fast
from contractd.contracts.validation.words import pointer_of, taken

_TURNING = ("not", "oneOf", "if", "contains")  # where what was given up may look like an acceptance


class Asked:
    """One schema, read once and asked about many values. Nothing is fetched, nothing echoed.

    ``flaw``: why it can't be asked at all.
    """

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._dialect, self.flaw = effective_dialect(schema, None)
        if self.flaw is None and self._validator is None:
            self.flaw = "no validator can read the schema"

    @cached_property
    def _validator(self) -> Any:
        if self._dialect is None or isinstance(self._schema, bool):
            return False
        if len({node["$ref"] for node in _nodes(self._schema) if isinstance(node.get("$ref"), str)}) > MAX_REFERRED:
            return None  # it is built by recursion along them
        try:
            return fast(self._schema, self._dialect)
        except Exception:  # whatever it is that it can't read
            return None

    def accepts(self, value: Any) -> bool | None:
        """Whether the schema accepts the value; None where that can't be told."""
        if self.flaw is not None:
            return None
        if isinstance(self._schema, bool):
            return self._schema
        if self._turning and self._patterns.dangerous(value):
            return None
        try:
            if self._validator.is_valid(value):
                return True
            for error in self._validator.iter_errors(value):
                from_fast(error, value)
        except OutOfBounds:  # a pattern that costs too much to match counts as not matched, which is no answer
            return None
        except Exception:  # a validator that fails in whatever way has no opinion
            return None
        return False

    @cached_property
    def _turning(self) -> bool:
        return any(keyword in node for node in _nodes(self._schema) for keyword in _TURNING)

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns.of(self._schema)

    def refusal(self, value: Any) -> Refusal | None:
        """What refuses the value, the outermost first; None where nothing does or it can't be told."""
        if self.flaw is not None or self._schema is True:
            return None
        if isinstance(self._schema, bool):
            return Refusal("", "false", "")
        try:
            error = next(iter(self._validator.iter_errors(value)), None)
            broken = None if error is None else from_fast(error, value)
        except Exception:  # as above
            return None
        if broken is None:
            return None
        return Refusal(
            pointer_of(broken.path),
            broken.keyword,
            pointer_of(broken.schema_path),
            broken.names[0] if broken.names else None,
            taken(broken, self._schema),
        )


def refusal_of(schema: Any, value: Any) -> Refusal | None:
    """What refuses the value, the outermost first; None where it can't be told."""
    return Asked(schema).refusal(value)


def _nodes(schema: Any) -> Iterable[dict[str, Any]]:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += subschemas(node)
