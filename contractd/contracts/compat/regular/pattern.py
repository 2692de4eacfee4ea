"""The automaton of a pattern, by symbolic derivatives.

What a thread (``threads``) comes to after one more character is an *or* of *ands* of threads and
negated threads: an and because of lookahead, which matches beside the rest of the pattern; a negation because of
negative lookahead. That is an alternating automaton; its states as sets of sets of literals, kept free of supersets,
are finitely many, and are the states of the deterministic one.

Which characters a derivative is for is a mask over the classes of the alphabet; one bit more stands for the end of the
string, so that ``$`` and ``\\b`` are masks too. Lookbehind runs ahead of all this from the beginning of the string:
at each position it is known for which next characters it holds.
"""

from __future__ import annotations

from contractd.contracts.compat.regular.automaton import EVERYTHING, NOTHING, Automaton
from contractd.contracts.compat.regular.budget import Budget
from contractd.contracts.compat.regular.program import Program
from contractd.contracts.compat.regular.syntax import Chars, Choice, Edge, Look, Repeat, Sequence
from contractd.contracts.compat.regular.threads import (
    ACCEPT,
    MARK,
    TRUE,
    Derivative,
    Literals,
    Options,
    Threads,
    both,
)

_NOW = ~ACCEPT  # in an and: the end of the lookbehind's body is reached at this very position

Ahead = tuple[int, int, Literals]  # a thread, for the characters in the mask, beside other literals
Sides = tuple[bool, bool, tuple[int, ...]]  # at the start; after a word character; each lookbehind's mask
State = tuple[bool, bool, tuple[Literals, ...], Options]


