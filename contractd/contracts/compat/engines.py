"""The two validators without a way to fetch anything: jsonschema-rs and jsonschema, a class for each dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jsonschema
import jsonschema_rs
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from contractd.contracts.compat.dialects import Dialect
from contractd.contracts.compat.document import LISTED, NAMED, ONE

_FAST: Final[dict[int, Any]] = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}
SECOND: Final[dict[int, Any]] = {
    4: jsonschema.Draft4Validator,
    6: jsonschema.Draft6Validator,
    7: jsonschema.Draft7Validator,
    19: jsonschema.Draft201909Validator,
    20: jsonschema.Draft202012Validator,
}
_LEFT_OUT: Final = ("$schema", "contentEncoding", "contentMediaType")


def fast(schema: Any, dialect: Dialect, *, formats: bool = False, patterns: Any = None) -> Any:
    """jsonschema-rs for a schema that names no ``$schema``; ``patterns``: options of its pattern engine.

    Raises what it raises for a schema or a pattern that it can't read.
    """
    return _FAST[dialect.age](bare(schema), offline=True, validate_formats=formats, pattern_options=patterns)


def second(schema: Any, dialect: Dialect, classes: dict[int, Any] = SECOND) -> Any:
    """jsonschema for the same; it never asserts ``format``."""
    return classes[dialect.age](schema, registry=REGISTRY)


def asked(validator: Callable[[], Any], value: Any) -> bool | None:
    """What jsonschema says, once it is made; None where it fails."""
    try:
        return bool(validator().is_valid(value))
    except Exception:  # bad patterns come in many classes
        return None
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # a RecursionError inside rpds, which is written in Rust
            return None
        raise


def bare(schema: Any) -> Any:
    """The schema without ``content*``: annotations here, but jsonschema-rs asserts them in draft-06 and draft-07.

    And without ``$schema``, for which jsonschema would change its class in the middle: the caller says the dialect.
    """
    if not isinstance(schema, dict):
        return schema
    found = {key: inner for key, inner in schema.items() if key not in _LEFT_OUT}
    for key, inner in found.items():
        if key in ONE and isinstance(inner, dict):
            found[key] = bare(inner)
        elif key in LISTED and isinstance(inner, list):
            found[key] = list(map(bare, inner))
        elif key in NAMED and isinstance(inner, dict):
            found[key] = {name: bare(part) for name, part in inner.items()}
    return found
