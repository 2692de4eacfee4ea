"""Real servers in two versions, captured, where they are at hand: what changed is found, and nothing else breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contractd.contracts import compare_manifests
from contractd.contracts.drift import ManifestChange
from contractd.contracts.manifest import build_manifest

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not (CASES / "drift_pairs.json").exists(), reason=f"needs {CASES}: captured manifests")


def captured(label: str) -> Any:
    path = CASES / "manifests" / f"{label.replace('/', '__')}.json"
    return build_manifest(json.loads(path.read_text("utf-8"))["tools"])


def change(old: str, new: str) -> ManifestChange:
    return compare_manifests(captured(old), captured(new))


def breaking(found: ManifestChange) -> set[str]:
    return {one.new.name for one in found.changed if one.told != "compatible"}


def kinds(found: ManifestChange, tool: str) -> dict[str, tuple[str | None, str | None]]:
    """The places of each kind of change of a tool; of a kind that is there twice, one of them."""
    (one,) = [one for one in found.changed if one.new.name == tool]
    return {item.kind: (item.pointer_old, item.pointer_new) for item in one.changes}


def renamed(found: ManifestChange) -> dict[str, str]:
    return {rename.old.name: rename.new.name for rename in found.renamed}


def removed(found: ManifestChange) -> set[str]:
    return {tool.name for tool in found.removed}


# For each pair of drift_pairs.json: what breaks whoever keeps to the contract, what is gone, and what has another name.
EXPECTED: dict[tuple[str, str], tuple[set[str], set[str], dict[str, str]]] = {
    ("tavily-mcp@0.1.4", "tavily-mcp@0.2.22"): (
        set(), set(), {"tavily-search": "tavily_search", "tavily-extract": "tavily_extract"},
    ),
    ("mcp-atlassian@0.2.0", "mcp-atlassian@0.23.1"): ({"confluence_search"}, set(), {}),
    ("mcp-server-git@0.3.0", "mcp-server-git@0.6.2"): (
        set(),
        {
            "git_read_file", "git_list_files", "git_file_history", "git_search_code", "git_get_diff",
            "git_get_repo_structure", "git_list_repos", "git_list_branches", "git_list_tags",
        },
        {},
    ),
    ("mcp-server-git@0.6.2", "mcp-server-git@2025.7.1"): (set(), set(), {}),
    ("mcp-server-git@2025.7.1", "mcp-server-git@2026.10.19"): ({"git_add"}, {"git_init"}, {}),
    ("mcp-server-time@0.6.2", "mcp-server-time@2026.10.19"): (set(), set(), {}),
    ("mcp-server-time@2025.9.25", "mcp-server-time@2026.10.19"): (set(), set(), {}),
    ("mcp-server-motherduck@0.6.0", "mcp-server-motherduck@1.1.0"): (set(), set(), {"query": "execute_query"}),
    ("@modelcontextprotocol/server-everything@0.6.2", "@modelcontextprotocol/server-everything@2025.8.18"): (
        set(), set(), {},
    ),
    ("@modelcontextprotocol/server-everything@2025.8.18", "@modelcontextprotocol/server-everything@2026.8.31"): (
        set(),
        {"sampleLLM", "startElicitation"},  # listed only to clients that offer sampling and elicitation
        {
            "add": "get-sum", "longRunningOperation": "trigger-long-running-operation", "printEnv": "get-env",
            "getTinyImage": "get-tiny-image", "annotatedMessage": "get-annotated-message",
            "getResourceReference": "get-resource-reference", "getResourceLinks": "get-resource-links",
            "structuredContent": "get-structured-content",
        },
    ),
    ("@modelcontextprotocol/server-memory@0.6.2", "@modelcontextprotocol/server-memory@2026.8.31"): (set(), set(), {}),
    (
        "@modelcontextprotocol/server-sequential-thinking@0.6.2",
        "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    ): (set(), set(), {}),
    ("@playwright/mcp@0.0.10+zod3", "@playwright/mcp@0.0.30+zod3"): (
        set(), set(), {"browser_wait": "browser_wait_for"},
    ),
    ("@playwright/mcp@0.0.30+zod3", "@playwright/mcp@0.0.83"): (
        {
            "browser_click", "browser_hover", "browser_type", "browser_select_option", "browser_drag",
            "browser_console_messages", "browser_network_requests", "browser_take_screenshot",
        },
        {
            "browser_tab_list", "browser_tab_new", "browser_tab_select", "browser_tab_close", "browser_install",
            "browser_navigate_forward", "browser_pdf_save", "browser_generate_playwright_test",
        },
        {},
    ),
    ("@wonderwhy-er/desktop-commander@0.1.39", "@wonderwhy-er/desktop-commander@0.2.52"): (
        {"set_config_value"},
        {"execute_command", "search_code", "search_files"},
        {"read_output": "read_process_output"},
    ),
}  # fmt: skip


def test_every_pair_that_is_at_hand_is_expected_to_be_something() -> None:
    pairs = json.loads((CASES / "drift_pairs.json").read_text("utf-8"))
    assert {(pair["old"], pair["new"]) for pair in pairs} == set(EXPECTED)


@pytest.mark.parametrize("pair", EXPECTED, ids=lambda pair: f"{pair[0]} {pair[1]}")
def test_what_breaks_is_found_and_nothing_else_is_called_breaking(pair: tuple[str, str]) -> None:
    found = change(*pair)
    assert (breaking(found), removed(found), renamed(found)) == EXPECTED[pair]
    assert found.lost == found.unreadable == ()
    for one in found.changed:
        if one.told == "breaking":
            assert any(judged.witness and one.refusal(judged) for judged in one.judged)


def test_parameters_with_another_name_are_recognised() -> None:
    found = change("@playwright/mcp@0.0.30+zod3", "@playwright/mcp@0.0.83")
    for tool in ("browser_click", "browser_hover", "browser_type", "browser_select_option"):
        here = "/inputSchema/properties"
        assert kinds(found, tool)["parameter-renamed"] == (f"{here}/ref", f"{here}/target")
    (drag,) = [one for one in found.changed if one.new.name == "browser_drag"]
    pairs = {(item.pointer_old, item.pointer_new) for item in drag.changes if item.kind == "parameter-renamed"}
    assert {tuple(str(place).rpartition("/")[2] for place in pair) for pair in pairs} == {
        ("startRef", "startTarget"),
        ("endRef", "endTarget"),
    }


def test_new_and_newly_required_parameters_are_told_apart() -> None:
    playwright = change("@playwright/mcp@0.0.30+zod3", "@playwright/mcp@0.0.83")
    for tool in ("browser_console_messages", "browser_network_requests", "browser_take_screenshot"):
        assert "added-required" in kinds(playwright, tool)
    assert "parameter-removed" in kinds(playwright, "browser_take_screenshot")  # raw
    commander = change("@wonderwhy-er/desktop-commander@0.1.39", "@wonderwhy-er/desktop-commander@0.2.52")
    assert "newly-required" in kinds(commander, "set_config_value")
    assert "required-removed" in kinds(commander, "edit_block")


def test_dialects_hints_and_openness_are_seen() -> None:
    playwright = change("@playwright/mcp@0.0.30+zod3", "@playwright/mcp@0.0.83")
    assert all("dialect-changed" in kinds(playwright, one.new.name) for one in playwright.changed)
    for tool in ("browser_close", "browser_hover", "browser_resize", "browser_navigate_back"):
        assert "read-only-lost" in kinds(playwright, tool)
    everything = change(
        "@modelcontextprotocol/server-everything@2025.8.18", "@modelcontextprotocol/server-everything@2026.8.31"
    )
    assert "object-opened" in kinds(everything, "echo")
    thinking = change(
        "@modelcontextprotocol/server-sequential-thinking@0.6.2",
        "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    )
    assert "type-widened" in kinds(thinking, "sequentialthinking")


def test_lost_parameters_bounds_and_output_schemas_are_seen() -> None:
    early = change("mcp-server-git@0.3.0", "mcp-server-git@0.6.2")
    assert kinds(early, "git_commit")["parameter-removed"] == ("/inputSchema/properties/files", None)
    assert kinds(early, "git_log")["parameter-removed"] == ("/inputSchema/properties/ref", None)
    late = change("mcp-server-git@2025.7.1", "mcp-server-git@2026.10.19")
    here = "/inputSchema/properties/files/minItems"
    assert kinds(late, "git_add")["bound-tightened"] == (None, here)
    assert all(one.of("annotations") for one in late.changed)
    clock = change("mcp-server-time@2025.9.25", "mcp-server-time@2026.10.19")
    assert all("output-schema-added" in kinds(clock, one.new.name) for one in clock.changed)


@pytest.mark.parametrize("version", ["0.0.10", "0.0.30"])
def test_all_parameters_lost_in_one_version_of_a_package(version: str) -> None:
    found = change(f"@playwright/mcp@{version}+zod3", f"@playwright/mcp@{version}")
    assert found.lost
    assert {flawed.flaws[0].kind for _, flawed in found.lost} == {"parameters-lost"}
    assert (found.changed, found.removed) == ((), ())
