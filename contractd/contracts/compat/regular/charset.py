"""Sets of code points as sorted ranges, and alphabets: the code points divided into classes no automaton tells apart.

The universe is every Unicode scalar value, U+0000 to U+10FFFF without the surrogates: a JSON string whose
surrogates don't pair is no Unicode text (RFC 8259 section 8.2), and what validators do with it differs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

Ranges = tuple[tuple[int, int], ...]  # sorted, disjoint, not adjacent, both ends included

LAST = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
EVERYTHING: Ranges = ((0, SURROGATES[0] - 1), (SURROGATES[1] + 1, LAST))

TIERS = 4
_LETTERS_AND_DIGITS = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39))
_PUNCTUATION = ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E), (0x20, 0x20))
_SCANNED = 1024  # how many code points beyond ASCII are asked whether they are printable, per class


def ranges(parts: Iterable[tuple[int, int]]) -> Ranges:
    """The set of all code points in ``parts``, without surrogates."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(parts):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return intersection(tuple(merged), EVERYTHING)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """What is in both sets."""
    result: list[tuple[int, int]] = []
    i = j = 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if low <= high:
            result.append((low, high))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def complement(one: Ranges) -> Ranges:
    """Every scalar value that is not in the set."""
    result: list[tuple[int, int]] = []
    at = 0
    for low, high in one:
        if at < low:
            result.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        result.append((at, LAST))
    return intersection(tuple(result), EVERYTHING)


class Alphabet:
    """A division of the scalar values into classes, numbered from 0; surrogates have the class -1."""

    __slots__ = ("_counts", "_firsts", "_members", "classes", "size", "starts")

    def __init__(self, starts: Sequence[int], classes: Sequence[int], size: int) -> None:
        self.starts = starts  # where each stretch of one class begins; the first is 0
        self.classes = classes  # the class of each stretch
        self.size = size
        self._members: list[Ranges] | None = None
        self._counts: list[int] | None = None
        self._firsts: dict[int, list[tuple[int, bool, str]]] = {}

    def class_of(self, code: int) -> int:
        """The class a code point belongs to."""
        return self.classes[bisect_right(self.starts, code) - 1]

    def members(self, number: int) -> Ranges:
        """The code points of one class."""
        if self._members is None:
            found: list[list[tuple[int, int]]] = [[] for _ in range(self.size)]
            for i, label in enumerate(self.classes):
                if label >= 0:
                    end = self.starts[i + 1] - 1 if i + 1 < len(self.starts) else LAST
                    found[label].append((self.starts[i], end))
            self._members = [tuple(parts) for parts in found]
        return self._members[number]

    def count(self, number: int) -> int:
        """How many code points one class has."""
        if self._counts is None:
            self._counts = [sum(high - low + 1 for low, high in self.members(i)) for i in range(self.size)]
        return self._counts[number]

    def characters(self, number: int, tier: int) -> Iterator[str]:
        """The characters of one class that belong to a tier, the most readable first.

        Tier 0 are ASCII letters and digits, 1 the rest of printable ASCII, 2 printable characters beyond, 3 all
        others. Over all tiers every character of the class comes once.
        """
        members = self.members(number)
        if tier <= 1:
            for low, high in _PUNCTUATION if tier else _LETTERS_AND_DIGITS:
                for first, last in intersection(((low, high),), members):
                    yield from map(chr, range(first, last + 1))
            return
        if tier == 3:
            for first, last in intersection(((0, 0x1F), (0x7F, 0x7F)), members):
                yield from map(chr, range(first, last + 1))
        scanned = 0
        for first, last in intersection(((0x80, LAST),), members):
            for code in range(first, last + 1):
                scanned += 1
                printable = scanned <= _SCANNED and chr(code).isprintable()
                if printable == (tier == 2):
                    yield chr(code)
                elif scanned > _SCANNED and tier == 2:
                    return

    def ranked(self, numbers: Iterable[int]) -> list[tuple[int, str, int]]:
        """Each tier of each class that has characters, with its first one and the class: the most readable first."""
        found: list[tuple[int, bool, str, int]] = []
        for number in numbers:
            if number not in self._firsts:
                firsts = [(tier, next(self.characters(number, tier), "")) for tier in range(TIERS)]
                self._firsts[number] = [(tier, not char.islower(), char) for tier, char in firsts if char]
            found.extend((*first, number) for first in self._firsts[number])
        return [(tier, char, number) for tier, _, char, number in sorted(found)]


WHOLE = Alphabet((0, SURROGATES[0], SURROGATES[1] + 1), (0, -1, 0), 1)


def divide(sets: Sequence[Ranges]) -> tuple[Alphabet, list[int]]:
    """The coarsest alphabet that tells members of each set from the others, and each set as a mask of its classes."""
    events: dict[int, int] = {0: 0}
    for number, members in enumerate((*sets, (SURROGATES,))):
        for low, high in members:
            events[low] = events.get(low, 0) ^ (1 << number)
            events[high + 1] = events.get(high + 1, 0) ^ (1 << number)
    events.pop(LAST + 1, None)
    starts: list[int] = []
    classes: list[int] = []
    known = {1 << len(sets): -1}
    signature = 0
    for at in sorted(events):
        signature ^= events[at]
        label = known.setdefault(signature, len(known) - 1)
        if not classes or classes[-1] != label:
            starts.append(at)
            classes.append(label)
    masks = [0] * len(sets)
    for signature, label in known.items():
        if label < 0:
            continue
        left = signature
        while left:
            low_bit = left & -left
            masks[low_bit.bit_length() - 1] |= 1 << label
            left ^= low_bit
    return Alphabet(starts, classes, len(known) - 1), masks


def merge(one: Alphabet, other: Alphabet) -> tuple[Alphabet, list[tuple[int, int]]]:
    """The coarsest alphabet finer than both, and for each of its classes the class of ``one`` and of ``other``."""
    if one is other:
        return one, [(label, label) for label in range(one.size)]
    starts: list[int] = []
    classes: list[int] = []
    known: dict[tuple[int, int], int] = {(-1, -1): -1}
    ends, other_ends = (*one.starts[1:], LAST + 1), (*other.starts[1:], LAST + 1)
    i = j = at = 0
    last = None
    while at <= LAST:
        pair = (one.classes[i], other.classes[j])
        label = known.get(pair)
        if label is None:
            label = known[pair] = len(known) - 1
        if label != last:
            starts.append(at)
            classes.append(label)
            last = label
        end, other_end = ends[i], other_ends[j]
        at = end if end < other_end else other_end
        i += end == at
        j += other_end == at
    pairs = list(known)[1:]
    return Alphabet(starts, classes, len(pairs)), pairs
