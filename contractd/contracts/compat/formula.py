"""The formulas a schema is compiled to.

An atom about one type says nothing of the others, as JSON Schema's keywords do (validation 6): ``at_least 5`` holds
for every string. ``terms`` builds them, once each, and negates them.
"""

from __future__ import annotations

from typing import Any, Final

from contractd.contracts.compat.kinds import ARRAY, NUMBER, OBJECT, STRING

MAX_NODES = 60_000

DOMAINS: Final = {
    "above": NUMBER,  # (bound, strict)
    "below": NUMBER,  # (bound, strict)
    "multiple": NUMBER,  # (divisor, is it one)
    "length": STRING,  # (least, most or None)
    "pattern": STRING,  # (text, does it match)
    "items": ARRAY,  # (least, most or None): how many
    "each": ARRAY,  # (start, formula): every item from start on
    "at": ARRAY,  # (index, formula): that item, if there is one
    "some": ARRAY,  # (start, count, formula): at least so many from start on
    "few": ARRAY,  # (start, count, formula): at most so many from start on
    "unique": ARRAY,  # (are all items different,)
    "size": OBJECT,  # (least, most or None): how many members
    "keys": OBJECT,  # (formula on the key, formula on the value): every such member
    "key": OBJECT,  # (formula on the key, formula on the value): there is such a member
}


class Overgrown(Exception):  # noqa: N818 - the name says what is the case
    """More formulas than one comparison may build."""


class Formula:
    """A node of the graph, equal only to itself. ``domain``: the kinds of values it says something of."""

    __slots__ = ("_kinds", "_negation", "_opposites", "args", "domain", "number", "op", "solid")

    def __init__(self, op: str, args: tuple[Any, ...], domain: int, number: int) -> None:
        self.number = number  # in the order they were built: what is sorted by it is the same in every run
        self.op = op
        self.args = args
        self.domain = domain
        self._negation: Formula | None = None
        self._kinds: dict[int, Formula] = {}
        self._opposites: dict[int, Formula] = {}
        self.solid = False  # a disjunction that stays one part of a larger one, so that it can be recognised

    def __repr__(self) -> str:
        return f"{self.op}{self.args}" if self.args else self.op


def trivial(op: str, args: tuple[Any, ...]) -> bool | None:
    """Does an atom hold, or fail, for every value of its type; None where it depends on the value."""
    if op in ("length", "items", "size"):
        least, most = args
        if most is not None and (most < 0 or least > most):
            return False
        return True if least <= 0 and most is None else None
    if op in ("each", "at", "keys"):
        return True if args[1].op == "true" or getattr(args[0], "op", None) == "false" else None
    if op == "some":
        return True if args[1] <= 0 else False if args[2].op == "false" else None
    if op == "few":
        return False if args[1] < 0 else True if args[2].op == "false" else None
    if op == "key":
        return False if "false" in (args[0].op, args[1].op) else None
    return None
