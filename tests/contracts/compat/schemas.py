"""Random small schemas, and the small values they are about: few keywords, few numbers, few letters, so they meet."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

from contractd.contracts.compat.confirm import Judge
from contractd.contracts.compat.dialects import dialect_named

DIALECTS = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
KEYS = ("a", "b", "ab", "")
PATTERNS = ("^a", "b$", "^[ab]*$", "^.$", "^(ab)*$", "[^a]")

SCALARS: list[Any] = [None, True, False, 0, 1, 2, 3, -1, 0.5, 1.5, 2.0, "", "a", "b", "aa", "ab", "abc", "1"]
FEW: list[Any] = [None, True, 0, 1, "a", ""]
ARRAYS: list[Any] = [
    [],
    *([item] for item in SCALARS),
    *(list(pair) for pair in itertools.product(FEW, repeat=2)),
    *(list(three) for three in itertools.product([0, 1, "a"], repeat=3)),
    *([[]], [[0]], [{}], [[], []], [1, 1.0], [0, False], [{"a": 0}, {"a": 0}]),
]
OBJECTS: list[Any] = [
    {},
    *({key: value} for key in KEYS for value in [*FEW, [], {}, -1, 0.5, "b", [0], {"a": 0}]),
    *(
        {one: value, two: other}
        for one, two in itertools.combinations(KEYS, 2)
        for value in (None, 0, "a")
        for other in (0, 1, "a")
    ),
    *(dict.fromkeys(keys, value) for keys in itertools.combinations(KEYS, 3) for value in (0, "a")),
    *({"a": {"a": {"a": 0}}}, {"a": {"a": {}}}, {"a": [[]]}, {"b": {"b": {}}}, {"a": {"b": 1}}, {"c": 0}),
]
VALUES: list[Any] = SCALARS + ARRAYS + OBJECTS


def judge(schema: Any, dialect: str) -> Judge:
    named = dialect_named(dialect)
    assert named
    return Judge(schema, named)


def counterexample(accepting: Any, refusing: Any, dialect: str, values: list[Any] = VALUES) -> list[Any]:
    """The first small value that proves a break, as a list of none or one."""
    one, two = judge(accepting, dialect), judge(refusing, dialect)
    for value in values:
        if one.quick(value) is True and two.quick(value) is False and proves(one, two, value):
            return [value]
    return []


def proves(one: Judge, two: Judge, value: Any) -> bool:
    return one.accepts(value) is True and two.accepts(value) is False


def unique(values: list[Any]) -> list[Any]:
    seen: list[Any] = []
    for value in values:
        if not any(value == other and isinstance(value, bool) is isinstance(other, bool) for other in seen):
            seen.append(value)
    return seen


@st.composite
def schemas(draw: Any, dialect: str, depth: int = 2) -> Any:
    """A schema that is valid in its dialect, without references."""
    if depth <= 0 or draw(st.integers(0, 9)) == 0:
        return draw(_leaf(dialect))
    inner = schemas(dialect, depth - 1)
    keywords = _keywords(dialect, inner)
    chosen = draw(st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=4, unique=True))
    schema: dict[str, Any] = {}
    for keyword in chosen:
        schema[keyword] = draw(keywords[keyword])
    if "exclusiveMinimum" in schema and dialect == "draft-04":
        schema.setdefault("minimum", 0)
    return schema


def _leaf(dialect: str) -> Any:
    plain = [
        st.sampled_from(TYPES).map(lambda name: {"type": name}),
        st.sampled_from([0, 1, 2, 0.5]).map(lambda bound: {"minimum": bound}),
        st.sampled_from([0, 1, 2]).map(lambda length: {"maxLength": length}),
        st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4).map(lambda values: {"enum": unique(values)}),
        st.just({}),
    ]
    return st.one_of(*plain, *([] if dialect == "draft-04" else [st.booleans()]))


def _keywords(dialect: str, inner: Any) -> dict[str, Any]:
    age = DIALECTS.index(dialect)
    numbers = st.sampled_from([0, 1, 2, -1, 0.5, 1.5])
    counts = st.integers(0, 3)
    key = st.sampled_from(KEYS)
    some = st.lists(inner, min_size=1, max_size=3)
    found: dict[str, Any] = {
        "type": st.one_of(
            st.sampled_from(TYPES), st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)
        ),
        "enum": st.lists(st.sampled_from(VALUES), min_size=1, max_size=5).map(unique),
        **dict.fromkeys(("minimum", "maximum"), numbers),
        **dict.fromkeys(("minLength", "minItems", "minProperties"), counts),
        **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), counts),
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 1.5]),
        "pattern": st.sampled_from(PATTERNS),
        "uniqueItems": st.booleans(),
        "properties": st.dictionaries(key, inner, min_size=1, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), inner, min_size=1, max_size=2),
        "additionalProperties": st.one_of(st.just(False), inner),
        "required": st.lists(key, min_size=1, max_size=2, unique=True),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), some),
        "not": inner,
        "items": st.one_of(inner, some) if age < 4 else inner,
        "exclusiveMinimum": st.booleans() if age == 0 else numbers,
    }
    if age >= 1:
        found |= {"const": st.sampled_from(VALUES), "contains": inner, "propertyNames": inner}
    if age >= 2:
        found |= {"if": inner, "then": inner, "else": inner}
    if age <= 2:
        found["dependencies"] = st.dictionaries(key, st.one_of(inner, st.just(["b"])), min_size=1, max_size=1)
    else:
        found["dependentRequired"] = st.dictionaries(key, st.just(["b"]), min_size=1, max_size=1)
        found["dependentSchemas"] = st.dictionaries(key, inner, min_size=1, max_size=1)
        found |= {"minContains": counts, "maxContains": counts, "unevaluatedProperties": inner}
        found |= {"unevaluatedItems": inner}
    found["additionalItems" if age < 4 else "prefixItems"] = inner if age < 4 else some
    return found


@st.composite
def pairs(draw: Any) -> tuple[str, Any, Any]:
    """A dialect and two schemas of it, often related."""
    dialect = draw(st.sampled_from(DIALECTS))
    old = draw(schemas(dialect))
    other = draw(schemas(dialect, 1))
    related = st.sampled_from(
        [{"anyOf": [old, other]}, {"allOf": [old, other]}, {"not": {"not": old}}, {"oneOf": [old, other]}]
    )
    new = draw(st.one_of(schemas(dialect), related, related))
    return dialect, *draw(st.sampled_from([(old, new), (new, old)]))
