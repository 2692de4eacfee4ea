"""RFC 8785: against its own vectors, against another implementation, and at the edges."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contractd.contracts import canonical_json
from contractd.errors import TooComplexError

# RFC 8785, appendix B: IEEE doubles by their bits.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}

# I-JSON: what both implementations accept.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS | FLOATS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=15,
)


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_numbers_are_written_as_the_rfc_writes_them(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number).decode() == text


def test_the_example_of_section_3_2_3_is_sorted_by_utf_16_code_units() -> None:
    value = {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew", "1": "One", "\U0001f600": "Emoji",
             "\u0080": "Control", "\u00f6": "Latin"}  # fmt: skip
    assert [*json.loads(canonical_json(value))] == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_the_example_of_section_3_2_2_is_written_to_the_byte() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '\u20ac$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical_json(value).decode() == expected


@given(VALUES)
@settings(max_examples=150, deadline=None)
@example([1e21, 1e-7, 123456789012345680000.0, -0.0, 5e-324, 0.1, 100.0])
def test_it_agrees_with_another_implementation(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


@given(FLOATS)
@settings(max_examples=300, deadline=None)
def test_a_number_keeps_its_value_in_the_fewest_digits(number: float) -> None:
    text = canonical_json(number)
    assert float(text) == number and text == rfc8785.dumps(number)


@given(VALUES)
@settings(max_examples=80, deadline=None)
def test_it_is_valid_json_of_the_same_value_whatever_the_key_order(value: Any) -> None:
    text = canonical_json(value)
    assert json.loads(text, parse_int=float) == value  # 6.5e16 is written without an exponent
    assert canonical_json(json.loads(text)) == text
    assert canonical_json(backwards(value)) == text


def backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(value)}
    return [backwards(inner) for inner in value] if isinstance(value, list) else value


def test_one_and_one_point_zero_are_one_value_and_large_integers_become_doubles() -> None:
    assert canonical_json(1) == canonical_json(1.0) == b"1"
    assert canonical_json(2**53 + 1) == canonical_json(float(2**53 + 1)) == b"9007199254740992"
    assert canonical_json(10**22) == b"1e+22"
    assert canonical_json(True) == b"true"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 10**400, object(), {1: 2}, b"x", {None}])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(TooComplexError):
        canonical_json([value])


def test_nesting_is_bounded_and_lone_surrogates_are_kept_apart() -> None:
    deep: list[Any] = []
    for _ in range(600):
        deep = [deep]
    with pytest.raises(TooComplexError):
        canonical_json(deep)
    assert canonical_json("\ud800") != canonical_json("\ud801") != canonical_json("\ufffd")
    assert canonical_json({"\udfff": 1, "\ud800\udc00": 2})  # an order even for what no UTF-16 text holds
