"""The theory of objects: which members must be there, which may, and how many.

Every literal speaks of a set of keys. A member that must be there is put on a named key or into a cell of keys that
are alike; two may share one. Then members are added until there are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.keys import Cell, KeySpace, TooManyCells
from contractd.contracts.compat.many_patterns import solve_loosely
from contractd.contracts.compat.outcome import EMPTY, Empty, Found, Outcome, Unknown

if TYPE_CHECKING:
    from contractd.contracts.compat.solver import Solver

MAX_MEMBERS = 2_000  # members of an object that is made up
MAX_LAYOUTS = 300

Place = str | int  # a named key, or the number of a cell


@dataclass(frozen=True, slots=True)
class Slot:
    """One member: where its key comes from, and what its value must hold."""

    place: Place
    value: Formula


class Objects:
    """Solves conjunctions of object literals; the members' values are solved by ``solver``."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.terms = solver.terms

    def solve(self, literals: list[Formula]) -> Outcome:
        """An object for which all literals hold."""
        try:
            return _Problem(self, literals).solve()
        except TooManyCells:
            return solve_loosely(self.solver, literals)

    def refuter(self, literals: list[Formula]) -> Callable[[Formula], bool]:
        """Tells whether one more literal asks for a named member that the others make impossible."""
        try:
            problem = _Problem(self, literals)
        except TooManyCells:
            return lambda literal: False

        def refuted(literal: Formula) -> bool:
            name = _single(literal.args[0]) if literal.op == "key" else None
            if name is None:
                return False
            whole = self.terms.all_of([problem.held(name), *problem.required.get(name, ()), literal.args[1]])
            return isinstance(self.solver.model(whole), Empty)

        return refuted


