"""Does a schema refuse a value, and by which rule: the one place that asks a validator about values for people."""

from __future__ import annotations

from typing import Any

from contractd.contracts.drift.result import Refusal
from contractd.contracts.validation.validator import Examined, Validator, compile_schema
from contractd.contracts.validation.words import pointer_of, taken
from contractd.errors import SchemaError

_ANSWERS = {"valid": True, "invalid": False, "unknown": None}


class Asked:
    """One schema, read once and asked about many values. Nothing is fetched, nothing echoed.

    ``flaw``: why it can't be asked at all.
    """

    def __init__(self, schema: Any) -> None:
        self.flaw: str | None = None
        self._validator: Validator | None = None
        try:
            self._validator = compile_schema(schema)
        except SchemaError as error:
            self.flaw = error.message

    def accepts(self, value: Any) -> bool | None:
        """Whether the schema accepts the value; None where that can't be told."""
        return None if self._validator is None else _ANSWERS[self._validator.examine(value).status]

    def refusal(self, value: Any) -> Refusal | None:
        """What refuses the value, the outermost first; None where nothing does or it can't be told."""
        found = Examined("unknown") if self._validator is None else self._validator.examine(value)
        if self._validator is None or not found.broken:
            return None
        broken = found.broken[0]
        return Refusal(
            pointer_of(broken.path),
            broken.keyword,
            pointer_of(broken.schema_path),
            broken.names[0] if broken.names else None,
            taken(broken, self._validator.schema),
        )


def refusal_of(schema: Any, value: Any) -> Refusal | None:
    """What refuses the value, the outermost first; None where it can't be told."""
    return Asked(schema).refusal(value)
