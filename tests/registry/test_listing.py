"""Listing tools: every page, no endless walk, one bad tool alone, and the same digest whatever the order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.specs import names, row, rows, signal_of

GOOD = {"name": "good", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}


async def test_row_42_tools_on_the_second_page_exist(stub: Callable[..., Any]) -> None:
    """Only the first page of tools/list was used: all pages are."""
    got = await row(stub("pages", pages={"first": [["a", "b"], "2"], "2": [["c"], "3"], "3": [["d"], None]}))
    assert names(got) == ["a", "b", "c", "d"]
    assert got.fetched.pages == 3 and not got.fetched.cursor_loop


async def test_row_43_a_cursor_that_never_advances_does_not_multiply_the_tools(stub: Callable[..., Any]) -> None:
    """8 tools became 160: 8 they stay, and the loop is reported."""
    eight = [f"t{number}" for number in range(8)]
    got = await row(stub("pages", pages={"first": [eight, "same"], "same": [eight, "same"]}))
    assert names(got) == eight
    assert got.fetched.cursor_loop and got.fetched.pages == 2
    assert got.fetched.manifest.duplicates == ()


async def test_row_44_an_empty_cursor_that_repeats_the_page_ends_the_walk(stub: Callable[..., Any]) -> None:
    """170,000 requests were sent: two are."""
    got = await row(stub("pages", pages={"first": [["a"], ""], "": [["a"], ""]}))
    assert names(got) == ["a"]
    assert got.fetched.pages == 2 and got.fetched.cursor_loop


async def test_row_44_an_empty_cursor_is_a_cursor_and_its_page_is_fetched(stub: Callable[..., Any]) -> None:
    """The spec: only absence ends the list."""
    got = await row(stub("pages", pages={"first": [["a"], ""], "": [["b"], None]}))
    assert names(got) == ["a", "b"]
    assert not got.fetched.cursor_loop


async def test_row_46_a_shuffled_list_has_the_same_manifest_digest(stub: Callable[..., Any]) -> None:
    """The order was random per call: the digest doesn't see it."""
    got = await rows(*(stub("shuffled", name=str(number), tools=30) for number in range(3)))
    assert len({tuple(names(one)) for one in got}) > 1
    assert len({one.fetched.manifest.digest for one in got}) == 1


async def test_endless_pages_that_repeat_themselves_under_new_cursors_end_as_a_loop(stub: Callable[..., Any]) -> None:
    got = await rows(stub("endless-pages", name="same"), stub("endless-pages", name="empty", empty=True))
    for one in got:
        assert names(one) == ["tool"]
        assert one.fetched.cursor_loop and one.fetched.pages < 10


async def test_an_empty_page_between_full_ones_loses_nothing(stub: Callable[..., Any]) -> None:
    pages = {"first": [["a"], "2"], "2": [[], "3"], "3": [[], "4"], "4": [["b"], None]}
    got = await row(stub("pages", pages=pages))
    assert names(got) == ["a", "b"] and not got.fetched.cursor_loop


async def test_lone_surrogates_in_names_and_cursors_are_text_like_any_other(stub: Callable[..., Any]) -> None:
    got = await row(stub("pages", pages={"first": [["\ud800"], "\udfff"], "\udfff": [["b"], None]}))
    assert names(got) == ["\ud800", "b"] and all(tool.digest for tool in got.fetched.manifest.tools)


async def test_an_invalid_cursor_in_the_first_request_is_an_error_of_the_list(stub: Callable[..., Any]) -> None:
    assert signal_of(await row(stub("pages", pages={"first": -32602}))) == "mcp-list"


async def test_an_error_on_a_later_page_fails_the_list_instead_of_shortening_it(stub: Callable[..., Any]) -> None:
    got = await row(stub("pages", pages={"first": [["a"], "2"], "2": -32603}))
    assert got.fetched is None and signal_of(got) == "mcp-list"


async def test_a_name_listed_twice_is_kept_once_the_later_one_and_named(stub: Callable[..., Any]) -> None:
    one, other = {**GOOD, "description": "first"}, {**GOOD, "description": "second"}
    got = await row(stub("listed", listed=[one, {**GOOD, "name": "x"}, other]))
    assert names(got) == ["good", "x"]
    assert got.fetched.manifest.tools[0].description == "second"
    assert got.fetched.manifest.duplicates == ("good",)


