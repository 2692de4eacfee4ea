"""What a pattern says, as a tree. Groups have dissolved: which of them matched what makes no difference to membership.

Nodes are compared by identity, so that they can stand in keys of large tables at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contractd.contracts.compat.regular.charset import Ranges


@dataclass(eq=False, slots=True)
class Chars:
    """One character out of a set."""

    members: Ranges


@dataclass(eq=False, slots=True)
class Sequence:
    """One after the other; without items, the empty string."""

    items: tuple[Node, ...]


@dataclass(eq=False, slots=True)
class Choice:
    """Any one of the options."""

    options: tuple[Node, ...]


@dataclass(eq=False, slots=True)
class Repeat:
    """``body`` between ``least`` and ``most`` times, without a limit where ``most`` is None."""

    body: Node
    least: int
    most: int | None


@dataclass(eq=False, slots=True)
class Edge:
    """A condition on a position that its two neighbours decide: ``^``, ``$``, ``\\b``, ``\\B``."""

    kind: Literal["start", "end", "boundary", "inside"]


@dataclass(eq=False, slots=True)
class Look:
    """A condition on a position: that ``body`` matches (or, negated, does not) from here on, or up to here."""

    body: Node
    behind: bool
    negated: bool


Node = Chars | Sequence | Choice | Repeat | Edge | Look

EMPTY = Sequence(())


def sequence(items: list[Node]) -> Node:
    """The items in a row, nested sequences dissolved."""
    flat: list[Node] = []
    for item in items:
        if isinstance(item, Sequence):
            flat.extend(item.items)
        else:
            flat.append(item)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat)) if flat else EMPTY


def repeat(body: Node, least: int, most: int | None) -> Node:
    """``body`` repeated, in the simplest form that matches the same strings.

    The laws hold for whatever ``body`` is, since they speak of how often it is matched only:
    x{a,b}{c,d} = x{ac,bd} where a <= 1 (the counts in between leave no gap), and r{n,m} = r{0,m} where r can always
    match the empty string.
    """
    if most == 0 or body is EMPTY:
        return EMPTY
    if least == 1 and most == 1:
        return body
    if isinstance(body, Repeat) and body.least <= 1:
        outer_most = None if most is None or body.most is None else most * body.most
        return Repeat(body.body, least * body.least, outer_most)
    if least and always_empty(body):
        least = 0
    return Repeat(body, least, most)


def always_empty(node: Node) -> bool:
    """Whether ``node`` can match the empty string wherever it stands."""
    if isinstance(node, Sequence):
        return all(map(always_empty, node.items))
    if isinstance(node, Choice):
        return any(map(always_empty, node.options))
    return isinstance(node, Repeat) and (node.least == 0 or always_empty(node.body))


def width(node: Node) -> int | None:
    """The one length all matches of ``node`` have, or None where they differ."""
    if isinstance(node, Chars):
        return 1
    if isinstance(node, Edge | Look):
        return 0
    if isinstance(node, Repeat):
        inner = width(node.body)
        return None if inner is None or node.least != node.most else inner * node.least
    widths = [width(each) for each in (node.items if isinstance(node, Sequence) else node.options)]
    if None in widths:
        return None
    known = [each for each in widths if each is not None]
    if isinstance(node, Sequence):
        return sum(known)
    return known[0] if len(set(known)) == 1 else None


def starts_at_start(node: Node) -> bool:
    """Whether a match of ``node`` can only begin where the string begins."""
    if isinstance(node, Edge):
        return node.kind == "start"
    if isinstance(node, Sequence):
        return bool(node.items) and starts_at_start(node.items[0])
    if isinstance(node, Choice):
        return all(map(starts_at_start, node.options))
    return isinstance(node, Repeat) and node.least > 0 and starts_at_start(node.body)
