"""Claude Code: what the published 2.1.332 was seen to read, drop, start and wait for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from contractd.errors import ConfigError
from contractd.runtimes.base import Entry, Settings
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.conditions import Seen, conditions_of
from tests.runtimes.situations import CWD, HOME, context, one, problems, read, rules, runtime, servers, source, spec

CLAUDE = runtime("claude-code")
PROFILE = nearest_profile("claude-code", "2.1.332")
SERVER = {"command": "mail"}
USER_FILE = f"{HOME}/.claude.json"


def settings(value: dict[str, Any], path: str = ".claude/settings.json") -> Any:
    return source(value, path, "project", servers=False)


def gate(entry: Entry) -> tuple[str, bool] | None:
    return (entry.gate.why, entry.gate.certain) if entry.gate else None


# ---- transports


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"command": "mail"}, "stdio"),
        ({"type": "stdio", "command": "mail"}, "stdio"),
        ({"command": "mail", "url": "http://h/mcp"}, "stdio"),
        ({"type": "http", "url": "http://h/mcp"}, "http"),
        ({"type": "streamable-http", "url": "http://h/mcp"}, "http"),
        ({"type": "http", "url": "http://h/mcp", "command": "mail"}, "http"),
        ({"type": "sse", "url": "http://h/sse"}, "sse"),
    ],
)
def test_the_transport_is_the_one_it_was_seen_to_use(entry: dict[str, Any], transport: str) -> None:
    found = spec("claude-code", entry)
    assert found.transport == transport and not found.fallback_sse


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "http://h/mcp"},
        {"httpUrl": "http://h/mcp"},
        {"serverUrl": "http://h/mcp"},
        {"url": "http://h/mcp", "transport": "http"},
        {"type": "local", "command": "mail"},
        {"type": "streamableHttp", "url": "http://h/mcp"},
        {"type": "bogus", "url": "http://h/mcp"},
        {"command": ""},
        {"command": ["mail"]},
        {"command": "mail", "args": "x"},
        {"command": "mail", "args": [1]},
        {"command": "mail", "env": {"PORT": 8080}},
        {"command": "mail", "env": None},
        {"command": "mail", "timeout": "5000"},
        {"command": "mail", "timeout": 0},
        {"command": "mail", "timeout": 1.5},
        {"command": "mail", "alwaysLoad": "yes"},
        {"type": "http", "url": "http://h/mcp", "headers": {"X": 1}},
        {},
        "mail",
        None,
    ],
)
def test_an_entry_it_drops_in_silence_is_a_high_finding_and_costs_itself_only(entry: Any) -> None:
    setup = read("claude-code", servers("claude-code", {"srv": entry, "good": SERVER}))
    by_name = {found.name: found for found in setup.entries}
    assert by_name["srv"].spec is None and by_name["good"].spec is not None
    assert ("server-entry-invalid", "high") in rules(list(setup.problems))


def test_a_web_socket_server_is_not_wrong_but_beyond_what_contractd_can_ask() -> None:
    found = problems("claude-code", {"type": "ws", "url": "ws://h/mcp"})
    assert [(problem.level, problem.undetermined) for problem in found] == [("info", True)]


def test_a_wrong_type_of_a_key_that_the_transport_does_not_use_costs_nothing() -> None:
    assert one("claude-code", {"type": "http", "url": "http://h/mcp", "env": {"PORT": 8080}}).spec is not None


# ---- keys


@pytest.mark.parametrize(
    ("key", "level", "said"),
    [
        ("cwd", "medium", "runs in the directory of the session"),
        ("disabled", "medium", "started all the same"),
        ("enabled", "medium", "started all the same"),
        ("includeTools", "medium", "every tool of the server is offered"),
        ("excludeTools", "medium", "every tool of the server is offered"),
        ("httpUrl", "medium", "url with type http"),
        ("environment", "medium", "env"),
        ("trust", "low", "ignores trust"),
        ("autoApprove", "low", "ignores autoApprove"),
        ("transport", "medium", "type"),
    ],
)
def test_a_key_it_ignores_is_told_with_what_follows_and_what_to_do(key: str, level: str, said: str) -> None:
    found = [problem for problem in problems("claude-code", {**SERVER, key: False}) if problem.rule == "ignored-key"]
    assert [problem.level for problem in found] == [level]
    assert said in found[0].message and found[0].action and key in found[0].subject


def test_the_directory_of_a_server_is_the_sessions_whatever_the_entry_says() -> None:
    assert spec("claude-code", {**SERVER, "cwd": "/elsewhere"}).cwd == CWD


def test_headers_of_a_program_and_a_command_beside_an_address_are_told() -> None:
    assert rules(problems("claude-code", {**SERVER, "headers": {"X": "y"}})) == [("ignored-key", "low")]
    both = {"type": "http", "url": "http://h/mcp", "command": "mail"}
    assert rules(problems("claude-code", both)) == [("transport-mismatch", "medium")]


# ---- files


def test_a_nearer_project_file_replaces_whole_entries_of_a_farther_one_and_the_local_scope_beats_both() -> None:
    user = source(
        {
            "mcpServers": {"a": {"command": "user"}, "b": {"command": "user"}, "c": {"command": "user", "args": ["u"]}},
            "projects": {CWD: {"mcpServers": {"b": {"command": "local"}}}, "/other": {"mcpServers": {"z": SERVER}}},
        },
        USER_FILE,
    )
    far = source(
        servers("claude-code", {"c": {"command": "far"}, "d": {"command": "far"}}), f"{HOME}/.mcp.json", "project"
    )
    near = source(
        servers("claude-code", {"b": {"command": "near"}, "d": {"command": "near"}}), f"{CWD}/.mcp.json", "project"
    )
    setup = CLAUDE.read([user, far, near], context())
    assert {entry.name: (entry.spec.argv, entry.source.scope) for entry in setup.entries if entry.spec} == {
        "a": (("user",), "user"),
        "b": (("local",), "local"),
        "c": (("far",), "project"),
        "d": (("near",), "project"),
    }


def test_a_managed_file_is_the_only_one_that_counts() -> None:
    managed = source(servers("claude-code", {"m": SERVER}), "/etc/claude-code/managed-mcp.json", "system")
    other = source(servers("claude-code", {"a": SERVER}), f"{CWD}/.mcp.json", "project")
    assert [entry.name for entry in CLAUDE.read([other, managed], context()).entries] == ["m"]


def test_what_a_file_named_by_the_user_counts_as_is_said() -> None:
    def scope(path: str) -> str:
        return CLAUDE.scope_of(path, context())[0]

    assert scope(f"{CWD}/.mcp.json") == scope("/elsewhere/.mcp.json") == scope(f"{HOME}/.mcp.json") == "project"
    assert scope(USER_FILE) == "user"
    assert CLAUDE.scope_of("/tmp/claude.json", context()) == (
        "stated",
        "not a place this runtime reads: taken as if it were given with --mcp-config",
    )


def test_the_configuration_directory_moves_the_users_file() -> None:
    places = [location.path for location in CLAUDE.locations(context({"CLAUDE_CONFIG_DIR": "/c"}))]
    assert "/c/.claude.json" in places and "/c/settings.json" in places and USER_FILE not in places


def test_servers_in_a_settings_file_are_read_by_nobody_and_said_to_be() -> None:
    setup = read("claude-code", {"mcpServers": {"srv": SERVER}}, path=".claude/settings.json")
    assert setup.entries == () and rules(list(setup.problems)) == [("wrong-top-level-key", "high")]


@pytest.mark.parametrize("content", [{"servers": {"a": SERVER}}, {"mcp_servers": {"a": SERVER}}, {"a": SERVER}])
def test_servers_under_another_key_or_none_are_told(content: dict[str, Any]) -> None:
    setup = read("claude-code", content)
    assert setup.entries == () and rules(list(setup.problems)) == [("wrong-top-level-key", "high")]


def test_other_top_level_keys_are_nobodys_business() -> None:
    assert (
        read("claude-code", {"mcpServers": {"a": SERVER}, "numStartups": 3, "statusLine": {"type": "x"}}).problems == ()
    )


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [('{"mcpServers": {} // no\n}', 1, 19), ('{\n "mcpServers": {},\n}', 2, 18), ("", 1, 1), ("[1]", 1, 1)],
)
def test_what_is_no_strict_json_object_is_refused_where_it_stands(text: str, line: int, column: int) -> None:
    with pytest.raises(ConfigError) as caught:
        read("claude-code", text)
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == (line, column)


def test_a_byte_order_mark_is_accepted_and_of_a_name_written_twice_the_later_counts() -> None:
    text = '\ufeff{"mcpServers": {"a": {"command": "x"},\n "a": {"command": "y"}}}'
    setup = read("claude-code", text)
    assert [entry.spec.argv for entry in setup.entries if entry.spec] == [("y",)]
    assert [(problem.rule, problem.place.line, problem.place.column) for problem in setup.problems] == [
        ("duplicate-name", 2, 2)
    ]


# ---- variables


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("${A}", "abc"),
        ("x${A}y", "xabcy"),
        ("${A:-d}", "abc"),
        ("${EMPTY:-d}", ""),
        ("${U:-d}", "d"),
        ("${U:-}", ""),
        ("${U:-${A}}", "${A}"),
        ("$${A}", "$abc"),
        ("$A", "$A"),
        ("${A-d}", "${A-d}"),
        ("${env:A}", "${env:A}"),
        ("%A%", "%A%"),
        ("~/x", "~/x"),
        ("${U}", "${U}"),
        ("${LOOP}", "${A}"),
    ],
)
def test_variables_are_expanded_as_the_program_was_seen_to(written: str, given: str) -> None:
    environ = {"A": "abc", "EMPTY": "", "LOOP": "${A}"}
    found = spec("claude-code", {"command": "mail", "args": [written], "env": {"K": written}}, environ=environ)
    assert found.argv == ("mail", given) and found.env == {"K": given}
    remote = spec(
        "claude-code", {"type": "http", "url": f"http://h/{written}", "headers": {"K": written}}, environ=environ
    )
    assert remote.url == f"http://h/{given}" and remote.headers == {"K": given}


def test_a_server_name_is_never_expanded() -> None:
    setup = read("claude-code", servers("claude-code", {"${A}": SERVER}), environ={"A": "abc"})
    assert setup.entries[0].name == "${A}"


def test_an_unset_variable_is_named_and_points_at_its_value() -> None:
    text = '{"mcpServers": {"srv": {"command": "mail",\n "env": {"K": "${U}"}}}}'
    found = read("claude-code", text).problems
    assert [(p.rule, p.level, p.place.line, p.place.column) for p in found] == [("unset-variable", "medium", 2, 10)]
    assert "U is not set" in found[0].message and "set U before" in found[0].action


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "NPM_TOKEN", "HTTP_PROXY", "AWS_SECRET_ACCESS_KEY"])
def test_its_own_credentials_come_to_nothing_in_an_address_or_header_whatever_their_value(name: str) -> None:
    entry = {"type": "http", "url": "http://h/${X}".replace("X", name), "headers": {"K": f"Bearer ${{{name}}}"}}
    for environ in ({name: "s3cret-value"}, {}):
        found = spec("claude-code", entry, environ=environ)
        assert found.url == "http://h/" and found.headers == {"K": "Bearer "}
        told = problems("claude-code", entry, environ=environ)
        assert rules(told) == [("unset-variable", "medium")] * 2
        assert "another name" in told[0].action and "s3cret" not in told[0].message


def test_a_program_gets_them_but_for_the_sessions_own_token() -> None:
    environ = {"ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_OAUTH_TOKEN": "t", "GITHUB_TOKEN": "g"}
    env = {"A": "${ANTHROPIC_API_KEY}", "B": "${CLAUDE_CODE_OAUTH_TOKEN}", "C": "${GITHUB_TOKEN}"}
    assert spec("claude-code", {**SERVER, "env": env}, environ=environ).env == {"A": "k", "B": "", "C": "g"}
    remote = {"type": "http", "url": "http://h", "headers": {"C": "${GITHUB_TOKEN}"}}
    assert spec("claude-code", remote, environ=environ).headers == {"C": "g"}


def test_a_program_inherits_the_whole_environment() -> None:
    assert spec("claude-code", SERVER).inherit == "all"


# ---- budgets, gates, waits


@pytest.mark.parametrize(("stated", "seconds"), [("", 30.0), ("1000", 1.0), ("x", 30.0), ("²", 30.0), ("9" * 40, 30.0)])
def test_it_gives_a_server_mcp_timeout_to_connect_and_the_entrys_timeout_is_for_calls(
    stated: str, seconds: float
) -> None:
    assert spec("claude-code", {**SERVER, "timeout": 5000}, environ={"MCP_TIMEOUT": stated}).budget == seconds


@pytest.mark.parametrize(
    "name", ["workspace", "claude-in-chrome", "computer-use", "remote-devices", "claude_ai", "hearthbot"]
)
def test_a_reserved_name_is_never_loaded(name: str) -> None:
    entry = read("claude-code", servers("claude-code", {name: SERVER})).entries[0]
    assert entry.gate is not None and entry.gate.certain
    assert gate(read("claude-code", servers("claude-code", {f"{name}_x": SERVER}), scope="user").entries[0]) is None


@pytest.mark.parametrize(
    ("value", "scope", "off"),
    [
        ({"disabledMcpjsonServers": ["srv"]}, "project", "disabledMcpjsonServers names it"),
        ({"disabledMcpjsonServers": ["srv"]}, "user", None),
        ({"deniedMcpServers": [{"serverName": "srv"}]}, "user", "deniedMcpServers names it"),
        ({"allowedMcpServers": []}, "user", "allowedMcpServers does not name it"),
        ({"allowedMcpServers": [{"serverName": "other"}]}, "stated", "allowedMcpServers does not name it"),
        ({"allowedMcpServers": [{"serverName": "srv"}]}, "user", None),
    ],
)
def test_a_server_that_the_user_s_settings_refuse_is_switched_off(
    value: dict[str, Any], scope: Any, off: str | None
) -> None:
    written = servers("claude-code", {"srv": SERVER})
    entry = read("claude-code", written, scope=scope, others=(settings(value),)).entries[0]
    assert (entry.disabled, entry.spec is None, entry.gate) == (off, off is not None, None)
    if off:
        managed = replace(settings(value), scope="system")
        entry = read("claude-code", written, scope=scope, others=(managed,)).entries[0]
        assert entry.disabled is None and entry.gate is not None and entry.gate.certain
        assert "an administrator" in entry.gate.settle


@pytest.mark.parametrize(
    ("value", "scope", "certain"),
    [
        ({"allowedMcpServers": [{"serverUrl": "http://*"}]}, "user", False),
        ({"allowedMcpServers": [{"serverName": "srv"}]}, "user", None),
        ({"enableAllProjectMcpServers": True}, "project", None),
        ({"enabledMcpjsonServers": ["srv"]}, "project", None),
        ({"enableAllProjectMcpServers": False}, "project", False),
        ({}, "project", False),
        ({}, "stated", None),
        ({"deniedMcpServers": "srv", "allowedMcpServers": {"a": 1}}, "user", None),
    ],
)
def test_settings_that_keep_a_server_from_starting(value: dict[str, Any], scope: Any, certain: bool | None) -> None:
    entry = read(
        "claude-code", servers("claude-code", {"srv": SERVER}), scope=scope, others=(settings(value),)
    ).entries[0]
    assert (entry.gate.certain if entry.gate else None) is certain


def test_what_the_users_file_keeps_about_this_project_counts_for_it_only() -> None:
    user = source(
        {
            "projects": {
                CWD: {"disabledMcpServers": ["off"], "disabledMcpjsonServers": ["no"]},
                "/x": {"disabledMcpServers": ["on"]},
            }
        },
        USER_FILE,
    )
    setup = read(
        "claude-code",
        servers("claude-code", {"off": SERVER, "no": SERVER, "on": SERVER}),
        scope="project",
        others=(user,),
    )
    states = {
        entry.name: (entry.disabled is not None, entry.gate is not None and entry.gate.certain)
        for entry in setup.entries
    }
    assert states == {"off": (True, False), "no": (True, False), "on": (False, False)}


def test_settings_unite_their_lists_over_files_and_permissions_in_a_file_of_servers_are_none() -> None:
    first, second = (
        settings({"deniedMcpServers": [{"serverName": "a"}]}),
        settings({"deniedMcpServers": [{"serverName": "b"}]}),
    )
    content = {
        **servers("claude-code", {"a": SERVER, "b": SERVER, "c": SERVER}),
        "deniedMcpServers": [{"serverName": "c"}],
    }
    setup = read("claude-code", content, scope="stated", others=(first, second))
    assert {entry.name: entry.disabled is not None for entry in setup.entries} == {"a": True, "b": True, "c": False}


def test_simple_mode_loads_what_is_stated_only() -> None:
    environ = {"CLAUDE_CODE_SIMPLE": "1"}
    assert one("claude-code", SERVER, scope="user", environ=environ).gate is not None
    assert one("claude-code", SERVER, scope="stated", environ=environ).gate is None


@pytest.mark.parametrize(
    ("scope", "entry", "environ", "seconds"),
    [
        ("project", SERVER, {}, 2.0),
        ("user", {**SERVER, "alwaysLoad": True}, {}, 7.0),
        ("user", {**SERVER, "alwaysLoad": True}, {"MCP_CONNECT_TIMEOUT_MS": "1000"}, 3.0),
        ("stated", SERVER, {}, None),
        ("user", SERVER, {"MCP_CONNECTION_NONBLOCKING": "0"}, None),
        ("user", SERVER, {"MCP_CONNECTION_NONBLOCKING": "false"}, None),
        ("user", SERVER, {"MCP_CONNECTION_NONBLOCKING": "true"}, 2.0),
        ("user", SERVER, {"CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "500"}, 0.5),
        ("user", SERVER, {"CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "²"}, 2.0),
    ],
)
def test_it_waits_for_a_server_as_long_as_was_seen(scope: Any, entry: Any, environ: Any, seconds: float | None) -> None:
    found = one("claude-code", entry, scope=scope, environ=environ)
    assert CLAUDE.wait_before_first_request(found, Settings({}), context(environ)) == seconds


def test_it_starts_three_programs_at_a_time_unless_told_otherwise() -> None:
    assert CLAUDE.starts_at_once("stdio", context()) == 3
    assert CLAUDE.starts_at_once("stdio", context({"MCP_SERVER_CONNECTION_BATCH_SIZE": "10"})) == 10
    assert CLAUDE.starts_at_once("stdio", context({"MCP_SERVER_CONNECTION_BATCH_SIZE": "0"})) == 3
    assert CLAUDE.starts_at_once("http", context()) == 20


# ---- what the model sees


@pytest.mark.parametrize(
    ("likely", "entry", "visible"),
    [
        ({"tool_search": "on", "model": "tool-search"}, SERVER, "deferred"),
        ({"tool_search": "on", "model": "tool-search"}, {**SERVER, "alwaysLoad": True}, "yes"),
        ({"tool_search": "off"}, SERVER, "yes"),
        ({"tool_search": "on", "model": "claude-3"}, SERVER, "yes"),
        ({"bare": "on"}, SERVER, "no"),
    ],
)
def test_the_model_sees_a_servers_tools_as_the_conditions_say(likely: Any, entry: Any, visible: str) -> None:
    assert PROFILE is not None
    defaults = {key: value.default for key, value in PROFILE.conditions.items() if value.default is not None}
    assert CLAUDE.visibility(one("claude-code", entry, scope="user"), PROFILE, {**defaults, **likely}) == visible


@pytest.mark.parametrize(
    ("value", "environ", "visible"),
    [
        ({}, {}, "deferred"),
        ({"permissions": {"deny": ["ToolSearch"]}}, {}, "yes"),
        ({}, {"ENABLE_TOOL_SEARCH": "false"}, "yes"),
        ({}, {"ENABLE_TOOL_SEARCH": "auto"}, "unknown"),
        ({"env": {"ENABLE_TOOL_SEARCH": "auto:5"}}, {}, "unknown"),
        ({"permissions": {"deny": ["ToolSearch"]}}, {"ENABLE_TOOL_SEARCH": "true"}, "yes"),
    ],
)
def test_settings_and_the_environment_decide_whether_tools_are_searched_for(
    value: Any, environ: dict[str, str], visible: str
) -> None:
    assert PROFILE is not None
    run = conditions_of(PROFILE.conditions, {}, Seen(Settings(value), environ, True, True)).likely
    assert CLAUDE.visibility(one("claude-code", SERVER, scope="user"), PROFILE, run) == visible


@pytest.mark.parametrize(
    ("rule", "builtin", "server_tool"),
    [
        ("WebSearch", True, False),
        ("Web*", True, False),
        ("*", True, True),
        ("WebSearch(domain:x)", False, False),
        ("Bash(rm *)", False, False),
        ("websearch", False, False),
        ("mcp__my_srv", False, True),
        ("mcp__my_srv__*", False, True),
        ("mcp__my_srv__send_message", False, True),
        ("mcp__my srv__send_message", False, False),
        ("mcp__*", False, True),
        ("mcp__my_srv__send", False, False),
        ("mcp__my", False, False),
        ("send_message", False, False),
    ],
)
def test_a_deny_rule_takes_away_what_it_was_seen_to(rule: str, builtin: bool, server_tool: bool) -> None:
    assert PROFILE is not None
    setup = read(
        "claude-code", servers("claude-code", {"my srv": SERVER}), others=(settings({"permissions": {"deny": [rule]}}),)
    )
    assert (CLAUDE.removes_builtin("WebSearch", PROFILE, setup.settings) == "permissions.deny") is builtin
    assert (CLAUDE.excludes(setup.entries[0], "send_message", setup.settings) is not None) is server_tool


def test_the_place_of_a_deny_rule_is_the_settings_file() -> None:
    setup = read("claude-code", {}, others=(settings({"permissions": {"deny": ["Bash"]}}),))
    place = setup.settings.place("permissions.deny")
    assert place is not None and place.file == ".claude/settings.json" and place.line == 1


def test_the_remedies_say_what_the_program_takes() -> None:
    assert PROFILE is not None
    entry = one("claude-code", SERVER, scope="user")
    denied = CLAUDE.exclude(entry, ["send message"])
    assert denied is not None and json.loads(denied.text) == {"permissions": {"deny": ["mcp__srv__send_message"]}}
    gone = CLAUDE.disable_builtins(["SendMessage"])
    assert gone is not None
    after = read(
        "claude-code",
        servers("claude-code", {"srv": SERVER}),
        others=(settings(json.loads(denied.text)), settings(json.loads(gone.text))),
    )
    assert CLAUDE.excludes(after.entries[0], "send message", after.settings)
    assert CLAUDE.removes_builtin("SendMessage", PROFILE, after.settings)
    revealed = CLAUDE.reveal(entry)
    assert revealed is not None
    shown = one("claude-code", {**SERVER, **json.loads("{" + revealed.text + "}")}, scope="user")
    assert CLAUDE.visibility(shown, PROFILE, {"tool_search": "on", "model": "tool-search"}) == "yes"
    waits = CLAUDE.awaits(entry)
    assert waits is not None
    environ = dict([waits.text.split("=")])
    assert CLAUDE.wait_before_first_request(entry, Settings({}), context(environ)) is None
    approved = one("claude-code", SERVER, scope="project").gate
    assert approved is not None
    opened = settings(json.loads(approved.fixes[0].text))
    assert one("claude-code", SERVER, scope="project", others=(opened,)).gate is None
