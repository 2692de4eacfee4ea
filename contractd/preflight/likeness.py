"""When two names are one name to a reader: folding, look-alike letters, one slip of the finger. Pure."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations

# Letters of other alphabets that a reader takes for Latin ones (Unicode TR 39's confusables, those seen in names).
_LOOKS_LIKE = str.maketrans(
    "аеорсухіјѕһԁԛԝӏкмтвнАВЕКМНОРСТХУІЈЅαοερκνυιΑΒΕΖΗΙΚΜΝΟΡΤΥΧıſ０１２３４５６７８９",
    "aeopcyxijshdqwlkmtbhABEKMHOPCTXYIJSaoepkvuiABEZHIKMNOPTYXis0123456789",
)
# Within ASCII: the digits, and the capital that is one stroke. Told apart before case is folded: i is no l.
_STROKES = str.maketrans("0O1I|", "oolll")
_SEPARATORS = str.maketrans("", "", "-_ ")

_LONGEST_COMPARED = 64  # characters; beyond it nobody counts letters
_MOST_MEASURED = 2000  # candidates for a name that was meant
_MOST_IN_BUCKET = 60  # names that one letter more would make equal; only a made-up list has more


@lru_cache(maxsize=16384)
def folded(name: str) -> str:
    """Without case, ``-``, ``_`` and blanks: ``SendMessage``, ``send-message`` and ``send_message`` are one."""
    plain = unicodedata.normalize("NFKC", name).casefold().translate(_SEPARATORS)
    return unicodedata.normalize("NFKC", plain)  # a blank taken out may bring a letter and its accent together


def skeleton(name: str) -> str:
    """As a reader sees it: invisible characters gone, look-alike letters made Latin, ``0O`` and ``1lI`` told as one."""
    shown = "".join(char for char in name if unicodedata.category(char) not in ("Cf", "Cc", "Mn", "Zl", "Zp"))
    latin = unicodedata.normalize("NFKC", shown).translate(_LOOKS_LIKE)
    return latin.translate(_STROKES).casefold().translate(_SEPARATORS)


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


def pairs_one_edit_apart(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every such pair, once, in the order of the names; no comparison of all with all.

    Two names one edit apart leave one text when a character is taken out of both, or out of the longer one. Names of
    more than 64 characters are passed over.
    """
    order = {name: number for number, name in enumerate(dict.fromkeys(names)) if len(name) <= _LONGEST_COMPARED}
    buckets: dict[str, list[str]] = defaultdict(list)
    for name in order:
        for left in {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}:
            if len(buckets[left]) < _MOST_IN_BUCKET:
                buckets[left].append(name)
    pairs = {
        (one, other)
        for bucket in buckets.values()
        if len(bucket) > 1
        for one, other in combinations(sorted(bucket, key=order.__getitem__), 2)
        if one_edit_apart(one, other)
    }
    yield from sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]]))


def nearest(name: str, candidates: list[str]) -> str | None:
    """The candidate a person probably meant: equal when folded, else the closest within a third of its length."""
    wanted = folded(name)
    equal = next((candidate for candidate in candidates if folded(candidate) == wanted), None)
    if equal is not None:
        return equal
    best, least = None, max(1, len(wanted) // 3) + 1
    for candidate in candidates[:_MOST_MEASURED]:
        distance = _distance(wanted, folded(candidate), least)
        if distance < least:
            best, least = candidate, distance
    if best is None:
        return next((candidate for candidate in candidates if wanted and wanted in folded(candidate)), None)
    return best


def _distance(one: str, other: str, enough: int) -> int:
    """Levenshtein's distance, on at most 80 characters each; ``enough`` stands for all that is not below it."""
    one, other = one[:80], other[:80]
    if abs(len(one) - len(other)) >= enough:
        return enough
    row = list(range(len(other) + 1))
    for index, char in enumerate(one, 1):
        previous, row[0] = row[0], index
        for column, other_char in enumerate(other, 1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (char != other_char)),
            )
        if min(row) >= enough:
            return enough
    return min(row[-1], enough)
