"""The three kinds of collision in every runtime whose data there is, and what settles each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.preflight.model import Report
from tests.preflight.configured import ALL, NEWEST, servers
from tests.preflight.situations import Bench, Listing, Setup, hints, named, the, tool

SEND = tool("send_message", "target", "text")
LIST = tool("list_agents")
GET = tool("get_x", "id")
FILES = [tool("read_file", "path"), tool("write_file", "path", "content"), tool("list_directory", "path")]


def told(report: Report, *rules: str) -> list[tuple[str, str, str | None]]:
    """Rule, severity and tool of the findings of these rules."""
    return [(one.rule.id, one.severity, one.tool) for one in report.findings if one.rule.id in rules]


def status(report: Report, raw: str, provider: str = "mail") -> str:
    return next(tool.status for tool in report.tools if (tool.provider, tool.name) == (provider, raw))


# ---- shadowing by the bare name

SHADOWED = [
    # runtime, the tool, severity, where a call of its own name lands
    ("qwen-code", SEND, "high", "A call of send_message lands in the built-in."),
    ("qwen-code", LIST, "medium", "A call of list_agents lands in the built-in."),
    ("qwen-code", tool("SendMessage", "to"), "medium", "A call of SendMessage is refused with an error"),
    ("qwen-code", tool("task", "prompt"), "high", "A call of task lands in the built-in."),
    ("claude-code", SEND, "medium", "A call of send_message is refused with an error, one of SendMessage lands in"),
    ("claude-code", tool("SendMessage", "to"), "high", "A call of SendMessage lands in the built-in."),
    ("claude-code", LIST, "low", "A call of list_agents is refused with an error"),
    ("gemini-cli", tool("invoke_agent", "name"), "high", "A call of invoke_agent lands in the built-in."),
    ("gemini-cli", tool("InvokeAgent", "name"), "medium", "A call of InvokeAgent is refused with an error"),
    (
        "codex-cli",
        SEND,
        "medium",
        "A call of send_message is refused with an error, one of collaboration::send_message",
    ),
    ("codex-cli", tool("update_goal", "goal"), "high", "A call of update_goal lands in the built-in."),
    ("opencode", tool("task", "title"), "high", "A call of task lands in the built-in."),
    ("opencode", tool("Task", "title"), "high", "A call of Task lands in the built-in."),
    ("opencode", tool("todo-write", "title"), "medium", "A call of todo-write is refused with an error"),
    ("cline", tool("team_broadcast", "text"), "high", "A call of team_broadcast lands in the built-in."),
    ("cline", tool("TeamBroadcast", "text"), "medium", "A call of TeamBroadcast is refused with an error"),
]


@pytest.mark.parametrize(
    ("runtime", "raw", "severity", "lands"), SHADOWED, ids=[f"{row[0]} {row[1]['name']}" for row in SHADOWED]
)
def test_a_tool_whose_own_name_is_a_built_in_s_says_where_a_call_lands(
    bench: Bench, runtime: str, raw: dict[str, Any], severity: str, lands: str
) -> None:
    report = bench.report(servers(runtime, {"mail": [raw]}))
    finding = the(report, "builtin-shadowing")
    assert (finding.severity, finding.provider, finding.tool) == (severity, "mail", raw["name"])
    assert lands in finding.message
    assert status(report, raw["name"]) == "shadowed"
    assert report.verdict == ("not_ready" if severity in ("medium", "high") else "ready")


def test_openhands_gives_the_only_server_s_tools_their_bare_names_and_two_servers_prefixes(bench: Bench) -> None:
    alone = bench.report(servers("openhands", {"mail": [tool("execute", "command"), SEND]}))
    assert [row.runtime_name for row in alone.tools] == ["execute", "send_message"]
    assert not named(alone, "builtin-shadowing")
    both = bench.report(servers("openhands", {"mail": [tool("execute", "sql"), SEND], "wiki": [GET]}))
    assert [row.runtime_name for row in both.tools] == ["mail_execute", "mail_send_message", "wiki_get_x"]
    finding = the(both, "builtin-shadowing")
    assert (finding.tool, finding.severity) == ("execute", "high")
    assert "terminal is OpenHands's own tool, and answers to execute too" in finding.message.replace("’", "'")


def test_the_founding_incident_is_not_ready_and_says_what_to_do(bench: Bench) -> None:
    report = bench.report(servers("qwen-code", {"mail": [LIST, SEND, tool("check_inbox", "agent")]}))
    assert report.verdict == "not_ready"
    assert told(report, "CTD301") == [("CTD301", "high", "send_message"), ("CTD301", "medium", "list_agents")]
    assert [(row.runtime_name, row.visible, row.status) for row in report.tools] == [
        ("mcp__mail__list_agents", "deferred", "shadowed"),
        ("mcp__mail__send_message", "deferred", "shadowed"),
        ("mcp__mail__check_inbox", "deferred", "bound"),
    ]
    finding = the(report, "CTD301", "send_message")
    texts = [remedy.text for remedy in finding.remedies]
    assert texts == ['{"tools": {"disabled": ["list_agents", "send_message"]}}', '"alwaysLoadTools": true']
    assert texts == [remedy.text for remedy in the(report, "CTD301", "list_agents").remedies], "pasted once, not twice"
    assert "name the tool in instructions as mcp__mail__send_message" in finding.action


def test_a_common_healthy_set_up_is_ready_with_low_findings(bench: Bench) -> None:
    memory = [tool("read_graph", **hints(readOnlyHint=True)), tool("open_nodes", "names", **hints(readOnlyHint=True))]
    report = bench.report(
        servers(
            "qwen-code",
            {
                "filesystem": [*FILES, tool("directory_tree", "path")],
                "memory": memory,
                "git": [tool("git_status", "repo_path"), tool("git_commit", "repo_path", "message")],
                "time": [tool("get_current_time", "timezone")],
            },
        )
    )
    assert report.verdict == "ready"
    assert told(report, "CTD301") == [("CTD301", "low", name) for name in ("list_directory", "read_file", "write_file")]
    assert {one.severity for one in report.findings} <= {"low", "info"}
    assert all("nothing has to be done" in one.action for one in named(report, "CTD301"))


def test_the_same_name_over_two_built_ins_of_which_one_is_there_is_told_once(bench: Bench) -> None:
    # Codex has spawn_agent in two namespaces, of which a model gets one.
    report = bench.report(servers("codex-cli", {"mail": [tool("spawn_agent", "job")]}))
    assert the(report, "builtin-shadowing").subject == "collaboration::spawn_agent"


@pytest.mark.parametrize("runtime", ["cursor", "goose", "vscode-copilot"])
def test_where_the_built_ins_are_not_known_nothing_passes(bench: Bench, runtime: str) -> None:
    setup = servers(runtime, {"mail": [SEND]})
    report = bench.report(setup)
    assert (report.verdict, report.undetermined) == ("undetermined", ("CTD307",))
    assert bench.report(setup.but(options={"allow_undetermined": ("CTD307",)})).verdict == "ready"


def test_contractd_itself_brings_no_tools(bench: Bench) -> None:
    report = bench.report(servers("contractd", {"mail": [SEND, LIST]}))
    assert (report.verdict, report.findings) == ("ready", ())
    assert [row.runtime_name for row in report.tools] == ["mail__send_message", "mail__list_agents"]


# ---- equal runtime names: built-in and MCP


def test_opencode_lets_the_server_s_tool_replace_the_built_in(bench: Bench) -> None:
    report = bench.report(servers("opencode", {"apply": [tool("patch", "text")]}))
    finding = the(report, "builtin-collision")
    assert (finding.severity, finding.tool) == ("high", "patch")
    assert "a call of apply_patch goes to the server" in finding.message
    assert finding.remedies == (), "the key that leaves the tool out takes the built-in away too"
    assert status(report, "patch", "apply") == "refused"


def test_openhands_does_not_start_with_two_tools_of_one_name(bench: Bench) -> None:
    report = bench.report(servers("openhands", {"mail": [tool("think", "thought", **hints(readOnlyHint=True))]}))
    finding = the(report, "builtin-collision")
    assert finding.severity == "high"
    assert "refuses to start: no model is asked, and the exit code is 0" in finding.message
    both = servers("openhands", {"mail": [tool("think", "thought", **hints(readOnlyHint=True))], "wiki": [GET]})
    assert not named(bench.report(both), "builtin-collision")


def test_codex_without_prefixes_lets_a_server_vanish_behind_its_own_namespace(bench: Bench) -> None:
    setup = servers("codex-cli", {"collaboration": [SEND]})
    assert not named(bench.report(setup), "builtin-collision")
    on = {"non_prefixed_mcp_tool_names": "on", "multi_agent_v2": "on", "model": "other"}
    finding = the(bench.report(setup.but(options={"conditions": on})), "builtin-collision")
    assert finding.severity == "high"
    assert "the server's tool vanishes, and a call of the name goes to the built-in" in finding.message


@pytest.mark.parametrize("runtime", ["qwen-code", "claude-code", "gemini-cli", "cline"])
def test_runtimes_with_a_prefix_of_their_own_can_t_have_this_kind(bench: Bench, runtime: str) -> None:
    report = bench.report(servers(runtime, {"send": [tool("message", "to")], "read": [tool("file", "path")]}))
    assert not named(report, "builtin-collision")


# ---- equal runtime names: MCP and MCP

LAST = "whoever connects last wins, so which one wins changes from run to run"
FIRST = "whoever connects first wins, so which one wins changes from run to run"
NOBODY = "which one answers is not known"
AFTER_NAMING = [
    # runtime, (server, tool) twice, the one name, who wins
    ("qwen-code", ("a", "b__c"), ("a__b", "c"), "mcp__a__b__c", LAST),
    ("claude-code", ("a", "b__c"), ("a__b", "c"), "mcp__a__b__c", FIRST),
    ("gemini-cli", ("a", "b_c"), ("a_b", "c"), "mcp_a_b_c", LAST),
    ("opencode", ("a", "b_c"), ("a_b", "c"), "a_b_c", LAST),
    ("openhands", ("a", "b_c"), ("a_b", "c"), "a_b_c", "the one configured first is kept"),
    ("cline", ("a", "b__c"), ("a__b", "c"), "a__b__c", "the one configured last is kept"),
    ("goose", ("a", "b__c"), ("a__b", "c"), "a__b__c", FIRST),
    ("vscode-copilot", ("a", "b_c"), ("a_b", "c"), "mcp_a_b_c", NOBODY),
]


@pytest.mark.parametrize(
    ("runtime", "one", "other", "name", "wins"), AFTER_NAMING, ids=[row[0] for row in AFTER_NAMING]
)
def test_two_tools_that_become_one_name_are_refused_both_and_the_winner_is_told(
    bench: Bench, runtime: str, one: tuple[str, str], other: tuple[str, str], name: str, wins: str
) -> None:
    report = bench.report(servers(runtime, {one[0]: [tool(one[1], "x")], other[0]: [tool(other[1], "x")]}))
    finding = the(report, "collision-after-naming")
    assert (finding.severity, finding.details["runtime_name"]) == ("high", name)
    assert wins in finding.message
    assert {row.status for row in report.tools} == {"refused"}
    assert {row.runtime_name for row in report.tools} == {name}
    assert report.verdict == "not_ready"


SAME_RAW = [
    ("claude-code", "a b", "a_b"),
    ("gemini-cli", "a b", "a_b"),
    ("opencode", "a b", "a_b"),
    ("goose", "A B", "ab"),
    ("cursor", "mail", "post"),
]


@pytest.mark.parametrize(("runtime", "one", "other"), SAME_RAW, ids=[row[0] for row in SAME_RAW])
def test_one_tool_name_in_two_servers_that_become_one_is_a_provider_collision(
    bench: Bench, runtime: str, one: str, other: str
) -> None:
    report = bench.report(servers(runtime, {one: [GET], other: [GET]}))
    assert told(report, "CTD302", "CTD303") == [("CTD302", "medium", "get_x")]
    assert report.verdict == "not_ready"


@pytest.mark.parametrize("runtime", ["qwen-code", "cline", "vscode-copilot", "contractd"])
def test_runtimes_that_tell_such_servers_apart_have_no_collision(bench: Bench, runtime: str) -> None:
    report = bench.report(servers(runtime, {"a b": [GET], "a_b": [GET]}))
    assert told(report, "CTD302", "CTD303") == []
    assert len({row.runtime_name for row in report.tools}) == 2


def test_three_under_one_name_are_one_finding_about_all(bench: Bench) -> None:
    report = bench.report(servers("cursor", {name: [GET] for name in ("one", "two", "three")}))
    finding = the(report, "provider-collision")
    assert "get_x of one, get_x of two and get_x of three are all get_x to the model" in finding.message
    assert finding.details["tools"] == ["one.get_x", "two.get_x", "three.get_x"]


@pytest.mark.parametrize("runtime", ALL)
def test_healthy_servers_collide_in_no_runtime(bench: Bench, runtime: str) -> None:
    report = bench.report(servers(runtime, {"git": [tool("git_status", "repo_path")], "time": [tool("get_utc_time")]}))
    assert told(report, "CTD301", "CTD302", "CTD303", "CTD304", "CTD305", "CTD306") == []
    assert {row.status for row in report.tools} == {"bound"}


def test_two_servers_of_one_kind_are_told_once_and_not_for_each_name(bench: Bench) -> None:
    tools = [tool(f"git_{verb}", "repo_path") for verb in ("status", "log", "diff", "show")]
    finding = the(bench.report(servers("claude-code", {"here": tools, "there": tools})), "ambiguous-bare-name")
    assert finding.tool is None
    assert "git_status, git_log, git_diff and git_show are offered by here and there" in finding.message


# ---- what settles a collision

SETTLED = [
    # runtime, keys beside the servers, keys in the entry, the tool, part of the reason
    ("qwen-code", {"tools": {"disabled": ["send_message"]}}, {}, SEND, "the built-in is taken away by tools.disabled"),
    ("qwen-code", {"permissions": {"deny": ["send_message"]}}, {}, SEND, "taken away by permissions.deny"),
    ("qwen-code", {}, {"excludeTools": ["send_message"]}, SEND, "the server's tool is left out: excludeTools names it"),
    ("qwen-code", {}, {"includeTools": ["get_x"]}, SEND, "left out: includeTools does not name it"),
    ("gemini-cli", {}, {"excludeTools": ["invoke_agent"]}, tool("invoke_agent", "x"), "excludeTools names it"),
    ("codex-cli", {}, {"disabled_tools": ["send_message"]}, SEND, "left out: disabled_tools names it"),
    ("opencode", {"tools": {"task": False}}, {}, tool("task", "title"), "the built-in is taken away by tools"),
]


@pytest.mark.parametrize(("runtime", "top", "entry", "raw", "why"), SETTLED, ids=lambda value: str(value)[:30])
def test_a_collision_that_the_configuration_settles_is_told_as_settled(
    bench: Bench, runtime: str, top: dict[str, Any], entry: dict[str, Any], raw: dict[str, Any], why: str
) -> None:
    setup = servers(runtime, {"mail": [raw, GET]}, top=top, entry=entry)
    finding = the(bench.report(setup), "builtin-shadowing")
    assert why in (finding.settled or "")
    assert bench.report(servers(runtime, {"mail": [raw, GET]})).verdict == "not_ready"
    assert bench.report(setup).verdict != "not_ready"


def test_a_built_in_that_claude_code_denies_is_taken_away(bench: Bench) -> None:
    deny = '{"permissions": {"deny": ["SendMessage", "Bash(rm *)"]}}'
    report = bench.report(servers("claude-code", {"mail": [SEND]}, places={"~/.claude/settings.json": deny}))
    where = f"{bench.home / '.claude/settings.json'}:1:18"
    assert the(report, "builtin-shadowing").settled == f"the built-in is taken away by permissions.deny ({where})"
    assert report.verdict == "ready"


@pytest.mark.parametrize("reference", ["mail.send_message", "My Mail.send_message", "my-mail.send_message"])
def test_the_policy_may_mean_a_tool_to_stand_in_for_the_built_in(bench: Bench, reference: str) -> None:
    name = "mail" if reference.startswith("mail") else "My Mail"
    places = {"contractd.toml": f'[tools."{reference}"]\noverrides_builtin = true\n'}
    report = bench.report(servers("qwen-code", {name: [SEND]}, places=places))
    assert the(report, "builtin-shadowing").settled == "contractd's policy says overrides_builtin"
    assert report.verdict == "ready"
    assert status(report, "send_message", name) == "bound"


def test_the_declared_effect_decides_how_bad_it_is(bench: Bench) -> None:
    places = {"contractd.toml": '[tools."mail.send_message"]\neffect = "read"\n'}
    assert the(bench.report(servers("qwen-code", {"mail": [SEND]}, places=places)), "CTD301").severity == "medium"


def test_leaving_one_of_two_out_settles_their_collision(bench: Bench) -> None:
    text = '{"mcpServers": {"a b": {"command": "sh"}, "a_b": {"command": "sh", "excludeTools": ["get_x"]}}}'
    report = bench.report(Setup(text, {"a b": [GET], "a_b": [GET]}, "gemini-cli@0.61.0"))
    assert the(report, "CTD302").settled == "all but one are left out of the model's list"
    assert [row.status for row in report.tools] == ["bound", "excluded"]


def test_of_three_of_whom_one_is_left_out_the_other_two_still_collide(bench: Bench) -> None:
    text = (
        '{"mcpServers": {"a b": {"command": "sh"}, "a_b": {"command": "sh"}, '
        '"a/b": {"command": "sh", "excludeTools": ["get_x"]}}}'
    )
    report = bench.report(Setup(text, {"a b": [GET], "a_b": [GET], "a/b": [GET]}, "gemini-cli@0.61.0"))
    finding = the(report, "CTD302")
    assert (finding.settled, finding.provider) == (None, "a_b")
    assert "a/b" not in finding.message
    assert [row.status for row in report.tools] == ["refused", "refused", "excluded"]


def test_a_rename_in_the_policy_is_the_name_that_contractd_exposes_and_may_collide_itself(bench: Bench) -> None:
    renames = '[tools."mail.send_message"]\nrename = "{}"\n'
    setup = servers("contractd", {"mail": [SEND], "post": [SEND]})
    fine = bench.report(setup.but(places={"contractd.toml": renames.format("mail_send")}))
    assert [row.runtime_name for row in fine.tools] == ["mail_send", "post__send_message"]
    clash = bench.report(setup.but(places={"contractd.toml": renames.format("post__send_message")}))
    assert told(clash, "CTD302") == [("CTD302", "high", "send_message")]
    other = bench.report(servers("qwen-code", {"mail": [SEND]}, places={"contractd.toml": renames.format("mail_send")}))
    assert [row.runtime_name for row in other.tools] == ["mcp__mail__send_message"]


def test_a_server_that_no_session_starts_collides_with_nobody(bench: Bench) -> None:
    report = bench.report(servers("qwen-code", {"constructor": [SEND]}))
    assert "never started" in (the(report, "CTD301").settled or "")
    assert status(report, "send_message", "constructor") == "excluded"
    assert the(report, "gated-server").severity == "high"


def test_a_server_whose_whole_list_the_runtime_drops_has_no_tool_for_the_model(bench: Bench) -> None:
    bad = {"name": "broken", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}
    report = bench.report(servers("claude-code", {"mail": [GET, bad]}))
    assert [(row.visible, row.status) for row in report.tools] == [("no", "refused"), ("no", "quarantined")]


LEFT_OUT = '{"permissions": {"deny": ["mcp__a__b__c"]}}'
AFTER = {"a": [tool("b__c", "x")], "a__b": [tool("c", "x")]}


def test_lines_that_would_take_both_of_two_away_are_not_offered(bench: Bench) -> None:
    both = the(bench.report(servers("claude-code", AFTER)), "CTD303")
    assert (both.action, both.remedies) == ("rename one of the servers", ())
    one = the(bench.report(servers("qwen-code", AFTER)), "CTD303")
    assert one.action == "rename one of the servers, or leave one of them out as below"
    assert [remedy.text for remedy in one.remedies] == ['"excludeTools": ["c"]']


def test_of_two_that_are_both_left_out_it_is_said_so(bench: Bench) -> None:
    report = bench.report(servers("claude-code", AFTER, places={"~/.claude/settings.json": LEFT_OUT}))
    assert the(report, "CTD303").settled == "all of them are left out of the model's list"
    assert [row.status for row in report.tools] == ["excluded", "excluded"]


@pytest.mark.parametrize(
    ("runtime", "first", "second", "action"),
    [
        ("cursor", "mail", "post", "switch one of the servers off for this session"),
        ("goose", "A B", "ab", "give one of the servers another name"),
        ("gemini-cli", "a b", "a_b", "rename one of the servers, or leave one of them out as below"),
    ],
)
def test_a_server_is_to_be_renamed_only_where_that_renames_its_tools(
    bench: Bench, runtime: str, first: str, second: str, action: str
) -> None:
    assert the(bench.report(servers(runtime, {first: [GET], second: [GET]})), "CTD302").action == action


THINK = tool("think", "thought")


def test_the_only_server_of_openhands_has_no_part_in_names_so_the_tool_is_renamed(bench: Bench) -> None:
    finding = the(bench.report(servers("openhands", {"mail": [THINK]})), "builtin-collision")
    assert finding.action == "rename the tool or leave it out"
    texts = [remedy.text for remedy in finding.remedies]
    assert texts == ['"tools": {"think": {"name": "mail_think"}}', '"tools": {"think": {"enabled": false}}']
    for text in texts:
        entry = json.loads("{" + text + "}")
        report = bench.report(servers("openhands", {"mail": [THINK]}, entry=entry))
        assert report.verdict == "ready", text
    two = servers("openhands", {"task": [tool("tracker", "x")], "wiki": [GET]})
    assert the(bench.report(two), "builtin-collision").action == "rename the server or leave the tool out"


def test_a_tool_that_settings_rename_is_known_by_its_new_name(bench: Bench) -> None:
    tools: dict[str, Listing] = {"mail": [tool("execute", "sql")], "wiki": [GET]}
    assert the(bench.report(servers("openhands", tools)), "CTD301").settled is None
    renamed = bench.report(servers("openhands", tools, entry={"tools": {"execute": {"name": "run_sql"}}}))
    assert the(renamed, "CTD301").settled == "the server's tool is renamed to run_sql"
    assert renamed.verdict == "ready"
    worse = bench.report(servers("openhands", tools, entry={"tools": {"execute": {"name": "Terminal"}}}))
    assert "Terminal reads as the same" in the(worse, "CTD301").message
    assert the(worse, "CTD301").settled is None


def test_a_built_in_is_compared_by_what_a_call_meets_where_none_is_called_so(bench: Bench) -> None:
    finding = the(bench.report(servers("qwen-code", {"mail": [tool("SendMessage", "to")]})), "CTD301")
    assert (
        "A call of SendMessage is refused with an error, one of send_message lands in the built-in." in finding.message
    )


def test_a_look_alike_is_told_beside_the_name_that_it_looks_like_the_most(bench: Bench) -> None:
    tools: dict[str, Listing] = {"mail": [tool("SendMessage", "to")], "post": [tool("sen\u0501_message", "to")]}
    for setup in (servers("qwen-code", tools), servers("qwen-code", dict(reversed(tools.items())))):
        finding = the(bench.report(setup), "look-alike-name")
        assert "differs from the built-in send_message by letters that look the same" in finding.message
        assert (finding.provider, finding.tool) == ("post", "sen\u0501_message")


# ---- conditions of the run


def test_a_built_in_that_is_off_by_default_is_a_low_doubt_until_it_is_switched_on(bench: Bench) -> None:
    tracker = tool("tracker_create_task", "title", "project")
    setup = servers("gemini-cli", {"mail": [tracker]})
    finding = the(bench.report(setup), "builtin-shadowing")
    assert (finding.severity, finding.confidence) == ("low", "low")
    on = the(bench.report(setup.but(options={"conditions": {"tracker": "on"}})), "builtin-shadowing")
    assert (on.severity, on.confidence) == ("high", "high")
    assert not named(bench.report(setup.but(options={"conditions": {"tracker": "off"}})), "builtin-shadowing")


def test_a_condition_that_excludes_a_built_in_takes_its_finding_away(bench: Bench) -> None:
    setup = servers("claude-code", {"mail": [SEND]})
    assert named(bench.report(setup), "builtin-shadowing")
    assert not named(bench.report(setup.but(options={"conditions": {"bare": "on"}})), "builtin-shadowing")


def test_what_is_not_known_of_the_run_is_assumed_either_way_and_printed(bench: Bench) -> None:
    ask = tool("ask_user_question", "topic")
    setup = servers("claude-code", {"mail": [ask]})
    report = bench.report(setup)
    assert report.runtime.assumed["mode"] == ("headless", "interactive")
    assert the(report, "builtin-shadowing").confidence == "medium"
    stated = setup.but(options={"conditions": {"mode": "headless"}})
    assert not named(bench.report(stated), "builtin-shadowing")
    assert bench.report(stated).runtime.conditions["mode"] == "headless"
    interactive = bench.report(setup.but(options={"conditions": {"mode": "interactive"}}))
    assert the(interactive, "builtin-shadowing").confidence == "high"


def test_conditions_may_stand_in_the_settings_and_the_command_line_beats_them(bench: Bench) -> None:
    setup = servers("claude-code", {"mail": [tool("ask_user_question", "topic")]})
    setup = setup.but(places={"contractd.toml": '[preflight.conditions]\nmode = "headless"\n'})
    assert not named(bench.report(setup), "builtin-shadowing")
    assert named(bench.report(setup.but(options={"conditions": {"mode": "interactive"}})), "builtin-shadowing")


# ---- versions


@pytest.mark.parametrize("runtime", NEWEST)
def test_a_version_without_data_is_assumed_from_the_nearest_and_that_spoils_no_verdict(
    bench: Bench, runtime: str
) -> None:
    major, minor, _ = NEWEST[runtime].split(".")
    setup = servers(runtime, {"git": [tool("git_status", "repo_path")]}, version=f"{major}.{minor}.9999")
    report = bench.report(setup.but(options={"conditions": {"mode": "interactive"}}))
    assert report.verdict == "ready"
    assert (report.runtime.version, report.runtime.version_source) == (f"{major}.{minor}.9999", "stated")
    assert f"assumed from {report.runtime.data_version}" in (report.runtime.note or "")


def test_the_founding_report_s_version_is_assumed_from_the_one_captured(bench: Bench) -> None:
    report = bench.report(servers("qwen-code", {"mail": [SEND]}, version="0.21.13"))
    assert (report.runtime.version, report.runtime.data_version) == ("0.21.13", "0.21.10")
    assert the(report, "CTD301").severity == "high"


def test_who_said_the_version_is_told(bench: Bench) -> None:
    setup = servers("qwen-code", {"git": [GET]}, version=None)
    asked = bench.report(setup.but(version="0.24.4"))
    assert (asked.runtime.version_source, asked.runtime.version, asked.runtime.note) == ("program", "0.24.4", None)
    nobody = bench.report(setup)
    assert nobody.runtime.version_source == "assumed"
    assert "its version is not known; assumed from" in (nobody.runtime.note or "")
    stated = bench.report(servers("qwen-code", {"git": [GET]}, version="0.21.10").but(version="0.24.4"))
    assert (stated.runtime.version_source, stated.runtime.version) == ("stated", "0.21.10")


def test_cline_s_extension_is_not_taken_for_its_command_line(bench: Bench) -> None:
    assert bench.report(servers("cline", {"mail": [GET]}, version="2.0.0")).undetermined == ("CTD307",)
    assert bench.report(servers("cline", {"mail": [GET]}, version="3.1.0")).verdict == "ready"
