"""What a pattern may cost Python's engine, which backtracks and can't be stopped: told from the pattern and the text.

An estimate from above for the usual shapes. Where it is too high a witness stays unconfirmed, and the verdict unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_STEPS = 2_000_000  # of backtracking on one text, roughly
MAX_NESTED = 20  # characters of a text that meets a repetition inside a repetition

_LITERAL = re.compile(r"[\w:/;,=-]*(?![*?{+])")
_REPEAT = re.compile(r"[*+?]|\{(\d+)(,?)(\d*)\}")
_SEPARATOR = re.compile(r"(?:\?:)?(?:\\([^\w\s])|([^\w\s\\\[\](){}^$.*+?|]))(?![*?{])")
_PLAIN = re.compile(r"a-z|A-Z|0-9|a-f|A-F|\\d|\\w|\\-|-(?=\])")


@dataclass(frozen=True, slots=True)
class Cost:
    """``count`` parts of a pattern repeat without a fixed count; ``nested``: one of them inside another repetition.

    ``ways``: how often choices and optional parts multiply what is tried.
    """

    start: str
    anchored: bool
    count: int
    nested: bool
    ways: int
    pattern: str = ""

    @classmethod
    def of(cls, pattern: str) -> Cost:
        """Read from the text of a pattern, without parsing it fully."""
        scan = _Scan(pattern)
        anchored = pattern.startswith("^") and not scan.split
        start = _LITERAL.match(pattern, 1) if anchored else None
        return cls(start[0] if start else "", anchored, scan.count, scan.nested, scan.ways, pattern)

    def steps(self, text: str) -> float:
        """How many steps matching the text may take; without end where a repetition is repeated."""
        if not text.startswith(self.start):  # it fails at the first letters
            return 1
        if self.nested and len(text) > MAX_NESTED:
            return math.inf
        return float(min(len(text) ** min(self.count + (not self.anchored), 40) * self.ways, 10**18))

    def dangerous(self, text: str) -> bool:
        """Could matching the text take very long."""
        return self.steps(text) > MAX_STEPS


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of a schema: those that meet strings, and those that meet keys."""

    texts: tuple[Cost, ...] = ()
    keys: tuple[Cost, ...] = ()

    @classmethod
    def of(cls, schema: Any) -> Patterns:
        """Everything that looks like a pattern, wherever it stands."""
        texts: dict[str, None] = {}
        keys: dict[str, None] = {}
        named = False
        stack = [schema]
        while stack:
            node = stack.pop()
            if isinstance(node, dict):
                named = named or "propertyNames" in node
                if isinstance(node.get("pattern"), str):
                    texts[node["pattern"]] = None
                if isinstance(node.get("patternProperties"), dict):
                    keys.update(dict.fromkeys(node["patternProperties"]))
                stack += node.values()
            elif isinstance(node, list):
                stack += node
        if named:
            keys |= texts
        return cls(tuple(map(Cost.of, texts)), tuple(map(Cost.of, keys)))

    def dangerous(self, value: Any) -> bool:
        """Could any of them take very long on a string or key of the value."""
        if not self.texts and not self.keys:
            return False
        texts, keys = _parts(value)
        return _any(self.texts, texts) or _any(self.keys, keys)

    def steps(self, value: Any) -> float:
        """How many steps all of them may take on all strings and keys of the value."""
        if not self.texts and not self.keys:
            return 0
        texts, keys = _parts(value)
        pairs = [(self.texts, texts), (self.keys, keys)]
        return sum(cost.steps(text) for costs, met in pairs for cost in costs for text in met)


def _any(costs: Iterable[Cost], texts: set[str]) -> bool:
    return any(cost.dangerous(text) for cost in costs for text in texts)


def _parts(value: Any) -> tuple[set[str], set[str]]:
    texts: set[str] = set()
    keys: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            texts.add(item)
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, dict):
            keys.update(item)
            stack += item.values()
    return texts, keys


@dataclass(slots=True)
class _Group:
    """A group that is open: where it starts, and whether its parts can match in more than one way."""

    start: int
    variable: bool = False
    choices: int = 1


@dataclass(slots=True)
class _Scan:
    """One pass over a pattern. ``split``: the whole is a choice."""

    pattern: str
    count: int = 0
    nested: bool = False
    split: bool = False
    ways: int = 1
    groups: list[_Group] = field(default_factory=lambda: [_Group(0)])

    def __post_init__(self) -> None:
        for closed, at in self._units():
            repeat = _REPEAT.match(self.pattern, at)
            if repeat:
                self._repeated(repeat, closed)
        self.split = self.groups[0].choices > 1
        self.ways *= self.groups[0].choices

    def _units(self) -> Iterator[tuple[str | None, int]]:
        """After each unit, where a repetition may follow: the text of a group with variable parts, and the position."""
        index = 0
        while index < len(self.pattern):
            letter = self.pattern[index]
            index += 1
            closed = None
            if letter == "\\":
                index += 1
            elif letter == "[":
                index = self._class_end(index)
            elif letter == "(":
                self.groups.append(_Group(index))
                index += self.pattern.startswith("?", index)
                continue
            elif letter == ")" and len(self.groups) > 1:
                group = self.groups.pop()
                closed = self.pattern[group.start : index - 1] if group.variable else None
                self.groups[-1].variable |= group.variable
                self.ways = min(self.ways * group.choices, MAX_STEPS)
            elif letter == "|":
                self.groups[-1].variable = True
                self.groups[-1].choices += 1
            yield closed, index

    def _class_end(self, index: int) -> int:
        while index < len(self.pattern) and self.pattern[index] != "]":
            index += 2 if self.pattern[index] == "\\" else 1
        return index + 1

    def _repeated(self, repeat: re.Match[str], closed: str | None) -> None:
        least, comma, most = repeat[1], repeat[2], repeat[3]
        fixed = least is not None and (not comma or most == least)
        if not fixed:
            self.groups[-1].variable = True
            self.count += repeat[0] != "?"
            self.ways = min(self.ways * (2 if repeat[0] == "?" else 1), MAX_STEPS)
        again = repeat[0] != "?" and not (fixed and int(least) < 2)
        if again and closed is not None and not _separated(closed):
            self.nested = True


def _separated(group: str) -> bool:
    """Does each turn of a repeated group start with a mark that nothing else in it matches, so that turns are clear."""
    mark = _SEPARATOR.match(group)
    if not mark:
        return False
    rest = group[mark.end() :]
    plain = re.fullmatch(r"[\w\[\]+*?{},]*", _PLAIN.sub("", rest))
    return (mark[1] or mark[2]) not in rest and plain is not None
