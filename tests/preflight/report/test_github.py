"""GitHub's workflow commands."""

from __future__ import annotations

from contractd.errors import Place
from contractd.preflight.model import Finding, Remedy, Rule
from contractd.preflight.report import render

BASE = "/home/ada/project"
RULE = Rule("CTD301", "builtin-shadowing", None, "s")


def test_it_reads_as_it_always_has(incident, golden):
    golden("incident.github.txt", render(incident, "github", base=BASE))


def test_the_verdict_comes_first_then_each_open_finding(incident, runner):
    commands = runner(render(incident, "github"))
    assert [name for name, _, _ in commands] == [
        "error", "error", "error", "error", "warning", "notice", "notice", "warning",
    ]  # fmt: skip
    assert commands[0][2].startswith("not_ready: 7 findings")


def test_a_ready_report_is_one_notice(make, runner):
    ((name, properties, data),) = runner(render(make(), "github"))
    assert (name, properties, data) == (
        "notice", {"title": "contractd preflight"}, "ready: no findings, no providers, 0 tools",
    )  # fmt: skip


def test_what_could_not_be_determined_is_at_least_a_warning(make, make_finding, runner):
    commands = runner(render(make((make_finding(RULE, "info", "m", undetermined=True),)), "github"))
    assert [name for name, _, _ in commands] == ["warning", "warning"]


def test_the_runner_gets_back_what_was_meant(make, runner):
    found = Finding(
        RULE, "high", "100% of a, b: c", "do: x", Place(f"{BASE}/a,b:c%.json", 3, 7), provider="p", tool="t:1,2",
        remedies=(Remedy("k", "line 1\nline 2"),),
    )  # fmt: skip
    _, (name, properties, data) = runner(render(make((found,)), "github", base=BASE))
    assert name == "error"
    assert properties == {
        "title": "CTD301 builtin-shadowing: p.t:1,2", "file": "a,b:c%.json", "line": "3", "col": "7",
    }  # fmt: skip
    assert data == "100% of a, b: c\nDo: do: x\nPut into k:\nline 1\nline 2"


def test_hostile_text_starts_no_command_of_its_own(hostile, runner):
    text = render(hostile, "github")
    commands = runner(text)
    open_ones = sum(not finding.settled and not finding.suppressed for finding in hostile.findings)
    assert len(commands) == len(text.splitlines()) == 1 + open_ones
    assert {name for name, _, _ in commands} == {"error"}
    assert {key for _, properties, _ in commands for key in properties} <= {"title", "file", "line", "col"}
    assert "##[" not in text


def test_standard_input_is_no_file(make, runner):
    _, (_, properties, _) = runner(render(make((Finding(RULE, "high", "m", "a", Place("-", 1, 1)),)), "github"))
    assert set(properties) == {"title"}
