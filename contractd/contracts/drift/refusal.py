"""Does a schema refuse a value, and by which rule: the one place that asks a validator about values for people."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import jsonschema_rs

from contractd.contracts.compat.backtracking import Patterns
from contractd.contracts.compat.changes import escaped
from contractd.contracts.compat.confirm import MAX_REFERRED, bare
from contractd.contracts.compat.document import subschemas
from contractd.contracts.compat.verdict import effective_dialect
from contractd.contracts.drift.accepted import what_is_accepted
from contractd.contracts.drift.result import Refusal

_VALIDATORS: dict[int, Any] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}


# A pattern that costs too much to match counts as not matched, which is no answer.
_GIVEN_UP = ("BacktrackLimitExceeded", "RegexEngineFailure")
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
        plain = {key: inner for key, inner in self._schema.items() if key != "$schema"}
        try:
            return _VALIDATORS[self._dialect.age](bare(plain), retriever=_never, validate_formats=False)
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
            return None if any(map(_given_up, self._validator.iter_errors(value))) else False
        except Exception:  # a validator that fails in whatever way has no opinion
            return None

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
        except Exception:  # as above
            return None
        if error is None:
            return None
        path = list(error.schema_path)
        keyword = str(path[-1]) if path and getattr(error.kind, "name", "") != "falseSchema" else "false"
        return Refusal(
            _pointer(error.instance_path),
            keyword,
            _pointer(path),
            _property(error.kind),
            what_is_accepted(keyword, error.kind, self._schema, path),
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


def _given_up(error: Any) -> bool:
    context = getattr(error.kind, "context", None)
    inner = (found for errors in context for found in errors) if isinstance(context, list) else ()
    return type(error.kind).__name__ in _GIVEN_UP or any(map(_given_up, inner))


def _property(kind: Any) -> str | None:
    """The property that is missing, or the first that is not taken."""
    missing, unexpected = getattr(kind, "property", None), getattr(kind, "unexpected", None)
    if isinstance(unexpected, list) and unexpected:
        missing = unexpected[0]
    return missing if isinstance(missing, str) else None


def _pointer(path: Iterable[Any]) -> str:
    return "".join("/" + escaped(str(token)) for token in path)


def _never(uri: str) -> Any:
    raise ValueError("references are never fetched")
