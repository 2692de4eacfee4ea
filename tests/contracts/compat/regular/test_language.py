"""What is asked of languages: boolean laws, lengths however far, sizes and samples."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts.compat.regular import Budget, Language, TooBig

BASES = st.one_of(
    st.sampled_from(
        ["a", "^a*$", "^(ab)*$", "^[ab]{2,5}$", "b$", "^(?!aa)", "^(aaa)*$", "^(aa|aaaaa)*$", "^.{3}$", r"\bab\b"]
    ).map(lambda text: Language.pattern(text, Budget(60_000))),
    st.lists(st.text(alphabet="ab", max_size=4), max_size=6).map(Language.literals),
    st.tuples(st.integers(0, 6), st.one_of(st.none(), st.integers(0, 9))).map(lambda t: Language.lengths(*t)),
    st.sampled_from([Language.everything(), Language.nothing()]),
)
LANGUAGES = st.recursive(
    BASES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: t[0] & t[1]),
        st.tuples(inner, inner).map(lambda t: t[0] | t[1]),
        st.tuples(inner, inner).map(lambda t: t[0] - t[1]),
        inner.map(lambda one: ~one),
    ),
    max_leaves=6,
)
WORDS = ["".join(letters) for length in range(6) for letters in product("abc", repeat=length)]
ALL_LENGTHS = (None, 0, 3)


def pattern(text: str) -> Language:
    return Language.pattern(text, Budget())


def same(one: Language, other: Language) -> bool:
    return one.is_subset(other) and other.is_subset(one)


@settings(max_examples=100, deadline=None)
@given(LANGUAGES, LANGUAGES)
def test_boolean_laws(one: Language, other: Language) -> None:
    with suppress(TooBig):
        _boolean_laws(one.under(Budget(60_000)), other)


def _boolean_laws(one: Language, other: Language) -> None:
    for word in WORDS:
        here, there = one.accepts(word), other.accepts(word)
        assert (one & other).accepts(word) == (here and there)
        assert (one | other).accepts(word) == (here or there)
        assert (one - other).accepts(word) == (here and not there)
        assert (~one).accepts(word) != here
    assert same(~(one & other), ~one | ~other)
    assert same(~(one | other), ~one & ~other)
    assert same(~~one, one)
    assert one.is_subset(other) == (one - other).is_empty()
    assert (one & ~one).is_empty()
    assert (~(one | ~one)).is_empty()


@settings(max_examples=200, deadline=None)
@given(LANGUAGES)
def test_samples_are_the_members(one: Language) -> None:
    with suppress(TooBig):
        _samples_are_the_members(one)


def _samples_are_the_members(one: Language) -> None:
    samples = list(one.samples(60))
    assert len(set(samples)) == len(samples)
    assert all(len(a) <= len(b) for a, b in pairwise(samples))
    assert all(map(one.accepts, samples))
    assert one.is_empty() == (not samples)
    assert one.shortest() == (samples[0] if samples else None)
    size = one.finite_size(59)
    assert size == (len(samples) if len(samples) < 60 else None)
    if size is not None:
        assert {word for word in WORDS if one.accepts(word)} <= set(samples)


def test_lengths_far_away_cost_no_states() -> None:
    budget = Budget()
    far = Language.pattern("^[a-z]*$", budget) & Language.lengths(50_000, 1_000_000)
    assert not far.is_empty()
    assert far.is_subset(Language.lengths(49_999, None))
    assert not far.is_subset(Language.lengths(50_001, None))
    assert far.finite_size(1_000) is None
    assert (Language.pattern("^(ab){3}$", budget) & Language.lengths(50_000, None)).is_empty()
    assert (Language.pattern("^(ab)*$", budget) & Language.lengths(999_999, 999_999)).is_empty()
    assert not (Language.pattern("^(ab)*$", budget) & Language.lengths(999_998, 999_999)).is_empty()
    assert (Language.pattern("^(a{7}|a{11})*$", budget) & Language.lengths(500_000, 500_000)).finite_size(5) == 1
    assert budget.used < 10_000


def test_a_long_member_is_written_out() -> None:
    far = Language.pattern("^x[a-z]*$", Budget()) & Language.lengths(50_000, None)
    first, second = far.samples(2)
    assert (first, second) == ("x" + "a" * 49_999, "x" + "a" * 49_998 + "b")
    assert far.under(Budget(200_000)).accepts(first)


def test_a_count_becomes_a_length() -> None:
    budget = Budget()
    one = Language.pattern("^[a-z]{1,65536}$", budget)
    other = Language.pattern("^[a-z]{1,65537}$", budget)
    assert one.is_subset(other) and not other.is_subset(one)
    assert one.is_subset(Language.lengths(1, 65_536)) and not one.is_subset(Language.lengths(2, None))
    assert budget.used < 1_000


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("^x[0-9]{4}y$", ["x0000y", "x1234y"]),
        ("^(ab){4,6}c$", ["ababababc", "ababababababc"]),
        ("^a{2}b{5}$", ["aabbbbb"]),
        ("^(?=.*b)[ab]{4,5}$", ["aaab", "baaaa"]),
        ("^a?[bc]{5}$", ["bbbbb", "abcbcb"]),
        ("^(a|bc){4}$", ["aaaa", "abcabc"]),
        (r"^\bab{4,}$", ["abbbb", "abbbbbb"]),
    ],
)
def test_counts_taken_out_change_nothing(text: str, members: list[str]) -> None:
    language = pattern(text)
    as_written = pattern(f"{text}|x^")  # beside an alternative, no count is taken out
    assert len(as_written.pieces) == 1
    for member in members:
        assert language.accepts(member)
        for at, char in product(range(len(member) + 1), "ab0"):
            for text_near in (member[:at] + member[at + 1 :], member[:at] + char + member[at:]):
                assert language.accepts(text_near) == as_written.accepts(text_near), text_near


@pytest.mark.parametrize(
    ("language", "limit", "size"),
    [
        (Language.nothing(), 0, 0),
        (Language.everything(), 1_000, None),
        (Language.literals(["a", "b", "a"]), 2, 2),
        (Language.literals(["a", "b", "c"]), 2, None),
        (pattern("^[ab]{3}$"), 8, 8),
        (pattern("^[ab]{3}$"), 7, None),
        (pattern("^[0-9]{64}$"), 1_000, None),
        (pattern("^a{0,40}$"), 100, 41),
        (pattern("^(a|b|ab)$"), 3, 3),
        (Language.lengths(0, 0), 1, 1),
        (Language.lengths(1, 1), 2_000_000, 0x110000 - 0x800),
        (pattern("^a*$") & Language.lengths(1_000, 1_004), 9, 5),
        (pattern("^a*$") & Language.lengths(1_000, None), 9, None),
        (pattern("$^"), 5, 1),
        (pattern("a^"), 5, 0),
    ],
)
def test_finite_size(language: Language, limit: int, size: int | None) -> None:
    assert language.finite_size(limit) == size


def test_samples_are_readable_and_lazy() -> None:
    assert list(Language.everything().samples(4)) == ["", "a", "b", "c"]
    assert list(pattern("^[^a-zA-Z0-9]$").samples(3)) == ["!", '"', "#"]
    assert list(pattern(r"^[^\x00-\x7f]$").samples(2)) == ["¡", "¢"]
    assert list(pattern(r"^[\x00-\x1f]$").samples(2)) == ["\x00", "\x01"]
    assert list(pattern("^[ -~]é?$").samples(100))[:3] == ["a", "b", "c"]
    endless = Language.everything().samples(10**9)
    assert [next(endless) for _ in range(3)] == ["", "a", "b"]
    assert list(Language.everything().samples(0)) == []
    assert not any(
        "\ud800" <= char <= "\udfff" for text in pattern(r"^[\u{D000}-\u{F000}]$").samples(5_000) for char in text
    )


def test_literals() -> None:
    language = Language.literals(["", "cat", "car", "😀"])
    assert [text for text in ("", "ca", "cat", "car", "cars", "😀") if language.accepts(text)] == [
        "",
        "cat",
        "car",
        "😀",
    ]
    assert sorted(language.samples(9)) == ["", "car", "cat", "😀"]
    assert language.is_subset(Language.lengths(0, 3)) and not language.is_subset(Language.lengths(1, 3))
    assert Language.literals([]).is_empty() and Language.literals(["\ud800"]).is_empty()


def test_lengths_count_code_points() -> None:
    assert Language.lengths(1, 1).accepts("😀") and not Language.lengths(2, None).accepts("😀")
    assert Language.lengths(3, 2).is_empty()


def test_no_text_with_a_lone_surrogate_is_a_member() -> None:
    for language in (Language.everything(), ~Language.nothing(), ~pattern("a"), pattern("^[^a]$"), pattern(r"\uD800")):
        assert not language.accepts("\ud800")
    assert pattern(r"\uD800").is_empty()
    assert pattern("\ud800").is_empty()


def test_the_left_budget_counts() -> None:
    left, right = Budget(), Budget()
    both = Language.pattern("^a+$", left) & Language.pattern("^a{2}$", right)
    spent = right.used
    assert not both.is_empty()
    assert right.used == spent and left.used > 0
    assert (Language.literals(["a"]) & Language.pattern("a", right)).budget is right
    assert both.under(right).budget is right