async def test_a_name_on_two_pages_is_a_duplicate_too(stub: Callable[..., Any]) -> None:
    page = {"tools": [GOOD], "nextCursor": "2"}
    got = await row(stub("list-result", result=page))  # the same page whatever the cursor
    assert got.fetched.manifest.duplicates == ()  # the very same tool: a loop, no duplicate
    assert got.fetched.cursor_loop


FLAWED = {
    "not an object": "nonsense",
    "null": None,
    "a number": 5,
    "an array": [],
    "no name": {"inputSchema": {"type": "object"}},
    "a name of the wrong type": {"name": 5, "inputSchema": {"type": "object"}},
    "an empty name": {"name": "", "inputSchema": {"type": "object"}},
    "no inputSchema": {"name": "bad"},
    "a null inputSchema": {"name": "bad", "inputSchema": None},
    "a text as inputSchema": {"name": "bad", "inputSchema": "x"},
    "true as inputSchema": {"name": "bad", "inputSchema": True},
    "an empty inputSchema": {"name": "bad", "inputSchema": {}},
    "another root type": {"name": "bad", "inputSchema": {"type": "string"}},
    "nothing but $schema": {"name": "bad", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}},
    "an unknown dialect": {"name": "bad", "inputSchema": {"$schema": "urn:x", "type": "object"}},
    "an invalid schema": {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"type": "strin"}}}},
    "a dangling $ref": {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/z"}}}},
    "a remote $ref": {"name": "bad", "inputSchema": {"type": "object", "$ref": "http://example.invalid/s"}},
    "a $ref to itself": {"name": "bad", "inputSchema": {"type": "object", "allOf": [{"$ref": "#"}]}},
    "a bad outputSchema": {"name": "bad", "inputSchema": {"type": "object"}, "outputSchema": {"type": 5}},
    "a number as description": {"name": "bad", "inputSchema": {"type": "object"}, "description": 5},
    "a text as annotations": {"name": "bad", "inputSchema": {"type": "object"}, "annotations": "x"},
    "nested too deeply": {"name": "bad", "inputSchema": {"type": "object", "default": [[]]}},
    "a number beyond doubles": {"name": "bad", "inputSchema": {"type": "object", "maximum": 10**400}},
}
for _ in range(70):
    FLAWED["nested too deeply"]["inputSchema"]["default"] = [FLAWED["nested too deeply"]["inputSchema"]["default"]]


async def test_rows_49_50_51_one_malformed_tool_is_quarantined_alone_whatever_its_flaw(
    stub: Callable[..., Any],
) -> None:
    """One bad tool dropped all tools of a server, silently: here each flaw costs its own tool and has a reason."""
    listed: list[Any] = [GOOD, *FLAWED.values(), {**GOOD, "name": "also_good"}]
    got = await row(stub("listed", listed=listed))
    assert names(got) == ["good", "also_good"]
    flawed = got.fetched.manifest.flawed
    assert [tool.index for tool in flawed] == list(range(1, len(FLAWED) + 1))
    kinds = {name: tool.flaws[0].kind for name, tool in zip(FLAWED, flawed, strict=True)}
    assert {name for name, kind in kinds.items() if kind == "parameters-lost"} == {"nothing but $schema"}
    assert {name for name, kind in kinds.items() if kind == "unsupported-dialect"} == {"an unknown dialect"}
    assert all(flaw.message for tool in flawed for flaw in tool.flaws)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_each_legacy_version_is_spoken(stub: Callable[..., Any], version: str) -> None:
    got = await row(stub("legacy", versions=[version]))
    assert (got.fetched.era, got.fetched.protocol_version) == ("legacy", version)
    assert got.fetched.manifest.protocol_version == version


async def test_the_modern_version_is_spoken_and_preferred(stub: Callable[..., Any]) -> None:
    only, both = await rows(stub("modern"), stub("dual"))
    for one in (only, both):
        assert (one.fetched.era, one.fetched.protocol_version) == ("modern", "2026-07-28")
        assert one.fetched.server == {"name": "stub", "version": "1"} and one.fetched.declares_tools


async def test_a_server_without_the_tools_capability_says_so(stub: Callable[..., Any]) -> None:
    got = await row(stub("no-tools-capability"))
    assert names(got) == [] and not got.fetched.declares_tools
