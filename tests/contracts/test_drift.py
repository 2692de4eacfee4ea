"""Two contracts, two manifests: what changed, in which words, and whom it breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contractd.contracts import Contract, compare, compare_manifests, compare_schemas, parse_tool
from contractd.contracts.drift import ContractChange
from contractd.contracts.drift.told import told_of
from contractd.contracts.manifest import Manifest, build_manifest
from tests.contracts.compat.schemas import VALUES, judge, schemas

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
EITHER = [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]


def tool(properties: dict[str, Any] | None = None, *required: str, **more: Any) -> Contract:
    """A tool called ``t``; ``more``: its other members, and keywords of its input schema under ``schema``."""
    schema = {"type": "object", "properties": properties or {}, "required": list(required), **more.pop("schema", {})}
    parsed = parse_tool({"name": "t", "inputSchema": schema, **more})
    assert isinstance(parsed, Contract), parsed
    return parsed


def kinds(old: Contract, new: Contract) -> dict[str, str]:
    """The kinds of the changes, each with its effect."""
    return {change.kind: change.effect for change in compare(old, new).changes}


# ---- kinds


@pytest.mark.parametrize(
    ("old", "new", "kind", "effect", "told"),
    [
        (tool({"a": TEXT}), tool({"a": TEXT, "b": TEXT}, "b"), "added-required", "narrows", "breaking"),
        (tool({"a": TEXT}), tool({"a": TEXT}, "a"), "newly-required", "narrows", "breaking"),
        (tool({"a": TEXT}, "a"), tool({"a": TEXT}), "required-removed", "widens", "compatible"),
        (tool({"a": TEXT}), tool({"a": TEXT, "b": TEXT}), "parameter-added", "narrows", "compatible"),
        (tool({"a": TEXT, "b": TEXT}), tool({"a": TEXT}), "parameter-removed", "widens", "compatible"),
        (tool({"a": TEXT}), tool(), "parameters-lost", "narrows", "compatible"),
        (tool({"a": TEXT}), tool({"a": {**TEXT, "default": "x"}}), "default-changed", "neither", "compatible"),
        (
            tool({"a": TEXT}),
            tool({"a": TEXT}, schema={"additionalProperties": False}),
            "object-closed",
            "narrows",
            "compatible",
        ),
        (
            tool({"a": TEXT}, schema={"additionalProperties": False}),
            tool({"a": TEXT}),
            "object-opened",
            "widens",
            "compatible",
        ),
        (
            tool({"a": TEXT}, schema={"$schema": "http://json-schema.org/draft-07/schema#"}),
            tool({"a": TEXT}, schema={"$schema": "https://json-schema.org/draft/2020-12/schema"}),
            "dialect-changed",
            "neither",
            "compatible",
        ),
        (tool(), tool(outputSchema={"type": "object"}), "output-schema-added", "narrows", "compatible"),
        (tool(outputSchema={"type": "object"}), tool(), "output-schema-removed", "widens", "breaking"),
        (
            tool(outputSchema={"type": "object", "properties": {"n": NUMBER}}),
            tool(outputSchema={"type": "object", "properties": {"n": {"type": "number"}}}),
            "type-widened",
            "widens",
            "breaking",
        ),
        (tool(description="a"), tool(description="b"), "description-changed", "neither", "compatible"),
        (tool(title="a"), tool(), "title-changed", "neither", "compatible"),
    ],
)
def test_a_change_has_its_kind_its_effect_and_a_verdict(
    old: Contract, new: Contract, kind: str, effect: str, told: str
) -> None:
    change = compare(old, new)
    assert {item.kind: item.effect for item in change.changes}.get(kind) == effect
    assert change.told == told
    assert not change.unchanged


def test_pointers_lead_into_the_tool_as_it_is_listed() -> None:
    change = compare(tool({"a/b": TEXT}), tool({"a/b": NUMBER}, title="x"))
    places = {item.kind: (item.pointer_old, item.pointer_new, item.rule) for item in change.changes}
    here = "/inputSchema/properties/a~1b/type"
    assert places["type-changed"] == (here, here, "arguments-type-changed")
    assert places["title-changed"] == (None, "/title", "description-title-changed")


def test_the_same_bounds_written_otherwise_are_no_change_of_what_is_accepted() -> None:
    old = tool({"n": {**NUMBER, "exclusiveMinimum": 0, "exclusiveMaximum": 1000000}})
    new = tool({"n": {**NUMBER, "minimum": 1, "maximum": 999999}})
    change = compare(old, new)
    assert (change.verdict, change.told) == ("compatible", "compatible")
    assert change.changes == ()


# ---- renamed parameters


@pytest.mark.parametrize(
    ("old", "new", "pair"),
    [
        (tool({"userId": TEXT}), tool({"user_id": TEXT}), ("userId", "user_id")),
        (tool({"startRef": TEXT}, "startRef"), tool({"startTarget": TEXT}, "startTarget"), ("startRef", "startTarget")),
        (tool({"ref": TEXT}, "ref"), tool({"target": TEXT}, "target"), ("ref", "target")),
        (
            tool({"q": {**TEXT, "description": "what to search for"}}),
            tool({"terms": {**TEXT, "description": "what to search for, in words"}}),
            ("q", "terms"),
        ),
    ],
)
def test_a_parameter_with_another_name_is_recognised(old: Contract, new: Contract, pair: tuple[str, str]) -> None:
    (found,) = [item for item in compare(old, new).changes if item.kind == "parameter-renamed"]
    assert (found.pointer_old, found.pointer_new) == tuple(f"/inputSchema/properties/{name}" for name in pair)
    assert {"parameter-added", "parameter-removed"}.isdisjoint(kinds(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (tool({"userId": TEXT}), tool({"user_id": NUMBER})),  # another kind of value
        (tool({"raw": TEXT}), tool({"size": TEXT})),  # nothing says that they are one
        (tool({"a": TEXT, "b": TEXT}, "a", "b"), tool({"x": TEXT, "y": TEXT}, "x", "y")),  # which is which
    ],
)
def test_a_parameter_that_is_merely_gone_has_no_new_name(old: Contract, new: Contract) -> None:
    assert {"parameter-added", "parameter-removed"} <= set(kinds(old, new))
    assert "parameter-renamed" not in kinds(old, new)


# ---- annotations


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"readOnlyHint": True}, {}, {"read-only-lost", "destructive-gained", "idempotent-lost"}),
        ({"destructiveHint": False}, {}, {"destructive-gained"}),
        ({"idempotentHint": True}, {"idempotentHint": False}, {"idempotent-lost"}),
        ({"openWorldHint": False}, {}, {"open-world-gained"}),
    ],
)
def test_hints_are_judged_by_danger_with_the_defaults_in_place(
    old: dict[str, bool], new: dict[str, bool], expected: set[str]
) -> None:
    there, back = (compare(tool(annotations=a), tool(annotations=b)).changes for a, b in ((old, new), (new, old)))
    assert {item.kind for item in there} == expected
    assert {item.effect for item in there} == {"riskier"}
    assert {item.effect for item in back} == {"safer"}


def test_stating_a_default_changes_nothing() -> None:
    stated = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
    assert compare(tool(), tool(annotations=stated)).unchanged


# ---- verdicts, and for whom


def test_an_optional_parameter_more_breaks_only_calls_that_nobody_was_told_of() -> None:
    change = compare(tool({"a": TEXT}), tool({"a": TEXT, "b": TEXT}))
    assert (change.verdict, change.told) == ("breaking", "compatible")
    assert change.arguments.witness is not None
    assert set(change.arguments.witness.value) == {"b"}


@pytest.mark.parametrize("integer", [NUMBER, {"type": ["integer", "null"]}, {"anyOf": [NUMBER, {"type": "null"}]}])
def test_an_integer_bound_where_json_stops_being_exact_breaks_no_call(integer: Any) -> None:
    change = compare(tool({"n": integer}), tool({"n": {**integer, "maximum": 2**53 - 1}}))
    assert (change.verdict, change.told) == ("breaking", "compatible")
    nearer = compare(tool({"n": integer}), tool({"n": {**integer, "maximum": 2**53 - 2}}))
    assert nearer.told == "breaking"


def test_the_witness_for_who_keeps_to_the_contract_names_nothing_else() -> None:
    old, new = tool({"a": TEXT, "c": NUMBER}), tool({"a": TEXT, "b": TEXT, "c": {**NUMBER, "maximum": 9}})
    arguments, _ = compare(old, new).judged
    assert arguments.witness is not None
    assert arguments.witness.value == {"c": 10}


@pytest.mark.parametrize(
    ("old", "new", "refusal"),
    [
        (tool(), tool({"a": TEXT}, "a"), ("", "required", "/required", "a")),
        (
            tool({"a": TEXT}),
            tool({"b": TEXT}, schema={"additionalProperties": False}),
            ("", "additionalProperties", "/additionalProperties", "a"),
        ),
        (
            tool({"a": {"type": "array", "items": TEXT}}),
            tool({"a": {"type": "array", "items": {"enum": ["x"]}}}),
            ("/a/0", "enum", "/properties/a/items/enum", None),
        ),
    ],
)
def test_what_refuses_a_witness_is_a_path_and_a_rule(old: Contract, new: Contract, refusal: tuple[Any, ...]) -> None:
    change = compare(old, new)
    found = change.refusal(change.judged[0])
    assert found is not None
    assert (found.pointer, found.keyword, found.schema_pointer, found.property) == refusal


# ---- laws

CALM = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

TOOLS = st.builds(
    lambda schema, output, texts: parse_tool(
        {
            "name": "t",
            "inputSchema": {"type": "object", "properties": {"a": schema, "b": output}},
            "outputSchema": output,
            "description": texts,
        }
    ),
    schemas("2020-12"),
    schemas("2020-12"),
    st.sampled_from(["one", "other"]),
).filter(lambda parsed: isinstance(parsed, Contract))


@CALM
@given(TOOLS)
def test_a_contract_is_unchanged_from_itself(one: Contract) -> None:
    change = compare(one, one)
    assert (change.unchanged, change.verdict, change.told) == (True, "compatible", "compatible")


@CALM
@given(TOOLS, TOOLS)
def test_verdicts_are_those_of_the_schemas_and_who_keeps_to_the_contract_is_never_worse_off(
    old: Contract, new: Contract
) -> None:
    change = compare(old, new)
    arguments = compare_schemas(old.input_schema, new.input_schema)
    results = compare_schemas(old.output_schema, new.output_schema, "results")
    for found, expected in ((change.arguments, arguments), (change.results, results)):
        # A slow machine may leave either unknown, and neither wrong.
        assert found.verdict == expected.verdict or "unknown" in (found.verdict, expected.verdict)
    if change.verdict == "compatible":
        assert change.told == "compatible"
    assert change.told == "breaking" or not _proven(change)


def test_a_break_without_a_change_that_can_be_named_is_no_unchanged_contract() -> None:
    found = compare(tool({"a": TEXT}), tool({"a": TEXT}, "a"))
    assert not replace(found, changes=()).unchanged


def _proven(change: ContractChange) -> bool:
    return any(found.witness is not None for found in change.judged)


@CALM
@given(schemas("2020-12"), st.sampled_from(["arguments", "results"]))
def test_what_is_told_of_a_schema_is_a_part_of_it(schema: Any, direction: Any) -> None:
    told, whole = judge(told_of(schema, direction), "2020-12"), judge(schema, "2020-12")
    assert not [value for value in VALUES if told.quick(value) is True and whole.quick(value) is False]


# ---- manifests


def named(name: str, *parameters: str, **more: Any) -> dict[str, Any]:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}, **more}


def manifest(*tools: Any) -> Manifest:
    return build_manifest(list(tools))


def renames(old: Manifest, new: Manifest) -> dict[str, str]:
    return {rename.old.name: rename.new.name for rename in compare_manifests(old, new).renamed}


def test_each_tool_is_in_one_place() -> None:
    old = manifest(named("kept", "a"), named("changed", "a"), named("gone", "x"))
    new = manifest(named("changed", "a", "b"), named("fresh", "y"), named("kept", "a"))
    change = compare_manifests(old, new)
    assert [one.new.name for one in change.changed] == ["changed"]
    assert ([one.name for one in change.removed], [one.name for one in change.added]) == (["gone"], ["fresh"])
    assert (change.unchanged, change.renamed, change.lost) == (("kept",), (), ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (named("tavily-search", "query"), named("tavily_search", "query", "topic")),
        (named("printEnv"), named("get-env")),
        (named("add", "a", "b"), named("get-sum", "a", "b")),
        (named("browser_wait", "time"), named("browser_wait_for", "time", "text")),
        (named("annotatedMessage", "type"), named("get-annotated-message", "type")),
    ],
)
def test_a_tool_with_another_name_is_recognised(old: dict[str, Any], new: dict[str, Any]) -> None:
    others = [named(f"other{number}", f"p{number}") for number in range(3)]
    assert renames(manifest(old, *others), manifest(*others, new)) == {old["name"]: new["name"]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([named("git_diff", "a")], [named("git_diff_staged", "a"), named("git_diff_unstaged", "a")]),  # which one?
        ([named("search_code", "pattern")], [named("start_search", "root")]),
        ([named("read", "path")], [named("write", "path")]),
        ([named("stop")], [named("start")]),
    ],
)
def test_a_tool_that_is_merely_gone_has_no_new_name(old: list[Any], new: list[Any]) -> None:
    assert renames(manifest(*old), manifest(*new)) == {}


def test_a_word_that_most_names_have_makes_none_of_them_near() -> None:
    old = manifest(*(named(f"browser_{word}") for word in ("alpha", "beta", "gamma", "delta")))
    new = manifest(*(named(f"browser_{word}") for word in ("one", "two", "three", "four")))
    assert renames(old, new) == {}


def test_a_tool_that_is_listed_and_no_contract_any_more_is_told_apart() -> None:
    lost = {"name": "t", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}
    change = compare_manifests(manifest(named("t", "a")), manifest(lost))
    assert [(contract.name, flawed.flaws[0].kind) for contract, flawed in change.lost] == [("t", "parameters-lost")]
    assert (change.removed, change.changed) == ((), ())
    still = compare_manifests(manifest(lost), manifest(lost))
    assert [flawed.name for flawed in still.unreadable] == ["t"]
    mended = compare_manifests(manifest(lost), manifest(named("t", "a")))
    assert [contract.name for contract in mended.added] == ["t"]


def test_past_its_time_a_comparison_is_unknown_and_never_counted_as_safe() -> None:
    old = manifest(named("first", "a"), named("second", "a"))
    required = {"inputSchema": {**named("x", "a")["inputSchema"], "required": ["a"]}}
    new = manifest({"name": "first", **required}, {"name": "second", **required})
    times = iter([0.0, 1.0, 99.0])
    change = compare_manifests(old, new, seconds=60, clock=lambda: next(times))
    assert [one.told for one in change.changed] == ["breaking", "unknown"]


def test_a_hundred_tools_of_which_few_changed_cost_no_schema_work_but_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counted(old: Contract, new: Contract, **more: Any) -> ContractChange:
        compared.append(new.name)
        return compare(old, new, **more)

    monkeypatch.setattr("contractd.contracts.drift.manifest.compare", counted)
    old = manifest(*(named(f"t{number}", "a", f"b{number}") for number in range(100)))
    new = manifest(*(named(f"t{number}", "a", f"b{number}", *(["c"] if number < 3 else [])) for number in range(100)))
    change = compare_manifests(old, new)
    assert compared == ["t0", "t1", "t2"]
    assert len(change.unchanged) == 97


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
EITHER = [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]
ID, MAIL = {"properties": {"id": TEXT}, "required": ["id"]}, {"properties": {"email": TEXT}, "required": ["email"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            {"properties": {"note": TEXT}, "required": ["seat"]},
            {"properties": {"note": NUMBER}, "required": ["seat", "card"]},
        ),
        (
            {"properties": {"to": {"type": "object", "properties": {"a": TEXT}, "required": ["b"]}}},
            {"properties": {"to": TEXT}},
        ),
        (
            {"properties": {"a": TEXT}, "dependentRequired": {"a": ["b"]}, "required": ["a"]},
            {"properties": {"a": NUMBER}, "dependentRequired": {"a": ["b"]}, "required": ["a"]},
        ),
        ({"properties": {"a": TEXT}, "minProperties": 2}, {"properties": {"a": NUMBER}, "minProperties": 2}),
        (
            {"properties": {"o": {"properties": {"a": TEXT}, "enum": [{"a": "x", "b": 1}]}}, "required": ["o"]},
            {"properties": {"o": TEXT}, "required": ["o"]},
        ),
        (
            {"properties": {"id": {"type": "integer", "minimum": 2**60}}, "required": ["id"]},
            {"properties": {"id": TEXT}, "required": ["id"]},
        ),
        ({"anyOf": [ID, MAIL]}, {"oneOf": [ID, MAIL]}),
        ({"anyOf": [ID, MAIL]}, {"anyOf": [ID, MAIL], "maxProperties": 1}),
        (
            {
                "$defs": {"a": ID, "b": MAIL},
                "properties": {"x": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}},
            },
            {
                "$defs": {"a": ID, "b": MAIL},
                "properties": {"x": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}},
            },
        ),
    ],
)
def test_what_is_told_never_hides_a_call_that_keeps_to_what_was_named(before: Any, after: Any) -> None:
    """Closing an object must not leave it without a value, nor shut out what another alternative declares."""
    old, new = (tool(schema=schema) for schema in (before, after))
    assert compare(old, new).told == "breaking"


def test_alternatives_that_a_mark_keeps_apart_are_closed_one_by_one() -> None:
    def union(**more: Any) -> dict[str, Any]:
        one = {"properties": {"kind": {"const": "a"}, "x": TEXT}, "required": ["kind"]}
        other = {"properties": {"kind": {"const": "b"}, "y": TEXT, **more}, "required": ["kind"]}
        return {"type": "object", "properties": {"what": {"anyOf": [one, other]}}}

    change = compare(tool(schema=union()), tool(schema=union(z=NUMBER)))
    assert (change.verdict, change.told) == ("breaking", "compatible")
