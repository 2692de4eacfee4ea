"""Counts, order and paths that all formats share."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from contractd.errors import Place
from contractd.preflight.model import Finding, ProviderView, Rule, ToolView, by_urgency
from contractd.preflight.report import FORMATS, render
from contractd.preflight.report.words import Counts, groups, named_from, questions, summary

RULE = Rule("CTD301", "builtin-shadowing", None, "s")


def test_the_summary_counts_open_findings_and_names_the_others(make, make_finding):
    findings = (
        make_finding(RULE, "high", "1"),
        make_finding(RULE, "low", "2"),
        make_finding(RULE, "low", "3", undetermined=True),
        make_finding(RULE, "high", "4", settled="x", suppressed="y"),
        make_finding(RULE, "info", "5", suppressed="y"),
    )
    report = make(findings, hidden=4, offline=True)
    assert summary(report) == (
        "not_ready: 3 findings (1 high, 2 low, 1 of them undetermined; 1 settled, 1 suppressed), no providers, "
        "0 tools, 4 not selected, left open: CTD301, offline"
    )


def test_all_settled_is_no_findings(make, make_finding):
    report = make((make_finding(RULE, "high", "1", settled="x"),))
    assert summary(report) == "ready: no findings (1 settled), no providers, 0 tools"


def test_the_counts_agree_with_the_report(incident, hostile):
    for report in (incident, hostile):
        counts = Counts.of(report)
        assert counts.open + counts.settled + counts.suppressed == len(report.findings)
        assert counts.counting == sum(finding.counts(report.fail_on) for finding in report.findings)
        assert sum(counts.providers.values()) == len(report.providers)
        assert sum(counts.tools.values()) == len(report.tools)


def test_the_order_does_not_depend_on_the_order_found(incident):
    assert by_urgency(incident.findings) == by_urgency(tuple(reversed(incident.findings)))


def test_two_providers_of_one_name_share_no_tool_and_no_finding(make, make_finding):
    providers = tuple(ProviderView("a", id_, "stdio", "ready", "", Place("f"), "user", tools=1) for id_ in ("a", "a-2"))
    tools = (ToolView("a", "t", "t", "yes", "bound"), ToolView("a-2", "t", "t", "yes", "bound"))
    found = make_finding(RULE, "high", "m", provider="a")
    rows = groups(make((found,), providers, tools))
    assert [[len(row.tools), len(row.findings)] for row in rows] == [[1, 1], [1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("file", "base", "expected"),
    [
        ("/p/a.json", "/p", ("a.json", True)),
        ("/p/a.json", "/p/", ("a.json", True)),
        ("/pq/a.json", "/p", ("/pq/a.json", False)),
        ("/p/../q/a.json", "/p", ("/q/a.json", False)),
        ("x/./a.json", "/p", ("x/a.json", True)),
        ("../a.json", "/p", ("/a.json", False)),
        ("../a.json", None, ("../a.json", False)),
        ("a.json", None, ("a.json", True)),
        ("a.json", "/", ("a.json", True)),
        ("-", "/p", ("-", False)),
        ("", "/p", ("", False)),
        ("~/.qwen/settings.json", "/p", ("~/.qwen/settings.json", False)),
        ("https://x/y", "/p", ("https://x/y", False)),
    ],
)
def test_a_file_is_named_from_the_base_where_it_lies_under_it(file, base, expected):
    assert named_from(file, base) == expected


@pytest.mark.parametrize(
    ("status", "started", "tools", "expected"),
    [
        ("ready", True, 3, ("yes", "yes", "yes")),
        ("failed", True, None, ("yes", "yes", "no")),
        ("failed", False, None, ("yes", "no", "no")),
        ("failed", None, None, ("yes", "undetermined", "no")),
        ("skipped", None, None, ("yes", "undetermined", "undetermined")),
        ("disabled", None, None, ("yes", "no", "no")),
    ],
)
def test_the_three_questions_are_never_answered_for_the_runtime(status, started, tools, expected):
    provider = ProviderView("p", "p", "stdio", status, "", Place("f"), "user", started=started, tools=tools)
    answers = questions(provider)
    assert tuple(says["by_contractd"] for says in answers.values()) == expected
    assert {says["by_runtime"] for says in answers.values()} == {"undetermined"}


def test_every_format_takes_an_empty_report_and_ends_in_a_newline(make):
    for name in FORMATS:
        text = render(make(), name)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_every_format_states_the_verdict(make, make_finding, incident):
    open_question = make((make_finding(RULE, "info", "m", undetermined=True),))
    for report in (make(), incident, open_question):
        for name in set(FORMATS) - {"junit"}:
            assert report.verdict in render(report, name)


def test_a_finding_without_a_file_is_fine_in_every_format(make):
    report = make((Finding(RULE, "high", "m", "a", Place("")),))
    for name in FORMATS:
        assert render(report, name, base="/p")
    assert "-->" not in render(report)


def test_rendering_does_not_change_with_the_hash_seed():
    code = """if True:
        import hashlib, sys
        sys.path.insert(0, sys.argv[1])
        import conftest
        from contractd.preflight.report import FORMATS, render
        report = conftest.report_of(conftest._findings(), conftest._providers(), conftest._tools())
        print(hashlib.sha256("".join(render(report, name) for name in FORMATS).encode()).hexdigest())
    """
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    seen = {
        subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "7")
    }
    assert len(seen) == 1


def test_importing_the_room_imports_no_format():
    code = """if True:
        import json, sys
        import contractd.preflight.report as room
        print(json.dumps([name for name in sys.modules if name.startswith(room.__name__ + ".as_")]))
    """
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert json.loads(out) == []


def test_a_report_with_a_policy_of_never_counts_nothing(incident):
    assert Counts.of(replace(incident, fail_on="never")).counting == 0
