"""The named classes of ECMA-262 patterns: ``\\d``, ``\\w``, ``\\s``, ``.`` and Unicode property escapes."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from itertools import groupby

from contractd.contracts.compat.regular.budget import NotRegular
from contractd.contracts.compat.regular.charset import EVERYTHING, Ranges, complement, ranges

# ECMA-262, CharacterClassEscape: without the i flag \w is ASCII even under u.
DIGITS: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))

# ECMA-262, LineTerminator: LF, CR, LS, PS. The dot matches everything else (CompileAtom, without the s flag).
LINE_TERMINATORS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
DOT: Ranges = complement(LINE_TERMINATORS)

# ECMA-262, WhiteSpace (TAB, VT, FF, ZWNBSP and every Space_Separator) and LineTerminator.
SPACE: Ranges = ranges(
    [
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ]
)

CLASS_ESCAPES: dict[str, Ranges] = {
    "d": DIGITS,
    "D": complement(DIGITS),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
}

# Unicode's PropertyValueAliases for General_Category, as ECMA-262's UnicodeMatchPropertyValue takes them.
_ALIASES = {
    "Cased_Letter": "LC",
    "Close_Punctuation": "Pe",
    "Connector_Punctuation": "Pc",
    "Control": "Cc",
    "Currency_Symbol": "Sc",
    "Dash_Punctuation": "Pd",
    "Decimal_Number": "Nd",
    "Enclosing_Mark": "Me",
    "Final_Punctuation": "Pf",
    "Format": "Cf",
    "Initial_Punctuation": "Pi",
    "Letter": "L",
    "Letter_Number": "Nl",
    "Line_Separator": "Zl",
    "Lowercase_Letter": "Ll",
    "Mark": "M",
    "Combining_Mark": "M",
    "Math_Symbol": "Sm",
    "Modifier_Letter": "Lm",
    "Modifier_Symbol": "Sk",
    "Nonspacing_Mark": "Mn",
    "Number": "N",
    "Open_Punctuation": "Ps",
    "Other": "C",
    "Other_Letter": "Lo",
    "Other_Number": "No",
    "Other_Punctuation": "Po",
    "Other_Symbol": "So",
    "Paragraph_Separator": "Zp",
    "Private_Use": "Co",
    "Punctuation": "P",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Spacing_Mark": "Mc",
    "Surrogate": "Cs",
    "Symbol": "S",
    "Titlecase_Letter": "Lt",
    "Unassigned": "Cn",
    "Uppercase_Letter": "Lu",
    "cntrl": "Cc",
    "digit": "Nd",
    "punct": "P",
}
_CATEGORIES = frozenset(
    first + second
    for first, seconds in (("L", "ultmo"), ("M", "nce"), ("N", "dlo"), ("P", "cdseifo"), ("S", "mcko"), ("Z", "slp"))
    for second in seconds
) | {"Cc", "Cf", "Cs", "Co", "Cn"}

# Planes 4 to 13 are unassigned, plane 14 is but for its beginning, and 15 and 16 are for private use but for the last
# two code points of each (The Unicode Standard, section 2.8): asking for every code point would take most of the time.
_ASKED = ((0x0, 0x3FFFF), (0xE0000, 0xE0FFF))
_KNOWN = (
    ("Cn", (0x40000, 0xDFFFF)),
    ("Cn", (0xE1000, 0xEFFFF)),
    ("Co", (0xF0000, 0xFFFFD)),
    ("Cn", (0xFFFFE, 0xFFFFF)),
    ("Co", (0x100000, 0x10FFFD)),
    ("Cn", (0x10FFFE, 0x10FFFF)),
)


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for first, last in _ASKED:
        at = first
        for category, run in groupby(map(unicodedata.category, map(chr, range(first, last + 1)))):
            length = len(list(run))
            found.setdefault(category, []).append((at, at + length - 1))
            at += length
    for category, known in _KNOWN:
        found.setdefault(category, []).append(known)
    return found


@cache
def _category(name: str) -> Ranges:
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else tuple(each for each in _CATEGORIES if each.startswith(name))
    return ranges(part for each in wanted for part in _categories().get(each, []))


@lru_cache(256)
def property_class(expression: str, *, negated: bool = False) -> Ranges:
    """The characters of ``\\p{expression}``, or of ``\\P{…}`` (ECMA-262, UnicodePropertyValueExpression).

    General categories are read from Python's Unicode database, which may be older or newer than another
    validator's. Scripts and other properties it does not hold, so they are not understood.
    """
    if negated:
        return complement(property_class(expression))
    name, equals, value = expression.partition("=")
    if equals:
        if name not in ("gc", "General_Category"):
            raise NotRegular(f"the Unicode property {name!r} is not known here")
    else:
        value = name
        if value == "Any":
            return EVERYTHING
        if value == "ASCII":
            return ((0, 0x7F),)
        if value == "Assigned":
            return complement(_category("Cn"))
    value = _ALIASES.get(value, value)
    if value != "LC" and value not in _CATEGORIES and value not in ("L", "M", "N", "P", "S", "Z", "C"):
        raise NotRegular(f"the Unicode property {expression!r} is not known here")
    return _category(value)
