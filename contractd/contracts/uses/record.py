"""What is used, from recorded calls: names only, never a value.

What came in the results is the most that can have been read of them. An object with more names than any tool has
arguments, or with names that are data (addresses, numbers), is a map: it counts as one, whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from contractd.contracts.uses.calls import ABSENT, Call
from contractd.contracts.uses.model import ToolUse, Uses
from contractd.contracts.uses.paths import Tree
from contractd.errors import ConfigError

MAX_ARGUMENTS: Final = 256  # of one tool; the largest captured has 30
MAX_NAMES: Final = 64  # of one object further down
MAX_DEPTH: Final = 16
MAX_PLACES: Final = 4_000  # of one tool; past that nothing is told apart
MAX_ALL: Final = 200_000
MAX_TOOLS: Final = 10_000

_WORD = re.compile(r"[@$_-]{0,2}[^\W\d]\w*(?:[-.:$]\w+)*")
_LONGEST = 100
_LONGEST_ARGUMENT = 200


@dataclass(frozen=True)
class Recorded:
    """What was made of recorded calls: how many there were, and the tools of which all counts: too much is different
    in what they are sent, or in their results."""

    uses: Uses
    calls: int = 0
    results: int = 0
    blurred: tuple[str, ...] = ()


def record(calls: Iterable[Call]) -> Recorded:
    """The uses that the calls show. Raises ConfigError where they are of too many tools."""
    tools: dict[str, _Tool] = {}
    budget = _Budget()
    count = results = 0
    for call in calls:
        tool = tools.get(call.tool)
        if tool is None:
            if len(tools) >= MAX_TOOLS:
                raise ConfigError(f"the recorded calls are of more than {MAX_TOOLS:,} tools")
            tool = tools[call.tool] = _Tool(budget)
        tool.see(call)
        count += 1
        results += call.result is not ABSENT
    uses = Uses({name: tools[name].use() for name in sorted(tools)})
    blurred = tuple(name for name in uses.tools if tools[name].blurred)
    return Recorded(uses, count, results, blurred)


class _Budget:
    def __init__(self) -> None:
        self.left = MAX_ALL


class _Tool:
    def __init__(self, budget: _Budget) -> None:
        self._sent = _Seen(budget)
        self._results = _Seen(budget)
        self._any_result = self._other_result = False

    def see(self, call: Call) -> None:
        self._sent.see(call.arguments)
        if call.result is not ABSENT:
            self._any_result = True
            self._other_result |= not isinstance(call.result, dict)
            self._results.see(call.result)

    @property
    def blurred(self) -> bool:
        return self._sent.blurred or (self._any_result and self._results.blurred)

    def use(self) -> ToolUse:
        reads = self._results.tree() if self._any_result and not self._other_result else None
        # Of results in which nothing came, nobody knows what was looked for.
        return ToolUse(self._sent.tree(), _without_always(reads) if reads is not None and reads.names else None)


def _without_always(tree: Tree) -> Tree:
    names = None if tree.names is None else {name: _without_always(inner) for name, inner in tree.names.items()}
    return Tree(names, None if tree.items is None else _without_always(tree.items))


class _Seen:
    """The arguments, or the results, of one tool."""

    def __init__(self, budget: _Budget) -> None:
        self._budget = budget
        self._places = 0
        self._root: _Place | None = _Place()

    @property
    def blurred(self) -> bool:
        return self._root is None

    def see(self, value: Any) -> None:
        """Look at one more; without recursion, and within bounds."""
        if self._root is None:
            return
        stack = [(self._root, value, 0)]
        while stack:
            place, item, depth = stack.pop()
            if place.is_map:
                continue
            if isinstance(item, dict):
                place.objects += 1
                if not self._fits(item, place, depth):
                    if not depth:
                        self._root = None  # then nothing can be told apart
                        return
                    place.turn_into_map()
                    continue
                for name, inner in item.items():
                    child = place.names.get(name) or self._new(place.names, name)
                    child.seen += 1
                    stack.append((child, inner, depth + 1))
            elif isinstance(item, list) and item:
                place.items = place.items or self._new({}, "")
                stack += [(place.items, inner, depth + 1) for inner in item if isinstance(inner, dict | list)]
        if self._places > MAX_PLACES:
            self._root = None

    def _fits(self, item: dict[str, Any], place: _Place, depth: int) -> bool:
        fresh = [name for name in item if name not in place.names]
        if not depth:
            return len(place.names) + len(fresh) <= MAX_ARGUMENTS and all(
                len(name) <= _LONGEST_ARGUMENT for name in fresh
            )
        if depth > MAX_DEPTH or len(place.names) + len(fresh) > MAX_NAMES or self._places > MAX_PLACES:
            return False
        return all(len(name) <= _LONGEST and _WORD.fullmatch(name) for name in fresh)

    def _new(self, names: dict[str, _Place], name: str) -> _Place:
        self._places += 1
        self._budget.left -= 1
        if self._budget.left < 0:
            raise ConfigError(
                f"the recorded calls differ in more than {MAX_ALL:,} places",
                hint="record fewer tools at a time",
            )
        names[name] = place = _Place()
        return place

    def tree(self) -> Tree | None:
        return self._root.tree(top=True) if self._root else None


@dataclass
class _Place:
    names: dict[str, _Place] = field(default_factory=dict)
    items: _Place | None = None
    objects: int = 0  # how often an object stood here
    seen: int = 0  # how often anything did
    is_map: bool = False

    def turn_into_map(self) -> None:
        self.is_map = True
        self.names, self.items = {}, None

    def tree(self, *, top: bool = False) -> Tree:
        if self.is_map:
            return Tree()
        items = self.items.tree() if self.items else None
        items = None if items is None or items.whole else items
        if not self.names and not top:  # nothing but empty objects
            return Tree(None, items)
        names = {name: self.names[name].tree() for name in sorted(self.names)}
        return Tree(names, items, frozenset(name for name, inner in self.names.items() if inner.seen == self.objects))
