"""What is still to be matched, as numbers, and what need not be kept because something beside it says as much.

A *thread* is a place in the pattern's tree and the thread that follows. ``ACCEPT`` is the one with nothing left, after
which a string may go on as it likes, for a pattern is searched for, not anchored (JSON Schema 2020-12 section 6.4).
Threads are made as they are reached: a count of a million costs what is walked of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from contractd.contracts.compat.regular.budget import Budget
from contractd.contracts.compat.regular.syntax import Node, Repeat, Sequence

ACCEPT = 0  # a match is complete
MARK = 1  # the end of a lookbehind's body
_FIRST = 2
_NO_LIMIT = -1

Literals = frozenset[int]  # threads, and ~thread for one that must not match: an and
Options = frozenset[Literals]  # an or
Derivative = list[tuple[int, Literals]]  # for the characters in the mask, one option
Thread = tuple[Node, int, int, int]  # node; what is left of a repetition, or items done of a sequence; what follows

TRUE: Literals = frozenset()


class Threads:
    """The threads of one automaton."""

    def __init__(self) -> None:
        self._threads: list[Thread] = []
        self._numbers: dict[Thread, int] = {}
        # Threads at the same places differ in what is left of their repetitions only: the places have a number, too.
        self._places: list[int] = [ACCEPT, MARK]
        self._place_numbers: dict[tuple[Node, int, int], int] = {}
        self._counts: list[tuple[tuple[int, float], ...]] = [(), ()]

    def __getitem__(self, number: int) -> Thread:
        return self._threads[number - _FIRST]

    def enter(self, node: Node, following: int) -> int:
        """The thread at the beginning of a node."""
        if isinstance(node, Repeat):
            return self.number(node, node.least, _NO_LIMIT if node.most is None else node.most, following)
        return self.number(node, 0, 0, following)

    def number(self, node: Node, least: int, most: int, following: int) -> int:
        """The thread at a place in a node; at its end, the thread that follows."""
        repetition = isinstance(node, Repeat)
        if (repetition and most == 0) or (isinstance(node, Sequence) and least == len(node.items)):
            return following
        thread = (node, least, most, following)
        number = self._numbers.setdefault(thread, len(self._threads) + _FIRST)
        if number == len(self._threads) + _FIRST:
            self._threads.append(thread)
            place = (node, 0 if repetition else least, self._places[following])
            self._places.append(self._place_numbers.setdefault(place, len(self._place_numbers) + _FIRST))
            own = ((least, float("inf") if most == _NO_LIMIT else most),) if repetition else ()
            self._counts.append(own + self._counts[following])
        return number

    def widest(self, threads: set[int], budget: Budget) -> set[int]:
        """The threads without those that match nothing another one at the same places doesn't match.

        r{n,m} matches what r{k,l} does if n <= k and l <= m. Without this, looking for ``a{0,63}b`` anywhere would
        keep a thread for each beginning.
        """
        groups: dict[int, list[int]] = {}
        for thread in threads:
            groups.setdefault(self._places[thread], []).append(thread)
        if len(groups) == len(threads):
            return threads
        kept: set[int] = set()
        for group in groups.values():
            budget.spend(len(group) // 2)
            if len(self._counts[group[0]]) == 1:
                furthest = -1.0
                for thread in sorted(group, key=lambda each: (self._counts[each][0][0], -self._counts[each][0][1])):
                    if self._counts[thread][0][1] > furthest:
                        furthest = self._counts[thread][0][1]
                        kept.add(thread)
            elif all(low == high for thread in group for low, high in self._counts[thread]):
                kept.update(group)
            else:
                kept.update(self._uncovered(group, budget))
        return kept

    def _uncovered(self, group: list[int], budget: Budget) -> list[int]:
        best: list[int] = []
        for thread in sorted(group, key=self._counts.__getitem__):
            budget.spend(1 + len(best))
            if not any(self._covers(other, thread) for other in best):
                best = [other for other in best if not self._covers(thread, other)]
                best.append(thread)
        return best

    def _covers(self, one: int, other: int) -> bool:
        return all(
            low <= other_low and other_high <= high
            for (low, high), (other_low, other_high) in zip(self._counts[one], self._counts[other], strict=True)
        )

    def smallest(self, options: Iterable[Literals], budget: Budget) -> Options:
        """The options without those that ask for more than another one does, and so add nothing to an or."""
        distinct = frozenset(options)
        budget.spend(len(distinct))
        if TRUE in distinct:
            return frozenset([TRUE])
        singles = {each for literals in distinct if len(literals) == 1 for each in literals}
        widest = self.widest({each for each in singles if each >= 0}, budget)
        if len(singles) == len(distinct) == len(widest):
            return distinct
        kept = [frozenset([each]) for each in singles if each < 0 or each in widest]
        longer = {self._tight(literals, budget) for literals in distinct if len(literals) > 1}
        for literals in sorted(longer, key=len):
            if singles.isdisjoint(literals):
                budget.spend(1 + len(kept) // 4)
                if not any(small <= literals for small in kept):
                    kept.append(literals)
        return frozenset(kept)

    def _tight(self, literals: Literals, budget: Budget) -> Literals:
        """An and of negated threads without those that another one excludes along with itself."""
        negated = {~each for each in literals if each < 0}
        widest = self.widest(negated, budget)
        return literals if len(widest) == len(negated) else literals - {~each for each in negated - widest}


def both(one: Derivative, other: Derivative, budget: Budget) -> Derivative:
    """Where both hold. A thread and its negation never do."""
    result: Derivative = []
    budget.spend(len(one) * len(other) // 2)
    for mask, literals in one:
        for other_mask, other_literals in other:
            if mask & other_mask:
                if literals and other_literals:
                    joined = literals | other_literals
                    budget.spend(1 + len(joined) // 8)
                    if any(~each in joined for each in min(literals, other_literals, key=len)):
                        continue
                else:
                    joined = literals or other_literals
                result.append((mask & other_mask, joined))
    return result
