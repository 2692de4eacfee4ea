"""Variables, whatever the syntax: nothing is expanded twice, nothing grows without bound, no default is shown."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.runtimes.gemini_format import reading as gemini_reading
from contractd.runtimes.gemini_format import second_round
from contractd.runtimes.variables import (
    BRACES_DEFAULT,
    DOLLAR_OR_BRACES,
    ENV_LITERAL,
    MAX_EXPANDED,
    MAX_NAMED,
    OPENCODE,
    VSCODE,
    Syntax,
    expand,
    strays,
)

GEMINI = gemini_reading().syntax["args"]
ALL = [DOLLAR_OR_BRACES, BRACES_DEFAULT, OPENCODE, VSCODE, ENV_LITERAL, GEMINI]
PIECES = st.lists(
    st.sampled_from(
        ["$", "{", "}", "A", "B", "U", ":-", "env:", "${A}", "$A", "{env:A}", "${env:A}", "${U:-d}", " ", "é"]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("syntax", ALL, ids=lambda syntax: syntax.pattern.pattern[:20])
@given(PIECES)
def test_a_text_without_a_set_variable_changes_only_where_one_is_written(syntax: Syntax, text: str) -> None:
    found = expand(text, syntax, {})
    if not syntax.pattern.search(text):
        assert found.text == text and found.unset == ()
    if syntax.unset == "literal" and ":-" not in text:
        assert found.text == text


@pytest.mark.parametrize("syntax", ALL, ids=lambda syntax: syntax.pattern.pattern[:20])
@given(PIECES)
def test_a_value_is_never_expanded_again(syntax: Syntax, text: str) -> None:
    tricky = {"A": "<A ${B} $B {env:B} ${env:B}>", "B": "<never>"}
    first = expand(text, syntax, tricky).text
    assert first.count("<never>") == expand(text, syntax, {**tricky, "A": "x"}).text.count("<never>")


@pytest.mark.parametrize(
    ("syntax", "text", "given_text"),
    [
        (DOLLAR_OR_BRACES, "$A-${A}-${U}-$U-${A:-d}", "1-1-${U}-$U-${A:-d}"),
        (BRACES_DEFAULT, "$A-${A}-${U}-${U:-d}-${E:-d}-${U:-}", "$A-1-${U}-d--"),
        (OPENCODE, "{env:A}-{env:U}-${A}", "1--${A}"),
        (VSCODE, "${env:A}-${env:U}-${A}", "1--${A}"),
        (ENV_LITERAL, "${env:A}-${env:U}", "1-${env:U}"),
        (None, "$A ${A}", "$A ${A}"),
    ],
)
def test_each_way_of_writing_means_what_its_runtime_means(syntax: Syntax | None, text: str, given_text: str) -> None:
    assert expand(text, syntax, {"A": "1", "E": ""}).text == given_text


def test_unset_variables_are_named_once_in_order_and_no_more_than_a_few() -> None:
    assert expand("${U}${V}${U}", BRACES_DEFAULT, {}).unset == ("U", "V")
    many = "".join(f"${{U{number}}}" for number in range(500))
    assert len(expand(many, BRACES_DEFAULT, {}).unset) == MAX_NAMED


def test_a_default_is_left_out_of_what_is_shown() -> None:
    (stray,) = strays("x${TOKEN:-s3cr3t}y", None)
    assert (stray.name, stray.shown) == ("TOKEN", "${TOKEN:-…}")


@pytest.mark.parametrize(
    ("syntax", "text", "found"),
    [
        (BRACES_DEFAULT, "${A} ${env:A} {env:A} ${input:A}", ["${env:A}", "{env:A}", "${input:A}"]),
        (BRACES_DEFAULT, "$A", ["$A"]),
        (BRACES_DEFAULT, "price is $A", []),
        (DOLLAR_OR_BRACES, "$A ${A} ${A:-b}", ["${A:-…}"]),
        (None, "${A}", ["${A}"]),
        (None, "{A} ${1} $ {env:} $1", []),
    ],
)
def test_what_is_written_in_another_way_is_found(syntax: Syntax | None, text: str, found: list[str]) -> None:
    assert [stray.shown for stray in strays(text, syntax)] == found


HOSTILE = [
    "${A:-" * 100_000, "$A" * 100_000, "${A}" * 100_000, "{env:" * 100_000, "${" * 200_000,
    "${A:-" * 100_000 + "}", "}" + "${A:-" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: text[:8])
def test_a_long_text_takes_time_by_its_length_and_grows_within_bounds(hostile: str) -> None:
    start = time.process_time()
    for syntax in (*ALL, gemini_reading().syntax["env"]):
        found = expand(hostile, syntax, {"A": "x" * 100_000})
        assert len(found.text) <= len(hostile) + MAX_EXPANDED
        strays(hostile, syntax)
    assert time.process_time() - start < 15.0


@given(PIECES)
def test_the_second_round_ends_whatever_refers_to_whatever(text: str) -> None:
    found = second_round(text, {"A": "$B", "B": "${A}", "U": "$U$U"})
    assert isinstance(found.text, str)


def test_the_second_round_knows_defaults_and_alternatives() -> None:
    environ = {"A": "1", "EMPTY": "", "MY_TOKEN": "t"}
    given_texts = {
        text: second_round(text, environ).text
        for text in (
            "${A:-d}",
            "${U:-d}",
            "${U-d}",
            "${A:+yes}",
            "${U:+yes}",
            "${EMPTY:-d}",
            "$MY_TOKEN",
            "\\$A",
            "$$A",
        )
    }
    assert given_texts == {
        "${A:-d}": "1", "${U:-d}": "d", "${U-d}": "d", "${A:+yes}": "yes", "${U:+yes}": "", "${EMPTY:-d}": "d",
        "$MY_TOKEN": "", "\\$A": "$A", "$$A": "$1",
    }  # fmt: skip
