"""The theory of numbers: an interval, multiples, what is no multiple, and values left out, in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from contractd.contracts.compat.budget import Allowance
from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import EXACT, FRACTION, POINTED, Number, plain
from contractd.contracts.compat.outcome import EMPTY, Found, Outcome, Unknown

MAX_TRIED = 4_000
MAX_FRAGILE = 64  # candidates that are looked at after one on which doubles may not agree
_GRIDS = tuple(Fraction(1, divisor) for divisor in (2, 4, 10, 8, 100, 1000, 10**5, 10**7, 10**9, 10**12))


@dataclass(slots=True)
class Range:
    """What the literals of one conjunction leave."""

    low: Number | None = None
    low_open: bool = False
    high: Number | None = None
    high_open: bool = False
    step: Number | None = None
    never: list[Number] = field(default_factory=list)
    excluded: set[Hashable] = field(default_factory=set)

    def add(self, literal: Formula) -> None:
        """Take a literal into account; what is not understood leaves more numbers than there are."""
        op, args = literal.op, literal.args
        if op == "above":
            self.above(args[0], args[1])
        elif op == "below":
            self.below(args[0], args[1])
        elif op == "multiple" and args[1]:
            self.multiple(args[0])
        elif op == "multiple":
            self.never.append(args[0])
        elif op == "except":
            self.excluded |= args[0]

    def above(self, bound: Number, strict: bool) -> None:
        if self.low is None or bound > self.low or (bound == self.low and strict):
            self.low, self.low_open = bound, strict

    def below(self, bound: Number, strict: bool) -> None:
        if self.high is None or bound < self.high or (bound == self.high and strict):
            self.high, self.high_open = bound, strict

    def multiple(self, divisor: Number) -> None:
        self.step = divisor if self.step is None else common(self.step, divisor)

    def holds(self, number: Number) -> bool:
        if self.low is not None and (number < self.low or (self.low_open and number == self.low)):
            return False
        if self.high is not None and (number > self.high or (self.high_open and number == self.high)):
            return False
        if self.step is not None and number % self.step:
            return False
        return number not in self.excluded and all(number % divisor for divisor in self.never)


def common(left: Number, right: Number) -> Number:
    """The least common multiple of two positive rationals."""
    one, two = Fraction(left), Fraction(right)
    found = Fraction(math.lcm(one.numerator, two.numerator), math.gcd(one.denominator, two.denominator))
    return int(found) if found.denominator == 1 else found


def solve_numbers(literals: list[Formula], kind: int, allowance: Allowance) -> Outcome:
    """A number of the kind for which all literals hold."""
    found = Range()
    for literal in literals:
        found.add(literal)
    if kind == FRACTION:
        found.never.append(1)
    else:
        found.multiple(1)
    if found.step is not None and any(Fraction(found.step) % divisor == 0 for divisor in found.never):
        return EMPTY
    low, high = found.low, found.high
    if low is not None and high is not None:
        if low > high or (low == high and (found.low_open or found.high_open)):
            return EMPTY
        if low == high:
            return _first(iter((low,)), found, kind, closed=True, allowance=allowance)
    if kind == FRACTION and ((low is not None and low >= EXACT) or (high is not None and high <= -EXACT)):
        return Unknown("no double so large has a fraction")
    if found.step is not None:
        return _on_grid(found, found.step, kind, allowance)
    return _between(found, kind, allowance)


def _on_grid(found: Range, step: Number, kind: int, allowance: Allowance) -> Outcome:
    """Multiples of ``step``: nearest to zero first. A full period without a hit in an infinite range can't be."""
    first = None if found.low is None else math.ceil(Fraction(found.low) / Fraction(step))
    last = None if found.high is None else math.floor(Fraction(found.high) / Fraction(step))
    if first is not None and last is not None and first > last:
        return EMPTY
    closed = first is not None and last is not None and last - first < MAX_TRIED
    return _first((step * index for index in _indices(first, last)), found, kind, closed=closed, allowance=allowance)


def _indices(first: int | None, last: int | None) -> Iterator[int]:
    """The integers of a range, from the one nearest to zero outward."""
    start = max(0, first) if first is not None else 0
    start = min(start, last) if last is not None else start
    yield start
    for offset in range(1, MAX_TRIED + 1):
        if last is None or start + offset <= last:
            yield start + offset
        if first is None or start - offset >= first:
            yield start - offset


def _between(found: Range, kind: int, allowance: Allowance) -> Outcome:
    """An open interval of fractions is never empty: only finitely many, or sparse, values are left out."""
    low, high = found.low, found.high
    candidates: list[Number] = []
    for grid in _GRIDS:
        base = 0
        if low is not None and (low > 0 or (high is not None and high <= 0)):
            base = math.floor(Fraction(low) / grid)
        elif low is None and high is not None and high <= 0:
            base = math.floor(Fraction(high) / grid) - 40
        candidates += [grid * (base + index) for index in range(42)]
        if base == 0:
            candidates += [grid * -index for index in range(1, 42)]
    if low is not None and high is not None:
        candidates += [low + Fraction(high - low) * Fraction(part, 16) for part in range(17)]
    outcome = _first(iter(candidates), found, kind, closed=False, allowance=allowance)
    return Unknown("no double was found in a narrow range") if isinstance(outcome, Unknown) else outcome


def _first(numbers: Iterator[Number], found: Range, kind: int, *, closed: bool, allowance: Allowance) -> Outcome:
    """The first candidate that holds and doubles agree on; ``closed``: the candidates are all there are."""
    second: Outcome | None = None
    missed = False
    patience = MAX_FRAGILE
    for number in numbers:
        allowance.spend()
        if found.holds(number):
            value = plain(number, pointed=kind == POINTED)
            if value is None:
                missed = True
            elif _robust(value, found):
                return Found(value)
            elif second is None:
                second = Found(value)
        if second is not None:
            patience -= 1
            if not patience:
                break
    if second is not None:
        return second
    return EMPTY if closed and not missed else Unknown("no number was found in a long range")


def _robust(value: Any, found: Range) -> bool:
    """Do doubles agree on the divisibility: 0.3 is no multiple of 0.1 for a validator that divides."""
    if isinstance(value, int) or found.step is None:
        return True
    try:
        quotient = value / float(found.step)
    except (OverflowError, ZeroDivisionError):
        return False
    return bool(quotient == int(quotient))
