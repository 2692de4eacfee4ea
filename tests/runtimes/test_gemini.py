"""Gemini CLI: what the published 0.61.0 was seen to read, expand, redact, gate and show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.contracts import Contract
from contractd.errors import ConfigError
from contractd.runtimes.base import Scope
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.gemini import GeminiCli
from tests.runtimes.situations import CWD, HOME, context, one, problems, read, rules, runtime, servers, source, spec

GEMINI = runtime("gemini-cli")
PROFILE = nearest_profile("gemini-cli", "0.61.0")
SERVER = {"command": "mail"}
TRUSTED = f"{HOME}/.gemini/trustedFolders.json"
PROJECT = f"{CWD}/.gemini/settings.json"


def beside(value: Any, path: str = TRUSTED) -> Any:
    return source(json.dumps(value), path, "user", servers=False)


def settings(value: dict[str, Any], scope: Scope = "user") -> Any:
    return source(value, f"{HOME}/.gemini/settings.json", scope, servers=False)


# ---- transports and keys


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "mail"}, ("stdio", False, None)),
        ({"httpUrl": "http://h/mcp"}, ("http", False, "http://h/mcp")),
        ({"url": "http://h/mcp"}, ("http", True, "http://h/mcp")),
        ({"url": "http://h/mcp", "type": "http"}, ("http", False, "http://h/mcp")),
        ({"url": "http://h/sse", "type": "sse"}, ("sse", False, "http://h/sse")),
        ({"url": "http://old", "httpUrl": "http://new"}, ("http", False, "http://new")),
        ({"url": "http://h/mcp", "command": "mail"}, ("http", True, "http://h/mcp")),
        ({"command": "mail", "type": "bogus"}, ("stdio", False, None)),
        ({"url": "http://h/mcp", "type": "streamable-http"}, ("http", False, "http://h/mcp")),
        ({"httpUrl": "", "url": "http://h/mcp"}, ("http", True, "http://h/mcp")),
    ],
)
def test_the_transport_and_address_are_those_it_was_seen_to_use(entry: Any, expected: Any) -> None:
    found = spec("gemini-cli", entry)
    assert (found.transport, found.fallback_sse, found.url) == expected


def test_an_address_beside_a_command_is_told_for_the_command_is_never_started() -> None:
    assert rules(problems("gemini-cli", {"url": "http://h", "command": "mail"})) == [("transport-mismatch", "medium")]


@pytest.mark.parametrize(
    "entry",
    [
        {}, {"serverUrl": "http://h"}, {"command": "mail", "args": "x"}, {"command": ["mail"]},
        {"command": "mail", "env": {"PORT": 8080}}, {"command": "mail", "timeout": "5"},
        {"httpUrl": "http://h", "headers": {"X": 1}}, "mail",
    ],
)  # fmt: skip
def test_an_entry_it_loses_is_a_high_finding_and_costs_itself_only(entry: Any) -> None:
    setup = read("gemini-cli", servers("gemini-cli", {"srv": entry, "good": SERVER}))
    assert [found.spec is None for found in setup.entries] == [True, False]
    assert ("server-entry-invalid", "high") in rules(list(setup.problems))


@pytest.mark.parametrize(
    ("key", "said"),
    [("disabled", "started all the same"), ("enabled", "started all the same"), ("alwaysLoadTools", "never deferred")],
)
def test_a_key_it_only_warns_about_is_told_with_what_follows(key: str, said: str) -> None:
    found = problems("gemini-cli", {**SERVER, key: True})
    assert rules(found) == [("ignored-key", "medium")] and said in found[0].message


def test_an_unknown_top_level_key_is_a_low_finding_and_a_known_one_none() -> None:
    found = read("gemini-cli", {**servers("gemini-cli", {"a": SERVER}), "ui": {}, "general": {}, "excludeTools": ["x"]})
    assert [(problem.rule, problem.subject) for problem in found.problems] == [("ignored-key", "excludeTools")]


@pytest.mark.parametrize("content", [{"mcp_servers": {"a": SERVER}}, {"mcp": {"mcpServers": {"a": SERVER}}}])
def test_servers_under_another_key_are_told(content: Any) -> None:
    found = read("gemini-cli", content)
    assert found.entries == () and rules(list(found.problems)) == [("wrong-top-level-key", "high")]


# ---- files


@pytest.mark.parametrize("text", ['{"mcpServers": {},}', '\ufeff{"mcpServers": {}}', "", "[]"])
def test_what_it_exits_over_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        read("gemini-cli", text)


def test_comments_are_accepted_and_the_later_of_two_equal_names_counts() -> None:
    setup = read("gemini-cli", '{"mcpServers": {"a": {"command": "x"}, // one\n "a": {"command": "y"}}}')
    assert [entry.spec.argv for entry in setup.entries if entry.spec] == [("y",)]
    assert rules(list(setup.problems)) == [("duplicate-name", "medium")]


def test_a_stronger_file_replaces_the_whole_entry_and_adds_others() -> None:
    lowest = source(
        servers("gemini-cli", {"a": {**SERVER, "env": {"K": "low"}}, "b": SERVER}),
        "/etc/gemini-cli/system-defaults.json",
        "system",
    )
    highest = source(servers("gemini-cli", {"a": {"command": "high"}}), "/etc/gemini-cli/settings.json", "system")
    setup = GEMINI.read([lowest, highest], context())
    assert {entry.name: entry.spec and (entry.spec.argv, dict(entry.spec.env)) for entry in setup.entries} == {
        "a": (("high",), {}),
        "b": (("mail",), {}),
    }


def test_a_project_in_an_untrusted_folder_replaces_nothing_and_its_settings_do_not_count() -> None:
    user = source(servers("gemini-cli", {"both": {"command": "user"}}), f"{HOME}/.gemini/settings.json")
    content = {**servers("gemini-cli", {"both": {"command": "project"}, "only": SERVER}), "mcp": {"excluded": ["both"]}}
    project = source(content, PROJECT, "project")
    setup = GEMINI.read([user, project], context())
    found = {entry.name: entry for entry in setup.entries}
    assert found["both"].spec is not None and found["both"].spec.argv == ("user",) and found["both"].gate is None
    gate = found["only"].gate
    assert gate is not None and not gate.certain and "trusted folder" in gate.why
    assert setup.settings.names("mcp.excluded") == ()


@pytest.mark.parametrize(
    ("folders", "environ", "trusted"),
    [
        ({CWD: "TRUST_FOLDER"}, {}, True),
        ({HOME: "TRUST_FOLDER"}, {}, True),
        ({f"{CWD}/sub": "TRUST_PARENT"}, {}, True),
        ({"/home/ann/wor": "TRUST_FOLDER"}, {}, False),
        ({HOME: "TRUST_FOLDER", CWD: "DO_NOT_TRUST"}, {}, False),
        ({HOME: "DO_NOT_TRUST", CWD: "TRUST_FOLDER"}, {}, True),
        ({}, {}, False),
        ({}, {"GEMINI_CLI_TRUST_WORKSPACE": "true"}, True),
        ({CWD: "TRUST_ME"}, {}, False),
        ([], {}, False),
        ({CWD: ["TRUST_FOLDER"]}, {}, False),
    ],
)
def test_a_project_counts_in_a_trusted_folder_only(folders: Any, environ: Any, trusted: bool) -> None:
    entry = one("gemini-cli", SERVER, path=PROJECT, scope="project", environ=environ, others=(beside(folders),))
    assert (entry.gate is None) is trusted


def test_switching_folder_trust_off_trusts_all_but_a_project_cannot_do_so_for_itself() -> None:
    off = {"security": {"folderTrust": {"enabled": False}}}
    assert one("gemini-cli", SERVER, path=PROJECT, scope="project", others=(settings(off),)).gate is None
    content = {**servers("gemini-cli", {"srv": SERVER}), **off}
    assert read("gemini-cli", content, path=PROJECT, scope="project").entries[0].gate is not None


def test_the_folder_of_a_project_file_named_from_elsewhere_is_the_one_that_must_be_trusted() -> None:
    found = {
        folder: one(
            "gemini-cli",
            SERVER,
            path="../other/.gemini/settings.json",
            scope="project",
            others=(beside({folder: "TRUST_FOLDER"}),),
        ).gate
        for folder in (f"{HOME}/other", CWD)
    }
    assert found[f"{HOME}/other"] is None and found[CWD] is not None


def test_companions_of_a_named_file_tell_whether_its_folder_is_trusted() -> None:
    places = {location.path: location.servers for location in GEMINI.companions(PROJECT, context())}
    assert places == {
        TRUSTED: False,
        f"{HOME}/.gemini/mcp-server-enablement.json": False,
        f"{HOME}/.gemini/settings.json": False,
    }
    assert f"{HOME}/.gemini/settings.json" not in [
        location.path for location in GEMINI.companions(f"{HOME}/.gemini/settings.json", context())
    ]


# ---- variables


@pytest.mark.parametrize(
    ("written", "in_args", "in_env"),
    [
        ("$A", "abc", "abc"),
        ("${A}", "abc", "abc"),
        ("${A:-d}", "abc", "abc"),
        ("${EMPTY:-d}", "", ""),
        ("${U:-d}", "d", "d"),
        ("${U}", "${U}", ""),
        ("$U/x", "$U/x", "/x"),
        ("${U-d}", "${U-d}", "d"),
        ("$5", "$5", "$5"),
        ("pa$word", "pa$word", "pa"),
        ("\\$A", "\\abc", "\\abc"),
        ("${MY_API_KEY}", "secret", "secret"),
        ("${TWICE}", "x$A", "xabc"),
        ("a$", "a$", "a$"),
    ],
)
def test_variables_are_expanded_in_one_round_or_two_as_the_program_was_seen_to(
    written: str, in_args: str, in_env: str
) -> None:
    environ = {"A": "abc", "EMPTY": "", "MY_API_KEY": "secret", "TWICE": "x$A"}
    found = spec(
        "gemini-cli", {"command": "mail", "args": [written], "cwd": "/d", "env": {"K": written}}, environ=environ
    )
    assert found.argv == ("mail", in_args) and found.env == {"K": in_env}
    remote = spec("gemini-cli", {"httpUrl": f"http://h/{written}", "headers": {"K": written}}, environ=environ)
    assert remote.url == f"http://h/{in_args}" and remote.headers == {"K": in_env}


def test_what_a_value_of_a_variable_holds_is_never_named_when_the_second_round_changes_it() -> None:
    found = problems("gemini-cli", {**SERVER, "env": {"K": "${PW}"}}, environ={"PW": "pa$sw0rd"})
    assert rules(found) == [("value-not-usable", "medium")]
    assert "sw0rd" not in found[0].message + found[0].subject + found[0].action


def test_an_unset_variable_may_stand_in_a_file_that_contractd_does_not_read_so_it_is_a_low_finding() -> None:
    found = problems("gemini-cli", {**SERVER, "env": {"K": "${U}"}, "args": ["${V}"]})
    assert sorted(rules(found)) == [("unset-variable", "low")] * 2
    assert {"empty text" in problem.message for problem in found if "U is" in problem.message} == {True}
    assert all(".env" in problem.message for problem in found)


def test_another_runtimes_way_of_writing_is_told() -> None:
    found = problems("gemini-cli", {**SERVER, "args": ["${env:A}"]}, environ={"A": "abc"})
    assert rules(found) == [("literal-variable", "medium")] and "${A}" in found[0].action


@pytest.mark.parametrize(
    ("name", "value", "passes"),
    [
        ("HOME", "/h", True), ("EDITOR", "vi", True), ("MY_KEY", "x", False), ("GITHUB_TOKEN", "x", False),
        ("DATABASE_URL", "x", False), ("database_url", "x", False), ("MONKEY", "x", False),
        ("GEMINI_CLI_KEY", "x", True),
        ("PLAIN", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2", False), ("SITE", "https://u:p@h/", False),
        ("SITE2", "https://h/", True),        ("GIT_CONFIG_KEY_0", "x", True),
    ],
)  # fmt: skip
def test_a_program_gets_the_environment_without_what_looks_like_a_secret(name: str, value: str, passes: bool) -> None:
    inherit = spec("gemini-cli", SERVER, environ={name: value}).inherit
    assert inherit != "all" and (name in inherit) is passes


def test_settings_let_a_variable_through_and_github_lets_none_through_that_is_not_always_allowed() -> None:
    allow = settings({"security": {"environmentVariableRedaction": {"allowed": ["my_key"]}}})
    inherit = spec("gemini-cli", SERVER, environ={"MY_KEY": "x", "OTHER_KEY": "x"}, others=(allow,)).inherit
    assert inherit == frozenset({"MY_KEY"})
    strict = spec("gemini-cli", SERVER, environ={"GITHUB_SHA": "1", "EDITOR": "vi", "PATH": "/bin"}).inherit
    assert strict == frozenset({"PATH"})


def test_variables_that_no_server_gets_are_told_although_the_entry_sets_them() -> None:
    entry = {**SERVER, "env": {"NODE_OPTIONS": "--x", "PATH": "/p"}}
    assert spec("gemini-cli", entry).env == {"PATH": "/p"}
    assert rules(problems("gemini-cli", entry)) == [("variable-not-passed", "medium")]


def test_the_budget_is_the_entrys_timeout_in_milliseconds_else_ten_minutes() -> None:
    assert spec("gemini-cli", SERVER).budget == 600.0
    assert spec("gemini-cli", {**SERVER, "timeout": 1500}).budget == 1.5
    assert spec("gemini-cli", {**SERVER, "timeout": 10**390}).budget == 3600.0


def test_a_relative_directory_is_the_sessions_and_a_tilde_is_a_name() -> None:
    assert spec("gemini-cli", {**SERVER, "cwd": "sub"}).cwd == f"{CWD}/sub"
    assert spec("gemini-cli", {**SERVER, "cwd": "~/x"}).cwd == f"{CWD}/~/x"


def test_a_server_that_never_answers_keeps_the_model_from_being_asked() -> None:
    entry = one("gemini-cli", SERVER)
    assert "no model" in (GEMINI.fatal(entry, 1, timed_out=True) or "")
    assert GEMINI.fatal(entry, 1, timed_out=False) is None


# ---- gates, filters, visibility


@pytest.mark.parametrize(
    ("value", "off"),
    [
        ({"mcp": {"excluded": ["srv"]}}, True), ({"mcp": {"excluded": ["SRV", "s*"]}}, False),
        ({"mcp": {"allowed": ["other"]}}, True), ({"mcp": {"allowed": []}}, False),
        ({"mcp": {"allowed": ["srv"]}}, False),
        ({"mcp": {"allowed": ["srv"], "excluded": ["srv"]}}, True), ({"mcp": "x"}, False),
    ],
)  # fmt: skip
def test_allowed_and_excluded_servers_are_exact_names(value: Any, off: bool) -> None:
    entry = one("gemini-cli", SERVER, others=(settings(value),))
    assert (entry.disabled is not None, entry.spec is None, entry.gate) == (off, off, None)


def test_a_server_of_an_untrusted_project_that_is_excluded_is_switched_off_all_the_same() -> None:
    user = settings({"mcp": {"excluded": ["srv"]}})
    entry = one("gemini-cli", SERVER, path=f"{CWD}/.gemini/settings.json", scope="project", others=(user,))
    assert (entry.disabled, entry.gate) == ("mcp.excluded names it", None)


def test_its_own_switch_file_switches_a_server_off() -> None:
    switch = beside(
        {"srv": {"enabled": False}, "other": {"enabled": True}}, f"{HOME}/.gemini/mcp-server-enablement.json"
    )
    entry = one("gemini-cli", SERVER, others=(switch,))
    assert entry.disabled is not None and entry.spec is None


def test_a_folder_not_to_trust_may_start_nothing_of_the_users_either() -> None:
    gate = one("gemini-cli", SERVER, others=(beside({CWD: "DO_NOT_TRUST"}),)).gate
    assert gate is not None and not gate.certain and "55" in gate.why


@pytest.mark.parametrize(
    ("mode", "approval", "trust", "visible"),
    [
        ("headless", "default", False, "no"), ("headless", "auto_edit", False, "no"),
        ("headless", "yolo", False, "yes"),
        ("headless", "plan", False, "no"), ("headless", "default", True, "yes"), ("headless", "plan", True, "no"),
        ("interactive", "default", False, "yes"), (None, None, False, "unknown"), (None, "yolo", False, "yes"),
        ("headless", None, False, "unknown"), (None, None, True, "yes"), ("interactive", "plan", False, "unknown"),
    ],
)  # fmt: skip
def test_headless_runs_hide_what_would_have_to_ask(mode: Any, approval: Any, trust: bool, visible: str) -> None:
    assert PROFILE is not None
    likely = {key: value for key, value in (("mode", mode), ("approval", approval)) if value}
    entry = one("gemini-cli", {**SERVER, "trust": trust})
    assert GEMINI.visibility(entry, PROFILE, likely) == visible


def test_a_server_in_mcp_allowed_and_a_tool_in_tools_allowed_are_shown_headless() -> None:
    assert PROFILE is not None
    likely = {"mode": "headless", "approval": "default"}
    entry = one("gemini-cli", SERVER, others=(settings({"mcp": {"allowed": ["srv"]}}),))
    assert GEMINI.visibility(entry, PROFILE, likely) == "yes"
    for name in ("send", "mcp_srv_send", "mcp_srv_*"):
        entry = one("gemini-cli", SERVER, others=(settings({"tools": {"allowed": [name]}}),))
        assert GEMINI.shows(entry, Contract("send", {}), PROFILE, likely, "mcp_srv_send") == "yes"
        assert GEMINI.shows(entry, Contract("send", {}), PROFILE, {**likely, "approval": "plan"}) == "no"
    assert GEMINI.shows(entry, Contract("other", {}), PROFILE, likely) == "yes"  # mcp_srv_* names it too


@pytest.mark.parametrize(
    ("entry", "excluded"),
    [
        ({"includeTools": ["send"]}, False), ({"includeTools": ["send(x)"]}, False), ({"includeTools": ["Send"]}, True),
        ({"includeTools": []}, True), ({"excludeTools": ["send"]}, True), ({"excludeTools": ["send(x)"]}, False),
        ({"includeTools": ["send"], "excludeTools": ["send"]}, True), ({"includeTools": ["s*"]}, True),
        ({"includeTools": ["mcp_srv_send"]}, True), ({"includeTools": "send"}, False), ({}, False),
    ],
)  # fmt: skip
def test_include_and_exclude_lists_hold_raw_names(entry: Any, excluded: bool) -> None:
    setup = read("gemini-cli", servers("gemini-cli", {"srv": {**SERVER, **entry}}))
    assert (GEMINI.excludes(setup.entries[0], "send", setup.settings) is not None) is excluded


@pytest.mark.parametrize(
    ("tools", "builtin", "server_tool"),
    [
        ({"exclude": ["read_file"]}, True, True),
        ({"exclude": ["ReadFileTool"]}, True, False),
        ({"exclude": ["read_file(x)"]}, False, False),
        ({"exclude": ["mcp_srv_read_file"]}, False, True),
        ({"exclude": ["mcp_srv_*"]}, False, True),
        ({"exclude": ["DiscoveredMCPTool"]}, False, True),
        ({"core": ["read_file"]}, False, False),
        ({"core": ["ReadFileTool"]}, False, True),
        ({"core": ["glob"]}, True, True),
        ({"core": "glob"}, False, False),
        ({}, False, False),
    ],
)
def test_removal_lists_take_away_what_they_were_seen_to(tools: Any, builtin: bool, server_tool: bool) -> None:
    assert PROFILE is not None
    setup = read("gemini-cli", servers("gemini-cli", {"srv": SERVER}), others=(settings({"tools": tools}),))
    assert (GEMINI.removes_builtin("read_file", PROFILE, setup.settings) is not None) is builtin
    assert (GEMINI.excludes(setup.entries[0], "read_file", setup.settings) is not None) is server_tool


def test_the_remedies_say_what_the_program_takes() -> None:
    assert PROFILE is not None
    entry = one("gemini-cli", SERVER)
    for name in [tool.name for tool in PROFILE.tools or []]:
        fix = GEMINI.disable_builtins([name])
        if fix is not None:
            setup = read("gemini-cli", servers("gemini-cli", {"srv": SERVER}), others=(settings(json.loads(fix.text)),))
            assert GEMINI.removes_builtin(name, PROFILE, setup.settings) == "tools.exclude"
            assert GEMINI.excludes(setup.entries[0], name, setup.settings) is None, "the server's tool must stay"
    left_out, shown, passed = (
        GEMINI.exclude(entry, ["send"]),
        GEMINI.reveal(entry),
        GEMINI.pass_variables(entry, ["MY_KEY"]),
    )
    assert left_out and shown and passed
    more = json.loads("{" + ", ".join(fix.text for fix in (left_out, shown, passed)) + "}")
    setup = read("gemini-cli", servers("gemini-cli", {"srv": {**SERVER, **more}}), environ={"MY_KEY": "abc"})
    assert setup.problems == () and GEMINI.excludes(setup.entries[0], "send", setup.settings)
    assert GEMINI.visibility(setup.entries[0], PROFILE, {"mode": "headless", "approval": "default"}) == "yes"
    assert setup.entries[0].spec is not None and setup.entries[0].spec.env == {"MY_KEY": "abc"}


def test_its_reader_holds_nothing_between_two_environments() -> None:
    assert spec("gemini-cli", SERVER, environ={"A": "1"}).inherit == frozenset({"A"})
    assert spec("gemini-cli", SERVER, environ={"B": "1"}).inherit == frozenset({"B"})
    assert isinstance(GEMINI, GeminiCli) and not vars(GEMINI)
