"""``oneOf``: exactly one branch holds. Branches that plainly exclude each other need no words about the others.

Most real ``oneOf`` are unions told apart by type or by a required member with a constant: they are disjunctions.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import OBJECT
from contractd.contracts.compat.terms import Terms

MAX_PAIRS = 800  # of branches that may hold at once; the formula grows with them


@dataclass(slots=True)
class _Outline:
    """What is plain to see of a branch: its kinds, its values, and the values of members it requires."""

    kinds: int
    values: frozenset[Hashable] | None = None
    required: set[Hashable] = field(default_factory=set)
    members: dict[Hashable, _Outline] = field(default_factory=dict)


def exactly_one(terms: Terms, branches: list[Formula]) -> Formula:
    """The formula of ``oneOf``; its negation (none, or two at once) is stated beside it: it is shorter than derived."""
    branches = [branch for branch in branches if branch is not terms.false]
    if len(branches) == 1:
        return branches[0]
    pairs = _overlapping(terms, branches)
    if not pairs:
        return terms.any_of(branches)
    if len(pairs) > MAX_PAIRS:
        return terms.both(terms.any_of(branches), terms.opaque(("oneOf", tuple(branches))))
    refused = [terms.negation(branch) for branch in branches]
    others: list[list[Formula]] = [[] for _ in branches]
    doubled = []
    for one, two in pairs:
        others[one].append(refused[two])
        others[two].append(refused[one])
        doubled.append(terms.both(branches[one], branches[two]))
    single = terms.any_of([terms.all_of([branch, *others[index]]) for index, branch in enumerate(branches)])
    if single._negation is None and single.op == "or":
        terms.oppose(single, terms.any_of([terms.all_of(refused), *doubled]), solid=True)
    return single


def exclusive(terms: Terms, branches: list[Formula]) -> bool:
    """Do all branches plainly exclude each other."""
    return not _overlapping(terms, branches)


def _overlapping(terms: Terms, branches: list[Formula]) -> list[tuple[int, int]]:
    """The pairs of branches that may hold at once, as far as can be seen."""
    outlines = [_outline(terms, branch, 0) for branch in branches]
    if _told_apart(outlines):
        return []
    found = []
    for two in range(len(branches)):
        for one in range(two):
            terms.spend()
            if not _exclusive(terms, outlines[one], outlines[two]):
                found.append((one, two))
    return found


def _told_apart(outlines: list[_Outline]) -> bool:
    """Do all branches differ in their values, or all objects in one member: seen without looking at each pair."""
    if _disjoint([outline.values for outline in outlines]):
        return True
    if not outlines or any(outline.kinds != OBJECT for outline in outlines):
        return False
    names = set.intersection(*(outline.required & outline.members.keys() for outline in outlines))
    return any(_disjoint([outline.members[name].values for outline in outlines]) for name in names)


def _disjoint(sets: list[frozenset[Hashable] | None]) -> bool:
    known = [values for values in sets if values is not None]
    return len(known) == len(sets) and len(frozenset().union(*known)) == sum(map(len, known))


def _outline(terms: Terms, node: Formula, depth: int) -> _Outline:
    outline = _Outline(terms.every)
    for part in node.args if node.op == "and" else (node,):
        if part.op == "kinds":
            outline.kinds &= part.args[0]
        elif part.op == "enum":
            outline.values = part.args[0] if outline.values is None else outline.values & part.args[0]
            outline.kinds &= terms.mask_of(part.args[0])
        elif part.op in ("key", "keys") and part.args[0].op == "enum" and len(part.args[0].args[0]) == 1:
            (name,) = part.args[0].args[0]
            if part.op == "key":
                outline.required.add(name)
            elif depth < 3:
                outline.members[name] = _outline(terms, part.args[1], depth + 1)
    return outline


def _exclusive(terms: Terms, one: _Outline, two: _Outline) -> bool:
    """Can no value fit both outlines."""
    shared = one.kinds & two.kinds
    if not shared:
        return True
    if one.values is not None and two.values is not None and not one.values & two.values:
        return True
    if shared != shared & OBJECT:
        return False  # a value of another type is not asked for its members
    required = one.required | two.required
    return any(
        name in required and _exclusive(terms, one.members[name], two.members[name])
        for name in one.members.keys() & two.members.keys()
    )
