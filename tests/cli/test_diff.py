"""``contractd diff`` as a user runs it: formats, streams, exit codes, broken input, hostile names."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import jsonschema
import pytest

from tests.cli.harness import Shell

TEXT = {"type": "string"}
FORMATS = ("text", "json", "sarif", "junit", "github", "markdown")
NASTY = "x\x1b[31m\u202e\n::error::boo ##[error] <b>`|](y) @ada\ud800"


def tool(name: str, *parameters: str, required: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(parameters, TEXT), "required": list(required)}
    return {"name": name, "inputSchema": schema, **more}


def listing(*tools: Any) -> str:
    return json.dumps({"tools": tools}, indent=1)


OLD = listing(
    tool("breaks", "a"),
    tool("widens", "a", required=("a",)),
    tool("gone", "x"),
    tool("old-name", "p", "q"),
    tool("same"),
)
NEW = listing(
    tool("breaks", "a", "b", required=("b",)),
    tool("widens", "a"),
    tool("old_name", "p", "q"),
    tool("same"),
    tool("new", "z"),
)


@pytest.fixture
def two(shell: Shell) -> Shell:
    """A shell with two lists."""
    shell.write("old.json", OLD)
    shell.write("new.json", NEW)
    return shell


def test_breaking_comes_first_and_the_last_line_counts(two: Shell) -> None:
    done = two.run("diff", "old.json", "new.json")
    assert (done.code, done.err) == (1, "")
    rules = re.findall(r"^\w+\[(CTD\d+)\]", done.out, re.MULTILINE)
    assert rules == ["CTD410", "CTD414", "CTD416", "CTD411"]
    assert done.out.splitlines()[-1] == (
        "✗ not_ready: 1 breaking, 1 removed, 1 renamed, 1 compatible, 1 added, 1 unchanged"
    )
    assert '  = accepted before, refused now as tools/call:\n      {"name": "breaks", "arguments": {}}\n' in done.out
    assert "b is required (/required)" in done.out
    assert "  --> new.json:4:4\n" in done.out
    assert "  --> old.json:" in done.out  # the tool that is gone


def test_json_says_all_of_it_and_keeps_to_the_published_schema(two: Shell) -> None:
    done = two.quick("diff", "old.json", "new.json", "--format", "json")
    report = done.report
    jsonschema.validate(report, json.loads(two.quick("schema", "report").out))
    assert report["drift"]["tools"] == {
        "breaking": ["breaks"], "removed": ["gone"], "renamed": ["old_name"], "invalid": [], "riskier": [],
        "undetermined": [], "compatible": ["widens"], "added": ["new"], "unchanged": ["same"],
    }  # fmt: skip
    assert (report["drift"]["old"]["file"], report["drift"]["new"]["tools"]) == ("old.json", 5)
    first = report["findings"][0]
    assert (first["rule"], first["tool"]) == ("CTD410", "breaks")
    assert first["location"] == {"file": "new.json", "line": 4, "column": 4, "pointer": "/tools/0"}
    (call,) = first["remedies"]
    assert json.loads(call["text"]) == {"name": "breaks", "arguments": {}}
    assert first["details"]["arguments"] == {
        "verdict": "breaking", "declared_only": "breaking", "witness": {}, "reason": None,
        "refused_by": {"pointer": "", "keyword": "required", "schema_pointer": "/required"},
    }  # fmt: skip
    kinds = {change["kind"]: change["rule"] for change in first["details"]["changes"]}
    assert kinds["added-required"] == "arguments-added-required"


def test_sarif_points_at_the_tools(two: Shell) -> None:
    (run,) = json.loads(two.quick("diff", "old.json", "new.json", "--format", "sarif").out)["runs"]
    assert run["automationDetails"] == {"id": "contractd/diff/"}
    first = run["results"][0]
    assert (first["ruleId"], first["level"]) == ("CTD410", "error")
    place = first["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "new.json"
    assert place["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 4}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "breaks"


def test_junit_fails_for_each_finding_that_counts(two: Shell) -> None:
    root = ET.fromstring(two.quick("diff", "old.json", "new.json", "--format", "junit").out)
    assert (root.get("name"), root.get("failures")) == ("contractd diff", "3")
    assert [suite.get("name") for suite in root] == ["drift"]


def test_github_and_markdown_show_the_call(two: Shell) -> None:
    github = two.quick("diff", "old.json", "new.json", "--format", "github").out
    assert github.startswith("::error title=contractd diff::not_ready: 1 breaking, 1 removed")
    assert "file=new.json,line=4,col=4::breaks: a call that was valid is refused now" in github
    markdown = two.quick("diff", "old.json", "new.json", "--format", "markdown").out
    assert markdown.startswith("## contractd diff: ✗ not_ready\n\n**1 breaking, 1 removed")
    assert "Old: `old.json`, 5 tools" in markdown
    assert '{"name": "breaks", "arguments": {}}' in markdown


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ((), 1),
        (("--fail-on", "never"), 0),
        (("--select", "CTD411"), 0),
        (("--select", "breaking-drift"), 1),
        (("--ignore", "CTD410", "--ignore", "CTD414", "--ignore", "CTD416"), 0),
        (("--fail-on", "info", "--select", "CTD411"), 1),
    ],
)
def test_the_exit_status_is_that_of_what_counts(two: Shell, args: tuple[str, ...], code: int) -> None:
    assert two.quick("diff", "old.json", "new.json", *args).code == code


def test_what_is_left_out_is_counted(two: Shell) -> None:
    assert two.quick("diff", "old.json", "new.json", "--select", "CTD411").out.endswith("1 unchanged, 3 not selected\n")


def test_equal_manifests_are_ready_however_they_are_shuffled(shell: Shell) -> None:
    shell.write("old.json", listing(tool("a"), tool("b", "x")))
    shell.write("new.json", listing(tool("b", "x"), tool("a")))
    done = shell.quick("diff", "old.json", "new.json")
    assert (done.code, done.out.splitlines()[-1]) == (0, "✓ ready: 2 unchanged")


def test_what_could_not_be_determined_is_exit_status_3_until_it_is_accepted(shell: Shell) -> None:
    for name, pattern in (("old.json", r"^(a|b)\1$"), ("new.json", r"^(a|b|c)\1$")):
        schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
        shell.write(name, listing({"name": "t", "inputSchema": schema}))
    done = shell.quick("diff", "old.json", "new.json")
    assert done.code == 3
    assert done.out.splitlines()[-1] == "? undetermined: 1 undetermined, left open: CTD415"
    assert shell.quick("diff", "old.json", "new.json", "--ignore", "CTD415").code == 3
    assert shell.quick("diff", "old.json", "new.json", "--allow-undetermined", "CTD415").code == 0


def test_either_side_may_come_from_standard_input_in_any_of_the_shapes(shell: Shell) -> None:
    tools = [tool("a", "x")]
    shapes = [
        {"tools": tools},
        {"schema_version": 1, "tools": tools},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
        {"label": "captured", "n_tools": 1, "tools": tools, "initialize": {}},
    ]
    shell.write("kept.json", listing(tool("a")))
    for shape in shapes:
        there = shell.quick("diff", "kept.json", "-", stdin=json.dumps(shape))
        assert (there.code, there.out.splitlines()[-1]) == (0, "✓ ready: 1 compatible"), shape
        assert "--> <stdin>:1:" in there.out
        back = shell.quick("diff", "-", "kept.json", stdin=json.dumps(shape), env={"CONTRACTD_FAIL_ON": "info"})
        assert back.code == 1


def test_one_page_of_a_longer_list_is_said_to_be_one(shell: Shell) -> None:
    shell.write("old.json", listing(tool("a")))
    shell.write("new.json", json.dumps({"tools": [tool("a")], "nextCursor": "2"}))
    assert "new.json is one page of a longer list" in shell.quick("diff", "old.json", "new.json").out


def test_a_tool_that_lost_its_parameters_breaks(shell: Shell) -> None:
    shell.write("old.json", listing(tool("a", "x")))
    shell.write(
        "new.json", listing({"name": "a", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}})
    )
    done = shell.quick("diff", "old.json", "new.json")
    assert done.code == 1
    assert "high[CTD405] parameters-lost: a was a sound tool and is none now" in done.out
    assert done.out.endswith("✗ not_ready: 1 invalid\n")


def test_the_result_goes_to_a_file_whole(two: Shell) -> None:
    done = two.run("diff", "old.json", "new.json", "--output", "diff.txt", "--quiet")
    assert (done.code, done.out, done.err) == (1, "", "")
    assert (two.work / "diff.txt").read_text() == two.quick("diff", "old.json", "new.json").out


def test_colour_when_it_is_asked_for(two: Shell) -> None:
    assert "\x1b[" in two.quick("diff", "old.json", "new.json", "--color", "always").out
    assert "\x1b[" not in two.quick("diff", "old.json", "new.json").out


# ---- broken input


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", r"new\.json:1:1: the file is empty"),
        (b"{", r"new\.json:1:2: "),
        (b"[1]", r"new\.json:1:1: it has no list of tools and no servers: it is no manifest"),
        (b'{"a": 1}', r"new\.json:1:1: it has no list of tools and no servers"),
        (b'{"tools": {}}', r"new\.json:1:1: it has no list of tools and no servers"),
        (b'{"schema_version": 9, "tools": []}', r"new\.json:1:2: the manifest says schema_version 9"),
        (b'{"schema_version": 1}', r"new\.json:1:1: .*\"tools\" is not an array"),
        (b"\xff\xfe", r"new\.json:1: the file is UTF-16"),
        (b"[" * 100_000, r"new\.json:1:\d+: "),
    ],
)
def test_what_is_no_manifest_is_exit_status_2_with_its_place(shell: Shell, data: bytes, said: str) -> None:
    shell.write("old.json", OLD)
    shell.write("new.json", data)
    done = shell.quick("diff", "old.json", "new.json")
    assert (done.code, done.out) == (2, "")
    assert re.match(f"error: {said}", done.err), done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("old.json",), "missing argument 'NEW'"),
        (("old.json", "none.json"), "none.json: can't be read: there is no such file"),
        (("old.json", "."), ".: can't be read: it is a folder"),
        (("-", "-"), "only one of the two sides can come from standard input"),
        (("", "old.json"), "'' names no file"),
        (("old.json", "old.json", "--select", "CTD999"), "'CTD999' is no rule"),
        (("old.json", "old.json", "-o", "none/x"), "there is no folder none"),
    ],
)
def test_a_slip_of_the_command_line_is_exit_status_2(shell: Shell, args: tuple[str, ...], said: str) -> None:
    shell.write("old.json", OLD)
    done = shell.quick("diff", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


# ---- hostile text


@pytest.mark.parametrize("format_", FORMATS)
def test_hostile_names_and_texts_stay_text(shell: Shell, format_: str) -> None:
    old = [tool(NASTY, NASTY, description="a"), tool(NASTY + "gone"), tool("p", "a")]
    new = [tool(NASTY, NASTY, NASTY + "2", required=(NASTY + "2",), description=NASTY), tool("p", NASTY)]
    shell.write("old.json", listing(*old))
    shell.write("new.json", listing(*new))
    for verbose in ((), ("--verbose",)):
        done = shell.quick("diff", "old.json", "new.json", "--format", format_, *verbose)
        assert (done.code, done.err) == (1, "")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e\ud800]", done.out)
        assert "##[" not in done.out
        commands = re.findall(r"^\s*::(\w+)", done.out, re.MULTILINE)
        assert all(command in ("error", "warning", "notice") for command in commands)
        assert bool(commands) is (format_ == "github")
        assert "boo" not in "".join(re.findall(r"^\s*::error::(.*)$", done.out, re.MULTILINE))
        if format_ in ("json", "sarif"):
            json.loads(done.out)
        elif format_ == "junit":
            ET.fromstring(done.out)


def test_a_call_with_a_hostile_name_can_still_be_sent_as_it_is_shown(shell: Shell) -> None:
    name = "a##[b\u202e"
    shell.write("old.json", listing(tool(name)))
    shell.write("new.json", listing(tool(name, "x", required=("x",))))
    out = shell.quick("diff", "old.json", "new.json").out
    (call,) = re.findall(r"refused now as tools/call:\n +(\{.*\})\n", out)
    assert json.loads(call) == {"name": name, "arguments": {}}
