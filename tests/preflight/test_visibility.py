"""Whether the model sees a tool: in every run that is possible, in some, or in none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.configured import servers
from tests.preflight.situations import Bench, named, the, tool

GET = [tool("get_x", "id")]
HEADLESS = {"mode": "headless"}

SEEN: list[tuple[str, dict[str, Any], str, str]] = [
    # runtime, what is said besides, visible, verdict
    ("gemini-cli", {}, "unknown", "undetermined"),
    ("gemini-cli", {"options": {"conditions": HEADLESS}}, "no", "not_ready"),
    ("gemini-cli", {"options": {"conditions": {"approval": "yolo"}}}, "yes", "ready"),
    ("gemini-cli", {"options": {"conditions": {"mode": "interactive"}}}, "yes", "ready"),
    ("gemini-cli", {"options": {"conditions": {"approval": "plan"}}}, "unknown", "undetermined"),
    ("gemini-cli", {"entry": {"trust": True}}, "yes", "ready"),
    ("gemini-cli", {"top": {"mcp": {"allowed": ["mail"]}}}, "yes", "ready"),
    ("gemini-cli", {"top": {"general": {"defaultApprovalMode": "plan"}}}, "unknown", "undetermined"),
    ("qwen-code", {}, "deferred", "ready"),
    ("qwen-code", {"entry": {"alwaysLoadTools": True}}, "yes", "ready"),
    ("qwen-code", {"environ": {"QWEN_CODE_LEGACY_MCP_BLOCKING": "1"}}, "deferred", "ready"),
    ("claude-code", {}, "deferred", "ready"),
    ("claude-code", {"environ": {"ENABLE_TOOL_SEARCH": "auto:5"}}, "deferred", "ready"),
    ("claude-code", {"environ": {"ENABLE_TOOL_SEARCH": "false"}}, "yes", "ready"),
    ("codex-cli", {}, "deferred", "ready"),
    ("opencode", {}, "yes", "ready"),
    ("openhands", {}, "yes", "ready"),
    ("cline", {}, "yes", "ready"),
]


@pytest.mark.parametrize(("runtime", "more", "seen", "verdict"), SEEN, ids=[f"{row[0]} {row[1]}" for row in SEEN])
def test_a_verdict_is_ready_only_where_the_model_surely_sees_the_tools_or_can_search_them(
    bench: Bench, runtime: str, more: dict[str, Any], seen: str, verdict: str
) -> None:
    report = bench.report(servers(runtime, {"mail": GET}, **more))
    assert ([row.visible for row in report.tools], report.verdict) == ([seen], verdict)
    assert bool(named(report, "never-visible")) is (verdict != "ready")


def test_what_is_only_assumed_of_a_run_that_hides_the_tools_is_said(bench: Bench) -> None:
    setup = servers("gemini-cli", {"mail": GET}, options={"conditions": HEADLESS})
    finding = the(bench.report(setup), "never-visible")
    assert finding.message.endswith("1 tool of mail with approval=default, which is assumed")
    assert "say with --condition" in finding.action
    told = the(bench.report(setup.but(options={"conditions": {**HEADLESS, "approval": "plan"}})), "never-visible")
    assert told.message.endswith("1 tool of mail") and "--condition" not in told.action
    simple = the(bench.report(servers("qwen-code", {"mail": GET}, environ={"QWEN_CODE_SIMPLE": "1"})), "CTD308")
    assert "assumed" not in simple.message


def test_a_tool_that_settings_let_through_is_seen_and_its_neighbour_hangs_on_the_run(bench: Bench) -> None:
    setup = servers("gemini-cli", {"mail": [*GET, tool("get_y", "id")]}, top={"tools": {"allowed": ["get_x"]}})
    report = bench.report(setup)
    assert [row.visible for row in report.tools] == ["yes", "unknown"]
    assert "whether the model sees 1 tool of mail hangs on" in the(report, "never-visible").message
    accepted = bench.report(setup.but(options={"allow_undetermined": ("CTD308",)}))
    assert accepted.verdict == "ready"
