"""Deterministic automata whose states are made when somebody walks there, and their boolean combinations.

States are numbers. In every automaton 0 is the state in which nothing more is accepted and 1 the one in which
everything is; a state may be one of these without being known as such. A row says for each class of the alphabet
which state follows. Automata fill their tables as they are asked, so they belong to one thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from contractd.contracts.compat.regular.budget import Budget, TooBig
from contractd.contracts.compat.regular.charset import WHOLE, Alphabet, divide, merge

NOTHING = 0
EVERYTHING = 1

MAX_LEVELS = 64  # combinations of combinations: each level calls the one below


class Automaton(ABC):
    """A language by its states."""

    def __init__(self, alphabet: Alphabet, start: int, level: int = 0) -> None:
        self.alphabet = alphabet
        self.start = start
        self.level = level
        self.rows: dict[int, list[int]] = {
            NOTHING: [NOTHING] * alphabet.size,
            EVERYTHING: [EVERYTHING] * alphabet.size,
        }

    def row(self, state: int, budget: Budget) -> list[int]:
        """The state that follows on each class of the alphabet. A row is paid for when it is made."""
        row = self.rows.get(state)
        if row is None:
            row = self.rows[state] = self._row(state, budget)
            budget.spend(1 + len(row) // 8)
        return row

    @abstractmethod
    def _row(self, state: int, budget: Budget) -> list[int]: ...

    @abstractmethod
    def accepting(self, state: int, budget: Budget) -> bool:
        """Whether a string that ends in ``state`` belongs to the language."""


class Constant(Automaton):
    """All strings, or none."""

    def accepting(self, state: int, budget: Budget) -> bool:
        return state == EVERYTHING

    def _row(self, state: int, budget: Budget) -> list[int]:  # pragma: no cover: both rows exist from the beginning
        raise AssertionError(state)


NO_STRING = Constant(WHOLE, NOTHING)
ANY_STRING = Constant(WHOLE, EVERYTHING)


class Trie(Automaton):
    """A list of strings, their common beginnings shared."""

    def __init__(self, strings: Iterable[str]) -> None:
        self._next: dict[int, dict[str, int]] = {2: {}}
        self._ends: set[int] = set()
        letters: set[str] = set()
        for text in strings:
            state = 2
            for char in text:
                following = self._next[state]
                if char not in following:
                    following[char] = len(self._next) + 2
                    self._next[following[char]] = {}
                state = following[char]
            self._ends.add(state)
            letters.update(text)
        ordered = sorted(letters)
        alphabet, masks = divide([((ord(char), ord(char)),) for char in ordered])
        self._classes = {char: mask.bit_length() - 1 for char, mask in zip(ordered, masks, strict=True)}
        super().__init__(alphabet, 2)

    def accepting(self, state: int, budget: Budget) -> bool:
        return state in self._ends or state == EVERYTHING

    def _row(self, state: int, budget: Budget) -> list[int]:
        row = [NOTHING] * self.alphabet.size
        for char, following in self._next[state].items():
            row[self._classes[char]] = following
        return row


def _swap(state: int) -> int:
    return 1 - state if state <= EVERYTHING else state


class Complement(Automaton):
    """The strings another automaton does not accept."""

    def __init__(self, inner: Automaton) -> None:
        self.inner = inner
        super().__init__(inner.alphabet, _swap(inner.start), inner.level + 1)

    def accepting(self, state: int, budget: Budget) -> bool:
        return state == EVERYTHING or (state != NOTHING and not self.inner.accepting(state, budget))

    def _row(self, state: int, budget: Budget) -> list[int]:
        return [_swap(following) for following in self.inner.row(state, budget)]


class Combined(Automaton):
    """What all of several automata accept, or what any of them does: their states side by side."""

    def __init__(self, everywhere: bool, parts: list[Automaton], alphabet: Alphabet, views: list[list[int]]) -> None:
        self.everywhere = everywhere
        self.parts = parts
        self.views = views  # for each part, the class of its alphabet that a class of ours lies in
        # One part in `decided` decides the whole; one in `neutral` has no say.
        self._decided, self._neutral = (NOTHING, EVERYTHING) if everywhere else (EVERYTHING, NOTHING)
        self._numbers: dict[tuple[int, ...], int] = {}
        self._states: list[tuple[int, ...]] = []
        start = self._number(tuple(part.start for part in parts))
        super().__init__(alphabet, start, max(part.level for part in parts) + 1)

    def _number(self, states: tuple[int, ...]) -> int:
        if self._decided in states:
            return self._decided
        number = self._numbers.get(states)
        if number is None:
            if all(state == self._neutral for state in states):
                number = self._neutral
            else:
                self._states.append(states)
                number = len(self._states) + 1
            self._numbers[states] = number
        return number

    def accepting(self, state: int, budget: Budget) -> bool:
        if state <= EVERYTHING:
            return state == EVERYTHING
        states = zip(self.parts, self._states[state - 2], strict=True)
        answers = (part.accepting(inner, budget) for part, inner in states)
        return all(answers) if self.everywhere else any(answers)

    def _row(self, state: int, budget: Budget) -> list[int]:
        budget.spend(self.alphabet.size * len(self.parts) // 8)
        columns = []
        for part, inner, view in zip(self.parts, self._states[state - 2], self.views, strict=True):
            row = part.row(inner, budget)
            columns.append([row[label] for label in view])
        return [self._number(states) for states in zip(*columns, strict=True)]


def complement(inner: Automaton) -> Automaton:
    """The strings ``inner`` does not accept."""
    if isinstance(inner, Constant):
        return NO_STRING if inner is ANY_STRING else ANY_STRING
    return inner.inner if isinstance(inner, Complement) else Complement(inner)


def combine(one: Automaton, other: Automaton, budget: Budget, *, everywhere: bool) -> Automaton:
    """What both accept (``everywhere``), or what either does. Nothing is walked yet, only the alphabets meet."""
    decided, neutral = (NO_STRING, ANY_STRING) if everywhere else (ANY_STRING, NO_STRING)
    if decided in (one, other) or _opposite(one, other):
        return decided
    if one is other or other is neutral:
        return one
    if one is neutral:
        return other
    if max(one.level, other.level) >= MAX_LEVELS:
        raise TooBig(f"combinations nested deeper than {MAX_LEVELS}")
    budget.spend(1 + (len(one.alphabet.starts) + len(other.alphabet.starts)) // 2)
    key = (one.alphabet, other.alphabet)
    if key not in budget.kept:
        budget.kept[key] = merge(*key)
    alphabet, pairs = budget.kept[key]
    parts: list[Automaton] = []
    views: list[list[int]] = []
    for side, each in enumerate((one, other)):
        view = [pair[side] for pair in pairs]
        if isinstance(each, Combined) and each.everywhere == everywhere:
            parts.extend(each.parts)
            views.extend([inner[label] for label in view] for inner in each.views)
        else:
            parts.append(each)
            views.append(view)
    budget.spend(len(parts) * alphabet.size // 8)
    return Combined(everywhere, parts, alphabet, views)


def _opposite(one: Automaton, other: Automaton) -> bool:
    """Whether one is known to be the other's complement: a language and its complement share and leave nothing."""
    return (isinstance(one, Complement) and one.inner is other) or (
        isinstance(other, Complement) and other.inner is one
    )
