"""How much work a schema can make of a value, bounded from above before any validator is asked.

A validator can't be stopped once it runs, and a few lines are enough to keep one busy for years: references that
double (``allOf: [x, x]``), a schema that applies itself twice to each part of a value, ``unevaluated*`` inside one
another (each level costs 2.6 times the one below, measured and derived). Counted is how much work one value at each
depth can cause, over all the ways on which schemas reach it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from contractd.contracts.compat.document import Document, Schema, Undecided
from contractd.contracts.validation.patterns import UNIT, linear_cost

MAX_SUBSCHEMAS = 5_000  # the largest of 1,391 real ones has some 400
MAX_PATTERNS = 32 * 1024 * 1024 // UNIT  # of compiled patterns together, which take about a second
MAX_LOOKS = 200_000  # at a subschema and a part of a value, to count closely: a fifth of a second
_HARD = 4096  # what a pattern counts there that only backtracking can match
_ENDLESS = 1e15  # beyond every bound

_SAME_ONE = ("else", "if", "not", "then")
_SAME_LISTED = ("allOf", "anyOf", "oneOf")
_SAME_NAMED = ("dependencies", "dependentSchemas")
_EACH_PROPERTY = ("additionalProperties", "unevaluatedProperties")
_EACH_ITEM = ("additionalItems", "contains", "unevaluatedItems")


@dataclass(slots=True)
class _Node:
    """One subschema: which others it applies, to the same value and to each part of it, and what it does itself."""

    work: float
    matching: float
    again: bool = False  # unevaluated*: what it applies to the same value is applied once more
    same: list[int] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)
    names: list[int] = field(default_factory=list)
    each_property: list[int] = field(default_factory=list)
    placed: list[int] = field(default_factory=list)
    each_item: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """For each subschema: the work on one value so many levels below, and that of finding what was evaluated."""

    costs: list[float]
    finding: list[float]


class Effort:
    """The bounds of one schema. Raises Undecided where the schema itself is beyond them."""

    def __init__(self, document: Document) -> None:
        self._nodes: list[_Node] = []
        self._index: dict[int, int] = {}
        self._document = document
        self._patterns = 0
        self._read(document.root)
        self._order: list[int] = []
        self.chain = self._sort()  # schemas that are applied to one value inside one another
        self._work = _Table(self, [node.work for node in self._nodes])
        self._matching = _Table(self, [node.matching for node in self._nodes])

    def work(self, depth: int) -> float:
        """For each value of one that is nested so deep."""
        return self._work.most(depth)

    def matching(self, depth: int) -> float:
        """For each character."""
        return self._matching.most(depth)

    def on(self, value: Any) -> tuple[float, float] | None:
        """Work and matching on this very value, closely; None where even counting takes too long.

        The product of schemas and depth must be within the stack's bounds.
        """
        try:
            work, matching, _, _ = _Counting(self._nodes).of(0, value)
        except (Undecided, RecursionError):
            return None
        return work, matching

    def _read(self, root: Any) -> None:
        waiting: list[Schema] = []
        self._of(root, waiting)
        while waiting:
            schema = waiting.pop()
            self._edges(schema, self._nodes[self._index[id(schema)]], waiting)

    def _of(self, schema: Any, waiting: list[Schema]) -> int:
        """The number of a subschema, which waits to be read if it is new. Booleans share one."""
        key = id(schema) if isinstance(schema, dict) else -1
        if key not in self._index:
            if len(self._nodes) >= MAX_SUBSCHEMAS:
                raise Undecided(f"it has more than {MAX_SUBSCHEMAS:,} subschemas")
            self._index[key] = len(self._nodes)
            self._nodes.append(_Node(_work(schema), self._matched(schema)))
            if isinstance(schema, dict):
                waiting.append(schema)
        return self._index[key]

    def _matched(self, schema: Any) -> float:
        """The matching that a subschema's own patterns do for each character."""
        if not isinstance(schema, dict):
            return 0.0
        patterns = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
        if isinstance(schema.get("patternProperties"), dict):
            patterns += schema["patternProperties"]
        sum_of = 0.0
        for pattern in patterns:
            cost = linear_cost(pattern)
            self._patterns += _HARD if cost is None else cost
            if self._patterns > MAX_PATTERNS:
                raise Undecided("its patterns are too large")
            sum_of += cost or 1
        return sum_of

    def _edges(self, schema: Schema, node: _Node, waiting: list[Schema]) -> None:
        def to(schemas: Any) -> list[int]:
            return [self._of(inner, waiting) for inner in schemas if isinstance(inner, dict | bool)]

        node.same = to(self._referred(schema))
        if self._document.dialect.lone_reference and isinstance(schema.get("$ref"), str):
            return
        node.again = "unevaluatedProperties" in schema or "unevaluatedItems" in schema
        node.same += to(schema[key] for key in _SAME_ONE if key in schema)
        node.same += to(inner for key in _SAME_LISTED if isinstance(schema.get(key), list) for inner in schema[key])
        node.same += to(_values(schema, _SAME_NAMED))
        properties = schema.get("properties")
        if isinstance(properties, dict):
            node.named = dict(zip(properties, to(properties.values()), strict=False))
        node.names = to([schema["propertyNames"]] if "propertyNames" in schema else [])
        node.each_property = to(_values(schema, ("patternProperties",)))
        node.each_property += to(schema[key] for key in _EACH_PROPERTY if key in schema)
        node.each_item = to(schema[key] for key in _EACH_ITEM if key in schema)
        for key in ("prefixItems", "items"):
            inner = schema.get(key)
            if isinstance(inner, list):
                node.placed += to(inner)
            else:
                node.each_item += to([inner])

    def _referred(self, schema: Schema) -> Iterator[Any]:
        document = self._document
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = schema.get(keyword)
            if isinstance(target, str) and document.dialect.knows(keyword):
                yield document.resolve(target, document.base_of(schema))[0]
                if keyword == "$dynamicRef":  # any of that name may be meant, whichever way leads here
                    name = target.rpartition("#")[2]
                    yield from (node for (_, anchor), node in document.anchors.items() if anchor == name)
                elif keyword == "$recursiveRef":
                    yield from document.resources.values()

    def _sort(self) -> int:
        """Order the subschemas so that each comes after those it applies to the same value; the longest such way."""
        length: dict[int, int] = {}
        for start in range(len(self._nodes)):
            path: set[int] = set()
            stack = [(start, False)]
            while stack:
                number, left = stack.pop()
                same = self._nodes[number].same
                if left:
                    path.discard(number)
                    length[number] = 1 + max((length[inner] for inner in same), default=0)
                    self._order.append(number)
                elif number in path:
                    raise Undecided("a reference leads back to itself")
                elif number not in length:
                    path.add(number)
                    stack.append((number, True))
                    if any(inner in path for inner in same):
                        raise Undecided("a reference leads back to itself")
                    stack += [(inner, False) for inner in same if inner not in length]
        return max(length.values())

    def level(self, own: list[float]) -> _Level:
        """Work on one value, from what each subschema does by itself."""
        costs, finding = [0.0] * len(own), [0.0] * len(own)
        for number in self._order:
            node = self._nodes[number]
            applied = sum(costs[inner] for inner in node.same)
            finding[number] = min(applied + sum(finding[inner] for inner in node.same), _ENDLESS)
            costs[number] = min(own[number] + applied + (finding[number] if node.again else 0.0), _ENDLESS)
        return _Level(costs, finding)

    def below(self, costs: list[float]) -> list[float]:
        """What each subschema does, through others, to one part of its value: one property, or one item."""
        found = []
        for node in self._nodes:
            prop = max((costs[inner] for inner in node.named.values()), default=0.0)
            prop += sum(costs[inner] for inner in (*node.each_property, *node.names))
            item = max((costs[inner] for inner in node.placed), default=0.0)
            item += sum(costs[inner] for inner in node.each_item)
            found.append(max(prop, item))
        return found


