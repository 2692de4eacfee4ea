"""Each way in which a tool can be malformed is told apart, and costs what the runtime's data says."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from contractd.contracts.manifest import build_manifest
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.malformed import cases_of, loss
from contractd.runtimes.profile import Case, Cost, Profile

OBJECT = {"type": "object"}
GOOD = {"name": "good", "inputSchema": OBJECT}

FLAWED: list[tuple[dict[str, Any], list[str]]] = [
    ({"name": "a", "inputSchema": {"type": "string"}}, ["input-not-object"]),
    ({"name": "a", "inputSchema": "x"}, ["input-not-object"]),
    ({"name": "a"}, ["input-missing"]),
    ({"name": "a", "inputSchema": None}, ["input-null"]),
    ({"name": "a", "inputSchema": True}, ["input-boolean"]),
    ({"name": "a", "inputSchema": {}}, ["input-empty-object"]),
    ({"name": "a", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}, ["input-only-$schema"]),
    ({"name": "a", "inputSchema": {**OBJECT, "properties": []}}, ["properties-not-object"]),
    ({"inputSchema": OBJECT}, ["name-missing"]),
    ({"name": "a", "inputSchema": {**OBJECT, "properties": {"x": {"$ref": "#/no"}}}}, ["dangling-$ref"]),
    ({"name": "a", "inputSchema": {**OBJECT, "properties": {"x": {"$ref": "http://h/x"}}}}, ["remote-$ref"]),
    ({"name": "a", "inputSchema": {**OBJECT, "properties": {"x": {"type": "strin"}}}}, ["unknown-type"]),
    ({**GOOD, "outputSchema": {**OBJECT, "properties": {"x": {"$ref": "#/no"}}}}, ["output-dangling-$ref"]),
    ({**GOOD, "outputSchema": "x"}, ["output-not-object"]),
]


def with_costs(costs: dict[str, Any]) -> Profile:
    profile = nearest_profile("opencode", "1.18.18")
    assert profile is not None
    return profile.model_copy(update={"mcp": profile.mcp.model_copy(update={"one_bad_tool_cases": costs})})


@pytest.mark.parametrize(("tool", "cases"), FLAWED, ids=[row[1][0] for row in FLAWED])
def test_a_flaw_is_told_by_its_place_and_kind(tool: dict[str, Any], cases: list[str]) -> None:
    (flawed,) = build_manifest([tool]).flawed
    assert cases_of(flawed) == cases


def test_every_case_is_told_from_some_tool() -> None:
    told = {case for _, cases in FLAWED for case in cases}
    assert told | {"name-twice"} == set(get_args(Case))


@pytest.mark.parametrize("cost", get_args(Cost))
def test_only_what_costs_other_tools_is_a_loss(cost: str) -> None:
    listed = build_manifest([GOOD, {"name": "a"}])
    found = loss(listed, with_costs({"input-missing": cost}), 1, lambda _: False)
    assert (found.cost if found else None) == (cost if cost in ("server-lost", "start-aborts") else None)


def test_the_worst_is_told_first_and_a_case_that_nobody_tried_costs_nothing() -> None:
    listed = build_manifest([{"name": "a"}, {"name": "b", "inputSchema": None}, {"name": "c", "inputSchema": {}}])
    costs = {"input-missing": "server-lost", "input-null": "start-aborts"}
    found = loss(listed, with_costs(costs), 1, lambda _: True)
    assert found is not None and (found.cost, found.tool) == ("start-aborts", "b")
    assert loss(build_manifest([{"name": "c", "inputSchema": {}}]), with_costs(costs), 1, lambda _: True) is None


def test_where_the_data_has_no_cases_the_runtime_answers() -> None:
    listed = build_manifest([GOOD, {"name": "a"}])
    found = loss(listed, with_costs({}), 1, lambda flawed: flawed.name == "a")
    assert found is not None and (found.cost, found.tool) == ("server-lost", "a")
    assert loss(listed, None, 1, lambda _: False) is None
