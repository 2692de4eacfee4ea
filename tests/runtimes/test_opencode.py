"""OpenCode, as the published 1.18.18 was seen to read its files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.contracts.manifest import build_manifest
from contractd.errors import ConfigError
from contractd.runtimes.base import Context, Entry, Setup, Source
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.conditions import Seen, conditions_of
from tests.runtimes.situations import CWD, HOME, context, one, problems, read, rules, runtime, source, spec

OPENCODE = runtime("opencode")
PROFILE = nearest_profile("opencode", "1.18.18")
LOCAL = {"type": "local", "command": ["mail"]}
REMOTE = {"type": "remote", "url": "http://h"}


def user(value: Any) -> Source:
    return source(value, f"{HOME}/.config/opencode/opencode.json", "user")


def project(value: Any) -> Source:
    return source(value, f"{CWD}/opencode.json", "project")


def read_all(*values: Any, environ: dict[str, str] | None = None) -> Setup:
    weak = [user(value) for value in values[:-1]]
    return OPENCODE.read([*weak, project(values[-1])], context(environ))


def with_texts(texts: dict[str, str], environ: dict[str, str] | None = None) -> Context:
    return Context(environ or {}, HOME, CWD, texts=texts)


# ---- files


def test_it_reads_these_files_the_weakest_first() -> None:
    environ = {
        "XDG_CONFIG_HOME": "/x", "OPENCODE_CONFIG": "mine.json", "OPENCODE_CONFIG_DIR": "/d",
        "OPENCODE_CONFIG_CONTENT": '{"mcp": {}}',
    }  # fmt: skip
    found = OPENCODE.locations(Context(environ, HOME, "/srv/repo/sub", repository="/srv/repo"))
    pairs = ("opencode.json", "opencode.jsonc")
    assert [location.path for location in found] == [
        "/x/opencode/config.json", "/x/opencode/opencode.json", "/x/opencode/opencode.jsonc",
        "/srv/repo/sub/mine.json",
        *(f"/srv/repo/{name}" for name in pairs), *(f"/srv/repo/sub/{name}" for name in pairs),
        *(f"/srv/repo/sub/.opencode/{name}" for name in pairs), *(f"/srv/repo/.opencode/{name}" for name in pairs),
        *(f"{HOME}/.opencode/{name}" for name in pairs), *(f"/d/{name}" for name in pairs),
        "$OPENCODE_CONFIG_CONTENT", *(f"/etc/opencode/{name}" for name in pairs),
    ]  # fmt: skip
    assert [location.text for location in found if location.text] == ['{"mcp": {}}']
    assert '{"mcp"' not in repr(found)


def test_outside_a_repository_every_folder_above_is_looked_into() -> None:
    found = {location.path for location in OPENCODE.locations(Context({}, HOME, "/srv/a/b"))}
    assert {"/opencode.json", "/srv/opencode.json", "/srv/a/opencode.json", "/srv/a/b/opencode.json"} <= found


@pytest.mark.parametrize(("value", "out"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_a_projects_files_can_be_left_out(value: str, out: bool) -> None:
    found = OPENCODE.locations(context({"OPENCODE_DISABLE_PROJECT_CONFIG": value}))
    assert all(location.scope != "project" for location in found) is out


def test_a_named_file_in_another_folder_is_a_projects() -> None:
    assert OPENCODE.scope_of("/srv/x/opencode.json", context())[0] == "project"
    assert OPENCODE.scope_of(f"{HOME}/.config/opencode/opencode.json", context())[0] == "user"
    assert OPENCODE.scope_of("/srv/x.json", context())[0] == "user"


# ---- merging


def test_entries_of_one_name_are_laid_over_one_another() -> None:
    weak = {"mcp": {"srv": {**LOCAL, "environment": {"A": "1", "B": "1"}}}}
    more = {**LOCAL, "command": ["new", "-x"], "environment": {"B": "2"}}
    found = read_all(weak, {"mcp": {"srv": more}}).entries[0].spec
    assert found is not None and found.argv == ("new", "-x") and found.env == {"A": "1", "B": "2"}


def test_a_stronger_file_switches_a_server_off_and_on_with_one_key() -> None:
    on, off = {"mcp": {"srv": {"enabled": True}}}, {"mcp": {"srv": {"enabled": False}}}
    assert read_all({"mcp": {"srv": LOCAL}}, off).entries[0].disabled == "switched off by enabled: false"
    revived = read_all({"mcp": {"srv": {**LOCAL, "enabled": False}}}, on)
    assert revived.entries[0].spec is not None and revived.problems == ()


def test_what_is_only_switched_on_and_nowhere_defined_is_lost_alone() -> None:
    setup = read("opencode", {"mcp": {"ghost": {"enabled": True}, "off": {"enabled": False}, "srv": LOCAL}})
    assert [entry.spec is None for entry in setup.entries] == [True, True, False]
    assert rules(list(setup.problems)) == [("server-entry-invalid", "high")]


# ---- shapes


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"type": "stdio", "command": ["x"]},
        {"type": "http", "url": "http://h"},
        {"type": "local", "command": "x"},
        {"type": "local"},
        {"type": "remote"},
        {"command": ["x"]},
        {**LOCAL, "environment": {"A": 1}},
        {**LOCAL, "enabled": "true"},
        {**LOCAL, "timeout": 0},
        {**LOCAL, "timeout": 1.5},
        {**REMOTE, "oauth": True},
        {**REMOTE, "headers": {"A": None}},
        "x",
        {"environment": {"B": "2"}},
    ],
)
@pytest.mark.parametrize("below", [{}, {"mcp": {"srv": LOCAL}}])
def test_a_wrong_shape_costs_every_server_whatever_stands_in_other_files(entry: Any, below: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read_all(below, {"mcp": {"srv": entry}})
    assert "exit status 1" in caught.value.message
    assert caught.value.place is not None and caught.value.place.file == f"{CWD}/opencode.json"


def test_a_table_that_is_none_costs_every_server() -> None:
    with pytest.raises(ConfigError):
        read("opencode", {"mcp": [LOCAL]})


def test_an_empty_command_costs_its_own_server_only() -> None:
    setup = read("opencode", {"mcp": {"srv": {"type": "local", "command": []}, "good": LOCAL}})
    assert [entry.spec is None for entry in setup.entries] == [True, False]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [("disabled", True, "enabled: false"), ("env", {"A": "b"}, "environment"), ("args", ["x"], "command as one array")],
)
def test_a_key_without_effect_is_told_with_the_one_that_is_meant(key: str, value: Any, said: str) -> None:
    found = problems("opencode", {**LOCAL, key: value})
    assert rules(found) == [("ignored-key", "medium")] and said in found[0].action


def test_liberties_with_json_are_taken() -> None:
    text = '\ufeff{"mcp": {"a": {"type": "local", "command": ["x"]},}, // c\n}'
    assert read("opencode", text).problems == ()


def test_the_usual_key_of_others_is_not_read() -> None:
    found = read("opencode", {"mcpServers": {"a": {"command": "mail"}}}).problems
    assert rules(list(found)) == [("wrong-top-level-key", "high")]


def test_http_is_tried_before_sse() -> None:
    found = spec("opencode", REMOTE)
    assert found.transport == "http" and found.fallback_sse and found.budget == 30.0
    assert spec("opencode", {**LOCAL, "timeout": 5000}).budget == 5.0


# ---- what is put into the text


def test_variables_are_put_in_and_nothing_is_left_of_one_that_is_not_set() -> None:
    entry = {"type": "local", "command": ["mail", "{env:A}", "{env:U}", "$A", "${A}"], "cwd": "{env:A}"}
    found = spec("opencode", entry, environ={"A": "abc"})
    assert found.argv == ("mail", "abc", "", "$A", "${A}") and found.cwd == f"{CWD}/abc"


def test_a_backslash_in_a_value_begins_an_escape() -> None:
    assert spec("opencode", {**LOCAL, "command": ["mail", "{env:A}"]}, environ={"A": "a\\tb"}).argv[1] == "a\tb"


@pytest.mark.parametrize("value", ['say "hi"', "two\nlines", "end\\"])
def test_a_value_that_breaks_the_text_stops_it_and_is_not_shown(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read("opencode", {"username": "{env:A}", "mcp": {"srv": LOCAL}}, environ={"A": value})
    assert "exit status 1" in caught.value.message and value not in f"{caught.value.message}{caught.value.hint}"
    assert caught.value.place is not None and caught.value.place.pointer == "/username"


def test_what_a_file_holds_is_put_into_headers_and_environment() -> None:
    texts = {f"{HOME}/key": " s3cret\n", f"{CWD}/box": "planner"}
    entry = {**REMOTE, "headers": {"Authorization": "Bearer {file:~/key}", "X-Box": "{file:./box}"}}
    setup = OPENCODE.read([project({"mcp": {"srv": entry}})], with_texts(texts))
    found = setup.entries[0].spec
    assert found is not None and found.headers == {"Authorization": "Bearer s3cret", "X-Box": "planner"}
    assert OPENCODE.text_files([project({"mcp": {"srv": entry}})], context()) == [f"{HOME}/key", f"{CWD}/box"]


def test_what_a_file_holds_gets_into_no_command_line_and_that_is_said() -> None:
    entry = {**LOCAL, "command": ["mail", "--key", "{file:key}"]}
    setup = OPENCODE.read([project({"mcp": {"srv": entry}})], with_texts({f"{CWD}/key": "s3cret"}))
    found = setup.entries[0].spec
    assert found is not None and found.argv[-1] == "{file:key}"
    assert [(one.rule, one.undetermined, one.place.pointer) for one in setup.problems] == [
        ("prompted-variable", True, "/mcp/srv/command/2")
    ]


def test_a_file_that_is_not_there_stops_it() -> None:
    with pytest.raises(ConfigError) as caught:
        read("opencode", {"mcp": {"srv": {**LOCAL, "environment": {"A": "{file:no}"}}}})
    assert "{file:no}" in caught.value.message and "exit status 1" in caught.value.message


# ---- what is taken away


def entry_of(value: Any, name: str = "srv", environ: dict[str, str] | None = None) -> tuple[Entry, Setup]:
    setup = read("opencode", {**value, "mcp": {name: LOCAL}}, environ=environ)
    return setup.entries[0], setup


@pytest.mark.parametrize(
    ("value", "tool", "hidden"),
    [
        ({}, "send", None),
        ({"tools": {"srv_send": False}}, "send", "tools"),
        ({"tools": {"srv_*": False}}, "send", "tools"),
        ({"tools": {"srv_?end": False}}, "send", "tools"),
        ({"tools": {"SRV_*": False}}, "send", None),
        ({"tools": {"send": False}}, "send", None),
        ({"tools": {"*": False, "srv_*": True}}, "send", None),
        ({"tools": {"srv_*": True, "*": False}}, "send", "tools"),
        ({"permission": {"srv_*": "deny"}}, "send", "permission"),
        ({"permission": {"srv_*": {"*": "deny"}}}, "send", "permission"),
        ({"permission": {"srv_*": {"*": "deny", "rm *": "allow"}}}, "send", None),
        ({"permission": {"srv_*": {"rm *": "deny"}}}, "send", None),
        ({"permission": {"srv_*": "ask"}}, "send", None),
        ({"permission": "deny"}, "send", "permission"),
        ({"tools": {"srv_*": False}, "permission": {"srv_*": "allow"}}, "send", None),
        ({"tools": {"srv_*": True}, "permission": {"srv_*": "deny"}}, "send", "permission"),
        ({"agent": {"build": {"tools": {"srv_*": False}}}}, "send", "agent"),
        ({"agent": {"plan": {"tools": {"srv_*": False}}}}, "send", None),
        ({"default_agent": "plan", "agent": {"plan": {"tools": {"srv_*": False}}}}, "send", "agent"),
        ({"tools": {"srv_*": False}, "agent": {"build": {"permission": {"srv_*": "allow"}}}}, "send", None),
        ({"tools": 5, "permission": [1], "agent": "x"}, "send", None),
    ],
)
def test_the_last_rule_that_matches_decides(value: Any, tool: str, hidden: str | None) -> None:
    entry, setup = entry_of(value)
    found = OPENCODE.excludes(entry, tool, setup.settings)
    assert found == (f"{hidden} switches it off" if hidden else None)


def test_the_environment_is_laid_over_permissions() -> None:
    entry, setup = entry_of({"permission": {"srv_*": "allow"}}, environ={"OPENCODE_PERMISSION": '{"srv_*": "deny"}'})
    assert OPENCODE.excludes(entry, "send", setup.settings) == "OPENCODE_PERMISSION switches it off"
    entry, setup = entry_of({}, environ={"OPENCODE_PERMISSION": "{broken"})
    assert OPENCODE.excludes(entry, "send", setup.settings) is None


@pytest.mark.parametrize(
    ("value", "name", "setting"),
    [
        ({"tools": {"bash": False}}, "bash", "tools"),
        ({"tools": {"edit": False}}, "write", "tools"),
        ({"tools": {"patch": False}}, "apply_patch", "tools"),
        ({"tools": {"write": False}}, "edit", "tools"),
        ({"tools": {"apply_patch": False}}, "apply_patch", None),
        ({"permission": {"edit": "deny"}}, "apply_patch", "permission"),
        ({"permission": {"read": "deny"}}, "list_mcp_resources", "permission"),
        ({"tools": {"list_mcp_resources": False}}, "list_mcp_resources", None),
        ({"permission": {"bash": {"rm *": "deny"}}}, "bash", None),
        ({}, "plan_exit", None),
        ({}, "bash", None),
    ],
)
def test_a_family_of_built_ins_goes_together(value: Any, name: str, setting: str | None) -> None:
    assert PROFILE is not None
    assert OPENCODE.removes_builtin(name, PROFILE, entry_of(value)[1].settings) == setting


def test_rules_see_the_name_after_a_servers_tool_has_taken_a_built_ins() -> None:
    entry, setup = entry_of({"permission": {"edit": "deny"}}, "apply")
    assert OPENCODE.excludes(entry, "patch", setup.settings) == "permission switches it off"
    entry, setup = entry_of({"tools": {"apply_patch": False}}, "apply")
    assert OPENCODE.excludes(entry, "patch", setup.settings) is None


def test_a_tool_that_comes_out_as_plan_exit_is_never_shown_unless_a_rule_allows_it() -> None:
    entry, setup = entry_of({}, "plan")
    assert "no tool of that name" in (OPENCODE.excludes(entry, "exit", setup.settings) or "")
    entry, setup = entry_of({"permission": {"plan_exit": "allow"}}, "plan")
    assert OPENCODE.excludes(entry, "exit", setup.settings) is None


@given(st.dictionaries(st.sampled_from(["srv_send", "srv_*", "*", "other"]), st.booleans(), max_size=4))
def test_the_lines_that_leave_a_tool_out_do_so_over_any_tools(tools: dict[str, bool]) -> None:
    entry, _ = entry_of({})
    fix = OPENCODE.exclude(entry, ["send"])
    assert fix is not None and fix.text == '{"tools": {"srv_send": false}}'
    again = {"tools": {**{key: value for key, value in tools.items() if key != "srv_send"}, "srv_send": False}}
    _, setup = entry_of(again)
    assert OPENCODE.excludes(entry, "send", setup.settings) == "tools switches it off"


def test_the_lines_that_take_a_built_in_away_name_its_family() -> None:
    fix = OPENCODE.disable_builtins(["apply_patch", "bash"])
    assert fix is not None and fix.text == '{"tools": {"edit": false, "bash": false}}'


# ---- names, visibility, losses


def test_a_name_that_every_object_has_is_never_read() -> None:
    gate = read("opencode", {"mcp": {"__proto__": LOCAL}}).entries[0].gate
    assert gate is not None and gate.certain and one("opencode", LOCAL).gate is None


@pytest.mark.parametrize(
    ("environ", "visible"),
    [
        ({}, "yes"),
        ({"OPENCODE_EXPERIMENTAL_CODE_MODE": "1"}, "deferred"),
        ({"OPENCODE_EXPERIMENTAL": "true"}, "deferred"),
        ({"OPENCODE_EXPERIMENTAL": "1", "OPENCODE_EXPERIMENTAL_CODE_MODE": "0"}, "yes"),
    ],
)
def test_in_code_mode_tools_are_functions_of_another(environ: dict[str, str], visible: str) -> None:
    assert PROFILE is not None
    entry, setup = entry_of({})
    run = conditions_of(PROFILE.conditions, {}, Seen(setup.settings, environ, True, True)).likely
    assert OPENCODE.visibility(entry, PROFILE, run) == visible


def test_one_bad_tool_loses_the_server_and_a_name_twice_does_not() -> None:
    good = {"name": "a", "inputSchema": {"type": "object"}}
    assert OPENCODE.loss(build_manifest([good, good]), PROFILE, 1) is None
    found = OPENCODE.loss(build_manifest([good, {"name": "b", "inputSchema": {"type": "string"}}]), PROFILE, 1)
    assert found is not None and (found.cost, found.tool) == ("server-lost", "b")
