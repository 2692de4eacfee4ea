"""Sets of strings that can be intersected, complemented, compared and sampled.

A ``Language`` is an automaton for each of a few intervals of lengths that together cover all lengths. So a length
limit, however far away, is a cut between two intervals and not a chain of states, and boolean operations work
interval by interval.

Every language may carry a ``Budget``: what is asked of it is counted there. The result of an operation carries the
left side's budget, or the right side's if the left one carries none. Where none is given, each question has one of
its own. ``TooBig`` says that the budget is spent: the question is then undecided, never guessed. Operators are cheap
and put off nearly all work until a question is asked. Languages never change, but tables behind them fill: one thread
at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from contractd.contracts.compat.regular.automaton import (
    ANY_STRING,
    NO_STRING,
    NOTHING,
    Automaton,
    Trie,
    combine,
    complement,
)
from contractd.contracts.compat.regular.budget import Budget, TooBig
from contractd.contracts.compat.regular.charset import SURROGATES
from contractd.contracts.compat.regular.paths import Graph, accepts_any, first_string
from contractd.contracts.compat.regular.pattern import PatternAutomaton
from contractd.contracts.compat.regular.program import program


class Piece(NamedTuple):
    """The strings of lengths ``least`` to ``most`` (or any longer one) that an automaton accepts."""

    least: int
    most: int | None
    automaton: Automaton


class Language:
    """An immutable set of Unicode strings; lengths are in code points (JSON Schema 2020-12 section 6.3)."""

    __slots__ = ("_empty", "_graphs", "budget", "pieces")

    def __init__(self, pieces: Iterable[Piece], budget: Budget | None = None) -> None:
        joined: list[Piece] = []
        for piece in pieces:
            if joined and joined[-1].automaton is piece.automaton:
                joined[-1] = Piece(joined[-1].least, piece.most, piece.automaton)
            else:
                joined.append(piece)
        self.pieces = tuple(joined)
        self.budget = budget
        self._empty: bool | None = None
        self._graphs: dict[int, Graph] = {}

    @classmethod
    def pattern(cls, text: str, budget: Budget) -> Language:
        """The strings in which a pattern is found (JSON Schema 2020-12 sections 6.3.3 and 6.4: not anchored)."""
        made = program(text, budget)
        return cls._within(PatternAutomaton(made), made.shortest, made.longest, budget)

    @classmethod
    def literals(cls, strings: Iterable[str]) -> Language:
        """Exactly these strings. One with a lone surrogate is no Unicode text and left out."""
        texts = [text for text in strings if not _has_surrogate(text)]
        return cls([Piece(0, None, Trie(texts) if texts else NO_STRING)])

    @classmethod
    def lengths(cls, least: int, most: int | None, budget: Budget | None = None) -> Language:
        """The strings of ``least`` to ``most`` code points (JSON Schema 2020-12 sections 6.3.1 and 6.3.2)."""
        return cls._within(ANY_STRING, max(0, least), most, budget)

    @classmethod
    def everything(cls) -> Language:
        """All strings."""
        return cls([Piece(0, None, ANY_STRING)])

    @classmethod
    def nothing(cls) -> Language:
        """No string."""
        return cls([Piece(0, None, NO_STRING)])

    @classmethod
    def _within(cls, automaton: Automaton, least: int, most: int | None, budget: Budget | None) -> Language:
        if most is not None and most < least:
            return cls([Piece(0, None, NO_STRING)], budget)
        pieces = [Piece(0, least - 1, NO_STRING)] if least else []
        pieces.append(Piece(least, most, automaton))
        if most is not None:
            pieces.append(Piece(most + 1, None, NO_STRING))
        return cls(pieces, budget)

    def under(self, budget: Budget) -> Language:
        """The same set, with another budget for what is asked of it."""
        return Language(self.pieces, budget)

    def __and__(self, other: Language) -> Language:
        return self._combined(other, everywhere=True)

    def __or__(self, other: Language) -> Language:
        return self._combined(other, everywhere=False)

    def __invert__(self) -> Language:
        return Language((Piece(low, high, complement(each)) for low, high, each in self.pieces), self.budget)

    def __sub__(self, other: Language) -> Language:
        return self & ~other

    def _combined(self, other: Language, *, everywhere: bool) -> Language:
        budget = self.budget or other.budget
        counter = budget or Budget()
        known: dict[tuple[int, int], Automaton] = {}
        pieces: list[Piece] = []
        i = j = 0
        least = 0
        while i < len(self.pieces) and j < len(other.pieces):
            counter.spend()
            one, two = self.pieces[i], other.pieces[j]
            key = (id(one.automaton), id(two.automaton))
            if key not in known:
                known[key] = combine(one.automaton, two.automaton, counter, everywhere=everywhere)
            ends = [each.most for each in (one, two) if each.most is not None]
            most = min(ends, default=None)
            pieces.append(Piece(least, most, known[key]))
            i += one.most == most
            j += two.most == most
            least = 0 if most is None else most + 1
        return Language(pieces, budget)

    def accepts(self, text: str) -> bool:
        """Whether ``text`` is a member. No text with a lone surrogate is, of a complement neither."""
        if _has_surrogate(text):
            return False
        budget = self.budget or Budget()
        automaton = next(each.automaton for each in self.pieces if each.most is None or len(text) <= each.most)
        state = automaton.start
        for char in text:
            budget.spend()
            state = automaton.row(state, budget)[automaton.alphabet.class_of(ord(char))]
            if state == NOTHING:
                return False
        return automaton.accepting(state, budget)

    def is_empty(self) -> bool:
        """Whether there is no member."""
        if self._empty is None:
            budget = self.budget or Budget()
            self._empty = not any(accepts_any(each, low, high, budget) for low, high, each in self.pieces)
        return self._empty

    def is_subset(self, other: Language) -> bool:
        """Whether every member is one of ``other`` too."""
        return (self - other).is_empty()

    def finite_size(self, limit: int) -> int | None:
        """The number of members, if they are finitely many and not more than ``limit``; otherwise None."""
        budget = self.budget or Budget()
        total = 0
        for least, most, automaton in self.pieces:
            if automaton is NO_STRING:
                continue
            total += self._graph(automaton, budget).size(least, most, limit - total, budget)
            if total > limit:
                return None
        return total

    def samples(self, limit: int) -> Iterator[str]:
        """Up to ``limit`` distinct members, shorter ones first, of the same length those easier to read.

        ``TooBig`` may come instead of a member, and then after those that were found.
        """
        budget = self.budget or Budget()
        left = limit
        for least, most, automaton in self.pieces:
            if left <= 0 or automaton is NO_STRING:
                continue
            trial = budget.half()
            try:
                graph = self._graph(automaton, trial)
            except TooBig:
                budget.spend(min(trial.used, trial.limit))
                first = first_string(automaton, least, most, budget)
                if first is None:
                    continue
                yield first
                if left > 1:
                    raise
                return
            budget.spend(trial.used)
            for text in _members(graph, least, most, budget):
                yield text
                left -= 1
                if not left:
                    return

    def shortest(self) -> str | None:
        """The first of the samples, or None if there is no member."""
        return next(self.samples(1), None)

    def _graph(self, automaton: Automaton, budget: Budget) -> Graph:
        key = id(automaton)
        if key not in self._graphs:
            self._graphs[key] = Graph(automaton, budget)
        return self._graphs[key]


def _members(graph: Graph, least: int, most: int | None, budget: Budget) -> Iterator[str]:
    leading = graph.leading(budget)
    length = least
    while most is None or length <= most:
        budget.spend()
        yield from graph.strings(length, leading, budget)
        if leading.turn is not None and length >= leading.distinct() and not any(m & 1 for m in leading.repeated()):
            return
        length += 1


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any(SURROGATES[0] <= ord(char) <= SURROGATES[1] for char in text)
