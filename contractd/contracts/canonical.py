"""RFC 8785 (JSON Canonicalization Scheme): one byte string for each JSON value, so that equal contracts hash equal.

Numbers are written as ECMAScript writes IEEE doubles (section 3.2.2.3), so ``1.0`` and ``1`` are one value, and an
integer past 2**53 becomes the double nearest to it. Keys are ordered by UTF-16 code units (section 3.2.3).
"""

from __future__ import annotations

import math
from json.encoder import encode_basestring
from typing import Any

from contractd.errors import TooComplexError

_MAX_DEPTH = 500


def canonical_json(value: Any) -> bytes:
    """``value`` (dict, list, str, int, float, bool, None) in canonical form, UTF-8.

    Raises TooComplexError for what JSON can't hold (NaN, other types) or what is nested beyond 500 levels.
    A lone surrogate, which RFC 8785 forbids, is kept as its three bytes: hostile names must still hash.
    """
    parts: list[str] = []
    _write(value, parts.append, 0)
    return "".join(parts).encode("utf-8", "surrogatepass")


def _write(value: Any, out: Any, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise TooComplexError(f"JSON nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, str):
        out(encode_basestring(value))
    elif value is None:
        out("null")
    elif value is True:
        out("true")
    elif value is False:
        out("false")
    elif isinstance(value, int | float):
        out(_number(value))
    elif isinstance(value, list | tuple):
        out("[")
        for index, inner in enumerate(value):
            if index:
                out(",")
            _write(inner, out, depth + 1)
        out("]")
    elif isinstance(value, dict):
        out("{")
        for index, key in enumerate(sorted(value, key=_utf16)):
            out("," + encode_basestring(key) + ":" if index else encode_basestring(key) + ":")
            _write(value[key], out, depth + 1)
        out("}")
    else:
        raise TooComplexError(f"{type(value).__name__} is not a JSON value")


def _utf16(key: Any) -> bytes:
    if not isinstance(key, str):
        raise TooComplexError("a JSON key is a string")
    return key.encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    if isinstance(value, int) and -(2**53) <= value <= 2**53:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        # JSON text can name such a number (1e999); JSON values can't hold it, so it is no contract.
        raise TooComplexError("a number beyond the range of IEEE doubles")
    return _ecmascript(double)


def _ecmascript(value: float) -> str:
    """ECMA-262 Number::toString(10). Python's repr gives the same shortest digits in another layout."""
    if value == 0:
        return "0"
    sign, text = ("-", repr(-value)) if value < 0 else ("", repr(value))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0)  # value = 0.DIGITS * 10**point, once leading zeros are gone
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
