"""``contractd contracts uses`` and ``replay``, and ``contractd diff --uses``, as a user runs them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import jsonschema
import pytest

from contractd.contracts import parse_tools
from contractd.documents import parse
from contractd.policy import load_uses
from contractd.registry.lock import Lock, LockedProvider, LockedTool, lock_text
from tests.cli.harness import Shell
from tests.cli.test_diff import FORMATS, NASTY, TEXT, listing, tool

SECRET = "s3cr3t-value"


def typed(name: str, output: Any = None, **properties: Any) -> dict[str, Any]:
    listed = {"name": name, "inputSchema": {"type": "object", "properties": properties}}
    return listed if output is None else {**listed, "outputSchema": output}


def lines(*calls: Any) -> str:
    return "".join(json.dumps(call) + "\n" for call in calls)


def call(name: str, /, result: Any = None, **arguments: Any) -> dict[str, Any]:
    return {"tool": name, "arguments": arguments} | ({} if result is None else {"result": result})


OUTPUT = {"type": "object", "properties": {"id": TEXT, "size": TEXT}, "required": ["id", "size"]}
OLD = listing(typed("send", to=TEXT, cc=TEXT), typed("find", OUTPUT, q=TEXT), typed("drop"), tool("same"))
NEW = listing(
    typed("send", to=TEXT, cc={"type": "array"}),
    typed("find", {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}, q=TEXT),
    tool("same"),
)
CALLS = lines(
    call("send", to=SECRET),
    call("mail.send", to=SECRET, cc=SECRET),
    call("find", {"id": SECRET, "size": SECRET}, q=SECRET),
)
USES = """\
version = 1

[tools.send]
sends = ["to"]

