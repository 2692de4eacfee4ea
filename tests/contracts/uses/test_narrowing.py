"""Narrowed verdicts are never wrong: on random schemas, trees and all small values, and against a naive reading."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contractd.contracts import Contract, compare, compare_schemas
from contractd.contracts.compat.dialects import dialect_named
from contractd.contracts.uses import ToolUse, Tree, narrow_change, parse_path, tree_of
from contractd.contracts.uses.narrow import narrowed
from contractd.contracts.uses.project import projected
from tests.contracts.compat.schemas import DIALECTS, VALUES, judge, schemas
from tests.contracts.uses.test_paths import kept

CALM = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
LONG = 5.0
NAMES = ["a", "b", "ab", ""]
TREES = st.lists(st.lists(st.sampled_from([*NAMES, None]), min_size=1, max_size=3).map(tuple), max_size=4).map(tree_of)


def uri(dialect: str) -> str:
    named = dialect_named(dialect)
    assert named
    return named.uri


@st.composite
def objects(draw: Any, dialect: str) -> dict[str, Any]:
    """An input schema: of an object, valid in its dialect, which it names."""
    schema = draw(schemas(dialect).filter(lambda found: isinstance(found, dict)))
    return {"$schema": uri(dialect), **schema, "type": "object"}


@st.composite
def always(draw: Any, tree: Tree) -> Tree:
    names = sorted(tree.names or {})
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return Tree(tree.names, tree.items, frozenset(chosen))


@CALM
@given(st.data())
def test_a_narrowed_schema_accepts_exactly_the_calls_that_keep_to_the_tree(data: Any) -> None:
    dialect = data.draw(st.sampled_from(DIALECTS))
    schema = data.draw(objects(dialect))
    tree = data.draw(TREES.flatmap(always))
    sent = narrowed(schema, tree)
    assert sent is not None
    before, after = judge(schema, dialect), judge(sent, dialect)
    for value in VALUES:
        if before.accepts(value) is not None and after.accepts(value) is not None:
            assert after.accepts(value) is (before.accepts(value) and kept(tree, value)), value


@CALM
@given(st.data())
def test_a_narrowed_verdict_on_arguments_is_never_wrong(data: Any) -> None:
    dialect = data.draw(st.sampled_from(DIALECTS))
    old, new = data.draw(objects(dialect)), data.draw(objects(dialect))
    tree = data.draw(TREES.flatmap(always))
    before, after = judge(old, dialect), judge(new, dialect)
    found = compare_schemas(narrowed(old, tree), new, "arguments", seconds=LONG)
    broken = [
        value
        for value in VALUES
        if kept(tree, value) and before.accepts(value) is True and after.accepts(value) is False
    ]
    if found.verdict == "compatible":
        assert broken == []
    elif found.verdict == "breaking":
        assert found.witness is not None
        assert kept(tree, found.witness.value)
        assert before.accepts(found.witness.value) is True
        assert after.accepts(found.witness.value) is False


def listed(tree: Tree, value: Any) -> bool:
    """Whether a call says nothing but what the tree names: within what is listed whole there is no object."""
    if isinstance(value, dict):
        return tree.names is not None and all(
            name in tree.names and listed(tree.names[name], inner) for name, inner in value.items()
        )
    if isinstance(value, list):
        return all(listed(tree.items or Tree(), item) for item in value)
    return True


@CALM
@given(st.data())
def test_whoever_sends_what_is_listed_is_never_told_that_a_break_is_none(data: Any) -> None:
    """Of the verdict as it is reported, in which only what is declared counts within what is listed whole."""
    dialect = data.draw(st.sampled_from(DIALECTS))
    old, new = data.draw(objects(dialect)), data.draw(objects(dialect))
    tree = data.draw(TREES.flatmap(always))
    change = narrow_change(
        compare(Contract("t", old), Contract("t", new), seconds=LONG), ToolUse(tree, None), seconds=LONG
    )
    if change.judged[0].verdict == "compatible":
        before, after = judge(old, dialect), judge(new, dialect)
        for value in VALUES:
            if kept(tree, value) and listed(tree, value):
                assert not (before.accepts(value) is True and after.accepts(value) is False), value


def seen(tree: Tree, value: Any) -> Any:
    """What a reader of the tree sees of a value, written down naively."""
    if isinstance(value, dict) and tree.names is not None:
        return (
            "object",
            *sorted((name, repr(seen(inner, value[name]))) for name, inner in tree.names.items() if name in value),
        )
    if isinstance(value, list) and tree.items is not None:
        return ("array", *(repr(seen(tree.items, item)) for item in value))
    return ("whole", repr(value))


@CALM
@given(st.data())
def test_what_looks_like_a_result_that_could_come_is_accepted_by_the_loosened_schema(data: Any) -> None:
    dialect = data.draw(st.sampled_from(DIALECTS))
    schema = data.draw(objects(dialect))
    tree = data.draw(TREES)
    loosened = projected(schema, tree)
    before, after = judge(schema, dialect), judge(loosened.schema, dialect)
    possible = [value for value in VALUES if before.accepts(value) is True]
    looks = {seen(tree, value) for value in possible}
    for value in VALUES:
        if after.accepts(value) is None:
            continue
        if before.accepts(value) is True:
            assert after.accepts(value), value  # it is never tightened
        if not loosened.kept and loosened.schema is not True and seen(tree, value) in looks:
            assert after.accepts(value), value


def fields(inner: Any) -> Any:
    """Output schemas as generators write them: objects with fields, arrays of them, alternatives with null."""
    return st.one_of(
        st.builds(
            lambda properties, required, others: {
                "type": "object",
                "properties": properties,
                "required": required,
                **others,
            },
            st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
            st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
            st.one_of(
                st.just({}), st.builds(lambda more: {"additionalProperties": more}, st.one_of(st.just(False), inner))
            ),
        ),
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 2)),
        st.builds(lambda one: {"anyOf": [one, {"type": "null"}]}, inner),
    )


OUTPUTS = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "integer"}, {}, {"enum": [0, 1]}, {"const": "a"}, False]),
    fields,
    max_leaves=6,
).filter(lambda schema: isinstance(schema, dict))


@CALM
@given(OUTPUTS, TREES)
def test_no_more_is_accepted_than_looks_like_a_result_that_could_come(schema: dict[str, Any], tree: Tree) -> None:
    """The other direction, for schemas without coupling: filling in what is not read makes an old result of it."""
    loosened = projected(schema, tree)
    if loosened.schema is True:
        return
    before, after = judge(schema, "2020-12"), judge(loosened.schema, "2020-12")
    looks = {seen(tree, value) for value in VALUES if before.quick(value)}
    for value in VALUES:
        if after.quick(value) and not loosened.kept and seen(tree, value) not in looks:
            # None of the small values looks like it: the schema must have a larger one that does.
            pinned = {"allOf": [schema, pinning(tree, value)]}
            assert compare_schemas(pinned, {"not": {}}, seconds=LONG).verdict == "breaking", value


def pinning(tree: Tree, value: Any) -> dict[str, Any]:
    """A schema of the values that look like this one."""
    if isinstance(value, dict) and tree.names is not None:
        present = {name: pinning(inner, value[name]) for name, inner in tree.names.items() if name in value}
        absent = {name: False for name in tree.names if name not in value}
        return {"type": "object", "properties": {**present, **absent}, "required": sorted(present)}
    if isinstance(value, list) and tree.items is not None:
        each = [pinning(tree.items, item) for item in value]
        return {
            "type": "array",
            "minItems": len(value),
            "maxItems": len(value),
            **({"prefixItems": each} if each else {}),
        }
    return {"const": value}


# ---- whole contracts


def tool(properties: dict[str, Any] | None = None, output: Any = None, **more: Any) -> Contract:
    schema = {"type": "object", **({"properties": properties} if properties is not None else {}), **more}
    return Contract("t", schema, output)


def told(old: Contract, new: Contract, **lists: list[str]) -> str:
    return judged(old, new, **lists).told


def judged(old: Contract, new: Contract, **lists: list[str]) -> Any:
    sends, reads = lists.get("sends"), lists.get("reads")
    use = ToolUse(
        None if sends is None else tree_of(map(parse_path, sends), map(parse_path, lists.get("always", []))),
        None if reads is None else tree_of(map(parse_path, reads)),
    )
    return narrow_change(compare(old, new), use, seconds=LONG)


TEXT = {"type": "string"}


def test_an_argument_that_is_never_sent_may_change_as_it_likes() -> None:
    old = tool({"to": TEXT, "cc": TEXT})
    new = tool({"to": TEXT, "cc": {"type": "array"}})
    assert compare(old, new).told == "breaking"
    assert told(old, new, sends=["to"]) == "compatible"
    assert told(old, new, sends=["to", "cc"]) == "breaking"
    assert told(old, new, reads=["x"]) == "breaking"  # of what is sent nothing is known


def test_what_is_always_sent_may_become_required() -> None:
    old, new = tool({"to": TEXT, "cc": TEXT}), tool({"to": TEXT, "cc": TEXT}, required=["to"])
    assert told(old, new, sends=["to"]) == "breaking"
    assert told(old, new, sends=["to", "cc"], always=["to"]) == "compatible"
    assert judged(old, new, sends=["to"]).judged[0].witness.value == {}


def test_nothing_that_is_sent_is_not_the_same_as_nothing_that_is_known() -> None:
    old, new = tool({"a": TEXT}), tool({"a": {"type": "integer"}})
    assert told(old, new, sends=[]) == "compatible"
    assert told(old, tool({}, required=["b"]), sends=[]) == "breaking"


def test_what_is_really_sent_counts_though_it_was_never_declared() -> None:
    old, new = tool({"to": TEXT}), tool({"to": TEXT, "region": {"type": "integer"}})
    assert compare(old, new).told == "compatible"
    assert told(old, new, sends=["to"]) == "compatible"
    assert told(old, new, sends=["to", "region"]) == "breaking"


def test_within_an_argument_that_is_listed_whole_what_is_declared_counts() -> None:
    inner = {"type": "object", "properties": {"x": TEXT}}
    wider = {"type": "object", "properties": {"x": TEXT, "y": TEXT}}
    assert told(tool({"o": inner}), tool({"o": wider}), sends=["o"]) == "compatible"
    assert told(tool({"o": inner}), tool({"o": wider}), sends=["/o/x"]) == "compatible"
    assert told(tool({"o": inner}), tool({"o": wider}), sends=["/o/y"]) == "breaking"


def test_integers_beyond_what_json_carries_are_sent_by_nobody_here_either() -> None:
    safe = {"type": "integer", "maximum": 2**53 - 1, "minimum": 1 - 2**53}
    defs = {"$defs": {"O": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
    assert told(tool({"n": {"type": "integer"}, "m": {}}), tool({"n": safe}), sends=["n"]) == "compatible"
    old = tool({"o": {"$ref": "#/$defs/O"}}, **defs)
    assert told(old, tool({"o": {"type": "object", "properties": {"n": safe}}}), sends=["/o/n"]) == "compatible"


def test_narrowing_goes_through_references_alternatives_and_items() -> None:
    old_item = {"type": "object", "properties": {"name": TEXT, "size": TEXT}}
    new_item = {"type": "object", "properties": {"name": TEXT, "size": {"type": "integer"}}}

    def listing(item: Any) -> Contract:
        many = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Item"}}, {"type": "null"}]}
        return tool({"items": many}, **{"$defs": {"Item": item}})

    assert told(listing(old_item), listing(new_item), sends=["/items/*/name"]) == "compatible"
    assert told(listing(old_item), listing(new_item), sends=["/items/*/size"]) == "breaking"
    assert told(listing(old_item), listing(new_item), sends=["items"]) == "breaking"


def test_a_schema_that_refers_to_its_root_keeps_its_meaning() -> None:
    def nested(kind: str) -> Contract:
        return tool({"child": {"$ref": "#"}, "extra": {"type": kind}})

    old, new = nested("string"), nested("integer")
    assert told(old, new, sends=["child"]) == "breaking"  # extra may stand in the child
    assert told(old, new, sends=["/child/child"]) == "breaking"
    leaf = tool({"child": {"$ref": "#"}, "extra": TEXT}, additionalProperties=False)
    assert told(leaf, tool({"child": {}}, additionalProperties=False), sends=["child"]) == "compatible"


def test_evaluated_properties_are_not_added_to_by_what_is_listed() -> None:
    old = tool(None, anyOf=[{"properties": {"a": {}}}], unevaluatedProperties=False)
    new = tool({"a": {}}, additionalProperties=False)
    assert told(old, new, sends=["a", "z"]) == "compatible"


def test_a_field_that_is_not_read_may_go() -> None:
    row = {"type": "object", "properties": {"id": TEXT, "size": {"type": "integer"}}, "required": ["id", "size"]}
    less = {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}
    old = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}, "required": ["rows"]}
    new = {"type": "object", "properties": {"rows": {"type": "array", "items": less}}, "required": ["rows"]}
    assert compare(tool(output=old), tool(output=new)).told == "breaking"
    assert told(tool(output=old), tool(output=new), reads=["/rows/*/id"]) == "compatible"
    assert told(tool(output=old), tool(output=new), reads=["/rows/*/size"]) == "breaking"
    assert told(tool(output=old), tool(output=new), reads=["rows"]) == "breaking"
    assert told(tool(output=old), tool(output=new), reads=[]) == "compatible"
    assert told(tool(output=old), tool(output=None), reads=["rows"]) == "breaking"
    assert told(tool(output=old), tool(output=None), reads=[]) == "compatible"


def test_fields_that_are_coupled_are_judged_together_and_it_is_said() -> None:
    one = {"type": "object", "properties": {"kind": {"const": "a"}, "n": TEXT}, "required": ["kind", "n"]}
    two = {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]}
    old = {"type": "object", "properties": {"x": {"oneOf": [one, two]}}, "required": ["x"]}
    new = {"type": "object", "properties": {"x": {"oneOf": [two, {**one, "required": ["kind"]}]}}, "required": ["x"]}
    change = judged(tool(output=old), tool(output=new), reads=["/x/kind"])
    assert change.told == "breaking"
    assert change.narrowed.doubts == ("x (because of oneOf)",)


def test_an_unread_field_that_can_have_no_value_leaves_no_result_at_all() -> None:
    old = {"type": "object", "properties": {"a": TEXT, "b": False}, "required": ["b"]}
    new = {"type": "object", "properties": {"a": TEXT}}
    change = judged(tool(output=old), tool(output=new), reads=["a"])
    assert change.told == "breaking"
    assert change.narrowed.doubts == ("the result (because of required)",)


@pytest.mark.parametrize("keyword", ["if", "not", "oneOf", "dependentRequired", "minProperties", "patternProperties"])
def test_coupling_keywords_are_never_loosened(keyword: str) -> None:
    value: Any = {"if": {}, "not": {"required": ["b"]}, "oneOf": [{}], "dependentRequired": {"a": ["b"]},
                  "minProperties": 2, "patternProperties": {"^b": TEXT}}[keyword]  # fmt: skip
    schema = {"type": "object", "properties": {"a": TEXT, "b": TEXT}, keyword: value}
    found = projected(schema, tree_of([("a",)]))
    assert found.kept == {"": keyword}
    assert found.schema["properties"] == schema["properties"]


def test_what_was_unknown_stays_unknown_where_it_is_sent() -> None:
    old = tool({"to": {"type": "string", "pattern": r"^(a|b)\1$"}, "cc": TEXT})
    new = tool({"to": {"type": "string", "pattern": r"^(a|b|c)\1$"}, "cc": TEXT})
    assert told(old, new, sends=["to"]) == "unknown"
    assert told(old, new, sends=["cc"]) == "compatible"


def test_the_strict_verdicts_are_kept() -> None:
    old, new = tool({"to": TEXT, "cc": TEXT}), tool({"to": TEXT, "cc": {"type": "array"}})
    change = judged(old, new, sends=["to"])
    assert (change.verdict, change.for_anyone[0].verdict, change.told) == ("breaking", "breaking", "compatible")
    assert change.for_anyone[0].witness is not None
