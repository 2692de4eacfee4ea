"""Which rule of a schema refuses a value: for people, beside a witness."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jsonschema_rs

from contractd.contracts.compat.changes import escaped
from contractd.contracts.compat.confirm import bare
from contractd.contracts.compat.verdict import effective_dialect
from contractd.contracts.drift.result import Refusal

_VALIDATORS: dict[int, Any] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}


def refusal_of(schema: Any, value: Any) -> Refusal | None:
    """What refuses the value, the outermost first; None where it can't be told. Nothing is fetched, nothing echoed."""
    dialect, flaw = effective_dialect(schema, None)
    if dialect is None or flaw:
        return None
    if isinstance(schema, bool):
        return Refusal("", "false", "")
    plain = {key: inner for key, inner in schema.items() if key != "$schema"}
    try:
        validator = _VALIDATORS[dialect.age](bare(plain), retriever=_never, validate_formats=False)
        error = next(iter(validator.iter_errors(value)), None)
    except Exception:  # a validator that fails has nothing to say; the witness stands without
        return None
    if error is None:
        return None
    path = list(error.schema_path)
    keyword = str(path[-1]) if path else "false"
    return Refusal(_pointer(error.instance_path), keyword, _pointer(path), _property(error.kind))


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
