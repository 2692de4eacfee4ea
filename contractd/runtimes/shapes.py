"""What a key of a server's entry must hold, for runtimes that drop the entry, or the whole file, over a wrong type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Shape(NamedTuple):
    """``words`` completes "is not …"."""

    words: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _table_of(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, Mapping) and all(map(fits, value.values()))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str) or _is_number(value)


TEXT = Shape("a text", _is_text)
FILLED_TEXT = Shape("a text that is not empty", lambda value: isinstance(value, str) and value != "")
TEXTS = Shape("an array of texts", lambda value: isinstance(value, list) and all(map(_is_text, value)))
TEXT_TABLE = Shape("a table of texts", lambda value: _table_of(value, _is_text))
LOOSE_TABLE = Shape(
    "a table of texts, numbers or booleans",
    lambda value: _table_of(value, lambda one: _is_scalar(one) or one is True or one is False),
)
SCALAR_TABLE = Shape("a table of texts, numbers or null", lambda value: _table_of(value, _is_scalar))
FLAG = Shape("true or false", lambda value: isinstance(value, bool))
NUMBER = Shape("a number", _is_number)
POSITIVE_WHOLE = Shape("a whole number above 0", lambda value: _is_number(value) and value > 0 and value % 1 == 0)
WHOLE = Shape("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0)
TABLE = Shape("a table", lambda value: isinstance(value, Mapping))
LIST = Shape("an array", lambda value: isinstance(value, list))


def or_null(shape: Shape) -> Shape:
    """``shape``, or nothing."""
    return Shape(shape.words, lambda value: value is None or shape.fits(value))
