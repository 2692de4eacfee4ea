"""Hostile patterns end within their budget, in steps and in what they leave behind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from contractd.contracts.compat.regular import Budget, Language, NotRegular, TooBig
from contractd.contracts.compat.regular.budget import DEFAULT_STEPS

HOSTILE = {
    "far choice": "(a|b)*a(a|b){20}",
    "far choice, anchored": "^(a|b)*a(a|b){20}$",
    "counts within counts": "(.{1,1000}){1,1000}",
    "counts within counts, anchored": "^(.{1,1000}x?){1,1000}$",
    "counts three deep": "^((a{0,30}b){0,30}c){0,30}$",
    "stars within stars": "^" + "(" * 60 + "a?b" + ")*" * 60 + "$",
    "10,000 alternatives": "|".join(f"w{i}x" for i in range(10_000)),
    "10,000 alternatives, anchored": "^(" + "|".join(f"w{i}x" for i in range(10_000)) + ")$",
    "a billion": "x{1000000000}",
    "a million letters": "^(a{1000}b){1000}c?$",
    "optional a": "^" + "a?" * 500 + "a" * 500 + "$",
    "empty rounds": "(?:(?=a)){1000000}b",
    "lookahead": "(?=.*a.{12})(?=.*b.{12}).*c.{12}",
    "many lookaheads": "(?=a*b)" * 3000,
    "negative lookahead": "^(?!.*(a.{10}|b.{10}|c.{11}))(?!.*x.{9}y).*$",
    "negation within negation": "(?!((?!((?!((?!a.*b.{9}).*c.{8})).*d.{8})).*)).*",
    "lookbehind": "(?<=a.{12})(?<=b.{11})c|(?<!x.{9})y",
    "open groups": "(" * 5000 + "a" + ")" * 5000,
    "digits": "a{" + "9" * 5000 + "}",
    "properties": r"\p{L}" * 5000,
    "classes": "".join(f"[{chr(0x100 + i)}-{chr(0x130 + i)}]" for i in range(5000)),
    "one class": "[" + "".join(chr(0x100 + 2 * i) for i in range(20_000)) + "]",
    "a long text": "^" + "".join(chr(0x4E00 + i) for i in range(3000)) + "$",
    "many counts": "^" + "[a-z]{1,50}" * 200 + "$",
}
CALLS_A_STEP = 40  # calls of functions, Python's own among them, that a step may stand for: the real work is bounded


@contextmanager
def bounded_work() -> Iterator[None]:
    """Count every call: what is not counted on the budget would show here, on the slowest machine as on the fastest."""
    calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert calls <= CALLS_A_STEP * DEFAULT_STEPS


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_every_question_ends_within_the_budget(text: str) -> None:
    budget = Budget()
    with bounded_work(), suppress(TooBig):
        language = Language.pattern(text, budget)
        language.is_empty()
        list(language.samples(5))
        (~language).is_empty()
        language.is_subset(Language.lengths(5, 100_000))
        (language - Language.pattern("^(a|b)*b(a|b){19}$", budget)).shortest()
        language.finite_size(1_000)
        (language & Language.lengths(50_000, None)).is_empty()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_membership_of_a_short_text_costs_little_or_is_declined(text: str) -> None:
    budget = Budget()
    with bounded_work(), suppress(TooBig):
        Language.pattern(text, budget).accepts("ab" * 10)


def test_the_first_member_is_found_though_the_whole_is_too_big() -> None:
    text = "^((a{0,30}b){0,30}c){0,30}d$"
    assert Language.pattern(text, Budget()).shortest() == "d"
    more = Language.pattern(text, Budget()).samples(5)
    assert next(more) == "d"
    with pytest.raises(TooBig):
        next(more)


def test_the_same_question_costs_the_same_twice() -> None:
    def cost() -> int:
        budget = Budget()
        one = Language.pattern("^(?!x)[a-z]{2,9}(-[a-z]+)*$", budget)
        assert not one.is_subset(Language.pattern("^[a-z-]{1,20}$", budget))
        assert one.shortest() == "aa"
        return budget.used

    assert cost() == cost() == cost()


def test_a_spent_budget_stays_spent() -> None:
    budget = Budget(3)
    with pytest.raises(TooBig):
        budget.spend(4)
    with pytest.raises(TooBig):
        Language.pattern("a", budget)


def test_combinations_nested_too_deep_are_declined() -> None:
    one = Language.pattern("a", Budget(10**6))
    with pytest.raises(TooBig, match="nested"):
        for i in range(100):
            other = Language.pattern(f"b{i}", Budget())
            one = one & other if i % 2 else one | other


def test_many_of_one_kind_are_not_nested() -> None:
    budget = Budget(10**6)
    one = Language.nothing().under(budget)
    for i in range(100):
        one |= Language.literals([f"k{i}"])
    assert one.finite_size(100) == 100


def test_usual_patterns_cost_little() -> None:
    for text in ("^[a-z0-9_-]{1,64}$", r"^\d{4}-\d{2}-\d{2}$", "^https?://", "^[a-zA-Z_$][a-zA-Z_$0-9]*$"):
        budget = Budget()
        language = Language.pattern(text, budget)
        assert not language.is_empty() and language.shortest() is not None
        assert not language.is_subset(Language.lengths(0, 5))
        assert budget.used < 300, text
    with pytest.raises(NotRegular):
        Language.pattern(r"(a)\1", Budget())
