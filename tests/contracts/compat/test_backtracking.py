"""Which patterns are kept from Python's engine, and on which texts: the estimate must not be too low for traps."""

from __future__ import annotations

import pytest

from contractd.contracts.compat.backtracking import Cost, Patterns

LONG = "a" * 40


@pytest.mark.parametrize(
    "pattern",
    [
        *("^(a+)+$", "^(a|aa)+$", "(.*a){25}", "(a?){30}a{30}", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*b"),
        *("a?" * 30 + "a" * 30, "(a|a)" * 30 + "b", ".*.*.*.*.*=", "^(/[^/]+)+$", "(?:a{1,9}){3,9}b", "([a-z]+){2}b"),
    ],
)
def test_traps_are_told(pattern: str) -> None:
    assert Cost.of(pattern).dangerous(LONG)


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "^[a-z]+$",
            "^a{3,64}$",
            "^[A-Z][A-Z0-9_]+-",
            "^(GET|POST|PUT)$",
            "a\\(b+",
            "[(+*)]+",
            "^[a-z]+(\\.[a-z]+)*$",
        ),
        *("^https?://", "([0-9a-f]{2}:){5}[0-9a-f]{2}", "^(?:ab)*$", "^x(a+)+$"),
    ],
)
def test_harmless_patterns_are_let_pass(pattern: str) -> None:
    assert not Cost.of(pattern).dangerous(LONG)


def test_keys_meet_the_patterns_of_keys_only() -> None:
    trap = {"type": "string", "pattern": "^(a+)+$"}
    assert not Patterns.of({"properties": {LONG: trap}}).dangerous({LONG: "a"})
    assert Patterns.of({"properties": {"x": trap}}).dangerous({"x": LONG})
    assert Patterns.of({"propertyNames": trap}).dangerous({LONG: 0})
    assert Patterns.of({"patternProperties": {"^(a+)+$": {}}}).dangerous([{LONG: 0}])
