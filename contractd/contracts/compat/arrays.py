"""The theory of arrays: lengths, positions, counted items, all different, two alike.

A model can be cut down to ``max(least length, explicit positions + counted items)``: items past the explicit positions
are interchangeable, and those that no count needs can be dropped. So finitely many lengths decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import ARRAY, OBJECT, POINTED, WHOLE, freeze
from contractd.contracts.compat.outcome import EMPTY, Empty, Found, Outcome, Unknown

if TYPE_CHECKING:
    from contractd.contracts.compat.solver import Solver

MAX_SLOTS = 48  # positions that are looked at one by one
MAX_LENGTH = 20_000  # items of an array that is made up
MAX_DIFFERENT = 300  # items that must all be different
MAX_LAYOUTS = 400

Layout = tuple[Formula, ...]  # what each position must hold


@dataclass(slots=True)
class Shape:
    """What the literals say."""

    least: int = 0
    most: int | None = None
    positions: int = 0
    local: list[tuple[int, Formula]] = field(default_factory=list)
    each: list[tuple[int, Formula]] = field(default_factory=list)
    some: list[tuple[int, int, Formula]] = field(default_factory=list)
    few: list[tuple[int, int, Formula]] = field(default_factory=list)
    unique: bool = False
    alike: bool = False

    def add(self, literal: Formula) -> None:
        op, args = literal.op, literal.args
        if op == "items":
            self.least = max(self.least, args[0])
            if args[1] is not None:
                self.most = args[1] if self.most is None else min(self.most, args[1])
        elif op == "unique":
            self.unique, self.alike = self.unique or args[0], self.alike or not args[0]
        elif op == "at":
            self.local.append(args)
            self.positions = max(self.positions, args[0] + 1)
        elif op in ("each", "some", "few"):
            getattr(self, op).append(args)
            self.positions = max(self.positions, args[0])


class Arrays:
    """Solves conjunctions of array literals; the items are solved by ``solver``."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.terms = solver.terms

    def solve(self, literals: list[Formula]) -> Outcome:
        """An array for which all literals hold."""
        shape = Shape()
        for literal in literals:
            shape.add(literal)
        if shape.unique and shape.alike:
            return EMPTY
        if shape.alike:
            shape.least = max(shape.least, 2)
        needed = max((start for start, _, _ in shape.some), default=0)
        counted = sum(count for _, count, _ in shape.some)
        if shape.some:
            shape.least = max(shape.least, *(start + count for start, count, _ in shape.some))
        if shape.most is not None and shape.least > shape.most:
            return EMPTY
        longest = max(shape.least, max(shape.positions, needed) + counted + (2 if shape.alike else 0))
        if not shape.some and not shape.alike:
            longest = shape.least
        if shape.most is not None:
            longest = min(longest, shape.most)
        unknown: Outcome | None = None
        for length in range(shape.least, longest + 1):
            outcome = self._of_length(shape, length)
            if isinstance(outcome, Found):
                return outcome
            if isinstance(outcome, Unknown):
                unknown = outcome
                if length > shape.least + MAX_SLOTS:
                    break
        return unknown or EMPTY

    def _of_length(self, shape: Shape, length: int) -> Outcome:
        """Arrays of one length. Positions that no count needs, since there are more than enough, come last."""
        shape = replace(shape, few=[entry for entry in shape.few if entry[1] < length - entry[0]])
        slots = shape.positions + sum(n for _, n, _ in shape.some) + sum(min(n, MAX_SLOTS) for _, n, _ in shape.few)
        slots = min(length, slots + (2 if shape.alike else 0))
        rest = length - slots
        if shape.unique:
            slots, rest = length, 0
        counted = bool(shape.some or shape.few or shape.alike)
        if length > MAX_LENGTH or slots > (MAX_SLOTS if counted else MAX_DIFFERENT):
            return self._hopeless(shape, length)
        tail: list[Any] = []
        if rest:
            plain = self._held(shape, length - 1)
            filler = self.solver.model(self.terms.all_of([plain, *self._refused(shape, length - 1)]))
            if not isinstance(filler, Found):
                return filler
            tail = [filler.value] * rest
        unknown: Outcome | None = None
        if shape.alike and rest >= 2:
            shape = replace(shape, alike=False)
        for number, layout in enumerate(self._layouts(shape, slots)):
            self.solver.allowance.spend()
            if number >= MAX_LAYOUTS:
                return Unknown("an array with too many ways to fill it")
            outcome = self._fill(shape, layout)
            if isinstance(outcome, Found):
                return Found([*outcome.value, *tail])
            if isinstance(outcome, Unknown):
                unknown = outcome
        return unknown or EMPTY

    def _hopeless(self, shape: Shape, length: int) -> Outcome:
        """A long array: only what is impossible at some position by itself is told."""
        for index in {*range(min(length, shape.positions, MAX_SLOTS)), length - 1}:
            if isinstance(self.solver.model(self._held(shape, index)), Empty):
                return EMPTY
        if shape.unique:
            few = self.solver.models(self._held(shape, length - 1), MAX_SLOTS)
            if few.complete and len(few.values) < length - shape.positions:
                return EMPTY
        return Unknown("an array too long to be made up")

    def _held(self, shape: Shape, index: int) -> Formula:
        """What the item at ``index`` must hold in any case."""
        parts = [inner for at, inner in shape.local if at == index]
        parts += [inner for start, inner in shape.each if start <= index]
        return self.terms.all_of(parts)

    def _refused(self, shape: Shape, index: int) -> list[Formula]:
        return [self.terms.negation(inner) for start, _, inner in shape.few if start <= index]

    def _layouts(self, shape: Shape, slots: int) -> Iterator[Layout]:
        """Every way to say which positions serve which counts; a position that can hold nothing is cut off at once."""
        held = [self._held(shape, index) for index in range(slots)]
        if not shape.some and not shape.few:
            yield tuple(held)
            return
        dead: set[tuple[Any, ...]] = set()

        def place(index: int, owed: tuple[int, ...], spare: tuple[int, ...], last: tuple[int, int]) -> Iterator[Layout]:
            if max(owed, default=0) > slots - index:
                return
            if index == slots:
                yield ()
                return
            state = (index, owed, spare, last if index > shape.positions else None)
            if state in dead:
                return
            fruitful = False
            ordered = index > shape.positions  # interchangeable: in ascending order of what they serve
            for serves in range(1 << len(owed)):
                for uses in range(1 << len(spare)):
                    if ordered and (serves, uses) < last:
                        continue
                    chosen = self._choice(shape, index, serves, uses, owed, spare)
                    if chosen is None:
                        continue
                    whole = self.terms.all_of([held[index], *chosen[0]])
                    if isinstance(self.solver.model(whole), Empty):
                        continue
                    for layout in place(index + 1, chosen[1], chosen[2], (serves, uses)):
                        fruitful = True
                        yield (whole, *layout)
            if not fruitful:
                dead.add(state)

        yield from place(0, tuple(n for _, n, _ in shape.some), tuple(n for _, n, _ in shape.few), (0, 0))

    def _choice(
        self, shape: Shape, index: int, serves: int, uses: int, owed: tuple[int, ...], spare: tuple[int, ...]
    ) -> tuple[list[Formula], tuple[int, ...], tuple[int, ...]] | None:
        """One position's part in the counts: the formulas it adds, and what is owed and spare after it."""
        parts: list[Formula] = []
        left, room = list(owed), list(spare)
        for number, (start, _, inner) in enumerate(shape.some):
            if serves >> number & 1:
                if start > index or not left[number]:
                    return None
                left[number] -= 1
                parts.append(inner)
        for number, (start, _, inner) in enumerate(shape.few):
            if uses >> number & 1:
                if start > index or not room[number]:
                    return None
                room[number] -= 1
            elif start <= index:
                parts.append(self.terms.negation(inner))
        return parts, tuple(left), tuple(room)

    def _fill(self, shape: Shape, layout: Layout) -> Outcome:
        if shape.unique:
            return self._different(layout)
        if shape.alike:
            return self._two_alike(layout)
        return self._each(layout)

    def _each(self, layout: Layout) -> Outcome:
        values, unknown = [], None
        for whole in layout:
            outcome = self.solver.model(whole)
            if isinstance(outcome, Empty):
                return outcome
            if isinstance(outcome, Unknown):
                unknown = outcome
            else:
                values.append(outcome.value)
        return unknown or Found(values)

    def _two_alike(self, layout: Layout) -> Outcome:
        unknown: Outcome | None = None
        for second in range(1, len(layout)):
            for first in range(second):
                self.solver.allowance.spend()
                shared = self.terms.both(layout[first], layout[second])
                outcome = self._each(tuple(shared if at in (first, second) else one for at, one in enumerate(layout)))
                if isinstance(outcome, Found):
                    return outcome
                if isinstance(outcome, Unknown):
                    unknown = outcome
                elif self._written_apart(layout[first], layout[second]):
                    unknown = Unknown("numbers that may be equal though only one of them is written with a point")
        return unknown or EMPTY

    def _written_apart(self, one: Formula, two: Formula) -> bool:
        """Could values of the two be equal without being written alike: 1 and 1.0, where draft-04 tells them apart."""
        if not self.terms.every & POINTED:
            return False
        if any(self._may(one, kind) and self._may(two, kind) for kind in (ARRAY, OBJECT)):
            return True
        return self._one_number(one, two) or self._one_number(two, one)

    def _may(self, whole: Formula, kind: int) -> bool:
        return not isinstance(self.solver.model(self.terms.both(whole, self.terms.kinds(kind))), Empty)

    def _one_number(self, whole: Formula, pointed: Formula) -> bool:
        """Could a number hold for the one without a point and for the other with it."""
        parts = self.terms.restricted(whole, WHOLE), self.terms.restricted(pointed, POINTED)
        if any(map(_hangs, parts)):
            return self._may(whole, WHOLE) and self._may(pointed, POINTED)
        return not isinstance(self.solver.of_kind(self.terms.both(*parts), WHOLE), Empty)

    def _different(self, layout: Layout) -> Outcome:
        """Distinct values: where all models of a position are known, by matching; else there are enough to choose."""
        options: list[list[Any]] = []
        complete = True
        known = {whole: self.solver.models(whole, len(layout)) for whole in dict.fromkeys(layout)}
        for whole in layout:
            few = known[whole]
            options.append(few.values)
            complete = complete and (few.complete or len(few.values) >= len(layout))
        chosen = _matched([[freeze(value) for value in few] for few in options])
        if chosen is None:
            return EMPTY if complete else Unknown("too few different items were found")
        return Found([options[at][index] for at, index in enumerate(chosen)])


def _hangs(node: Formula) -> bool:
    """Does a formula stand for another one that is not restricted with it."""
    return any(map(_hangs, node.args)) if node.op in ("and", "or") else node.op in ("reference", "opaque")


def _matched(options: list[list[Any]]) -> list[int] | None:
    """A system of distinct representatives, by augmenting paths; the index chosen at each position."""
    owner: dict[Any, int] = {}

    def settle(position: int, tried: set[Any]) -> bool:
        free = next((value for value in options[position] if value not in owner), None)
        if free is not None:
            owner[free] = position
            return True
        for value in options[position]:
            if value not in tried:
                tried.add(value)
                if value not in owner or settle(owner[value], tried):
                    owner[value] = position
                    return True
        return False

    if not all(settle(position, set()) for position in range(len(options))):
        return None
    chosen = {position: value for value, position in owner.items()}
    return [options[position].index(chosen[position]) for position in range(len(options))]
