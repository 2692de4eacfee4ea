"""Membership, against Python's re and the Rust engine behind jsonschema_rs, on patterns made up by hypothesis."""

from __future__ import annotations

import re
import warnings

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts.compat.regular import Budget, Language, TooBig

LARGE = 400_000
TEXTS = st.text(alphabet="aab1_ -\n\u2028é", max_size=8)

# Each with what Python calls it: ECMA-262's dot, $ and \s differ, and Python before 3.14 finds no \B in "".
LEAVES = st.sampled_from(
    [
        ("a", "a"),
        ("b", "b"),
        ("ab", "ab"),
        ("", ""),
        (".", "[^\n\r\u2028\u2029]"),
        (r"\d", "[0-9]"),
        (r"\w", "[A-Za-z0-9_]"),
        (r"\W", "[^A-Za-z0-9_]"),
        (r"\s", "[ \t\n\v\f\r\u2028\u00a0]"),
        (r"\S", "[^ \t\n\v\f\r\u2028\u00a0]"),
        ("[ab]", "[ab]"),
        ("[^a]", "[^a]"),
        (r"[a-c1\-]", r"[a-c1\-]"),
        (r"[^\w]", "[^A-Za-z0-9_]"),
        ("^", r"\A"),
        ("$", r"\Z"),
        (r"\b", r"\b"),
        (r"\B", r"(?!\b)"),
        ("é", "é"),
    ]
)
WIDTH_ONE = st.sampled_from([("a", "a"), ("[ab]", "[ab]"), (r"\bb", r"\bb"), ("(?<!a)1", "(?<!a)1"), ("^a", r"\Aa")])
COUNTS = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,3}", "*?", "{1,2}?"])
Pair = tuple[str, str]


def _join(parts: list[Pair]) -> Pair:
    return "".join(p for p, _ in parts), "".join(q for _, q in parts)


def _or(parts: list[Pair]) -> Pair:
    return f"({'|'.join(p for p, _ in parts)})", f"(?:{'|'.join(q for _, q in parts)})"


def _deeper(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    look = st.tuples(st.sampled_from(["(?=", "(?!"]), inner)
    behind = st.tuples(st.sampled_from(["(?<=", "(?<!"]), WIDTH_ONE)
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(_join),
        st.lists(inner, min_size=2, max_size=3).map(_or),
        st.tuples(inner, COUNTS).map(lambda t: (f"(?:{t[0][0]}){t[1]}", f"(?:{t[0][1]}){t[1]}")),
        look.map(lambda t: (f"{t[0]}{t[1][0]})", f"{t[0]}{t[1][1]})")),
        behind.map(lambda t: (f"{t[0]}{t[1][0]})", f"{t[0]}{t[1][1]})")),
    )


PATTERNS = st.recursive(LEAVES, _deeper, max_leaves=10)


def _python(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, re.ASCII)


@settings(max_examples=600, deadline=None)
@given(PATTERNS, st.lists(TEXTS, min_size=5, max_size=30))
def test_a_pattern_is_found_where_python_finds_it(pair: Pair, texts: list[str]) -> None:
    pattern, python = pair
    language = Language.pattern(pattern, Budget(LARGE))
    reference = _python(python)
    for text in ["", *texts]:
        assert language.accepts(text) == (reference.search(text) is not None), (pattern, text)


@settings(max_examples=200, deadline=None)
@given(PATTERNS)
def test_samples_and_sizes_agree_with_python(pair: Pair) -> None:
    pattern, python = pair
    language = Language.pattern(pattern, Budget(LARGE))
    reference = _python(python)
    for side, found in ((language, True), (~language, False)):
        try:
            samples = list(side.samples(40))
            size = side.finite_size(30)
            empty = side.is_empty()
        except TooBig:
            continue
        assert len(set(samples)) == len(samples)
        assert [len(text) for text in samples] == sorted(len(text) for text in samples)
        for text in samples:
            if not re.search(r"[\u0085\u1680\u2000-\u200a\u2029\u202f\u205f\u3000\ufeff]", text):
                assert (reference.search(text) is not None) == found, (pattern, text)
        assert empty == (not samples)
        assert size == (len(samples) if len(samples) <= 30 else None)


@settings(max_examples=200, deadline=None)
@given(PATTERNS, st.lists(st.text(alphabet="ab1_ -\n", max_size=6), min_size=5, max_size=20))
def test_a_pattern_is_found_where_the_rust_engine_finds_it(pair: Pair, texts: list[str]) -> None:
    pattern = pair[0]
    try:
        jsonschema_rs.validator_for({"pattern": pattern})
    except Exception:  # it takes fewer patterns than ECMA-262
        return
    validator = jsonschema_rs.validator_for({"pattern": pattern})
    language = Language.pattern(pattern, Budget(LARGE))
    for text in texts:
        assert language.accepts(text) == validator.is_valid(text), (pattern, text)


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
        r"^(?=.*[A-Z])(?=.*\d)(?!.*\s).{4,8}$",
        r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$",
        r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        r"^(\d{1,3}\.){3}\d{1,3}$",
        r"^(?!.*--)[a-z]+(-[a-z]+)*$",
        r"\bfoo\b|(?<!ba)r$",
        r"^((a|b)*?c){2,3}$",
        "^#([0-9a-f]{3}|[0-9a-f]{6})$",
        r"^https?://[^\s/$.?#].[^\s]*$",
    ],
)
def test_samples_of_usual_patterns_agree_with_both_engines(pattern: str) -> None:
    python = _python(pattern.replace("$", r"\Z") if "[^\\s/$" not in pattern else pattern[:-1] + r"\Z")
    validator = jsonschema_rs.validator_for({"pattern": pattern})
    language = Language.pattern(pattern, Budget(LARGE))
    for side, found in ((language, True), (~language, False)):
        samples = list(side.samples(300))
        assert len(set(samples)) == 300
        for text in samples:
            assert (python.search(text) is not None) == validator.is_valid(text) == found, text
