"""A contract's identity, its annotations, and the examination that a listed tool must pass."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts import Contract, FlawedTool, parse_tool, parse_tools
from contractd.contracts.bounds import MAX_LIST_NODES, Allowance, excess
from contractd.contracts.manifest import build_manifest

TOOL = {
    "name": "send",
    "title": "Send",
    "description": "Send a message.",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
}


def contract(**changes: Any) -> Contract:
    tool = parse_tool({**TOOL, **changes})
    assert isinstance(tool, Contract), tool
    return tool


def test_a_contract_knows_its_parameters() -> None:
    tool = contract()
    assert tool.parameters == {"to": {"type": "string"}} and tool.required == ("to",)
    assert contract(inputSchema={"type": "object"}).parameters == {}
    assert contract(inputSchema={"type": "object"}).required == ()


def test_the_digest_covers_name_schemas_and_annotations_and_not_what_the_model_reads() -> None:
    digest = contract().digest
    assert digest.startswith("sha256:") and len(digest) == 71
    for same in ({"title": "Other"}, {"description": None}, {"_meta": {"x": 1}}, {"icons": []}, {"execution": {}}):
        assert contract(**same).digest == digest
    for other in (
        {"name": "Send"},
        {"inputSchema": {"type": "object"}},
        {"outputSchema": {"type": "object"}},
        {"outputSchema": True},
        {"annotations": {"readOnlyHint": True}},
        {"annotations": {"destructiveHint": False}},
        {"annotations": {"idempotentHint": True}},
        {"annotations": {"openWorldHint": False}},
    ):
        assert contract(**other).digest != digest, other


def test_the_description_digest_covers_exactly_title_and_description() -> None:
    digest = contract().description_digest
    assert contract(inputSchema={"type": "object"}, name="x").description_digest == digest
    assert contract(description="Send a message!").description_digest != digest
    assert contract(title="Sent").description_digest != digest


def test_hints_left_out_and_hints_given_as_their_defaults_are_one_contract() -> None:
    spelled = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
    assert contract(annotations=spelled).digest == contract().digest == contract(annotations={}).digest
    assert contract(annotations={"title": "x", "readOnlyHint": "yes"}).digest == contract().digest
    assert contract(annotations=spelled).annotations.declared == set(spelled)


def test_hints_that_mean_nothing_beside_read_only_make_no_other_contract() -> None:
    read_only = contract(annotations={"readOnlyHint": True})
    assert contract(annotations={"readOnlyHint": True, "destructiveHint": True}).digest == read_only.digest
    assert contract(annotations={"readOnlyHint": True, "idempotentHint": False}).digest == read_only.digest


@pytest.mark.parametrize(
    ("hints", "effect"),
    [
        ({}, None),
        ({"idempotentHint": True}, None),
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "destructiveHint": True}, "read"),
        ({"readOnlyHint": False}, "write"),
        ({"destructiveHint": True}, "destructive"),
        ({"destructiveHint": False}, "write"),
        ({"readOnlyHint": False, "destructiveHint": True}, "destructive"),
    ],
)
def test_the_effect_is_what_the_server_says_and_none_where_it_says_nothing(hints: Any, effect: str | None) -> None:
    assert contract(annotations=hints).annotations.effect == effect


def test_the_title_falls_back_to_that_of_the_annotations() -> None:
    assert contract(title=None, annotations={"title": "Old place"}).title == "Old place"
    assert contract(annotations={"title": "Old place"}).title == "Send"


def test_names_are_bounded() -> None:
    assert contract(name="x" * 512).name == "x" * 512
    flawed = parse_tool({**TOOL, "name": "x" * 513})
    assert isinstance(flawed, FlawedTool) and flawed.name == "x" * 512


@pytest.mark.parametrize(
    ("changes", "conforms"),
    [
        ({"inputSchema": {"type": "object", "properties": {"a": {"type": "strin"}}}}, True),
        ({"inputSchema": {"type": "object", "$schema": "urn:x"}}, True),
        ({"inputSchema": {"type": "object", "$ref": "#"}}, True),
        ({"inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}, False),
        ({"inputSchema": {}}, False),
        ({"inputSchema": None}, False),
        ({"inputSchema": {"type": "object", "properties": []}}, False),
        ({"inputSchema": {"type": "object", "required": "a"}}, False),
        ({"outputSchema": 5}, False),
        ({"title": 5}, False),
        ({"annotations": []}, False),
    ],
)
def test_a_flawed_tool_says_whether_it_has_the_shape_that_sdks_insist_on(changes: Any, conforms: bool) -> None:
    """Clients built on the official SDKs lose the whole list to a tool that has not."""
    tool = parse_tool({**TOOL, **changes})
    assert isinstance(tool, FlawedTool) and tool.conforms is conforms


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)
KEYWORDS = st.sampled_from(
    ["type", "properties", "$ref", "$id", "$defs", "allOf", "items", "required", "enum", "not", "pattern", "$schema",
     "$anchor", "$dynamicRef", "additionalProperties", "dependencies", "id", "minimum", "if", "format", "const"]
)  # fmt: skip
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    JSON | st.sampled_from(["#", "#/$defs/a", "#a", "http://127.0.0.1:9/", "object", "string"]),
    lambda inner: st.dictionaries(KEYWORDS, inner, max_size=5) | st.lists(inner, max_size=3),
    max_leaves=20,
)


@given(
    st.fixed_dictionaries(
        {"name": st.text(min_size=1, max_size=5), "inputSchema": SCHEMAS.map(lambda s: {"type": "object", "p": s})},
        optional={"outputSchema": SCHEMAS, "annotations": JSON, "title": JSON, "description": JSON},
    )
    | JSON
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_listed_becomes_a_contract_with_a_digest_or_a_flaw_with_a_reason(raw: Any) -> None:
    tool = parse_tool(raw)
    if isinstance(tool, Contract):
        assert tool.digest and tool.description_digest
    else:
        assert tool.flaws and all(flaw.message and flaw.pointer in ("", flaw.pointer) for flaw in tool.flaws)


@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)))
@settings(max_examples=150, deadline=None)
def test_any_schema_is_examined_without_an_exception(schema: Any) -> None:
    parse_tool({"name": "x", "inputSchema": {**schema, "type": "object"}, "outputSchema": schema})


@given(st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_manifest_digest_is_stable_under_the_order_of_tools_and_keys(chance: random.Random) -> None:
    tools: list[Any] = [{**TOOL, "name": f"t{number}"} for number in range(12)]
    mixed = [shuffled(tool, chance) for tool in tools]
    chance.shuffle(mixed)
    assert build_manifest(mixed).digest == build_manifest(tools).digest
    assert build_manifest(mixed[1:]).digest != build_manifest(tools).digest


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(inner, chance) for inner in value] if isinstance(value, list) else value


def test_order_is_kept_in_the_list_itself_and_a_flawed_tool_keeps_its_place() -> None:
    good, flawed = parse_tools([TOOL, 5, {**TOOL, "name": "b"}, {"name": "c"}])
    assert [tool.name for tool in good] == ["send", "b"]
    assert [(tool.name, tool.index) for tool in flawed] == [(None, 1), ("c", 3)]


def test_bounds_hold_for_depth_size_text_and_numbers() -> None:
    assert excess({"a": [1, 2.5, "x", None, True]}) is None
    deep: Any = 1
    for _ in range(64):
        deep = [deep]
    assert "deeper than 64" in str(excess(deep)) and excess(deep[0]) is None
    assert "50,000 values" in str(excess([0] * 50_000))
    assert "characters" in str(excess({"x" * 5_000_000: 1})) and "characters" in str(excess(["x" * 5_000_000]))
    for number in (float("nan"), float("inf"), 10**400, -(10**400)):
        assert "number" in str(excess([number]))
    assert excess([10**308, 1.7976931348623157e308]) is None


def test_what_one_list_may_cost_is_bounded_as_a_whole() -> None:
    """Each tool within its bounds, many of them: those past the allowance are not examined, and that is said."""
    allowance = Allowance(100)
    assert excess([0] * 60, allowance) is None
    assert "list it stands in" in str(excess([0] * 60, allowance))
    assert "list it stands in" in str(excess(1, allowance))
    big = {**TOOL, "inputSchema": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(9000)}}}
    manifest = build_manifest([{**big, "name": f"t{number}"} for number in range(30)])
    examined = MAX_LIST_NODES // 18_000
    assert len(manifest.tools) in (examined - 1, examined)
    assert all("list it stands in" in tool.flaws[0].message for tool in manifest.flawed)
    assert len(manifest.tools) + len(manifest.flawed) == 30
