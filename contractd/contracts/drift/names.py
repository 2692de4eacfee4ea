"""How near two names are: the words in them, without case and separators."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_LONGEST = 512
_COMMON_AT = 4  # tools from which on a word that most of them have says nothing


def plain_name(name: str) -> str:
    """Without case, ``-``, ``_``, ``.`` and blanks: ``tavily-search`` and ``tavily_search`` are one."""
    return re.sub(r"[-_.\s/]+", "", unicodedata.normalize("NFKC", name[:_LONGEST]).casefold())


def words(name: str) -> frozenset[str]:
    """``getTinyImage`` and ``get-tiny-image`` are get, tiny, image."""
    return frozenset(word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", name[:_LONGEST])))


def common_words(names: Iterable[str]) -> frozenset[str]:
    """The words that most of the names have: ``browser`` tells no tool of a browser from another."""
    each = [words(name) for name in names]
    if len(each) < _COMMON_AT:
        return frozenset()
    counts = Counter(word for found in each for word in found)
    return frozenset(word for word, count in counts.items() if 2 * count > len(each))


def nearness(one: str, other: str, common: frozenset[str] = frozenset()) -> float:
    """1 for names that are equal but for case and separators; else at most 0.9, by the words they share.

    Where all words of one are in the other, and are half of it, at least 0.6.
    """
    if plain_name(one) == plain_name(other):
        return 1.0
    first, second = words(one) - common, words(other) - common
    shared = first & second
    if not shared:
        return 0.0
    share = len(shared) / len(first | second)
    contained = shared in (first, second) and 2 * len(shared) >= max(len(first), len(second))
    return min(0.9, max(share, 0.6) if contained else share)
