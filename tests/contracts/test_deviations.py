"""What departs from MCP's schema is noticed, once for each kind and place; what does not is left in peace."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts.deviations import DISCOVERED, INITIALIZED, MOST, PAGE, TOOL, Shape, deviations
from contractd.contracts.manifest import build_manifest

OBJECT = {"type": "object", "properties": {}}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*INITIALIZED.members, *TOOL.members, "tools", "experimental", "src", "readOnlyHint", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


def noticed(**members: Any) -> list[str]:
    """Of a tool with these members."""
    manifest = build_manifest([{"name": "alpha", "inputSchema": OBJECT, **members}])
    return [deviation.key for deviation in manifest.deviations]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"description": None}, "null tool.description"),
        ({"annotations": None}, "null tool.annotations"),
        ({"outputSchema": None}, "null tool.outputSchema"),
        ({"outputSchema": True}, "wrong-type tool.outputSchema"),
        ({"title": None}, "null tool.title"),
        ({"title": 5}, "wrong-type tool.title"),
        ({"_meta": 3}, "wrong-type tool._meta"),
        ({"icons": 5}, "wrong-type tool.icons"),
        ({"icons": [{"mimeType": "image/png"}]}, "missing tool.icons[].src"),
        ({"icons": [{"src": None}]}, "missing tool.icons[].src"),
        ({"icons": ["a"]}, "wrong-type tool.icons[]"),
        ({"execution": 1}, "wrong-type tool.execution"),
        ({"execution": {"taskSupport": "maybe"}}, "wrong-type tool.execution.taskSupport"),
        ({"annotations": {"readOnlyHint": "yes"}}, "loose-boolean tool.annotations.readOnlyHint"),
        ({"annotations": {"readOnlyHint": 1}}, "loose-boolean tool.annotations.readOnlyHint"),
        ({"annotations": {"readOnlyHint": "maybe"}}, "wrong-type tool.annotations.readOnlyHint"),
        ({"annotations": {"title": 1}}, "wrong-type tool.annotations.title"),
        ({"inputSchema": {**OBJECT, "properties": {"a": True}}}, "boolean-property tool.inputSchema.properties"),
        ({"outputSchema": {**OBJECT, "properties": {"a": {}, "b": False}}},
         "boolean-property tool.outputSchema.properties"),
    ],
)  # fmt: skip
def test_each_departure_of_a_tool_is_noticed_by_kind_and_place(members: dict[str, Any], expected: str) -> None:
    assert noticed(**members) == [expected]


def test_a_tool_with_everything_that_mcp_has_is_left_in_peace() -> None:
    icon = {"src": "data:,", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"}
    hints = {
        "title": "T",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": True,
    }
    assert noticed() == []
    assert noticed(
        title="T",
        description="",
        annotations=hints,
        icons=[icon],
        execution={"taskSupport": "optional"},
        outputSchema={**OBJECT, "properties": {"a": {"type": ["string", "null"]}}},
        _meta={"vendor/x": None},
        vendor=None,
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"serverInfo": ...}, ["missing initialize.serverInfo"]),
        ({"serverInfo": None}, ["missing initialize.serverInfo"]),
        ({"serverInfo": "x"}, ["wrong-type initialize.serverInfo"]),
        ({"serverInfo": {}}, ["missing initialize.serverInfo.name", "missing initialize.serverInfo.version"]),
        ({"serverInfo": {"name": "x", "version": 1}}, ["wrong-type initialize.serverInfo.version"]),
        ({"capabilities": ...}, ["missing initialize.capabilities"]),
        ({"capabilities": []}, ["wrong-type initialize.capabilities"]),
        ({"capabilities": {"tools": True}}, ["wrong-type initialize.capabilities.tools"]),
        ({"capabilities": {"tools": {"listChanged": None}}}, ["null initialize.capabilities.tools.listChanged"]),
        ({"capabilities": {"experimental": {"x": 1}}}, ["wrong-type initialize.capabilities.experimental.*"]),
        ({"capabilities": {"tools": {}, "mine": 1}}, []),
        ({"instructions": 5}, ["wrong-type initialize.instructions"]),
        ({"_meta": 3}, ["wrong-type initialize._meta"]),
    ],
)  # fmt: skip
def test_each_departure_of_a_handshake_is_noticed(changes: dict[str, Any], expected: list[str]) -> None:
    result = {"capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}, "instructions": "", **changes}
    kept = {key: value for key, value in result.items() if value is not ...}
    assert [one.key for one in deviations(kept, INITIALIZED, "initialize")] == expected


def test_a_thousand_tools_of_one_make_are_one_deviation_and_there_is_an_end_to_kinds() -> None:
    raw = {"inputSchema": OBJECT, "description": None}
    (only,) = build_manifest([{"name": f"t{n}", **raw} for n in range(1000)]).deviations
    assert only.tool == "t0" and only.text == "tool.description is null"
    everything = dict.fromkeys((*TOOL.members, "inputSchema"), 5)
    many = [
        {"name": "a", **everything},
        {"name": "b", "icons": [5, {"src": 5, "sizes": [5], "theme": 5, "mimeType": 5}]},
    ]
    assert 8 < len(build_manifest(many * 50).deviations) <= MOST


@given(JSON, st.sampled_from([INITIALIZED, DISCOVERED, PAGE, TOOL]))
@settings(max_examples=300, deadline=None)
def test_any_object_can_be_looked_at(value: Any, shape: Shape) -> None:
    if isinstance(value, dict):
        for deviation in deviations(value, shape, "x"):
            assert deviation.text.isprintable() and deviation.place.startswith("x.")


def test_a_name_that_a_quarantined_tool_bears_as_well_is_listed_twice() -> None:
    broken = {"name": "alpha", "inputSchema": {"type": "object", "properties": {"a": {"type": "zzz"}}}}
    manifest = build_manifest(
        [{"name": "alpha", "inputSchema": OBJECT}, {"name": "beta", "inputSchema": OBJECT}, broken]
    )
    assert manifest.duplicates == ("alpha",) and len(manifest.tools) == 2 and len(manifest.flawed) == 1