class _Problem:
    """One conjunction."""

    def __init__(self, objects: Objects, literals: list[Formula]) -> None:
        self.solver, self.terms = objects.solver, objects.terms
        self.least, self.most = 0, None  # type: int, int | None
        self.every: list[tuple[Formula, Formula]] = []
        self.wanted: list[tuple[Formula, Formula]] = []
        self.required: dict[str, list[Formula]] = {}
        for literal in literals:
            op, args = literal.op, literal.args
            if op == "size":
                self.least = max(self.least, args[0])
                if args[1] is not None:
                    self.most = args[1] if self.most is None else min(self.most, args[1])
            elif op == "keys":
                self.every.append(args)
            elif op == "key":
                name = _single(args[0])
                if name is None:
                    self.wanted.append(args)
                else:
                    self.required.setdefault(name, []).append(args[1])
        self.space = KeySpace(self.terms, self.solver.texts, [keys for keys, _ in (*self.every, *self.wanted)])
        for name in self.required:
            self.space.names.setdefault(name)
        self._named: dict[str, list[Formula]] = {}
        self._general: list[tuple[Formula, Formula]] = []
        for keys, value in self.every:
            if keys.op == "enum":
                for name in keys.args[0]:
                    self._named.setdefault(name, []).append(value)
            else:
                self._general.append((keys, value))
        self._held: dict[Place, Formula] = {}

    def solve(self) -> Outcome:
        if self.most is not None and max(self.least, len(self.required)) > self.most:
            return EMPTY
        slots, unknown = [], None
        for name, extra in self.required.items():
            whole = self.terms.all_of([self.held(name), *extra])
            outcome = self.solver.model(whole)
            if isinstance(outcome, Empty):
                return outcome
            unknown = outcome if isinstance(outcome, Unknown) else unknown
            slots.append(Slot(name, whole))
        if self.least > len(slots):
            possible = self._possible()
            if possible is not None and possible < self.least:
                return EMPTY
        for number, layout in enumerate(self._layouts(slots, 0)):
            if number >= MAX_LAYOUTS:
                return Unknown("an object with too many ways to fill it")
            outcome = self._filled(layout)
            if isinstance(outcome, Found) and unknown is None:
                return outcome
            unknown = outcome if isinstance(outcome, Unknown) else unknown
        return unknown or EMPTY

    def held(self, place: Place) -> Formula:
        """What the value at a key must hold in any case. A statement that can't be decided for the key is left out."""
        if place not in self._held:
            if isinstance(place, str):
                parts = list(self._named.get(place, ()))
                parts += [value for keys, value in self._general if self.names(keys, place)]
            else:
                signs = self.cells[place].signs
                parts = [value for keys, value in self._general if self.space.covers(keys, signs)]
            self._held[place] = self.terms.all_of(parts)
        return self._held[place]

    def names(self, keys: Formula, name: str) -> bool | None:
        return self.solver.evaluator.holds(keys, name)

    @property
    def cells(self) -> list[Cell]:
        return self.space.cells()

    def _may(self, whole: Formula) -> bool:
        return not isinstance(self.solver.model(whole), Empty)

    def _possible(self) -> int | None:
        """At most how many members there can be; None where that is unbounded, or beyond what is needed."""
        count = sum(1 for name in self.space.names if self._may(self.held(name)))
        for index, cell in enumerate(self.cells):
            if count >= self.least:
                return None
            if self._may(self.held(index)):
                capacity = cell.words.capacity(self.least)
                if capacity is None:
                    return None
                count += capacity
        return count

    # -- where the wanted members go

    def _layouts(self, slots: list[Slot], index: int) -> Iterator[list[Slot]]:
        """Every way to place the wanted members, few keys first."""
        self.solver.allowance.spend()
        if self.most is not None and len(slots) > self.most:
            return
        if index == len(self.wanted):
            yield slots
            return
        keys, value = self.wanted[index]
        for number, slot in enumerate(slots):
            if self._covers(keys, slot.place) is not False:
                shared = Slot(slot.place, self.terms.both(slot.value, value))
                if shared.value is slot.value or self._may(shared.value):
                    yield from self._layouts([*slots[:number], shared, *slots[number + 1 :]], index + 1)
        for place in self._places(keys, slots):
            whole = self.terms.both(self.held(place), value)
            if self._may(whole):
                yield from self._layouts([*slots, Slot(place, whole)], index + 1)

    def _places(self, keys: Formula, slots: list[Slot]) -> Iterator[Place]:
        taken = [slot.place for slot in slots]
        for name in self.space.names:
            if name not in taken and self.names(keys, name) is not False:
                yield name
        for index, cell in enumerate(self.cells):
            if self.space.covers(keys, cell.signs) is not False:
                used = taken.count(index)
                capacity = cell.words.capacity(used + 1)
                if capacity is None or capacity > used:
                    yield index

    def _covers(self, keys: Formula, place: Place) -> bool | None:
        if isinstance(place, str):
            return self.names(keys, place)
        return self.space.covers(keys, self.cells[place].signs)

    # -- making the object

    def _filled(self, slots: list[Slot]) -> Outcome:
        """The object of a layout, with members added until there are enough."""
        slots = list(slots)
        if self.least > MAX_MEMBERS:
            return Unknown("an object with too many members to be made up")
        if len(slots) < self.least:
            slots += self._fillers(slots, self.least - len(slots))
        if len(slots) < self.least:
            return Unknown("too few keys were found")
        used: dict[Place, int] = {}
        for slot in slots:
            used[slot.place] = used.get(slot.place, 0) + 1
        keys: dict[Place, list[str]] = {}
        for place, count in used.items():
            keys[place] = [place] if isinstance(place, str) else self.cells[place].words.members(count, named=True)
            if len(keys[place]) < count:
                return Unknown("too few keys were found")
            keys[place].reverse()
        made: dict[str, Any] = {}
        for slot in slots:
            outcome = self.solver.model(slot.value)
            if not isinstance(outcome, Found):
                return outcome
            made[keys[slot.place].pop()] = outcome.value
        return Found(made)

    def _fillers(self, slots: list[Slot], missing: int) -> Iterator[Slot]:
        taken = [slot.place for slot in slots]
        for name in self.space.names:
            if missing and name not in taken and isinstance(self.solver.model(self.held(name)), Found):
                missing -= 1
                yield Slot(name, self.held(name))
        for index, cell in enumerate(self.cells) if missing else ():
            if isinstance(self.solver.model(self.held(index)), Found):
                used = taken.count(index)
                free = len(cell.words.members(used + missing, named=True)) - used
                for _ in range(min(free, missing)):
                    missing -= 1
                    yield Slot(index, self.held(index))


def _single(keys: Formula) -> str | None:
    if keys.op == "enum" and len(keys.args[0]) == 1:
        (name,) = keys.args[0]
        return str(name)
    return None