class PatternAutomaton(Automaton):
    """The strings that contain a match of a pattern."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._end = 1 << program.alphabet.size
        self._all = 2 * self._end - 1
        self._threads = Threads()
        self._derivatives: dict[tuple[int, Sides], Derivative] = {}
        self._negations: dict[tuple[int, Sides], Derivative] = {}
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._accepting: dict[int, bool] = {NOTHING: False, EVERYTHING: True}
        behind = tuple(frozenset([self._threads.enter(node, MARK)]) for node in program.lookbehinds)
        begin = frozenset(frozenset([self._threads.enter(node, ACCEPT)]) for node in program.beginnings)
        super().__init__(program.alphabet, self._number((True, False, behind, begin)))

    def accepting(self, state: int, budget: Budget) -> bool:
        if state not in self._accepting:
            self.row(state, budget)
        return self._accepting[state]

    def _number(self, state: State) -> int:
        options = state[3]
        if not options:
            return NOTHING
        if TRUE in options:
            return EVERYTHING
        number = self._numbers.setdefault(state, len(self._states) + 2)
        if number == len(self._states) + 2:
            self._states.append(state)
        return number

    def _row(self, state: int, budget: Budget) -> list[int]:
        at_start, after_word, behind, options = self._states[state - 2]
        masks: tuple[int, ...] = ()
        steps_behind: list[Derivative] = []
        for running in behind:  # an inner lookbehind comes before the one it stands in
            sides = (at_start, after_word, masks)
            steps = [step for thread in running for step in self._derivative(thread, sides, budget)]
            reached = 0
            for mask, literals in steps:
                if _NOW in literals:
                    reached |= mask
            masks = (*masks, reached)
            steps_behind.append([(mask, literals) for mask, literals in steps if _NOW not in literals])
        sides = (at_start, after_word, masks)
        masks_of: dict[Literals, int] = {}
        for each in options:
            for mask, literals in self._conjunction(each, sides, budget):
                masks_of[literals] = masks_of.get(literals, 0) | mask
        # At the end of the string nothing can be left open: an option that holds there is complete.
        self._accepting[state] = any(mask & self._end for mask in masks_of.values())
        groups: dict[int, list[Literals]] = {}
        for literals, mask in masks_of.items():
            groups.setdefault(mask, []).append(literals)
        budget.spend((len(options) + len(masks_of)) // 2)
        row = [NOTHING] * self.alphabet.size
        known: dict[tuple[int, ...], Options] = {}
        for label in range(self.alphabet.size):
            bit = 1 << label
            key = tuple(mask for mask in groups if mask & bit)
            if key not in known:
                known[key] = self._threads.smallest([each for mask in key for each in groups[mask]], budget)
            after = self.program.word_mask & bit != 0
            following: tuple[Literals, ...] = ()
            if behind:
                following = tuple(
                    frozenset(thread for mask, literals in steps for thread in literals if mask & bit)
                    for steps in steps_behind
                )
            row[label] = self._number((False, after, following, known[key]))
        budget.spend(self.alphabet.size * (1 + len(groups) + sum(map(len, steps_behind))) // 8)
        return row

    def _conjunction(self, literals: Literals, sides: Sides, budget: Budget) -> Derivative:
        """The derivative of several literals that must all hold."""
        if len(literals) == 1:
            (only,) = literals
            if only >= 0:
                return self._derivative(only, sides, budget)
        result: Derivative | None = None
        for literal in literals:
            step = self._derivative(literal, sides, budget) if literal >= 0 else self._negation(~literal, sides, budget)
            result = step if result is None else self._merged(both(result, step, budget))
        return [(self._all, TRUE)] if result is None else result

    def _negation(self, thread: int, sides: Sides, budget: Budget) -> Derivative:
        key = (thread, sides)
        if key not in self._negations:
            self._negations[key] = self._negated(self._derivative(thread, sides, budget), budget)
        return self._negations[key]

    def _negated(self, step: Derivative, budget: Budget) -> Derivative:
        """De Morgan, for each part of the alphabet within which the derivative is the same."""
        parts: dict[int, tuple[Literals, ...]] = {self._all: ()}
        for mask, literals in step:
            refined: dict[int, tuple[Literals, ...]] = {}
            for part, options in parts.items():
                if part & mask:
                    refined[part & mask] = (*options, literals)
                if part & ~mask:
                    refined[part & ~mask] = options
            parts = refined
            budget.spend(len(parts))
        result: Derivative = []
        for part, options in parts.items():
            chosen: Options = frozenset([TRUE])
            for literals in options:
                grown = [one | {~each} for one in chosen for each in literals if each not in one]
                budget.spend(len(grown))
                chosen = self._threads.smallest(grown, budget)
            result.extend((part, literals) for literals in chosen)
        return self._merged(result)

    def _derivative(self, thread: int, sides: Sides, budget: Budget) -> Derivative:
        key = (thread, sides)
        found = self._derivatives.get(key)
        if found is None:
            found = self._derivatives[key] = self._merged(self._derive(thread, sides, budget))
        return found

    def _derive(self, first: int, sides: Sides, budget: Budget) -> Derivative:
        """Follow a thread through everything that takes no character.

        A place met again under the same or harder conditions adds nothing; that also ends a repetition whose body
        matched the empty string, as ECMA-262's RepeatMatcher does.
        """
        found: Derivative = []
        seen: dict[int, Derivative] = {}
        stack: list[Ahead] = [(first, self._all, TRUE)]
        while stack:
            thread, mask, literals = stack.pop()
            budget.spend(2)
            if thread == ACCEPT:
                found.append((mask, literals))
                continue
            if thread == MARK:
                found.append((mask, literals | {_NOW}))
                continue
            before = seen.setdefault(thread, [])
            if any(not mask & ~known and conditions <= literals for known, conditions in before):
                continue
            before.append((mask, literals))
            budget.spend(len(before) // 4)
            node, _, _, following = self._threads[thread]
            if isinstance(node, Chars):
                left = TRUE if following == ACCEPT else frozenset([following])
                found.extend(both([(self.program.masks[node], left)], [(mask, literals)], budget))
            else:
                stack.extend(ahead for ahead in self._ahead(thread, mask, literals, sides, budget) if ahead[1])
        return found

    def _ahead(self, thread: int, mask: int, literals: Literals, sides: Sides, budget: Budget) -> list[Ahead]:
        """Where a thread can go without a character, and under which conditions."""
        node, least, most, following = self._threads[thread]
        if isinstance(node, Sequence):
            rest = self._threads.number(node, least + 1, 0, following)
            return [(self._threads.enter(node.items[least], rest), mask, literals)]
        if isinstance(node, Choice):
            return [(self._threads.enter(option, following), mask, literals) for option in node.options]
        if isinstance(node, Repeat):
            rest = self._threads.number(node, max(least - 1, 0), most if most < 0 else most - 1, following)
            once: Ahead = (self._threads.enter(node.body, rest), mask, literals)
            return [once] if least else [(following, mask, literals), once]
        if isinstance(node, Edge):
            return [(following, mask & self._edge(node, sides), literals)]
        assert isinstance(node, Look)
        if node.behind:
            holds = sides[2][self.program.lookbehind_numbers[node]]
            return [(following, mask & (~holds if node.negated else holds), literals)]
        ahead = self._threads.enter(node.body, ACCEPT)
        step = (self._negation if node.negated else self._derivative)(ahead, sides, budget)
        return [(following, part, conditions) for part, conditions in both(step, [(mask, literals)], budget)]

    def _edge(self, node: Edge, sides: Sides) -> int:
        """The next characters, the end among them, with which an assertion holds (ECMA-262, CompileAssertion)."""
        at_start, after_word, _ = sides
        if node.kind == "start":
            return self._all if at_start else 0
        if node.kind == "end":
            return self._end
        word = self.program.word_mask
        boundary = self._all & ~word if after_word else word
        return boundary if node.kind == "boundary" else self._all & ~boundary

    def _merged(self, step: Derivative) -> Derivative:
        if len(step) < 2:
            return step
        masks: dict[Literals, int] = {}
        for mask, literals in step:
            masks[literals] = masks.get(literals, 0) | mask
        return [(mask, literals) for literals, mask in masks.items()]
