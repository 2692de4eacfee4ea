"""Walks through automata: whether anything of certain lengths is accepted, how many strings are, and which.

A window of lengths ``least`` to ``most`` may be far away and wide. The states that can be reached by exactly k
characters, the states from which exactly k lead to acceptance, and the numbers of such strings up to a limit, each
follow from those for k-1 alone; since there are finitely many, each sequence repeats itself from some k on, and what
is true of lengths no walk gets to can be read from what was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from contractd.contracts.compat.regular.automaton import EVERYTHING, NOTHING, Automaton
from contractd.contracts.compat.regular.budget import Budget

T = TypeVar("T", bound=Hashable)

_CHARACTERS_A_STEP = 4  # going on along a known path is quick


def accepts_any(automaton: Automaton, least: int, most: int | None, budget: Budget) -> bool:
    """Whether the automaton accepts a string of a length within the window. States are made only as far as needed."""
    if least and not accepts_any(automaton, 0, None, budget):
        return False  # otherwise the approach to a far window would go on for nothing
    front = frozenset([automaton.start]) - {NOTHING}
    length = 0
    before: dict[frozenset[int], int] = {}
    while front and length < least:
        if EVERYTHING in front:
            return True
        if front in before:
            period = length - before[front]
            length += (least - length) // period * period
            before = {}  # what is left to go is less than a period
            if length == least:
                break
        before[front] = length
        front = _after(automaton, front, budget)
        length += 1
    seen = set(front)  # from here on, who comes earlier may go on for longer: no state is worth a second visit
    while front and (most is None or length <= most):
        budget.spend()
        if any(automaton.accepting(state, budget) for state in front):
            return True
        front = _after(automaton, front, budget) - seen
        seen |= front
        length += 1
    return False


def _after(automaton: Automaton, front: frozenset[int], budget: Budget) -> frozenset[int]:
    following: set[int] = set()
    for state in front:
        row = automaton.row(state, budget)
        budget.spend(1 + len(row) // 16)
        following.update(row)
    following.discard(NOTHING)
    return frozenset(following)


def first_string(automaton: Automaton, least: int, most: int | None, budget: Budget) -> str | None:
    """The first string in the order of ``Graph.strings``, found without knowing the whole automaton."""
    front: dict[int, str] = {automaton.start: ""}
    seen: set[int] = set()
    length = 0
    while front and (most is None or length <= most):
        if length >= least:
            for state, text in front.items():
                budget.spend()
                if automaton.accepting(state, budget):
                    return text
            seen.update(front)
        following: dict[int, str] = {}
        for state, text in front.items():
            row = automaton.row(state, budget)
            budget.spend(1 + len(row) + length // 16)
            for _, char, label in automaton.alphabet.ranked(range(len(row))):
                if row[label] != NOTHING and row[label] not in seen:
                    following.setdefault(row[label], text + char)
        front = following
        length += 1
    return None


class Orbit(Generic[T]):
    """A sequence in which each item follows from the one before, and which therefore comes round again."""

    def __init__(self, first: T, following: Callable[[T], T]) -> None:
        self._following = following
        self._items = [first]
        self._places = {first: 0}
        self.turn: int | None = None  # where the part begins that repeats itself, once that is known

    def __getitem__(self, index: int) -> T:
        while self.turn is None and index >= len(self._items):
            item = self._following(self._items[-1])
            self.turn = self._places.setdefault(item, len(self._items))
            if self.turn == len(self._items):
                self.turn = None
                self._items.append(item)
        if index < len(self._items):
            return self._items[index]
        assert self.turn is not None
        return self._items[self.turn + (index - self.turn) % (len(self._items) - self.turn)]

    def repeated(self) -> list[T]:
        """The items that come again and again, as far as is known."""
        return [] if self.turn is None else self._items[self.turn :]

    def distinct(self) -> int:
        """How many items are known."""
        return len(self._items)


class Graph:
    """All states of an automaton, numbered from its start, without the one in which nothing is accepted."""

    def __init__(self, automaton: Automaton, budget: Budget) -> None:
        self.automaton = automaton
        self.states = [automaton.start]
        self.places = {automaton.start: 0}
        self.targets: list[dict[int, int]] = []  # for each state, the states after it and by how many characters
        self.accepting = 0
        for place, state in enumerate(self.states):
            targets: dict[int, int] = {}
            row = automaton.row(state, budget)
            budget.spend(1 + len(row) // 4)
            for label, target in enumerate(row):
                if target == NOTHING:
                    continue
                number = self.places.setdefault(target, len(self.states))
                if number == len(self.states):
                    self.states.append(target)
                targets[number] = targets.get(number, 0) + automaton.alphabet.count(label)
            self.targets.append(targets)
            self.accepting |= automaton.accepting(state, budget) << place
        self._orders: dict[tuple[int, int], list[tuple[int, str, int, int]]] = {}
        self._unpaid = 0
        self.masks = [sum(1 << number for number in targets) for targets in self.targets]

    def leading(self, budget: Budget) -> Orbit[int]:
        """By length, the mask of states from which exactly so many characters lead to acceptance."""

        def longer(mask: int) -> int:
            budget.spend(1 + len(self.masks) // 8)
            result = 0
            for place, targets in enumerate(self.masks):
                if targets & mask:
                    result |= 1 << place
            return result

        return Orbit(self.accepting, longer)

    def size(self, least: int, most: int | None, limit: int, budget: Budget) -> int:
        """How many strings of lengths in the window are accepted, or ``limit + 1`` for more than ``limit``."""

        def longer(counts: tuple[int, ...]) -> tuple[int, ...]:
            budget.spend(1 + sum(map(len, self.targets)) // 4)
            return tuple(
                min(limit + 1, sum(times * counts[target] for target, times in targets.items()))
                for targets in self.targets
            )

        counts = Orbit(tuple(self.accepting >> place & 1 for place in range(len(self.states))), longer)
        total = 0
        length = least
        while most is None or length <= most:
            budget.spend()
            total += counts[length][0]
            if total > limit:
                return limit + 1
            if counts.turn is not None and length >= counts.distinct():
                if not any(item[0] for item in counts.repeated()):
                    return total
                if most is None:
                    return limit + 1
            length += 1
        return total

    def strings(self, length: int, leading: Orbit[int], budget: Budget) -> Iterator[str]:
        """The accepted strings of one length. No walk is begun that does not end in one."""
        if not leading[length] & 1:
            return
        chosen: list[str] = []
        path = [0]
        walks: list[Iterator[tuple[str, int]] | None] = []  # made only where another choice is asked for
        while True:
            while len(chosen) < length:
                first = self._order(path[-1], leading[length - len(chosen) - 1], budget)[0]
                chosen.append(first[1])
                path.append(first[3])
                walks.append(None)
            budget.spend(1 + length // 64)
            yield "".join(chosen)
            step = None
            while walks and step is None:
                chosen.pop()
                path.pop()
                walk = walks.pop()
                if walk is None:
                    order = self._order(path[-1], leading[length - len(chosen) - 1], budget)
                    if len(order) == 1 and self.automaton.alphabet.count(order[0][2]) == 1:
                        continue
                    walk = self._steps(order)
                    next(walk)
                step = next(walk, None)
            if step is None:
                return
            chosen.append(step[0])
            path.append(step[1])
            walks.append(walk)

    def _order(self, place: int, alive: int, budget: Budget) -> list[tuple[int, str, int, int]]:
        """The ways on to states in a mask: tier, first character, class, and the state it leads to."""
        found = self._orders.get((place, alive))
        if found is None:
            row = self.automaton.row(self.states[place], budget)
            budget.spend(1 + len(row))
            targets = [self.places.get(target, -1) for target in row]
            labels = [label for label, target in enumerate(targets) if target >= 0 and alive >> target & 1]
            ranked = self.automaton.alphabet.ranked(labels)
            found = self._orders[place, alive] = [(*each, targets[each[2]]) for each in ranked]
        self._unpaid += 1
        if self._unpaid == _CHARACTERS_A_STEP:
            self._unpaid = 0
            budget.spend()
        return found

    def _steps(self, order: list[tuple[int, str, int, int]]) -> Iterator[tuple[str, int]]:
        for tier, _, label, place in order:
            for char in self.automaton.alphabet.characters(label, tier):
                yield char, place
