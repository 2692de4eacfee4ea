"""JSON values as the procedure sees them: the kinds they fall into, exact numbers, and a hashable form.

A kind is a bit, so that ``type`` is a mask. Numbers have three kinds: draft-04 tells ``1`` from ``1.0`` for ``integer``
(draft-04 validation 5.5.2 builds on the JSON text), later drafts only ask for a zero fraction (draft-06 6.25).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, Final

NULL: Final = 1
BOOLEAN: Final = 2
WHOLE: Final = 4  # an integer written as one
POINTED: Final = 8  # an integer written with a point, 1.0; only told apart where draft-04 is involved
FRACTION: Final = 16  # a number that is no integer
STRING: Final = 32
ARRAY: Final = 64
OBJECT: Final = 128

NUMBER: Final = WHOLE | POINTED | FRACTION
EVERY_KIND: Final = NULL | BOOLEAN | NUMBER | STRING | ARRAY | OBJECT

EXACT: Final = 2**53  # from here on every double is an integer

Number = int | Fraction


def exact(number: float) -> Number:
    """The number a JSON text means: the shortest decimal of a double, its own value where doubles are integers."""
    if isinstance(number, int):
        return number
    if number.is_integer():
        return int(number)
    return Fraction(repr(number)) if abs(number) < EXACT else Fraction(number)


def plain(number: Number, *, pointed: bool = False) -> int | float | None:
    """A JSON number for an exact one; None where no double is it."""
    if number == int(number):
        whole = int(number)
        if not pointed:
            return whole
        try:
            double = float(whole)
        except OverflowError:
            return None
        return double if int(double) == whole else None
    try:
        double = float(number)
    except OverflowError:
        return None
    return double if math.isfinite(double) and exact(double) == number else None


def freeze(value: Any) -> Hashable:
    """A hashable form that is equal exactly where JSON Schema calls two values equal (core 4.2.2): 1 is 1.0."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float):
        return exact(value)
    if isinstance(value, list):
        return ("array", tuple(map(freeze, value)))
    return ("object", frozenset((key, freeze(inner)) for key, inner in value.items()))


def kind_of(value: Any) -> int:
    """The one kind of a value; an integral double is POINTED."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return WHOLE
    if isinstance(value, float):
        return POINTED if value.is_integer() else FRACTION
    if isinstance(value, str):
        return STRING
    return ARRAY if isinstance(value, list) else OBJECT


def kinds_of(value: Any) -> int:
    """The kinds in which a value equal to ``value`` may stand: 1 and 1.0 are equal."""
    kind = kind_of(value)
    return WHOLE | POINTED if kind & (WHOLE | POINTED) else kind
