"""What a runtime's client does not take of a server is seen in the rows of its tools and in the verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contractd.contracts.deviations import Deviation
from tests.preflight.configured import servers
from tests.preflight.situations import Bench, ready, the, tool

GET = tool("get_x", "id")
TYPED = {**GET, "icons": 5}
MODERN = {"era": "modern", "protocol_version": "2026-07-28"}
NO_VERSION = Deviation("missing", "initialize.serverInfo.version", "initialize.serverInfo.version is missing")
BATCH = Deviation("batch", "tools/list", "the answer stands in an array (a batch), to tools/list")


@pytest.mark.parametrize(
    ("runtime", "listing", "verdict", "visible", "status"),
    [
        ("qwen-code@0.24.4", [GET], "ready", "deferred", "bound"),
        ("qwen-code@0.24.4", [TYPED], "not_ready", "no", "refused"),
        ("qwen-code@0.24.4", ready([GET], deviations=(NO_VERSION,)), "not_ready", "no", "refused"),
        ("qwen-code@0.24.4", ready([GET], deviations=(BATCH,)), "not_ready", "no", "refused"),
        ("qwen-code@0.24.4", ready([GET], **MODERN, refusal="error -32022"), "not_ready", "no", "refused"),
        ("qwen-code@0.24.4", ready([GET], **MODERN), "ready", "deferred", "bound"),
        ("openhands@1.16.0", [TYPED], "not_ready", "no", "refused"),
        ("openhands@1.16.0", [{**GET, "icons": None}], "ready", "yes", "bound"),
        ("cline@3.0.65", [GET], "ready", "yes", "bound"),
        ("cline@3.0.65", [TYPED], "undetermined", "unknown", "bound"),
        ("contractd", [TYPED], "ready", "yes", "bound"),
        ("contractd", ready([GET], **MODERN, refusal="error -32022"), "ready", "yes", "bound"),
    ],
)
def test_no_tool_of_a_server_that_the_client_refuses_is_bound(
    bench: Bench, runtime: str, listing: Any, verdict: str, visible: str, status: str
) -> None:
    report = bench.report(servers(runtime, {"mail": listing}))
    assert report.verdict == verdict, [(finding.rule.id, finding.message) for finding in report.findings]
    assert [(row.visible, row.status) for row in report.tools] == [(visible, status)]


def test_a_word_of_the_users_settles_what_nobody_has_tried(bench: Bench) -> None:
    setup = servers("cline@3.0.65", {"mail": [TYPED]})
    assert bench.report(setup.but(options={"allow_undetermined": ("CTD407",)})).verdict == "ready"


def test_one_finding_says_it_with_the_first_few_of_many_deviations(bench: Bench) -> None:
    many = {**GET, "title": None, "icons": None, "_meta": None, "description": None, "outputSchema": None}
    finding = the(bench.report(servers("qwen-code@0.24.4", {"mail": [many, tool("get_z")]})), "list-lost")
    assert finding.message.count(" is null") == 3 and finding.message.endswith("; and 2 more")
    assert len(finding.details["deviations"]) == 5


def test_a_list_that_is_lost_over_a_tool_is_told_once(bench: Bench) -> None:
    the(bench.report(servers("qwen-code@0.24.4", {"mail": [GET, {**TYPED, "name": "a"}, {"name": "b"}]})), "list-lost")


@pytest.mark.parametrize(
    ("runtime", "eras"),
    [("qwen-code@0.21.13", ("legacy",)), ("claude-code", ("legacy",)), ("cursor", ()), ("contractd", ())],
)
def test_a_server_is_asked_in_the_eras_that_the_runtime_speaks(
    bench: Bench, runtime: str, eras: tuple[str, ...]
) -> None:
    (spec,) = bench.prepare(servers(runtime, {"mail": [GET]})).specs
    assert spec.eras == eras


def without(bench: Bench, runtime: str, listing: Any, **entry: Any) -> list[tuple[str, str]]:
    found = bench.report(servers(runtime, {"mail": listing}, entry=entry)).findings
    return [(finding.severity, finding.message) for finding in found if finding.rule.name == "no-tools"]


@pytest.mark.parametrize(
    ("runtime", "make", "entry", "severity"),
    [
        ("qwen-code@0.24.4", lambda: ready([]), {}, "medium"),
        ("qwen-code@0.24.4", lambda: ready([], declares_more=True), {}, "low"),
        ("qwen-code@0.24.4", lambda: [GET], {"excludeTools": ["get_x"]}, "medium"),
        ("qwen-code@0.24.4", lambda: [GET], {"includeTools": ["other"]}, "medium"),
        ("qwen-code@0.24.4", lambda: [GET, tool("other")], {"includeTools": ["other"]}, None),
        ("gemini-cli@0.61.0", lambda: ready([]), {}, "medium"),
        ("claude-code@2.1.332", lambda: ready([]), {}, "low"),
        ("contractd", lambda: ready([]), {}, "low"),
    ],
)
def test_a_server_without_a_tool_is_worse_where_the_runtime_counts_it_as_failed(
    bench: Bench, runtime: str, make: Callable[[], Any], entry: dict[str, Any], severity: str | None
) -> None:
    assert [found for found, _ in without(bench, runtime, make(), **entry)] == ([severity] if severity else [])