class _Counting:
    """Each pair of a subschema and a part of the value is counted once, however many ways lead to it."""

    def __init__(self, nodes: list[_Node]) -> None:
        self._nodes = nodes
        self._left = MAX_LOOKS
        self._known: dict[tuple[int, int], tuple[float, float, float, float]] = {}

    def of(self, number: int, value: Any) -> tuple[float, float, float, float]:
        """Work and matching, then both once more for finding what was evaluated."""
        self._left -= 1
        if self._left < 0:
            raise Undecided("counting takes too long")
        key = (number, id(value))
        if key in self._known:
            return self._known[key]
        node = self._nodes[number]
        work, matching, finding, searching = node.work, 0.0, 0.0, 0.0
        for inner in node.same:
            one, two, three, four = self.of(inner, value)
            work, matching = work + one, matching + two
            finding, searching = finding + one + three, searching + two + four
        for inner, part in self._parts(node, value):
            one, two, _, _ = self.of(inner, part)
            work, matching = work + one, matching + two
        if isinstance(value, str):
            matching += node.matching * len(value)
        elif isinstance(value, dict):
            matching += node.matching * sum(map(len, value))
        if node.again:
            work, matching = work + finding, matching + searching
        self._known[key] = (work, matching, finding, searching)
        return self._known[key]

    def _parts(self, node: _Node, value: Any) -> Iterator[tuple[int, Any]]:
        if isinstance(value, dict):
            for name, part in value.items():
                if name in node.named:
                    yield node.named[name], part
                yield from ((inner, part) for inner in node.each_property)
                yield from ((inner, name) for inner in node.names)
        elif isinstance(value, list):
            yield from zip(node.placed, value, strict=False)
            for part in value:
                yield from ((inner, part) for inner in node.each_item)


class _Table:
    """The most that one value at any depth can cost, level by level as it is asked for."""

    def __init__(self, effort: Effort, own: list[float]) -> None:
        self._effort = effort
        costs = effort.level(own).costs
        self._last = [costs]
        self._most = [costs[0]]
        self._settled = not any(own)

    def most(self, depth: int) -> float:
        while len(self._most) < depth and not self._settled:
            costs = self._effort.level(self._effort.below(self._last[-1])).costs
            self._settled = costs in self._last or costs[0] >= _ENDLESS
            self._last = [*self._last[-3:], costs]
            self._most.append(max(self._most[-1], costs[0]))
        return self._most[min(depth, len(self._most)) - 1]


def _work(schema: Any) -> float:
    """What a subschema's own keywords do on one value."""
    if not isinstance(schema, dict):
        return 1.0
    work = 1.0 + len(schema)
    for key in ("required", "properties", "patternProperties", "dependentRequired", "dependencies"):
        inner = schema.get(key)
        work += len(inner) if isinstance(inner, list | dict) else 0
    return work + sum(_size(schema[key]) for key in ("enum", "const") if key in schema)


def _size(value: Any) -> int:
    count = 0
    stack = [value]
    while stack:
        item = stack.pop()
        count += 1
        if isinstance(item, dict | list):
            stack += item.values() if isinstance(item, dict) else item
    return count


def _values(schema: Schema, keywords: tuple[str, ...]) -> Iterator[Any]:
    for keyword in keywords:
        inner = schema.get(keyword)
        if isinstance(inner, dict):
            yield from inner.values()
