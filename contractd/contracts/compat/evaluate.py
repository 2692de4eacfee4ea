"""Does a formula hold for a value: yes, no, or None where it hangs on something that is not understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import NUMBER, exact, freeze, kind_of
from contractd.contracts.compat.terms import Terms

Matcher = Callable[[str, str], bool | None]  # pattern, text

MAX_DEPTH = 90


class Evaluator:
    """Evaluates the formulas of ``terms``; ``matches`` decides patterns."""

    def __init__(self, terms: Terms, matches: Matcher) -> None:
        self.terms = terms
        self._matches = matches

    def holds(self, node: Formula, value: Any, depth: int = 0) -> bool | None:
        """Three-valued truth of ``node`` for ``value``."""
        kind = kind_of(value) & self.terms.every or kind_of(value) >> 1  # 1.0 is a WHOLE where that is not told apart
        if not node.domain & kind:
            return True
        if depth > MAX_DEPTH:
            return None
        op, args = node.op, node.args
        if op == "and":
            return _every(self.holds(part, value, depth + 1) for part in args)
        if op == "or":
            return _any(self.holds(part, value, depth + 1) for part in args)
        if op == "enum":
            return freeze(value) in args[0]
        if op == "except":
            return freeze(value) not in args[0]
        if op == "reference":
            return self.holds(self.terms.unfold(node), value, depth + 1)
        if op in ("kinds", "false"):
            return False  # the domain is where it does not hold
        if op == "opaque":
            return None
        if kind & NUMBER:
            return _number(op, args, value)
        if isinstance(value, str):
            return self._text(op, args, value)
        if isinstance(value, list):
            return self._array(op, args, value, depth + 1)
        return self._object(op, args, value, depth + 1)

    def _text(self, op: str, args: tuple[Any, ...], value: str) -> bool | None:
        if op == "length":
            return _within(len(value), args)
        found = self._matches(args[0], value)
        return None if found is None else found is args[1]

    def _array(self, op: str, args: tuple[Any, ...], value: list[Any], depth: int) -> bool | None:
        if op == "items":
            return _within(len(value), args)
        if op == "unique":
            return (len(set(map(freeze, value))) == len(value)) is args[0]
        if op == "at":
            return self.holds(args[1], value[args[0]], depth) if args[0] < len(value) else True
        if op == "each":
            return _every(self.holds(args[1], item, depth) for item in value[args[0] :])
        truths = [self.holds(args[2], item, depth) for item in value[args[0] :]]
        sure, open_ = truths.count(True), truths.count(None)
        if op == "some":
            return True if sure >= args[1] else None if sure + open_ >= args[1] else False
        return False if sure > args[1] else None if sure + open_ > args[1] else True

    def _object(self, op: str, args: tuple[Any, ...], value: dict[str, Any], depth: int) -> bool | None:
        if op == "size":
            return _within(len(value), args)
        truths = []
        for name, inner in value.items():
            chosen = self.holds(args[0], name, depth)
            if op == "keys":
                truths.append(_any((_not(chosen), self.holds(args[1], inner, depth) if chosen is not False else None)))
            else:
                truths.append(_every((chosen, self.holds(args[1], inner, depth) if chosen is not False else None)))
        return _every(truths) if op == "keys" else _any(truths)


def _number(op: str, args: tuple[Any, ...], value: float) -> bool:
    number = exact(value)
    if op == "above":
        return bool(number > args[0] if args[1] else number >= args[0])
    if op == "below":
        return bool(number < args[0] if args[1] else number <= args[0])
    return (number % args[0] == 0) is args[1]


def _within(count: int, bounds: tuple[Any, ...]) -> bool:
    return bool(count >= bounds[0] and (bounds[1] is None or count <= bounds[1]))


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _every(truths: Iterable[bool | None]) -> bool | None:
    result: bool | None = True
    for truth in truths:
        if truth is False:
            return False
        if truth is None:
            result = None
    return result


def _any(truths: Iterable[bool | None]) -> bool | None:
    result: bool | None = False
    for truth in truths:
        if truth:
            return True
        if truth is None:
            result = None
    return result
