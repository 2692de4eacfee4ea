"""Is there a value for which a conjunction of formulas holds: a value, a proof that there is none, or neither.

A conjunction is looked at kind by kind. Its literals go to the theory of the kind; a disjunction is split only when the
model found for the literals breaks it. Recursive schemas are least fixed points: a conjunction that needs itself inside
itself has no finite model by that way, since a smallest model contains no smaller one (as for the emptiness of tree
automata). What was concluded under such an assumption is forgotten with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from contractd.contracts.compat.arrays import Arrays
from contractd.contracts.compat.budget import Allowance
from contractd.contracts.compat.evaluate import Evaluator
from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import (
    ARRAY,
    BOOLEAN,
    FRACTION,
    NULL,
    NUMBER,
    OBJECT,
    POINTED,
    STRING,
    WHOLE,
    kind_of,
    kinds_of,
    plain,
)
from contractd.contracts.compat.numbers import solve_numbers
from contractd.contracts.compat.objects import Objects
from contractd.contracts.compat.outcome import EMPTY, Empty, Found, Outcome, Unknown
from contractd.contracts.compat.terms import Terms
from contractd.contracts.compat.texts import Texts

MAX_NESTING = 30  # conjunctions inside one another; a model nested deeper is not looked for
WIDE = 6  # ways of a choice from which on it pays to look at members one by one
_ORDER: Final = (NULL, WHOLE, STRING, BOOLEAN, POINTED, FRACTION, ARRAY, OBJECT)


@dataclass(frozen=True, slots=True)
class Models:
    """Different models of one formula; ``complete``: there are no others."""

    values: list[Any]
    complete: bool


class Solver:
    """Finds models of the formulas of ``terms``."""

    def __init__(self, terms: Terms, allowance: Allowance) -> None:
        self.terms = terms
        self.allowance = allowance
        self.texts = Texts(allowance)
        self.evaluator = Evaluator(terms, self.texts.matches)
        self._arrays, self._objects = Arrays(self), Objects(self)
        self._known: dict[Formula, Outcome] = {}
        self._open: dict[Formula, int] = {}
        self._assumed: set[Formula] = set()  # open conjunctions that the current conclusions lean on
        self._leaning: dict[Formula, dict[Formula, frozenset[Formula]]] = {}
        self._deepest = 0

    def be_cautious(self) -> None:
        """From here on prefer strings that engines read alike: validators did not agree on a value."""
        if not self.texts.cautious:
            self.texts.cautious = True
            self._known = {whole: outcome for whole, outcome in self._known.items() if not isinstance(outcome, Found)}

    # -- any kind

    def model(self, whole: Formula) -> Outcome:
        """A value for which ``whole`` holds."""
        if whole is self.terms.true:
            return Found(0)
        if whole is self.terms.false:
            return EMPTY
        found = self._known.get(whole)
        if found is not None:
            return found
        if whole in self._open:
            self._assumed.add(whole)
            return EMPTY
        for leant in self._leaning.values():
            if whole in leant:
                self._assumed |= leant[whole]
                return EMPTY
        if len(self._open) >= MAX_NESTING:
            return Unknown("nested too deeply to be decided")
        self.allowance.spend()
        return self._guarded(whole, lambda: self._by_kind(whole))

    def _guarded(self, whole: Formula, solve: Callable[[], Outcome]) -> Outcome:
        """Solve with ``whole`` on the path, and remember the outcome for as long as it is good."""
        before, self._assumed = self._assumed, set()
        self._open[whole] = len(self._open)
        try:
            outcome = solve()
        finally:
            leans = self._assumed - {whole}
            self._assumed = before | leans
            del self._open[whole]
            self._leaning.pop(whole, None)
        if isinstance(outcome, Found) or not leans:
            self._known[whole] = outcome
        elif isinstance(outcome, Empty):
            last = max(leans, key=lambda node: self._open[node])
            self._leaning.setdefault(last, {})[whole] = frozenset(leans)
        return outcome

    def _by_kind(self, whole: Formula) -> Outcome:
        unknown: Outcome | None = None
        for kind in _ORDER:
            if kind & self.terms.every:
                outcome = self.of_kind(self.terms.restricted(whole, kind), kind)
                if isinstance(outcome, Found):
                    return outcome
                if isinstance(outcome, Unknown):
                    unknown = outcome
        return unknown or EMPTY

    def models(self, whole: Formula, count: int) -> Models:
        """Up to ``count`` different models."""
        values: list[Any] = []
        while len(values) < count:
            outcome = self.model(self.terms.both(whole, self.terms.none_of(values)))
            if not isinstance(outcome, Found):
                return Models(values, isinstance(outcome, Empty))
            values.append(outcome.value)
        return Models(values, False)

    # -- one kind

    def of_kind(self, whole: Formula, kind: int) -> Outcome:
        """A value of one kind; ``whole`` is restricted to it."""
        if whole is self.terms.false:
            return EMPTY
        pending, seen = [whole], {whole}
        unknown: Outcome | None = None
        while pending:
            self.allowance.spend()
            spread = self._spread(pending.pop(), kind)
            if spread is None:
                continue
            literals, choices = spread
            outcome = self._literals(literals, kind)
            if isinstance(outcome, Empty):
                continue
            broken = choices
            if isinstance(outcome, Found):
                broken = [choice for choice in choices if self.evaluator.holds(choice, outcome.value) is not True]
                if not broken:
                    return outcome
            if not broken:
                unknown = outcome
                continue
            chosen = min(broken, key=lambda choice: (len(choice.args), choice.number))
            rest = [*literals, *(choice for choice in choices if choice is not chosen)]
            for way in self._possible(sorted(chosen.args, key=_cost, reverse=True), literals, kind):
                branch = self.terms.all_of([*rest, way])
                if branch is not self.terms.false and branch not in seen:
                    seen.add(branch)
                    pending.append(branch)
        return unknown or EMPTY

    def _possible(self, ways: list[Formula], literals: list[Formula], kind: int) -> list[Formula]:
        """The ways that one member of an object does not rule out by itself: wide objects have one for each member."""
        if kind != OBJECT or len(ways) < WIDE:
            return ways
        refuted = self._objects.refuter(literals)
        return [way for way in ways if not any(map(refuted, _parts(way)))]

    def _spread(self, whole: Formula, kind: int) -> tuple[list[Formula], list[Formula]] | None:
        """Literals, and what is left of the disjunctions; None where two literals exclude each other."""
        terms = self.terms
        literals: dict[Formula, None] = {}
        waiting = list(whole.args) if whole.op == "and" else [whole]
        choices: list[Formula] = []
        unfolded: set[Formula] = set()
        while waiting:
            part = waiting.pop(0)
            if part is terms.true or part in literals:
                continue
            if part is terms.false:
                return None
            if part.op == "and":
                waiting[:0] = part.args
            elif part.op == "reference":
                if part not in unfolded:
                    unfolded.add(part)
                    waiting.insert(0, terms.restricted(terms.unfold(part), kind))
            elif part.op == "or":
                choices.append(part)
            else:
                if terms.opposite(part, kind) in literals:
                    return None
                literals[part] = None
            if not waiting and choices:
                waiting, choices = self._narrowed(choices, literals, kind)
        return list(literals), choices

    def _narrowed(
        self, choices: list[Formula], literals: dict[Formula, None], kind: int
    ) -> tuple[list[Formula], list[Formula]]:
        """Drop the ways that the literals exclude; what is no choice any more is handed back first."""
        ready: list[Formula] = []
        left: list[Formula] = []
        facts = {*literals, *choices}
        self.allowance.spend(1 + len(facts) // 4)
        for choice in choices:
            if any(all(part in literals for part in _parts(way)) for way in choice.args):
                continue
            ways = [way for way in choice.args if not self._excluded(way, facts, kind)]
            if len(ways) == len(choice.args):
                left.append(choice)
            else:
                narrowed = self.terms.any_of(ways)
                (left if narrowed.op == "or" else ready).append(narrowed)
        if ready:
            return [*ready, *left], []
        return [], left

    def _excluded(self, way: Formula, facts: set[Formula], kind: int) -> bool:
        """Is the opposite of a way, or of a part of it, known."""
        return self.terms.opposite(way, kind) in facts or any(
            self.terms.opposite(part, kind) in facts for part in _parts(way)
        )

    def _literals(self, literals: list[Formula], kind: int) -> Outcome:
        """The theory of the kind."""
        enumerated = [literal for literal in literals if literal.op == "enum"]
        if enumerated:
            keys = frozenset.intersection(*(literal.args[0] for literal in enumerated))
            keys = keys.difference(*(literal.args[0] for literal in literals if literal.op == "except"))
            values = [self.terms.values[key] for key in sorted(keys, key=repr)]
            others = [literal for literal in literals if literal.op not in ("enum", "except")]
            return self._candidates(values, others, kind)
        if kind == NULL:
            return self._candidates([None], literals, kind)
        if kind == BOOLEAN:
            return self._candidates([False, True], literals, kind)
        if kind & NUMBER:
            return solve_numbers(literals, kind, self.allowance)
        if kind == STRING:
            return self.texts.solve(literals)
        return (self._arrays if kind == ARRAY else self._objects).solve(literals)

    def _candidates(self, values: Iterable[Any], literals: list[Formula], kind: int) -> Outcome:
        """One of a few values."""
        unknown: Outcome | None = None
        for value in values:
            self.allowance.spend()
            candidate = value
            if kinds_of(value) & (WHOLE | POINTED) and kind_of(value) != kind and self.terms.every & POINTED:
                candidate = plain(int(value), pointed=kind == POINTED)
                if candidate is None:
                    unknown = Unknown("an integer that no double is")
                    continue
            truths = [self.evaluator.holds(literal, candidate) for literal in literals]
            if False in truths:
                continue
            if None not in truths:
                return Found(candidate)
            unknown = Unknown("a candidate that can't be judged")
        return unknown or EMPTY


def _parts(way: Formula) -> tuple[Formula, ...]:
    return way.args if way.op == "and" else (way,)


def _cost(way: Formula) -> tuple[int, int]:
    """Cheap ways first: those that say little."""
    return (len(way.args) if way.op == "and" else 1, way.number)
