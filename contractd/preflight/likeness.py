"""When two names are one name to a reader: folding, look-alike letters, one slip of the finger. Pure."""

from __future__ import annotations

import unicodedata

# Letters of other alphabets that a reader takes for Latin ones (Unicode TR 39's confusables, those seen in names).
_LOOKS_LIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝӏкмтвнАВЕКМНОРСТХУІЈЅαοερκνυιΑΒΕΖΗΙΚΜΝΟΡΤΥΧıſ０１２３４５６７８９",
    "aeopcyxijshdqwlkmtbhABEKMHOPCTXYIJSaoepkvuiABEZHIKMNOPTYXis0123456789",
)


def folded(name: str) -> str:
    """Without case, ``-``, ``_`` and blanks: ``SendMessage``, ``send-message`` and ``send_message`` are one."""
    return "".join(char for char in unicodedata.normalize("NFKC", name).casefold() if char not in "-_ ")


def skeleton(name: str) -> str:
    """As a reader sees it: invisible characters gone, look-alike letters made Latin, ``0O`` and ``1lI`` told as one."""
    shown = "".join(char for char in name if unicodedata.category(char) not in ("Cf", "Cc", "Mn", "Zl", "Zp"))
    latin = unicodedata.normalize("NFKC", shown).translate(_LOOKS_LIKE).casefold()
    return "".join(char for char in latin if char not in "-_ ").translate(str.maketrans("0i", "ol")).replace("1", "l")


def one_edit_apart(one: str, other: str) -> bool:
    """Whether one insertion, deletion, substitution or swap of neighbours makes one into the other."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest_one, rest_other = one[start:], other[start:]
    if len(rest_one) == len(rest_other):
        swapped = rest_one[1:2] + rest_one[:1] + rest_one[2:]
        return rest_one[1:] == rest_other[1:] or swapped == rest_other
    return rest_one[1:] == rest_other if len(rest_one) > len(rest_other) else rest_one == rest_other[1:]


def nearest(name: str, candidates: list[str]) -> str | None:
    """The candidate a person probably meant: equal when folded, else the closest within a third of its length."""
    wanted = folded(name)
    best: tuple[int, str] | None = None
    for candidate in candidates:
        distance = 0 if folded(candidate) == wanted else _distance(wanted, folded(candidate))
        if best is None or distance < best[0]:
            best = (distance, candidate)
    if best is None or best[0] > max(1, len(wanted) // 3):
        return next((candidate for candidate in candidates if wanted and wanted in folded(candidate)), None)
    return best[1]


def _distance(one: str, other: str) -> int:
    """Levenshtein's distance, on at most 80 characters each."""
    one, other = one[:80], other[:80]
    row = list(range(len(other) + 1))
    for index, char in enumerate(one, 1):
        previous, row[0] = row[0], index
        for column, other_char in enumerate(other, 1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (char != other_char)),
            )
    return row[-1]
