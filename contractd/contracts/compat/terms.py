"""Builds formulas: hash-consed, simplified as they are built, each with its negation.

The negation of an atom carries its type, since the atom says nothing of the other types. ``restricted`` cuts a formula
down to one kind of value, where an atom and its complement are exact opposites.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from contractd.contracts.compat.formula import DOMAINS, MAX_NODES, Formula, Overgrown, trivial
from contractd.contracts.compat.kinds import ARRAY, EVERY_KIND, OBJECT, POINTED, freeze, kinds_of


class Terms:
    """Builds formulas for one comparison. ``pointed``: is 1.0 told from 1; ``spend`` is called for each new one."""

    def __init__(self, spend: Callable[[], None] = lambda: None, *, pointed: bool = False) -> None:
        self.spend = spend
        self.every = EVERY_KIND if pointed else EVERY_KIND & ~POINTED
        self.values: dict[Hashable, Any] = {}
        self.unfold: Callable[[Formula], Formula] = lambda node: node
        self._table: dict[tuple[Any, ...], Formula] = {}
        self.true = self._make("true", (), 0)
        self.false = self._make("false", (), self.every)
        self.true._negation, self.false._negation = self.false, self.true

    def _make(self, op: str, args: tuple[Any, ...], domain: int) -> Formula:
        node = self._table.get((op, *args))
        if node is None:
            if len(self._table) > MAX_NODES:
                raise Overgrown
            self.spend()
            node = self._table[(op, *args)] = Formula(op, args, domain, len(self._table))
        return node

    # -- atoms

    def kinds(self, mask: int) -> Formula:
        """The value is of one of these kinds."""
        mask &= self.every
        if mask == self.every:
            return self.true
        return self._make("kinds", (mask,), self.every & ~mask) if mask else self.false

    def atom(self, op: str, *args: Any) -> Formula:
        """A typed atom, simplified where it says nothing or can't hold."""
        domain = DOMAINS[op] & self.every
        truth = trivial(op, args)
        if truth is not None:
            return self.true if truth else self.kinds(~domain)
        if op == "few" and args[1] == 0:
            return self.atom("each", args[0], self.negation(args[2]))
        if op in ("each", "at") and args[1] is self.false:
            return self.atom("items", 0, args[0])
        return self._make(op, args, domain)

    def one_of(self, values: Iterable[Any]) -> Formula:
        """The value equals one of these."""
        return self._enumerated("enum", values)

    def none_of(self, values: Iterable[Any]) -> Formula:
        """The value equals none of these."""
        return self._enumerated("except", values)

    def _enumerated(self, op: str, values: Iterable[Any]) -> Formula:
        frozen = {freeze(value): value for value in values}
        for key, value in frozen.items():
            self.values.setdefault(key, value)
        return self._frozen(op, frozenset(frozen))

    def _frozen(self, op: str, frozen: frozenset[Hashable]) -> Formula:
        if not frozen:
            return self.false if op == "enum" else self.true
        domain = self.every if op == "enum" else self.mask_of(frozen)
        return self._make(op, (frozen,), domain)

    def mask_of(self, frozen: Iterable[Hashable]) -> int:
        """The kinds of a set of values."""
        mask = 0
        for key in frozen:
            mask |= kinds_of(self.values[key])
        return mask & self.every

    def named(self, name: str) -> Formula:
        """A key that is ``name``."""
        return self.one_of((name,))

    def reference(self, target: Hashable, holds: bool = True) -> Formula:
        """A schema that is being compiled or may contain itself; ``unfold`` gives what it stands for."""
        return self._make("reference", (target, holds), self.every)

    def opaque(self, identity: Hashable, holds: bool = True, domain: int = EVERY_KIND) -> Formula:
        """Something that is not understood: equal identities are equally true, nothing else is known."""
        return self._make("opaque", (identity, holds), domain & self.every)

    # -- connectives

    def both(self, *parts: Formula) -> Formula:
        return self.all_of(parts)

    def all_of(self, parts: Iterable[Formula]) -> Formula:
        """The conjunction: flat, each part once, type masks as one, what a mask makes idle left out."""
        mask = self.every
        found: dict[Formula, None] = {}
        for part in self._flat("and", parts):
            if part.op == "kinds":
                mask &= part.args[0]
            elif part is self.false:
                return part
            elif part is not self.true:
                found[part] = None
        if not mask:
            return self.false
        kept = [part for part in found if part.domain & mask]
        for part in kept:
            if part._negation is not None and part._negation in found:
                return self.false
        if mask != self.every:
            kept.insert(0, self.kinds(mask))
        return self._join("and", kept, self.true)

    def any_of(self, parts: Iterable[Formula]) -> Formula:
        """The disjunction: flat, each part once, type masks as one."""
        mask = 0
        found: dict[Formula, None] = {}
        for part in self._flat("or", parts):
            if part.op == "kinds":
                mask |= part.args[0]
            elif part is self.true:
                return part
            elif part is not self.false:
                found[part] = None
        for part in found:
            if part._negation is not None and part._negation in found:
                return self.true
        kept = list(found)
        if mask == self.every:
            return self.true
        if mask:
            kept.insert(0, self.kinds(mask))
        return self._join("or", kept, self.false)

    def _flat(self, op: str, parts: Iterable[Formula]) -> Iterator[Formula]:
        for part in parts:
            if part.op == op and not part.solid:
                yield from part.args
            else:
                yield part

    def _join(self, op: str, kept: list[Formula], empty: Formula) -> Formula:
        if not kept:
            return empty
        if len(kept) == 1:
            return kept[0]
        domain = 0
        for part in kept:
            domain |= part.domain
        kept.sort(key=lambda part: part.number)
        return self._make(op, tuple(kept), domain)

    # -- negation and restriction

    def negation(self, node: Formula) -> Formula:
        """Exactly the values for which ``node`` does not hold."""
        if node._negation is None:
            self.oppose(node, self._negated(node))
        assert node._negation is not None
        return node._negation

    def oppose(self, node: Formula, opposite: Formula, *, solid: bool = False) -> None:
        """State that two formulas are each other's negation."""
        for part in (node, opposite):
            part.solid = part.solid or (solid and part.op == "or")
        node._negation = opposite
        if opposite._negation is None:
            opposite._negation = node

    def _negated(self, node: Formula) -> Formula:
        op, args = node.op, node.args
        if op == "and":
            return self.any_of(map(self.negation, args))
        if op == "or":
            return self.all_of(map(self.negation, args))
        if op == "kinds":
            return self.kinds(~args[0])
        if op == "enum":
            return self._frozen("except", args[0])
        if op == "except":
            return self._frozen("enum", args[0])
        if op == "reference":
            return self.reference(args[0], not args[1])
        if op == "opaque":
            return self.both(self.kinds(node.domain), self.opaque(args[0], not args[1], node.domain))
        return self.both(self.kinds(node.domain), self._complement(op, args))

    def _complement(self, op: str, args: tuple[Any, ...]) -> Formula:
        if op in ("above", "below"):
            return self.atom("below" if op == "above" else "above", args[0], not args[1])
        if op in ("multiple", "pattern"):
            return self.atom(op, args[0], not args[1])
        if op == "unique":
            return self.atom(op, not args[0])
        if op in ("length", "items", "size"):
            least, most = args
            outside = [self.atom(op, 0, least - 1)] if least > 0 else []
            if most is not None:
                outside.append(self.atom(op, most + 1, None))
            return self.any_of(outside)
        if op == "each":
            return self.atom("some", args[0], 1, self.negation(args[1]))
        if op == "at":
            return self.both(self.atom("items", args[0] + 1, None), self.atom("at", args[0], self.negation(args[1])))
        if op == "some":
            return self.atom("few", args[0], args[1] - 1, args[2])
        if op == "few":
            return self.atom("some", args[0], args[1] + 1, args[2])
        return self.atom("key" if op == "keys" else "keys", args[0], self.negation(args[1]))

    def restricted(self, node: Formula, kind: int) -> Formula:
        """``node`` for values of one kind only: no types left, atoms of that kind only."""
        if not node.domain & kind:
            return self.true
        found = node._kinds.get(kind)
        if found is None:
            found = node._kinds[kind] = self._restrict(node, kind)
            if node._negation is not None and found.op in ("and", "or"):
                found.solid = found.solid or (node.solid and found.op == "or")
                if kind not in found._opposites:
                    found._opposites[kind] = self.restricted(node._negation, kind)
        return found

    def _restrict(self, node: Formula, kind: int) -> Formula:
        op = node.op
        if op in ("kinds", "false"):
            return self.false
        if op == "and":
            return self.all_of([self.restricted(part, kind) for part in node.args])
        if op == "or":
            return self.any_of([self.restricted(part, kind) for part in node.args])
        if op == "reference":
            return node
        if op in ("enum", "except"):
            frozen = frozenset(key for key in node.args[0] if kinds_of(self.values[key]) & kind)
            if op == "except" and kind & (ARRAY | OBJECT):
                return self.all_of([self._differs(self.values[key], kind) for key in sorted(frozen, key=repr)])
            return self._frozen(op, frozen)
        return node

    def _differs(self, value: Any, kind: int) -> Formula:
        """An array or object that is not ``value``, in terms of its parts."""
        if kind == ARRAY:
            count = len(value)
            ways = [self.atom("items", 0, count - 1), self.atom("items", count + 1, None)]
            for index, item in enumerate(value):
                other = self.atom("at", index, self.none_of((item,)))
                ways.append(self.both(self.atom("items", index + 1, None), other))
        else:
            ways = [self.atom("key", self.none_of(value), self.true)]
            for name, inner in value.items():
                ways.append(self.atom("keys", self.named(name), self.false))
                ways.append(self.atom("key", self.named(name), self.none_of((inner,))))
        return self.any_of([self.restricted(way, kind) for way in ways])

    def opposite(self, node: Formula, kind: int) -> Formula:
        """The negation of a restricted formula within its kind."""
        found = node._opposites.get(kind)
        if found is None:
            found = node._opposites[kind] = self.restricted(self.negation(node), kind)
        return found
