"""The theory of strings, for values and for keys alike: sets of words given by patterns, lengths and words left out.

Patterns that are regular are decided as languages. One that is not, or that costs too much, stays a predicate: it
bounds nothing, and a word counts as a member only if two independent engines say that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import jsonschema_rs

from contractd.contracts.compat.budget import Allowance
from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.outcome import EMPTY, Found, Outcome, Unknown
from contractd.contracts.compat.regular import Budget, Language, NotRegular, TooBig
from contractd.contracts.compat.regular.budget import DEFAULT_STEPS

MAX_WORD = 300_000  # characters of a word that is made up
MAX_OPAQUE_WORD = 12  # characters that a pattern is tried on which no automaton stands for: it may backtrack for ever
MAX_SAMPLES = 400  # members of one language that are looked at
_SAMPLES = 24
_LOOK_EVERY = 200  # steps between two looks at the clock
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- "


class Words:
    """The strings for which some literals hold. ``language`` is None where nothing but lengths is known of them."""

    def __init__(self, texts: Texts, literals: Iterable[Formula]) -> None:
        self.texts = texts
        self.least, self.most = 0, None  # type: int, int | None
        self.excluded: set[str] = set()
        self.patterns: list[tuple[str, bool]] = []
        self.unsure = False
        for literal in literals:
            op, args = literal.op, literal.args
            if op == "length":
                self.least = max(self.least, args[0])
                if args[1] is not None:
                    self.most = args[1] if self.most is None else min(self.most, args[1])
            elif op == "except":
                self.excluded |= args[0]
            elif op == "pattern":
                self.patterns.append((args[0], args[1]))
            else:
                self.unsure = True
        self.opaque: list[tuple[str, bool]] = []
        self.language = self._language()

    def _language(self) -> Language | None:
        whole: Language | None = None
        for pattern, wanted in self.patterns:
            language = self.texts.pattern(pattern)
            if language is None:
                self.opaque.append((pattern, wanted))
                continue
            try:
                language = language if wanted else ~language
                whole = language if whole is None else whole & language
            except TooBig:
                self.opaque.append((pattern, wanted))
        if whole is None:
            return None
        try:
            if self.least or self.most is not None:
                whole &= Language.lengths(self.least, self.most, self.texts.budget)
            return whole - Language.literals(sorted(self.excluded)) if self.excluded else whole
        except TooBig:
            self.opaque = list(self.patterns)
            return None

    def empty(self) -> bool:
        """Is it proven that there is no such word."""
        if self.most is not None and self.least > self.most:
            return True
        if any((pattern, not wanted) in self.opaque for pattern, wanted in self.opaque):
            return True
        if self.language is not None:
            try:
                return self.language.is_empty()
            except TooBig:
                return False
        return self.most == 0 and "" in self.excluded

    def capacity(self, limit: int) -> int | None:
        """At most how many words there are; None where they are more than ``limit``, or it is not known."""
        if self.language is not None:
            try:
                return self.language.finite_size(limit)
            except TooBig:
                return None
        return 1 - ("" in self.excluded) if self.most == 0 else None

    def members(self, limit: int, *, named: bool = False) -> list[str]:
        """Distinct words, shortest first; ``named``: they will be keys, so the empty one comes last."""
        return list(islice(self._members(named), limit))

    def _members(self, named: bool) -> Iterator[str]:
        for word in self._candidates(named):
            if self.opaque:
                self.texts.allowance.spend()
            if len(word) >= self.least and (self.most is None or len(word) <= self.most) and word not in self.excluded:
                verdicts = [self.texts.matches(pattern, word) is wanted for pattern, wanted in self.opaque]
                if all(verdicts):
                    yield word

    def _candidates(self, named: bool) -> Iterator[str]:
        seen: set[str] = set()
        try:
            if self.language is not None:
                if self.texts.cautious:
                    for word in self._of_language(self.language & self.texts.undisputed(), named):
                        seen.add(word)
                        yield word
                yield from (word for word in self._of_language(self.language, named) if word not in seen)
                return
            for pattern, _ in self.patterns:
                language = self.texts.pattern(pattern)
                for word in language.samples(_SAMPLES) if language is not None else ():
                    if word not in seen:
                        seen.add(word)
                        yield word
        except TooBig:
            pass
        yield from (word for word in self._lengths(named) if word not in seen)

    def _of_language(self, language: Language, named: bool) -> Iterator[str]:
        if not named:
            first = language.shortest()
            if first is not None:
                yield first
        for word in language.samples(MAX_SAMPLES):
            if named:
                if word:
                    yield word
            elif word != first:
                yield word
        if named and language.accepts(""):
            yield ""

    def _lengths(self, named: bool) -> Iterator[str]:
        lengths = [length for length in range(self.least, self.least + 3) if self.most is None or length <= self.most]
        if named:
            lengths.sort(key=lambda length: not length)
        for length in lengths:
            if length > MAX_WORD:
                return
            if length == 0:
                yield ""
            else:
                yield from (letter + "a" * (length - 1) for letter in _ALPHABET)
                yield from (chr(code) + "a" * (length - 1) for code in range(0xA1, 0x2000))


class _Timed(Budget):
    """A budget of steps that is also spent when the comparison's time is."""

    __slots__ = ("_allowance", "_next")

    def __init__(self, allowance: Allowance, limit: int = DEFAULT_STEPS) -> None:
        super().__init__(limit)
        self._allowance = allowance
        self._next = 0

    def spend(self, steps: int = 1) -> None:
        super().spend(steps)
        if self.used >= self._next:
            self._next = self.used + _LOOK_EVERY
            if self._allowance.late():
                self.used = self.limit
                raise TooBig

    def half(self) -> Budget:
        return _Timed(self._allowance, max(0, self.limit - self.used) // 2)


class Texts:
    """The patterns of one comparison, each read once."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.budget = _Timed(allowance)
        self._languages: dict[str, Language | None] = {}
        self._words: dict[frozenset[Formula], Words] = {}
        self._engines: dict[str, Any] = {}
        self._matches: dict[tuple[str, str], bool | None] = {}
        self.cautious = False  # are words preferred that all engines read alike

    def pattern(self, text: str) -> Language | None:
        """The language of a pattern; None where it is no regular one or too large."""
        if text not in self._languages:
            self.allowance.spend()
            try:
                self._languages[text] = Language.pattern(text, self.budget)
            except (NotRegular, TooBig):
                self._languages[text] = None
        return self._languages[text]

    def undisputed(self) -> Language:
        """Words on whose letters engines agree: Python has other digits, spaces and ends of lines than ECMA-262."""
        return Language.pattern("^(?:[\\t\\n -~]*[\\t -~])?$", self.budget)

    def words(self, literals: Iterable[Formula]) -> Words:
        """The words for which all literals hold."""
        key = frozenset(literals)
        if key not in self._words:
            self.allowance.spend()
            self._words[key] = Words(self, sorted(key, key=lambda literal: literal.number))
        return self._words[key]

    def solve(self, literals: list[Formula]) -> Outcome:
        """A string for which all literals hold."""
        words = self.words(literals)
        if words.empty():
            return EMPTY
        members = words.members(1)
        return Found(members[0]) if members else Unknown("a pattern is beyond what is decided here")

    def matches(self, pattern: str, text: str) -> bool | None:
        """Does the pattern match somewhere in the text; None where that is not certain."""
        key = (pattern, text)
        if key not in self._matches:
            language = self.pattern(pattern)
            try:
                self._matches[key] = language.accepts(text) if language is not None else self._ask(pattern, text)
            except TooBig:
                self._matches[key] = None
        return self._matches[key]

    def _ask(self, pattern: str, text: str) -> bool | None:
        if len(text) > MAX_OPAQUE_WORD:
            return None
        self.allowance.spend(20)
        if pattern not in self._engines:
            self._engines[pattern] = _engines(pattern)
        engines = self._engines[pattern]
        if engines is None:
            return None
        one, two = engines[0].search(text) is not None, bool(engines[1].is_valid(text))
        return one if one is two else None


def _engines(pattern: str) -> tuple[re.Pattern[str], Any] | None:
    try:
        return re.compile(pattern), jsonschema_rs.Draft7Validator({"pattern": pattern})
    except (re.error, ValueError, OverflowError, RecursionError):
        return None
