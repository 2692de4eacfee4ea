"""What ECMA-262 says a pattern means, and what is declined."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from contractd.contracts.compat.regular import Budget, Language, NotRegular
from contractd.contracts.compat.regular.charset import complement, ranges
from contractd.contracts.compat.regular.unicode import property_class

CASES = [
    # (pattern, members, others)
    ("", ["", "x"], []),
    ("a", ["a", "bab"], ["", "b"]),
    ("a$", ["a", "ba"], ["a\n", "ab"]),
    ("^a", ["a", "ab"], ["\na", "ba"]),
    ("a|^$", ["", "xa"], ["x"]),
    ("^(?:a|b$)c?", ["ac", "b", "axx"], ["bc"]),
    ("(^a|b)$", ["a", "xb"], ["xa"]),
    (".", ["a", "\x85", "😀"], ["", "\n", "\r", "\u2028", "\u2029"]),
    (r"^\d$", ["0", "9"], ["٣", "a"]),
    (r"^\w$", ["a", "Z", "_", "5"], ["é", "-"]),
    (r"^\W$", ["é", "-", "😀"], ["a", "_"]),
    (
        r"^\s$",
        [" ", "\t", "\v", "\f", "\n", "\r", "\u00a0", "\u2028", "\ufeff", "\u3000"],
        ["\x85", "\u180e", "\u200b"],
    ),
    (r"^\S$", ["a", "\x85", "\u180e"], [" ", "\ufeff"]),
    (r"^[\s\S]$", ["\n", "a"], ["", "aa"]),
    (r"^[^]$", ["\n", "a"], [""]),
    ("[]", [], ["", "a", "]"]),
    (r"^[\b]$", ["\b"], ["b"]),
    (r"^[\w-.]$", ["-", ".", "a"], ["+"]),
    (r"^[a-\d]$", ["a", "-", "5"], ["b"]),
    (r"^[-a]$", ["-", "a"], ["b"]),
    (r"^[a-]$", ["-", "a"], ["b"]),
    (r"^[[a&&b]$", ["[", "&", "a"], ["]"]),
    (r"^[^\W_]$", ["a", "1"], ["_", "-"]),
    (r"^[\]\\\-\^]$", ["]", "\\", "-", "^"], ["a"]),
    (r"\bfoo\b", ["foo", "a foo.", "éfoo"], ["food", "afoo", "_foo"]),
    (r"^\B", ["", "-"], ["a"]),
    (r"\B", ["", "ab", "--"], ["a", "-a"[1:]]),
    (r"a\Bb", ["ab"], ["a b"]),
    (r"a\b", ["a", "a-", "a\n"], ["ab"]),
    ("(?=ab)a", ["ab"], ["a", "ac"]),
    ("^(?=x$)x$", ["x"], ["xx", ""]),
    ("^(?!foo).*$", ["fo", "bar", ""], ["foo", "food"]),
    ("^(?!.*a$)", ["", "ab"], ["a", "ba"]),
    ("^(?:(?!ab).)*$", ["ba", "aab"[1:][::-1]], ["ab", "xabx"]),
    ("^(?=.*a)(?=.*b)(?!.*c)[a-z]{3}$", ["abx", "xba"], ["abc", "aax", "abxx"]),
    ("(?!(?=a)a)a", [], ["a"]),
    ("^(?!(?!a))", ["a"], ["", "b"]),
    ("^(?=a)*b", ["b"], ["a"]),
    ("^(?=a){2}a", ["a"], ["b"]),
    ("(?<=a)b", ["ab", "xab"], ["b", "bb"]),
    ("(?<!a)b", ["b", "bb", "xb"], ["ab", "aab"]),
    ("(?<=^a+)b", ["ab", "aab"], ["b", "xab"]),
    (r"(?<=\bab)c", ["abc", "-abc"], ["xabc"]),
    (r"(?<=a(?<!ba))c", ["ac", "xac"], ["bac"]),
    (r"^(?!.*(?<=a)b)", ["ba", "b"], ["ab"]),
    (r"(?<=a\b)-", ["a-"], ["-", "--"]),
    ("^(a|ab)(c|bcd)$", ["ac", "abcd", "abc"], ["ab"]),
    ("^a{2,3}?$", ["aa", "aaa"], ["a", "aaaa"]),
    ("^(a{0,2}){2}$", ["", "aaaa"], ["aaaaa"]),
    ("^(a{1,2}){2,3}$", ["aa", "aaaaaa"], ["a", "aaaaaaa"]),
    ("^(a{2}){2}$", ["aaaa"], ["aaa", "aa"]),
    ("^(a{2,3}){2}$", ["aaaa", "aaaaaa"], ["aa", "aaa"]),
    ("^a{0}b$", ["b"], ["ab"]),
    ("^(a*)*$", ["", "aa"], ["b"]),
    ("^(?<year>[0-9]{4})$", ["2024"], ["24"]),
    ("^(?:a(b))+$", ["abab"], ["aab"]),
    (r"^\t\n\v\f\r\0$", ["\t\n\v\f\r\0"], [""]),
    (r"^\cC\cj$", ["\x03\n"], ["C"]),
    (r"^\x41\u0042\u{43}\u{1F600}$", ["ABC😀"], []),
    (r"^\uD83D\uDE00$", ["😀"], []),
    (r"^[\uD83D\uDE00-\u{1F602}]$", ["😀", "😁"], ["\ud83d"]),
    (r"^\$\.\*\/\-\_\@\ \!\#$", ["$.*/-_@ !#"], []),
    ("^{a}{$", ["{a}{"], ["a"]),
    ("^]x}$", ["]x}"], []),
    ("^a{b{1,2}$", ["a{b", "a{bb"], ["ab"]),
    ("^😀{2}$", ["😀😀"], ["😀"]),
    (r"^\p{L}+$", ["aé漢"], ["1", "a1"]),
    (r"^\p{Lu}$", ["A", "É"], ["a"]),
    (r"^\p{Letter}\p{gc=Nd}\p{General_Category=Uppercase_Letter}$", ["é٣A"], ["1"]),
    (r"^\P{L}$", ["1", "-"], ["a"]),
    (r"^[\p{L}\p{N}_]$", ["a", "½", "_"], ["-"]),
    (r"^[^\p{L}]$", ["1"], ["a"]),
    (r"^\p{ASCII}$", ["a"], ["é"]),
    (r"^\p{Any}$", ["a", "é"], [""]),
    (r"^\p{LC}$", ["a", "A"], ["漢"]),
]


@pytest.mark.parametrize(("pattern", "members", "others"), CASES, ids=[case[0] or "empty" for case in CASES])
def test_meaning(pattern: str, members: list[str], others: list[str]) -> None:
    language = Language.pattern(pattern, Budget())
    assert [text for text in members if not language.accepts(text)] == []
    assert [text for text in others if language.accepts(text)] == []


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", "backreferences"),
        (r"(?<n>a)\k<n>", "backreferences"),
        ("(?i)a", "inline flags"),
        ("(?i:a)", "inline flags"),
        ("(?P<n>a)", "inline flags"),
        ("(?#c)a", "inline flags"),
        ("(?>a)", "inline flags"),
        ("a++", "possessive"),
        ("a{2}+", "possessive"),
        ("a**", "quantifier after"),
        ("a{2}{3}", "quantifier after"),
        ("*a", "nothing to repeat"),
        ("(|+)", "nothing to repeat"),
        ("{2}", "nothing to repeat"),
        ("^*", "after an assertion"),
        (r"\b+", "after an assertion"),
        ("(?<=a)*", "after an assertion"),
        ("a{,5}", "{,n}"),
        ("a{3,2}", "ends below"),
        ("(a", "not closed"),
        ("a)", "without an opening"),
        ("[a", "not closed"),
        ("[b-a]", "ends before"),
        (r"[\B]", "in a class"),
        ("[]a]", "begins with ]"),
        ("a\\", "at the end"),
        (r"\a", r"\a"),
        (r"\Z", r"\Z"),
        (r"\A", r"\A"),
        (r"\x4", r"\x"),
        (r"\u{110000}", "U+10FFFF"),
        (r"\u12", r"\u"),
        (r"\c1", r"\c"),
        (r"\01", "backreferences"),
        (r"\pL", "braces"),
        (r"\p{Script=Greek}", "Script"),
        (r"\p{Alphabetic}", "Alphabetic"),
        (r"\p{sc=Latin}", "sc"),
        ("(?<a>x)(?<a>y)", "two groups"),
        ("(?<1>x)", "ECMA-262"),
        ("(?<=a(?=b))", "lookahead within lookbehind"),
    ],
)
def test_what_is_declined_says_why(pattern: str, reason: str) -> None:
    with pytest.raises(NotRegular) as raised:
        Language.pattern(pattern, Budget())
    assert reason in raised.value.reason


def test_general_categories_are_those_of_every_code_point() -> None:
    found: dict[str, list[tuple[int, int]]] = {}
    for code in range(sys.maxunicode + 1):
        found.setdefault(unicodedata.category(chr(code)), []).append((code, code))
    for category, parts in found.items():
        assert property_class(category) == ranges(parts), category
        assert property_class(category, negated=True) == complement(ranges(parts)), category
    for group in "LMNPSZC":
        parts = [part for category, each in found.items() if category[0] == group for part in each]
        assert property_class(group) == ranges(parts), group
