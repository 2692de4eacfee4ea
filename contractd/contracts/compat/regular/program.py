"""From a pattern's text to what its automaton runs: the tree, its alphabet, and what can be said by length alone.

``^[a-z]{1,64}$`` is ``^[a-z]*$`` within the lengths 1 to 64: where a pattern is anchored at both ends and everything
but one repetition has one width, the count is taken out of the pattern and becomes an interval of lengths. Most counts
in real schemas are of this kind, and none of them then costs a state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contractd.contracts.compat.regular.budget import Budget, NotRegular
from contractd.contracts.compat.regular.charset import EVERYTHING, Alphabet, Ranges, divide
from contractd.contracts.compat.regular.parser import parse
from contractd.contracts.compat.regular.syntax import (
    Chars,
    Choice,
    Edge,
    Look,
    Node,
    Repeat,
    Sequence,
    sequence,
    starts_at_start,
    width,
)
from contractd.contracts.compat.regular.unicode import WORD

MAX_CACHED = 256
MAX_CACHED_TEXT = 4096
_SHORT_COUNT = 3  # counts up to this stay in the pattern: their states are few


@dataclass(frozen=True, slots=True)
class Program:
    """A pattern ready to run. It is never changed, so that any number of automata may share it."""

    beginnings: tuple[Node, ...]  # any of them may be matched, from the start of the string
    lookbehinds: tuple[Node, ...]  # likewise, up to where the lookbehind stands; inner ones come first
    lookbehind_numbers: dict[Look, int]
    alphabet: Alphabet
    masks: dict[Chars, int]  # the classes of the alphabet in each set of characters
    word_mask: int  # the classes of word characters, if the pattern asks for them
    shortest: int
    longest: int | None
    steps: int


_cache: dict[str, Program] = {}


def program(text: str, budget: Budget) -> Program:
    """The program of a pattern. One taken from the cache costs the same steps as one made."""
    found = _cache.get(text)
    if found is not None:
        budget.spend(found.steps)
        return found
    made = _compile(text, budget)
    if len(text) <= MAX_CACHED_TEXT:
        while len(_cache) >= MAX_CACHED:
            _cache.pop(next(iter(_cache)), None)
        _cache[text] = made
    return made


def _compile(text: str, budget: Budget) -> Program:
    before = budget.used
    node, shortest, longest = _without_counts(parse(text, budget))
    lookbehinds: dict[Look, int] = {}
    sets: dict[Ranges, None] = {EVERYTHING: None}
    nodes: list[Chars] = [_ANY]
    needs_word = False
    for each in _walk(node, behind=False):
        budget.spend()
        if isinstance(each, Chars):
            nodes.append(each)
            sets[each.members] = None
        elif isinstance(each, Edge):
            needs_word |= each.kind in ("boundary", "inside")
        elif isinstance(each, Look) and each.behind:
            lookbehinds[each] = len(lookbehinds)
    if needs_word:
        sets[WORD] = None
    stretches = sum(map(len, sets))
    budget.spend(stretches // 2 + stretches * len(sets) // 1000)  # a class knows by a bit for each set where it is
    alphabet, found = divide(list(sets))
    masks = dict(zip(sets, found, strict=True))
    return Program(
        beginnings=_beginnings(node),
        lookbehinds=tuple(_somewhere(look.body) for look in lookbehinds),
        lookbehind_numbers=lookbehinds,
        alphabet=alphabet,
        masks={each: masks[each.members] for each in nodes},
        word_mask=masks[WORD] if needs_word else 0,
        shortest=shortest,
        longest=longest,
        steps=budget.used - before,
    )


_ANY = Chars(EVERYTHING)
_ANYTHING = Repeat(_ANY, 0, None)


def _somewhere(node: Node) -> Node:
    """A match of ``node`` that begins anywhere."""
    return node if starts_at_start(node) else sequence([_ANYTHING, node])


def _beginnings(node: Node) -> tuple[Node, ...]:
    options = node.options if isinstance(node, Choice) else (node,)
    anchored = [option for option in options if starts_at_start(option)]
    others = [option for option in options if not starts_at_start(option)]
    if len(others) > 1:
        anchored.append(_somewhere(Choice(tuple(others))))
    elif others:
        anchored.append(_somewhere(others[0]))
    return tuple(anchored)


def _walk(node: Node, *, behind: bool) -> Iterator[Node]:
    """Every node, the inner ones first."""
    if isinstance(node, Sequence | Choice):
        for each in node.items if isinstance(node, Sequence) else node.options:
            yield from _walk(each, behind=behind)
    elif isinstance(node, Repeat):
        yield from _walk(node.body, behind=behind)
    elif isinstance(node, Look):
        if behind and not node.behind:
            # It may look beyond the place where the lookbehind stands, which only a string's rest decides.
            raise NotRegular("lookahead within lookbehind is not understood here")
        yield from _walk(node.body, behind=behind or node.behind)
    yield node


def _without_counts(node: Node) -> tuple[Node, int, int | None]:
    """The pattern without counts that the length of the string decides, and the lengths they allow.

    Those of the pattern itself, and those of lookahead over the whole string as in ``^(?=.{1,253}$)``.
    """
    node, shortest, longest = _counted(node)
    if not isinstance(node, Sequence) or not node.items or not _is_edge(node.items[0], "start"):
        return node, shortest, longest
    items = [*node.items]
    for i, each in enumerate(items[1:], 1):
        if not isinstance(each, Look) or each.behind or each.negated:
            break
        body, least, most = _counted(sequence([items[0], each.body]))
        items[i] = Look(body, behind=False, negated=False)
        shortest = max(shortest, least)
        longest = most if longest is None else longest if most is None else min(longest, most)
    return Sequence(tuple(items)), shortest, longest


def _counted(node: Node) -> tuple[Node, int, int | None]:
    """The pattern without the one count that the length of the string decides, and the lengths it allows."""
    if not isinstance(node, Sequence) or not node.items:
        return node, 0, None
    if not (_is_edge(node.items[0], "start") and _is_edge(node.items[-1], "end")):
        return node, 0, None
    widths = [width(each) for each in node.items]
    varying = [i for i, each in enumerate(widths) if each is None]
    if len(varying) > 1:
        return node, 0, None
    counted = [(each.least, i) for i, each in enumerate(node.items) if isinstance(each, Repeat)]
    if varying:
        counted = [(least, i) for least, i in counted if i == varying[0]]
    if not counted:
        return node, 0, None
    place = max(counted)[1]
    chosen = node.items[place]
    assert isinstance(chosen, Repeat)
    step = width(chosen.body)
    if not step or max(chosen.least, chosen.most or 0) <= _SHORT_COUNT:
        return node, 0, None
    fixed = sum(each for i, each in enumerate(widths) if i != place and each is not None)
    items = [*node.items]
    items[place] = Repeat(chosen.body, 0, None)
    longest = None if chosen.most is None else fixed + step * chosen.most
    return Sequence(tuple(items)), fixed + step * chosen.least, longest


def _is_edge(node: Node, kind: str) -> bool:
    return isinstance(node, Edge) and node.kind == kind
