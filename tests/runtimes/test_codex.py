"""Codex CLI: what the published 0.171.0 was seen to merge, refuse, start and wait for."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.contracts import FlawedTool
from contractd.contracts.contract import parse_tool
from contractd.errors import ConfigError
from contractd.runtimes.base import Fix, Settings, Setup
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.conditions import Seen, conditions_of, holds
from tests.runtimes.situations import CWD, HOME, context, read, rules, runtime, source, told

CODEX = runtime("codex-cli")
PROFILE = nearest_profile("codex-cli", "0.171.0")
USER, PROJECT = f"{HOME}/.codex/config.toml", f"{CWD}/.codex/config.toml"
TRUST = f'[projects."{CWD}"]\ntrust_level = "trusted"\n'
MAIL = '[mcp_servers.srv]\ncommand = "mail"\n'
POST = '[mcp_servers.srv]\nurl = "http://h/mcp"\n'


def toml(text: str, **more: Any) -> Setup:
    return read("codex-cli", text, **more)


def refused(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        toml(text)
    assert caught.value.place is not None and caught.value.place.line is not None
    return caught.value


# ---- merging


def test_a_projects_file_switches_a_users_server_off_with_one_key() -> None:
    user = source(MAIL + 'args = ["--all"]\n' + TRUST, USER)
    project = source("[mcp_servers.srv]\nenabled = false\n", PROJECT, "project")
    setup = CODEX.read([user, project], context())
    assert [(entry.name, entry.disabled) for entry in setup.entries] == [("srv", "switched off by enabled: false")]
    assert setup.entries[0].place.file == PROJECT and setup.problems == ()


def test_tables_are_laid_over_one_another_key_by_key_and_each_value_keeps_its_place() -> None:
    user = source(MAIL + "[mcp_servers.srv.env]\nA = '1'\nB = '${X}'\n" + TRUST, USER)
    project = source("[mcp_servers.srv]\nargs = ['new']\nenv = { B = '${Y}', C = '${Z}' }\n", PROJECT, "project")
    setup = CODEX.read([user, project], context())
    found = setup.entries[0].spec
    assert found is not None and found.argv == ("mail", "new")
    assert found.env == {"A": "1", "B": "${Y}", "C": "${Z}"}
    assert [(p.rule, p.place.file, p.place.line) for p in setup.problems] == [("literal-variable", PROJECT, 3)] * 2
    weaker = CODEX.read([user, source("[mcp_servers.srv]\nrequired = true\n", PROJECT, "project")], context())
    assert [(p.rule, p.place.file, p.place.line) for p in weaker.problems] == [("literal-variable", USER, 5)]


def test_a_project_file_named_alone_is_laid_over_the_users_without_checking_the_users_other_servers() -> None:
    user = source(MAIL + '[mcp_servers.other]\ncommand = "x"\n' + TRUST, USER, servers=False)
    setup = toml("[mcp_servers.srv]\nrequired = true\n", path=".codex/config.toml", scope="project", others=(user,))
    assert [entry.name for entry in setup.entries] == ["srv"]
    assert setup.entries[0].spec is not None and setup.entries[0].spec.argv == ("mail",)
    assert {location.path: location.servers for location in CODEX.companions(PROJECT, context())} == {
        "/etc/codex/requirements.toml": False,
        USER: False,
    }


def test_a_project_that_is_not_trusted_changes_nothing() -> None:
    user = source(MAIL, USER)
    project = source(
        "[mcp_servers.srv]\nenabled = false\n[mcp_servers.own]\ncommand = 'x'\n[features]\ngoals = false\n",
        PROJECT,
        "project",
    )
    setup = CODEX.read([user, project], context())
    found = {entry.name: entry for entry in setup.entries}
    assert found["srv"].disabled is None and found["srv"].gate is None
    gate = found["own"].gate
    assert gate is not None and gate.certain and setup.settings.get("features.goals") is None
    fixed = CODEX.read([source(MAIL + gate.fixes[0].text, USER), project], context())
    assert fixed.entries[0].disabled and fixed.entries[1].gate is None


def test_an_invalid_project_file_is_refused_where_it_is_trusted_and_passed_over_where_not() -> None:
    wrong = source("[mcp_servers.srv]\ncommand = 5\n", PROJECT, "project")
    assert CODEX.read([source("", USER), wrong], context()).entries == ()
    with pytest.raises(ConfigError):
        CODEX.read([source(TRUST, USER), wrong], context())


def test_a_project_below_a_trusted_folder_may_count() -> None:
    user = source(f'[projects."{HOME}"]\ntrust_level = "trusted"\n', USER)
    gate = CODEX.read([user, source(MAIL, PROJECT, "project")], context()).entries[0].gate
    assert gate is not None and not gate.certain


@pytest.mark.parametrize(
    "written", ["projects = 5\n", '[projects]\n"/x" = "trusted"\n', f'[projects."{CWD}"]\ntrust_level = 1\n']
)
def test_trust_that_is_not_written_as_trust_is_none(written: str) -> None:
    assert CODEX.read([source(written, USER), source(MAIL, PROJECT, "project")], context()).entries[0].gate is not None


def test_servers_an_administrator_does_not_list_never_start() -> None:
    listed = source(
        '[mcp_servers.srv.identity]\ncommand = "mail"\n', "/etc/codex/requirements.toml", "system", servers=False
    )
    setup = toml(MAIL + '[mcp_servers.other]\ncommand = "x"\n', others=(listed,))
    assert {entry.name: entry.gate is not None and entry.gate.certain for entry in setup.entries} == {
        "srv": False,
        "other": True,
    }
    assert setup.problems == (), "what is required is not laid over what is configured"


def test_the_home_of_codex_moves_the_users_file() -> None:
    assert "/c/config.toml" in [location.path for location in CODEX.locations(context({"CODEX_HOME": "/c"}))]
    assert CODEX.scope_of("/c/config.toml", context({"CODEX_HOME": "/c"}))[0] == "user"
    assert CODEX.scope_of("/x/.codex/config.toml", context())[0] == "project"
    assert CODEX.scope_of(USER, context())[0] == "user"


# ---- what it exits over


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (MAIL + 'url = "http://h"\n', 1, "both a command and a url"),
        ("[mcp_servers.srv]\n", 1, "neither a command nor a url"),
        ('[mcp_servers.srv]\nhttpUrl = "http://h"\n', 1, "neither a command nor a url"),
        (MAIL + 'bearer_token_env_var = "X"\n', 3, "bearer_token_env_var is not supported for stdio"),
        (MAIL + "http_headers = {}\n", 3, "http_headers is not supported for stdio"),
        (POST + "env = {}\n", 3, "env is not supported for HTTP"),
        (POST + 'cwd = "x"\n', 3, "cwd is not supported for HTTP"),
        (POST + 'bearer_token = "s3cr3t-t0ken"\n', 3, "bearer_token is not supported"),
        (MAIL + 'args = "x"\n', 3, "its arguments are no array"),
        (MAIL + "args = [1]\n", 3, "its arguments are no array"),
        (MAIL + "env = { PORT = 8080 }\n", 3, "env is not a table of texts"),
        (MAIL + 'enabled = "no"\n', 3, "enabled is not true or false"),
        (MAIL + 'startup_timeout_sec = "soon"\n', 3, "startup_timeout_sec is not a number"),
        (MAIL + "enabled_tools = 'x'\n", 3, "enabled_tools is not an array of texts"),
        ('[mcp_servers]\nsrv = "mail"\n', 2, "no table of settings"),
        ('mcp_servers = "x"\n', 1, "no table of servers"),
        ("[mcp_servers.srv]\nenabled = false\n", 1, "neither a command nor a url"),
    ],
)
def test_what_makes_it_exit_is_refused_with_its_place_and_reason(text: str, line: int, said: str) -> None:
    error = refused(text)
    assert error.place is not None and error.place.line == line, error
    assert said in error.message
    assert "exit status 1" in error.message or said == "no table of servers"
    assert "s3cr3t" not in f"{error.message} {error.hint}"


def test_a_command_without_a_program_costs_its_own_server_only() -> None:
    setup = toml(MAIL + '[mcp_servers.empty]\ncommand = ""\n')
    assert [entry.spec is None for entry in setup.entries] == [False, True]
    assert told(setup) == [("server-entry-invalid", "high", 4, 1)]


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(ConfigError):
        read("codex-cli", '{"mcp_servers": {}}', path="config.json")
    with pytest.raises(ConfigError):
        toml('[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a]\ncommand = "y"\n')
    assert toml("\ufeff" + MAIL).entries[0].spec is not None


@pytest.mark.parametrize(
    ("key", "level", "said"),
    [
        ('type = "stdio"', "low", "ignores type"),
        ("timeout = 5", "medium", "startup_timeout_sec"),
        ("disabled = true", "medium", "enabled = false"),
        ('headers = { X = "y" }', "medium", "http_headers"),
        ('include_tools = ["x"]', "medium", "enabled_tools"),
        ("description = 'x'", "low", "ignores description"),
    ],
)
def test_a_key_it_ignores_is_told_at_its_line(key: str, level: str, said: str) -> None:
    found = toml(MAIL + key + "\n").problems
    assert [(p.rule, p.level, p.place.line) for p in found] == [("ignored-key", level, 3)]
    assert said in found[0].message


# ---- variables and environment


def test_it_expands_nothing_and_says_what_reaches_the_server_as_it_is() -> None:
    setup = toml(MAIL + 'args = ["${A}", "$A"]\nenv = { K = "${A:-hidden-default}" }\n', environ={"A": "abc"})
    found = setup.entries[0].spec
    assert found is not None and found.argv == ("mail", "${A}", "$A") and found.env == {"K": "${A:-hidden-default}"}
    assert rules(list(setup.problems)) == [("literal-variable", "medium")] * 3
    assert all("hidden-default" not in problem.message + problem.subject for problem in setup.problems)
    assert "env_vars" in setup.problems[-1].action


def test_a_shell_expands_what_codex_leaves_alone() -> None:
    assert toml('[mcp_servers.srv]\ncommand = "sh"\nargs = ["-c", "exec mail --box ${BOX}"]\n').problems == ()


def test_a_program_gets_a_short_list_of_variables_and_those_the_entry_names() -> None:
    found = toml(MAIL + 'env_vars = ["A", { name = "B", source = "local" }, 5]\n').entries[0].spec
    assert found is not None and found.inherit != "all"
    assert {"A", "B", "HOME", "PATH", "TZ", "TMPDIR"} <= found.inherit
    assert not {"PWD", "EDITOR", "XDG_CONFIG_HOME", "AWS_SECRET_ACCESS_KEY"} & found.inherit


def test_credentials_come_from_named_variables_and_a_missing_one_is_told() -> None:
    text = POST + 'bearer_token_env_var = "T"\nenv_http_headers = { "X-Key" = "K" }\nhttp_headers = { A = "b" }\n'
    setup = toml(text, environ={"T": "tok", "K": "key"})
    assert setup.entries[0].spec and setup.entries[0].spec.headers == {
        "A": "b",
        "X-Key": "key",
        "Authorization": "Bearer tok",
    }
    missing = toml(text)
    assert missing.entries[0].spec and missing.entries[0].spec.headers == {"A": "b"}
    assert [(p.rule, p.place.line) for p in missing.problems] == [("unset-variable", 4), ("unset-variable", 3)]


def test_a_relative_directory_is_codexs_own() -> None:
    found = toml(MAIL + 'cwd = "sub"\n').entries[0].spec
    assert found is not None and found.cwd == f"{CWD}/sub"


# ---- budgets, waits, gates


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("", 30.0),
        ("startup_timeout_sec = 2.5\n", 2.5),
        ("startup_timeout_ms = 1500\n", 1.5),
        ("tool_timeout_sec = 5\n", 30.0),
    ],
)
def test_the_budget_is_the_start_up_timeout(written: str, seconds: float) -> None:
    found = toml(MAIL + written).entries[0].spec
    assert found is not None and found.budget == seconds


def test_an_optional_server_gets_not_quite_a_second_and_a_required_one_its_budget() -> None:
    optional, required = toml(MAIL).entries[0], toml(MAIL + "required = true\n").entries[0]
    waits = [CODEX.wait_before_first_request(entry, Settings({}), context()) for entry in (optional, required)]
    assert waits[1] is None and waits[0] is not None and 0.8 <= waits[0] < 1.0
    assert CODEX.fatal(optional, 3, timed_out=True) is None
    assert "exit status 1" in (CODEX.fatal(required, 3, timed_out=False) or "")


@pytest.mark.parametrize(
    ("name", "gated"), [("a-b_c.d/e:f@g", False), ("my srv", True), ("bü", True), ("srv\n", True), ("", True)]
)
def test_a_name_with_other_characters_is_never_started(name: str, gated: bool) -> None:
    key = name.encode("unicode_escape").decode().replace("\\xfc", "\\u00fc")
    entry = toml(f'[mcp_servers."{key}"]\ncommand = "mail"\n').entries[0]
    assert entry.name == name and (entry.gate is not None) is gated


# ---- tools


def test_enabled_and_disabled_tools_are_exact_raw_names() -> None:
    setup = toml(MAIL + 'enabled_tools = ["a", "b"]\ndisabled_tools = ["b"]\n')
    found = {tool: CODEX.excludes(setup.entries[0], tool, setup.settings) for tool in ("a", "b", "c", "A")}
    assert found == {
        "a": None,
        "b": "disabled_tools names it",
        "c": "enabled_tools does not name it",
        "A": "enabled_tools does not name it",
    }
    none = toml(MAIL + "enabled_tools = []\n")
    assert CODEX.excludes(none.entries[0], "a", none.settings) == "enabled_tools does not name it"


@pytest.mark.parametrize(
    ("listed", "lost"),
    [
        ({"name": "t", "inputSchema": "x"}, True),
        ({"name": "t", "inputSchema": None}, True),
        ({"name": "t"}, True),
        ({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": "x"}, True),
        ({"inputSchema": {"type": "object"}}, True),
        ({"name": 5, "inputSchema": {"type": "object"}}, True),
        ({"name": "t", "inputSchema": {}}, False),
        ({"name": "t", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}, False),
        ({"name": "t", "inputSchema": {"type": "array"}}, False),
        ({"name": "t", "inputSchema": {"type": "object", "properties": []}}, False),
        ({"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}}, False),
        ({"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"type": "strang"}}}}, False),
    ],
)
def test_one_bad_tool_costs_the_list_where_it_was_seen_to(listed: dict[str, Any], lost: bool) -> None:
    flawed = parse_tool(listed)
    assert isinstance(flawed, FlawedTool), "the tool must be flawed for the question to arise"
    assert CODEX.loses_list(flawed) is lost


@pytest.mark.parametrize(
    ("model", "visible"),
    [("gpt-6.2", "deferred"), ("code-v1", "deferred"), ("gpt-5.5", "deferred"), ("other", "yes"), (None, "unknown")],
)
def test_the_model_decides_what_is_seen(model: str | None, visible: str) -> None:
    assert PROFILE is not None
    entry = toml(MAIL).entries[0]
    assert CODEX.visibility(entry, PROFILE, {"model": model} if model else {}) == visible


def builtins(text: str) -> set[str]:
    """The built-ins that are there by default under these settings."""
    assert PROFILE is not None
    setup = toml(text)
    found = conditions_of(PROFILE.conditions, {}, Seen(setup.settings, {}, configured=True, connected=None))
    return {tool.name for tool in PROFILE.tools or [] if holds(tool.when, found.likely) == "yes"}


@pytest.mark.parametrize(
    ("name", "model"),
    [("send_message", ""), ("list_agents", ""), ("get_goal", ""), ("exec_command", ""), ("view_image", ""),
     ("web_search", "gpt-5.5"),     ("spawn_agent", "gpt-5.5")],
)  # fmt: skip
def test_the_lines_that_take_a_built_in_away_take_it_away(name: str, model: str) -> None:
    chosen = f'model = "{model}"\n' if model else ""
    assert name in builtins(chosen)
    fix = CODEX.disable_builtins([name])
    assert fix is not None and tomllib.loads(chosen + fix.text)
    assert name not in builtins(chosen + fix.text)


def test_there_are_no_lines_for_a_built_in_without_a_switch() -> None:
    assert CODEX.disable_builtins(["exec"]) is None
    both = CODEX.disable_builtins(["send_message", "get_goal", "web_search"])
    assert both is not None
    assert tomllib.loads(both.text) == {
        "web_search": "disabled",
        "agents": {"enabled": False},
        "features": {"goals": False},
    }


@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
)
def test_every_line_it_is_given_is_toml_that_means_it_whatever_the_names(server: str, tool: str) -> None:
    key = tool_text(server)
    entry = toml(f"[mcp_servers.{key}]\ncommand = 'x'\n").entries[0]
    assert entry.name == server

    def value(fix: Fix | None) -> Any:
        assert fix is not None
        return tomllib.loads(f"{fix.where}\n{fix.text}")["mcp_servers"][server]

    assert value(CODEX.exclude(entry, [tool])) == {"disabled_tools": [tool]}
    assert value(CODEX.pass_variables(entry, [tool])) == {"env_vars": [tool]}
    assert value(CODEX.awaits(entry)) == {"required": True}


def tool_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char >= " " and char != "\x7f" else f"\\u{ord(char):04x}" for char in escaped) + '"'