[tools."mail.find"]
reads = ["id"]
"""


@pytest.fixture
def here(shell: Shell) -> Shell:
    shell.write("old.json", OLD)
    shell.write("new.json", NEW)
    shell.write("calls.jsonl", CALLS)
    shell.write("contracts.uses.toml", USES)
    return shell


# ---- uses


def test_the_uses_file_is_written_of_recorded_calls_without_a_value(here: Shell) -> None:
    done = here.run("contracts", "uses", "--from", "calls.jsonl")
    assert (done.code, done.err) == (0, "note: 3 calls of 3 tools, 1 with a result\n")
    assert SECRET not in done.out
    uses = load_uses(parse("u.toml", done.out.encode(), "toml")).uses
    assert set(uses.tools) == {"send", "mail.send", "find"}
    assert not uses.complete
    assert '[tools.find]\nsends = [\n  "q",\n]\nalways = [\n  "q",\n]\nreads = [\n  "id",\n  "size",\n]\n' in done.out


def test_it_comes_from_standard_input_and_goes_to_a_file(here: Shell) -> None:
    done = here.quick("contracts", "uses", "--from", "-", "-o", "u.toml", "--complete", "-q", stdin=CALLS)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "complete = true" in (here.work / "u.toml").read_text()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (CALLS + "{\n", "calls.jsonl:4: no recorded call: it is not JSON (column 2)"),
        ('{"tool": "a", "arguments": {"x": NaN}}\n', "calls.jsonl:1: no recorded call: NaN is no JSON"),
        ("", "calls.jsonl: there is no recorded call in it"),
    ],
)
def test_a_bad_line_is_exit_status_2_and_nothing_is_written(here: Shell, data: str, said: str) -> None:
    here.write("calls.jsonl", data)
    for args in (("uses", "--from"), ("replay", "--against", "new.json", "--calls")):
        done = here.quick("contracts", *args, "calls.jsonl", "-o", "out")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"error: {said}")
        assert "hint: a line is one call" in done.err
        assert SECRET not in done.err
        assert not (here.work / "out").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("uses",), "missing option '--from'"),
        (("uses", "--from", "none"), "none: can't be read: there is no such file"),
        (("uses", "--from", "."), ".: can't be read: it is a folder"),
        (("uses", "--from", ""), "--from '' names no file"),
        (("uses", "--from", "calls.jsonl", "-o", "no/x"), "there is no folder no"),
        (("replay", "--calls", "calls.jsonl"), "missing option '--against'"),
        (("replay", "--calls", "-", "--against", "-"), "only one of the files can come from standard input"),
        (("replay", "--calls", "calls.jsonl", "--against", "calls.jsonl"), "calls.jsonl:2:1: "),
        (("replay", "--calls", "calls.jsonl", "--against", "new.json", "--from", "none"), "none: can't be read"),
        (("nonsense",), "no such command 'nonsense'"),
    ],
)
def test_a_slip_of_the_command_line_is_exit_status_2(here: Shell, args: tuple[str, ...], said: str) -> None:
    done = here.quick("contracts", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err.lower()


# ---- diff --uses


def test_a_change_is_judged_by_what_this_agent_uses(here: Shell) -> None:
    strict = here.quick("diff", "old.json", "new.json")
    assert (strict.code, strict.out.splitlines()[-1]) == (
        1,
        "✗ not_ready: 2 breaking, 1 removed, 1 unchanged",
    )
    done = here.quick("diff", "old.json", "new.json", "--uses", "contracts.uses.toml", "--ignore", "tool-removed")
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    assert (
        "judged for an agent that uses 2 tools as contracts.uses.toml says; other tools are judged for anyone" in text
    )
    assert 'this agent never sends cc; {"cc": ""} would be refused now' in text
    assert "this agent never reads size; " in text


def test_the_strict_verdict_stays_in_the_details(here: Shell) -> None:
    done = here.quick("diff", "old.json", "new.json", "--uses", "contracts.uses.toml", "--format", "json")
    report = done.report
    jsonschema.validate(report, json.loads(here.quick("schema", "report").out))
    (found,) = [one for one in report["findings"] if one["tool"] == "send"]
    assert (found["rule"], found["severity"]) == ("CTD411", "info")
    assert found["details"]["used"] == {"arguments": "compatible", "results": "compatible", "not_judged_apart": []}
    assert (found["details"]["arguments"]["verdict"], found["details"]["arguments"]["declared_only"]) == (
        "breaking",
        "breaking",
    )
    assert report["drift"]["tools"]["compatible"] == ["send", "find"]


def test_a_tool_that_a_complete_file_does_not_list_is_told_and_does_not_count(here: Shell) -> None:
    here.write("u.toml", "complete = true\n[tools.same]\n")
    done = here.quick("diff", "old.json", "new.json", "--uses", "u.toml")
    assert (done.code, done.out.splitlines()[-1]) == (0, "✓ ready: 1 unchanged, 3 unused")
    settled = re.findall(r"^settled (\w+\[CTD\d+\]) [\w-]+ (\w+): this agent does not use it", done.out, re.MULTILINE)
    assert sorted(settled) == [("high[CTD410]", "find"), ("high[CTD410]", "send"), ("high[CTD414]", "drop")]


def test_a_reference_that_means_no_tool_is_told(here: Shell) -> None:
    here.write("u.toml", '[tools.sned]\nsends = []\n[tools."chat.sned"]\nsends = []\n')
    out = here.quick("diff", "old.json", "new.json", "--uses", "u.toml").out
    assert "sned and chat.sned of u.toml are on neither side" in out
    out = here.quick("diff", "old.json", "new.json", "--uses", "u.toml", "--provider", "mail").out
    assert "sned of u.toml is on neither side" in out


def test_what_is_unknown_where_it_is_used_is_exit_status_3(shell: Shell) -> None:
    for name, pattern in (("old.json", r"^(a|b)\1$"), ("new.json", r"^(a|b|c)\1$")):
        shell.write(name, listing(typed("t", a={"type": "string", "pattern": pattern}, b=TEXT)))
    for used, code in (("a", 3), ("b", 0)):
        shell.write("u.toml", f'[tools.t]\nsends = ["{used}"]\n')
        assert shell.quick("diff", "old.json", "new.json", "--uses", "u.toml").code == code


def test_a_parameter_that_is_passed_over_matters_to_who_sends_it(shell: Shell) -> None:
    shell.write("old.json", listing(typed("t", a=TEXT, b=TEXT)))
    shell.write("new.json", listing(typed("t", a=TEXT)))
    for used, severity in (("a", "info"), ("b", "medium")):
        shell.write("u.toml", f'[tools.t]\nsends = ["{used}"]\n')
        report = shell.quick("diff", "old.json", "new.json", "--uses", "u.toml", "--format", "json").report
        assert [found["severity"] for found in report["findings"]] == [severity]


def test_a_bad_uses_file_is_exit_status_2_with_its_place(here: Shell) -> None:
    here.write("u.toml", "[tools.a]\nsend = []\n")
    done = here.quick("diff", "old.json", "new.json", "--uses", "u.toml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: u.toml:2:1: tools.a.send is no part of a uses file\n")
    assert json.loads(here.quick("schema", "uses").out)["title"] == "contractd uses file"


# ---- replay


def test_a_recording_is_replayed_without_calling_anything(here: Shell) -> None:
    done = here.run("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "calls    calls.jsonl\n"
        "new      new.json, 3 tools\n\n"
        "high[CTD410] breaking-drift: send: 1 recorded call (line 2) would be refused now: /cc: type "
        "(/properties/cc/type);\n    accepted is an array\n"
        "  --> calls.jsonl:2\n"
        "  = do: send what the new contract takes, or stay with the old version\n\n"
        "✗ not_ready: 3 calls (1 refused, 2 accepted), 1 result\n"
    )


def test_all_fine_is_exit_status_0_and_what_was_refused_before_is_settled(here: Shell) -> None:
    assert here.quick("contracts", "replay", "--calls", "calls.jsonl", "--against", "old.json").code == 0
    args = ("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json", "--from")
    assert here.quick(*args, "old.json").code == 1
    done = here.quick(*args, "new.json")
    assert done.code == 0
    assert "settled high[CTD410] breaking-drift send: the old contract refuses the call as well" in done.out
    assert done.out.endswith("✓ ready: 3 calls (1 refused, 2 accepted), 1 result\n")


def test_what_can_not_be_determined_is_exit_status_3(shell: Shell) -> None:
    chain = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(900)} | {"d900": {}}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": chain}
    shell.write("new.json", listing({"name": "t", "inputSchema": schema}))
    shell.write("calls.jsonl", lines(call("t", a=1)))
    args = ("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json")
    done = shell.quick(*args)
    assert (done.code, done.out.splitlines()[-1]) == (
        3,
        "? undetermined: 1 call (1 undetermined), left open: CTD415",
    )
    assert shell.quick(*args, "--allow-undetermined", "CTD415").code == 0


def test_calls_of_other_providers_are_passed_over_and_none_at_all_is_an_error(here: Shell) -> None:
    args = ("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json", "--provider")
    assert "3 calls (2 accepted, 1 of other providers)" in here.quick(*args, "chat").out
    here.write("calls.jsonl", lines(call("mail.send"), call("mail.send")))
    done = here.quick(*args, "chat")
    assert (done.code, done.out) == (2, "")
    assert "none of the recorded calls is of a tool of chat" in done.err
    here.write("calls.jsonl", lines(call("mail.send"), call("chat.send")))
    done = here.quick(*args[:-1])
    assert done.code == 2
    assert "the calls are of several providers (mail, chat)" in done.err
    assert "--provider" in done.err


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_says_it_and_none_says_what_was_sent(here: Shell, format_: str) -> None:
    done = here.quick(
        "contracts", "replay", "--calls", "-", "--against", "new.json", "--from", "old.json", "--format", format_,
        stdin=CALLS + lines(call("drop", a=SECRET)),
    )  # fmt: skip
    assert (done.code, done.err) == (1, "")
    assert SECRET not in done.out
    assert "4 calls" in done.out or format_ in ("json", "sarif", "junit")
    if format_ == "json":
        jsonschema.validate(done.report, json.loads(here.quick("schema", "report").out))
        assert done.rules() == ["CTD410", "CTD414"]
        assert done.report["replay"]["calls"]["refused"] == 1
        assert done.report["replay"]["file"] == "<stdin>"
        first = done.report["findings"][0]
        assert first["location"] == {"file": "<stdin>", "line": 2, "column": None, "pointer": "/arguments/cc"}
        assert first["details"]["lines"] == [2]
        assert first["details"]["refused_by"]["accepts"] == "an array"
    elif format_ == "sarif":
        (run,) = json.loads(done.out)["runs"]
        assert run["automationDetails"] == {"id": "contractd/replay/"}
    elif format_ == "junit":
        assert [suite.get("name") for suite in ET.fromstring(done.out)] == ["calls"]
    elif format_ == "markdown":
        assert done.out.startswith("## contractd replay: ✗ not_ready")


@pytest.mark.parametrize("format_", FORMATS)
def test_hostile_names_stay_text(shell: Shell, format_: str) -> None:
    nasty = NASTY.replace("\ud800", "")
    shell.write("old.json", listing(typed(nasty, **{nasty: TEXT})))
    shell.write("new.json", listing(typed(nasty, **{nasty: {"enum": [nasty]}})))
    shell.write("calls.jsonl", lines(call(nasty, **{nasty: "x"}), call(nasty + "gone")))
    runs = [
        shell.quick("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json", "--format", format_),
        shell.quick("contracts", "uses", "--from", "calls.jsonl", "-o", "u.toml"),
        shell.quick("diff", "old.json", "new.json", "--uses", "u.toml", "--format", format_, "-v"),
        shell.quick("contracts", "uses", "--from", "calls.jsonl"),
    ]
    assert [done.code for done in runs] == [1, 0, 1, 0]
    for done in runs:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.out + done.err)
        assert "##[" not in done.out + done.err
        assert not re.search(r"^\s*::error::boo", done.out + done.err, re.MULTILINE)


# ---- locks: several providers at once


@pytest.fixture
def locked(here: Shell) -> Shell:
    """A lock with two providers that both have ``send``, and a newer one."""
    for name, mail in (("old.lock", OLD), ("new.lock", NEW)):
        providers = {}
        for provider, tools in (("mail", json.loads(mail)["tools"]), ("chat", [typed("send", to=TEXT)])):
            contracts, _ = parse_tools(tools)
            tools_ = {one.name: LockedTool(one, "2026-01-01T00:00:00Z") for one in contracts}
            providers[provider] = LockedProvider(provider, "server", "stdio", None, tools_)
        here.write(name, lock_text(Lock(providers)))
    return here


def test_a_qualified_name_is_one_provider_s_only(locked: Shell) -> None:
    for reference, left in (("mail.send", 2), ("send", 2), ("chat.send", 3)):
        locked.write("u.toml", f'[tools."{reference}"]\nsends = ["to"]\n')
        done = locked.quick("diff", "old.lock", "new.lock", "--uses", "u.toml", "--format", "json")
        assert done.code == 1
        counting = [one for one in done.report["findings"] if one["severity"] == "high"]
        assert len(counting) == left, reference


def test_a_complete_file_sets_whole_providers_apart(locked: Shell) -> None:
    locked.write("u.toml", 'complete = true\n[tools."chat.send"]\nsends = ["to"]\n')
    done = locked.quick("diff", "old.lock", "new.lock", "--uses", "u.toml")
    assert (done.code, done.out.splitlines()[-1]) == (0, "✓ ready: 2 unchanged, 3 unused")
    only = locked.quick("diff", "old.lock", "new.lock", "--uses", "u.toml", "--provider", "chat")
    assert only.out.splitlines()[-1] == "✓ ready: 1 unchanged"
    locked.write("chat.lock", re.sub(r"(?s)\n\[provider\.mail\].*", "\n", (locked.work / "new.lock").read_text()))
    gone = locked.quick("diff", "old.lock", "chat.lock", "--uses", "u.toml")
    assert (gone.code, gone.out.splitlines()[-1]) == (0, "✓ ready: 1 unchanged, 4 unused")
    locked.write("u.toml", 'complete = true\n[tools."mail.same"]\n')
    assert locked.quick("diff", "old.lock", "chat.lock", "--uses", "u.toml").code == 1


def test_calls_are_replayed_against_every_provider_of_a_lock(locked: Shell) -> None:
    locked.write("calls.jsonl", lines(call("mail.send", cc="x"), call("chat.send", cc="x"), call("send", cc="x")))
    args = ("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.lock", "--format", "json")
    for more in ((), ("--from", "old.lock")):
        report = locked.quick(*args, *more).report
        (found,) = report["findings"]
        assert (found["provider"], found["tool"], found["details"]["lines"]) == ("mail", "send", [1, 3])
        assert report["replay"]["calls"]["calls"] == 3
    report = locked.quick(*args, "--provider", "chat").report
    assert (report["verdict"], report["replay"]["calls"]["elsewhere"]) == ("ready", 1)
    done = locked.quick("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json", "--from", "old.lock")
    assert done.code == 2
    assert "--provider NAME says which" in done.err


def test_a_configuration_is_not_asked_by_a_replay(here: Shell) -> None:
    here.write("qwen.json", json.dumps({"mcpServers": {"mail": {"command": "no-such-program"}}}))
    done = here.quick("contracts", "replay", "--calls", "calls.jsonl", "--against", "qwen.json")
    assert (done.code, done.out) == (2, "")
    assert "qwen.json is a configuration, and nothing is asked here" in done.err


def test_a_recorded_result_that_can_not_come_any_more_is_medium(here: Shell) -> None:
    here.write("new.json", listing(typed("find", {"type": "object", "required": ["total"]}, q=TEXT)))
    here.write("calls.jsonl", lines(call("find", {"id": SECRET, "size": SECRET})))
    args = ("contracts", "replay", "--calls", "calls.jsonl", "--against", "new.json")
    done = here.quick(*args)
    assert (done.code, done.out.splitlines()[-1]) == (
        1,
        "✗ not_ready: 1 call (1 accepted), 1 result (1 that can't come any more)",
    )
    text = " ".join(done.out.split())
    assert (
        "medium[CTD411] compatible-drift: find: 1 recorded result (line 1) can't come any more: total is required"
        in text
    )
    assert here.quick(*args, "--fail-on", "high").code == 0
