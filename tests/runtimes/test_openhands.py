"""OpenHands CLI, as the published 1.16.0 was seen to read its file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.contracts.manifest import build_manifest
from contractd.errors import ConfigError
from contractd.runtimes.base import Setup
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.naming import Names
from tests.runtimes.situations import CWD, HOME, context, one, problems, read, rules, runtime, servers, source, spec

HANDS = runtime("openhands")
PROFILE = nearest_profile("openhands", "1.16.0")
MAIL = {"command": "mail"}


def with_agent(value: dict[str, Any], entries: dict[str, Any]) -> Setup:
    agent = source(value, f"{HOME}/.openhands/agent_settings.json", "user", servers=False)
    return read("openhands", servers("openhands", entries), others=(agent,))


def named(setup: Setup, tools: dict[str, list[str]]) -> dict[tuple[str, str], str | None]:
    enabled = [entry for entry in setup.entries if entry.disabled is None]
    names = Names(HANDS, PROFILE, [(entry, tools.get(entry.name, [])) for entry in enabled], {}, {})
    return {(entry.name, tool): names.name(entry, tool).name for entry in enabled for tool in tools.get(entry.name, [])}


# ---- entries


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        (MAIL, "stdio"),
        ({**MAIL, "transport": "stdio"}, "stdio"),
        ({"url": "http://h/mcp"}, "http"),
        ({"url": "http://h/sse"}, "sse"),
        ({"url": "http://h/sse/"}, "sse"),
        ({"url": "http://h/sse?a=b"}, "sse"),
        ({"url": "http://h/sseal"}, "http"),
        ({"url": "http://h", "transport": "sse"}, "sse"),
        ({"url": "http://h/sse", "transport": "http"}, "http"),
        ({"url": "http://h", "transport": "streamable-http"}, "http"),
        ({"url": "http://h", "type": "sse"}, "http"),
    ],
)
def test_the_transport_comes_from_its_key_or_the_address(entry: Any, transport: str) -> None:
    assert spec("openhands", entry).transport == transport


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"command": ["mail"]},
        {"transport": "http"},
        {**MAIL, "transport": "ws"},
        {**MAIL, "args": "x"},
        "mail",
        {"url": 5},
    ],
)
def test_one_wrong_entry_costs_every_server(entry: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read("openhands", servers("openhands", {"good": MAIL, "srv": entry}))
    assert "exit status 1" in caught.value.message and caught.value.place is not None
    assert caught.value.place.pointer.startswith("/mcpServers/srv")


def test_a_wrong_entry_costs_every_server_although_it_is_switched_off() -> None:
    with pytest.raises(ConfigError) as caught:
        read("openhands", servers("openhands", {"srv": {"enabled": False}}))
    assert "command" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "text",
    ['{"mcpServers": {}} // c', '{"mcpServers": {},}', '\ufeff{"mcpServers": {}}', "", "[]", "{'mcpServers': {}}"],
)
def test_a_file_with_liberties_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        read("openhands", text)


def test_servers_may_stand_at_the_top_of_the_file() -> None:
    setup = read("openhands", {"srv": MAIL, "web": {"url": "http://h"}})
    assert [entry.name for entry in setup.entries] == ["srv", "web"] and setup.problems == ()
    assert setup.entries[0].place.pointer == "/srv"
    both = read("openhands", {"mcpServers": {"a": MAIL}, "b": MAIL})
    assert [entry.name for entry in both.entries] == ["a"]


@pytest.mark.parametrize("key", ["servers", "mcp_servers"])
def test_another_key_is_not_read(key: str) -> None:
    assert rules(list(read("openhands", {key: {"a": MAIL}}).problems)) == [("wrong-top-level-key", "high")]


def test_variables_are_expanded_in_braces_with_defaults() -> None:
    entry = {**MAIL, "args": ["${A}", "$A", "${U}", "${U:-d}", "${U:-}"], "cwd": "${A}", "env": {"K": "${A}"}}
    found = spec("openhands", entry, environ={"A": "abc"})
    assert found.argv == ("mail", "abc", "$A", "${U}", "d", "") and found.cwd == f"{CWD}/abc"
    assert found.env == {"K": "abc"}
    assert found.inherit == frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})


def test_a_server_is_switched_off_by_the_json_value_only() -> None:
    assert one("openhands", {**MAIL, "enabled": False}).disabled is not None
    assert one("openhands", {**MAIL, "enabled": "false"}).disabled is None


def test_a_token_is_sent_and_the_word_oauth_is_none() -> None:
    found = spec("openhands", {"url": "http://h", "auth": "t0ken"})
    assert found.headers == {"Authorization": "Bearer t0ken"}
    assert spec("openhands", {"url": "http://h", "auth": "oauth"}).headers == {}


@pytest.mark.parametrize(
    ("key", "value", "action"),
    [
        ("disabled", True, "enabled: false"),
        ("excludeTools", ["x"], '"enabled": false'),
        ("includeTools", ["x"], '"enabled": false'),
        ("httpUrl", "http://h", "url with transport http"),
    ],
)
def test_a_key_without_effect_is_told_with_what_to_write(key: str, value: Any, action: str) -> None:
    found = problems("openhands", {**MAIL, key: value})
    assert rules(found) == [("ignored-key", "medium")] and action in found[0].action


def test_the_keys_it_knows_are_passed_over_in_silence() -> None:
    known = {"type": "stdio", "timeout": 5, "keep_alive": True, "description": "d", "include_tags": [], "tools": {}}
    assert problems("openhands", {**MAIL, **known}) == []


# ---- tools


def test_a_tool_is_renamed_by_the_entry_and_the_prefix_still_comes_before() -> None:
    entry = {**MAIL, "tools": {"send": {"name": "deliver"}, "list": {"name": ""}}}
    tools = {"mail": ["send", "list"], "web": ["send"]}
    alone = read("openhands", servers("openhands", {"mail": entry}))
    assert named(alone, tools) == {("mail", "send"): "deliver", ("mail", "list"): "list"}
    two = read("openhands", servers("openhands", {"mail": entry, "web": MAIL}))
    assert named(two, tools) == {
        ("mail", "send"): "mail_deliver", ("mail", "list"): "mail_list", ("web", "send"): "web_send",
    }  # fmt: skip


def test_a_second_server_brings_the_prefix_unless_it_is_switched_off() -> None:
    tools = {"mail": ["send"]}
    off = read("openhands", servers("openhands", {"mail": MAIL, "web": {**MAIL, "enabled": False}}))
    assert named(off, tools) == {("mail", "send"): "send"}
    silent = read("openhands", servers("openhands", {"mail": MAIL, "web": MAIL}))
    assert named(silent, tools) == {("mail", "send"): "mail_send"}


def test_a_tool_is_hidden_by_the_entry() -> None:
    setup = read("openhands", servers("openhands", {"srv": {**MAIL, "tools": {"send": {"enabled": False}}}}))
    assert HANDS.excludes(setup.entries[0], "send", setup.settings) == "tools.send.enabled is false"
    assert HANDS.excludes(setup.entries[0], "list", setup.settings) is None


@pytest.mark.parametrize("text", ["x", ["send"], {"send": 5}])
def test_tools_of_another_shape_hide_and_rename_nothing(text: Any) -> None:
    setup = read("openhands", servers("openhands", {"srv": {**MAIL, "tools": text}}))
    assert HANDS.excludes(setup.entries[0], "send", setup.settings) is None
    assert HANDS.own_name(setup.entries[0], "send") == "send"


@pytest.mark.parametrize(
    ("pattern", "one_server", "two_servers"),
    [
        ("send", False, True),
        ("srv_", True, False),
        (".*send", False, False),
        ("^(?!send$).*", True, False),
        ("(", False, False),
        (5, False, False),
    ],
)
def test_a_pattern_keeps_tools_by_the_start_of_their_runtime_name(
    pattern: Any, one_server: bool, two_servers: bool
) -> None:
    value = {"filter_tools_regex": pattern}
    for entries, hidden in (({"srv": MAIL}, one_server), ({"srv": MAIL, "web": MAIL}, two_servers)):
        setup = with_agent(value, entries)
        assert (HANDS.excludes(setup.entries[0], "send", setup.settings) is not None) is hidden


@pytest.mark.parametrize(
    ("value", "name", "setting"),
    [
        ({"filter_tools_regex": "^(?!terminal$).*"}, "terminal", "filter_tools_regex"),
        ({"filter_tools_regex": "^(?!terminal$).*"}, "task", None),
        ({"filter_tools_regex": "nothing"}, "think", None),
        ({"include_default_tools": ["FinishTool"]}, "think", "include_default_tools"),
        ({"include_default_tools": ["FinishTool"]}, "finish", None),
        ({"include_default_tools": []}, "terminal", None),
        ({}, "terminal", None),
    ],
)
def test_the_agents_settings_take_built_ins_away(value: Any, name: str, setting: str | None) -> None:
    assert PROFILE is not None
    assert HANDS.removes_builtin(name, PROFILE, with_agent(value, {"srv": MAIL}).settings) == setting


def test_what_stands_beside_the_servers_is_no_setting_of_the_agent() -> None:
    setup = read("openhands", {"mcpServers": {"srv": MAIL}, "filter_tools_regex": "nothing"})
    assert HANDS.excludes(setup.entries[0], "send", setup.settings) is None


def test_the_lines_that_leave_a_tool_out_do_so() -> None:
    fix = HANDS.exclude(one("openhands", MAIL), ["send", 'a"b'])
    assert fix is not None
    entry = {**MAIL, **json.loads("{" + fix.text + "}")}
    setup = read("openhands", servers("openhands", {"srv": entry}))
    assert all(HANDS.excludes(setup.entries[0], tool, setup.settings) for tool in ("send", 'a"b'))


# ---- files, starting


def test_it_reads_one_file_beside_the_agents_settings() -> None:
    assert [(one.path, one.servers) for one in HANDS.locations(context())] == [
        (f"{HOME}/.openhands/agent_settings.json", False),
        (f"{HOME}/.openhands/mcp.json", True),
    ]
    moved = context({"OPENHANDS_PERSISTENCE_DIR": "/p"})
    assert HANDS.locations(moved)[1].path == "/p/mcp.json"
    assert [one.path for one in HANDS.companions("/srv/mcp.json", moved)] == ["/p/agent_settings.json"]


def test_its_program_is_slow_to_tell_its_version_and_kept_off_the_network() -> None:
    assert HANDS.version_patience >= 30 and HANDS.version_environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"


@pytest.mark.parametrize(
    ("others", "timed_out", "said"), [(0, False, "only server"), (1, False, None), (0, True, "30 s"), (1, True, "30 s")]
)
def test_which_failure_takes_the_agent_with_it(others: int, timed_out: bool, said: str | None) -> None:
    found = HANDS.fatal(one("openhands", MAIL), others, timed_out=timed_out)
    assert (found is None) is (said is None) and (said or "") in (found or "")


GOOD = {"name": "a", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("bad", "alone", "beside"),
    [
        ({"name": "b", "inputSchema": {"type": "string"}}, "start-aborts", "start-aborts"),
        ({"name": "b"}, "start-aborts", "server-lost"),
        ({"name": "b", "inputSchema": {}}, "start-aborts", "start-aborts"),
        ({"inputSchema": {"type": "object"}}, "start-aborts", "server-lost"),
        (GOOD, "start-aborts", None),
        ({"name": "b", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/no"}}}}, None, None),
    ],
)
def test_what_one_bad_tool_costs_depends_on_how_many_servers_there_are(bad: Any, alone: Any, beside: Any) -> None:
    for count, cost in ((1, alone), (2, beside)):
        found = HANDS.loss(build_manifest([GOOD, bad]), PROFILE, count)
        assert (found.cost if found else None) == cost, count
