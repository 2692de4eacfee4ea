"""The part of MCP that bootstrap reads: handshake, discovery, pages; what is no such thing is a violation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.wire import (
    LEGACY_VERSIONS,
    MODERN_VERSIONS,
    Page,
    WireViolationError,
    discover_params,
    initialize_params,
    list_params,
    parse_discovery,
    parse_initialized,
    parse_page,
    supported_versions,
)

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["protocolVersion", "supportedVersions", "tools", "nextCursor", "resultType", "_meta", "capabilities",
                 "serverInfo", "io.modelcontextprotocol/serverInfo", "name", "supported"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_any_result_is_read_or_is_a_violation_of_the_protocol(result: Any) -> None:
    for parse in (parse_initialized, parse_discovery, parse_page):
        try:
            parse(result)
        except WireViolationError as error:
            assert str(error)
    assert all(isinstance(version, str) for version in supported_versions(result))


@pytest.mark.parametrize("version", LEGACY_VERSIONS)
def test_each_legacy_version_is_supported(version: str) -> None:
    info = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "n" * 500, "version": 5}}
    read = parse_initialized(info)
    assert read.supported and read.has_tools and read.server == {"name": "n" * 200}


@pytest.mark.parametrize("version", ["1.0", "", "2099-01-01", MODERN_VERSIONS[-1]])
def test_other_versions_in_initialize_are_not(version: str) -> None:
    assert not parse_initialized({"protocolVersion": version}).supported


def test_discovery_takes_the_newest_version_in_common() -> None:
    assert parse_discovery({"supportedVersions": ["2099-01-01", "2026-07-28"]}).protocol_version == "2026-07-28"
    none = parse_discovery({"supportedVersions": ["2099-01-01"]})
    assert none.protocol_version is None and none.offered == ("2099-01-01",)
    assert parse_discovery({"supportedVersions": []}).offered == ()


def test_the_capability_is_there_or_not() -> None:
    for capabilities, has in (({"tools": {}}, True), ({}, False), ({"tools": None}, False), (None, False), ([], False)):
        assert parse_initialized({"protocolVersion": "2025-11-25", "capabilities": capabilities}).has_tools is has


def test_an_empty_text_is_a_cursor_and_only_absence_or_null_ends_the_list() -> None:
    assert parse_page({"tools": [], "nextCursor": ""}) == Page([], "")
    assert parse_page({"tools": [1]}) == Page([1], None)
    null = parse_page({"tools": [1], "nextCursor": None})
    assert (null.tools, null.next_cursor) == ([1], None)
    assert [one.key for one in null.deviations] == ["null tools/list.nextCursor"]


@pytest.mark.parametrize("result", [None, [], "x", {}, {"tools": None}, {"tools": {}}, {"tools": [], "nextCursor": 0},
                                    {"tools": [], "resultType": "task"}, {"tools": [], "resultType": None},
                                    {"tools": [], "resultType": "\x1b" * 900}])  # fmt: skip
def test_a_list_that_cannot_be_read_is_never_an_empty_one(result: Any) -> None:
    with pytest.raises(WireViolationError) as caught:
        parse_page(result)
    assert str(caught.value).isprintable() and len(str(caught.value)) < 300


def test_an_old_result_without_result_type_is_complete_and_complete_is() -> None:
    assert parse_page({"tools": [], "resultType": "complete"}) == Page([], None)


def test_the_modern_era_carries_version_and_capabilities_in_each_request() -> None:
    prefix = "io.modelcontextprotocol/"
    for params in (discover_params("9"), list_params("9", "modern", "2026-07-28", "c")):
        meta = params["_meta"]
        assert meta[prefix + "protocolVersion"] == "2026-07-28" and meta[prefix + "clientCapabilities"] == {}
        assert meta[prefix + "clientInfo"] == {"name": "contractd", "version": "9"}
    assert list_params("9", "modern", "2026-07-28", "")["cursor"] == ""
    assert list_params("9", "legacy", "2025-11-25", None) == {}
    assert initialize_params("9")["protocolVersion"] == LEGACY_VERSIONS[-1]
