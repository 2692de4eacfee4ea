"""Objects under so many patterns that their keys fall into too many cells to look at each.

One wanted member at a time: patterns whose values exclude the wanted one must not match its key. If no key is left
there is no such object; if one is, an object is made with it and checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import STRING
from contractd.contracts.compat.outcome import EMPTY, Empty, Found, Outcome, Unknown

if TYPE_CHECKING:
    from contractd.contracts.compat.solver import Solver

GIVEN_UP = Unknown("too many patterns cut across the keys of one object")


def solve_loosely(solver: Solver, literals: list[Formula]) -> Outcome:
    """A model, a proof that there is none, or neither, from looking at wanted members one by one."""
    made: dict[str, Any] = {}
    every = [literal.args for literal in literals if literal.op == "keys"]
    for literal in literals:
        if literal.op == "key":
            outcome = _member(solver, every, literal.args)
            if isinstance(outcome, Empty):
                return EMPTY
            if isinstance(outcome, Found):
                made |= outcome.value
    if all(solver.evaluator.holds(literal, made) is True for literal in literals):
        return Found(made)
    return GIVEN_UP


def _member(solver: Solver, every: list[tuple[Formula, Formula]], wanted: tuple[Formula, Formula]) -> Outcome:
    """An object of the one member; Empty where no key can carry it."""
    terms = solver.terms
    keys, value = wanted
    left = [keys]
    for others, held in every:
        if isinstance(solver.model(terms.both(value, held)), Empty):
            left.append(terms.negation(others))
    name = solver.of_kind(terms.restricted(terms.all_of(left), STRING), STRING)
    if not isinstance(name, Found):
        return name
    held_there = [held for others, held in every if solver.evaluator.holds(others, name.value) is not False]
    outcome = solver.model(terms.all_of([value, *held_there]))
    # Another key might do where this one does not, so only a member that was found counts.
    return Found({name.value: outcome.value}) if isinstance(outcome, Found) else GIVEN_UP
