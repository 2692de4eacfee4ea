"""Qwen Code, as 0.21.10 and 0.24.4 were seen to read their files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.contracts import Contract
from contractd.contracts.manifest import build_manifest
from contractd.errors import ConfigError
from contractd.runtimes.base import Scope, Setup, Source
from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.conditions import Seen, conditions_of, shut
from contractd.runtimes.profile import Profile
from tests.runtimes.situations import (
    CWD,
    HOME,
    context,
    one,
    problems,
    read,
    rules,
    runtime,
    servers,
    source,
    spec,
)

QWEN = runtime("qwen-code")
MAIL = {"command": "mail"}
SHARED = {"path": ".mcp.json", "scope": "project"}
OLD, NEW = (nearest_profile("qwen-code", version) for version in ("0.21.10", "0.24.4"))
EVERY = [pytest.param(profile, id=str(profile.version)) for profile in (OLD, NEW) if profile is not None]


def settings(value: dict[str, Any], scope: Scope = "user") -> Source:
    return source(value, f"{HOME}/.qwen/settings.json", scope, servers=False)


def beside(name: str, value: Any) -> Source:
    return source(value, f"{HOME}/.qwen/{name}", "user", servers=False)


def with_settings(value: dict[str, Any], entry: Any = MAIL, **more: Any) -> Setup:
    return read("qwen-code", servers("qwen-code", {"srv": entry}), others=(settings(value),), **more)


def likely(profile: Profile, setup: Setup, environ: dict[str, str] | None = None, **stated: str) -> dict[str, str]:
    seen = Seen(setup.settings, environ or {}, configured=True, connected=True)
    return conditions_of(profile.conditions, stated, seen).likely


# ---- transports


@pytest.mark.parametrize(
    ("entry", "transport", "url"),
    [
        (MAIL, "stdio", None),
        ({"httpUrl": "http://h"}, "http", "http://h"),
        ({"url": "http://h"}, "sse", "http://h"),
        ({"url": "http://old", "httpUrl": "http://new"}, "http", "http://new"),
        ({"url": "http://h", "command": "mail"}, "sse", "http://h"),
        ({"type": "http", "url": "http://h"}, "sse", "http://h"),
        ({"type": "stdio", "command": "mail"}, "stdio", None),
    ],
)
def test_in_settings_an_http_url_beats_an_older_address_beats_a_program(entry: Any, transport: str, url: Any) -> None:
    found = spec("qwen-code", entry)
    assert (found.transport, found.url, found.fallback_sse) == (transport, url, False)


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"type": "http", "url": "http://h"}, "http"),
        ({"type": "sse", "url": "http://h"}, "sse"),
        ({"type": "streamable-http", "url": "http://h"}, "sse"),
        ({"url": "http://h"}, "sse"),
        ({"httpUrl": "http://h"}, "http"),
    ],
)
def test_in_the_shared_file_only_type_http_is_http(entry: Any, transport: str) -> None:
    assert spec("qwen-code", entry, **SHARED).transport == transport


@pytest.mark.parametrize(
    ("kind", "more", "action"),
    [
        ("http", {}, "rename url to httpUrl"),
        ("streamable-http", {}, "rename url to httpUrl"),
        ("streamable-http", SHARED, '"type": "http"'),
    ],
)
def test_a_type_that_is_not_read_so_is_told_with_what_to_write(kind: str, more: Any, action: str) -> None:
    found = problems("qwen-code", {"type": kind, "url": "http://h"}, **more)
    assert rules(found) == [("transport-mismatch", "high")] and action in found[0].action
    assert problems("qwen-code", {"type": "http", "url": "http://h"}, **SHARED) == []


def test_a_transport_that_nobody_speaks_makes_an_entry_unusable() -> None:
    found = problems("qwen-code", {"tcp": "host:1"})
    assert rules(found) == [("server-entry-invalid", "high")] and "tcp" in found[0].message


# ---- variables


def test_settings_expand_two_ways_of_writing_and_know_no_defaults() -> None:
    entry = {**MAIL, "args": ["$A", "${A}", "${U}", "${A:-d}", "$$A"]}
    assert spec("qwen-code", entry, environ={"A": "abc"}).argv[1:] == ("abc", "abc", "${U}", "${A:-d}", "$abc")


def test_the_shared_file_is_not_expanded_and_that_is_said() -> None:
    entry = {**MAIL, "env": {"TOKEN": "${A}"}}
    assert spec("qwen-code", entry, environ={"A": "abc"}, **SHARED).env == {"TOKEN": "${A}"}
    assert rules(problems("qwen-code", entry, environ={"A": "abc"}, **SHARED)) == [("literal-variable", "medium")]


def test_it_loads_files_of_variables_the_projects_before_the_users() -> None:
    assert QWEN.env_files(context()) == [
        (f"{CWD}/.qwen/.env", f"{CWD}/.env"), (f"{HOME}/.qwen/.env",), (f"{HOME}/.env",)
    ]  # fmt: skip
    assert ("/q/.env",) in QWEN.env_files(context({"QWEN_HOME": "/q"}))


# ---- shapes and keys


@pytest.mark.parametrize("entry", [{}, "mail", {"command": ["mail"]}, {"command": "mail", "args": "x"}])
def test_an_entry_of_a_wrong_shape_is_lost_alone(entry: Any) -> None:
    setup = read("qwen-code", servers("qwen-code", {"srv": entry, "good": MAIL}))
    assert [found.spec is None for found in setup.entries] == [True, False]


def test_numbers_and_booleans_in_an_environment_are_taken_without_a_word() -> None:
    entry = {**MAIL, "env": {"PORT": 80, "ON": True}}
    assert spec("qwen-code", entry).env == {"PORT": "80", "ON": "true"} and problems("qwen-code", entry) == []


def test_an_array_of_servers_calls_them_by_their_index() -> None:
    setup = read("qwen-code", {"mcpServers": [MAIL, {"httpUrl": "http://h"}]})
    assert [(entry.name, entry.place.pointer) for entry in setup.entries] == [
        ("0", "/mcpServers/0"),
        ("1", "/mcpServers/1"),
    ]


@pytest.mark.parametrize(("key", "value"), [("disabled", True), ("enabled", False)])
def test_a_server_that_is_switched_off_in_its_entry_is_started(key: str, value: bool) -> None:
    assert one("qwen-code", {**MAIL, key: value}).disabled is None
    found = problems("qwen-code", {**MAIL, key: value})
    assert rules(found) == [("ignored-key", "medium")] and "mcp.excluded" in found[0].action


def test_a_top_level_key_that_nobody_reads_is_named_and_known_ones_are_not() -> None:
    setup = read("qwen-code", {"mcpServers": {}, "ui": {}, "$version": 4, "nonsense": 1})
    assert [(problem.rule, problem.subject) for problem in setup.problems] == [("ignored-key", "nonsense")]
    old = read("qwen-code", {"mcpServers": {}, "coreTools": []})
    assert old.problems == ()
    both = read("qwen-code", {"mcpServers": {}, "coreTools": [], "$version": 4})
    assert [problem.subject for problem in both.problems] == ["coreTools"]


def test_keys_of_the_first_format_count_where_no_newer_version_is_stated() -> None:
    old = {"excludeMCPServers": ["srv"], "coreTools": ["glob"], "tools": {"disabled": ["x"]}}
    setup = with_settings(old)
    assert setup.entries[0].disabled and setup.settings.get("tools") == {"disabled": ["x"], "core": ["glob"]}
    assert with_settings({**old, "$version": 4}).entries[0].disabled is None


# ---- syntax


@pytest.mark.parametrize("text", ['{"mcpServers": {},}', '{"mcpServers": {"a": {"command": "x",}}}'])
def test_a_file_that_it_would_overwrite_is_refused_and_that_is_said(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read("qwen-code", text)
    assert "overwrites it with {}" in (caught.value.hint or "")
    with pytest.raises(ConfigError) as shared:
        read("qwen-code", text, path=".mcp.json", scope="project")
    assert "overwrites" not in (shared.value.hint or "") and "stderr" in (shared.value.hint or "")


def test_a_byte_order_mark_is_taken_by_one_version_and_costs_the_file_in_the_other() -> None:
    found = read("qwen-code", "\ufeff" + json.dumps(servers("qwen-code", {"srv": MAIL})))
    assert rules(list(found.problems)) == [("syntax-not-confirmed", "medium")] and found.entries[0].spec
    assert "0.21.10" in found.problems[0].message


def test_comments_are_taken() -> None:
    assert read("qwen-code", '// mine\n{"mcpServers": {}}').problems == ()


# ---- files


def test_its_places_can_be_moved() -> None:
    environ = {
        "QWEN_HOME": "/q", "QWEN_CODE_SYSTEM_SETTINGS_PATH": "/s.json", "QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/d.json",
        "QWEN_CODE_TRUSTED_FOLDERS_PATH": "/t.json",
    }  # fmt: skip
    found = [location.path for location in QWEN.locations(context(environ))]
    assert found[2:] == ["/d.json", "/q/settings.json", f"{CWD}/.mcp.json", f"{CWD}/.qwen/settings.json", "/s.json"]
    assert found[:2] == ["/t.json", "/q/mcpApprovals.json"]
    assert QWEN.scope_of("/q/settings.json", context(environ))[0] == "user"


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        (f"{HOME}/.qwen/settings.json", "user"),
        ("/srv/app/.qwen/settings.json", "project"),
        ("/srv/app/.mcp.json", "project"),
        ("/srv/app/qwen.json", "user"),
        ("/etc/qwen-code/settings.json", "system"),
    ],
)
def test_the_scope_of_a_named_file(path: str, scope: str) -> None:
    assert QWEN.scope_of(path, context())[0] == scope


def test_beside_a_named_file_the_settings_that_hold_for_it_are_read() -> None:
    named = {location.path for location in QWEN.companions(f"{CWD}/.mcp.json", context())}
    assert {f"{CWD}/.qwen/settings.json", f"{HOME}/.qwen/settings.json", f"{HOME}/.qwen/trustedFolders.json"} <= named
    assert all(not location.servers for location in QWEN.companions("/srv/x.json", context()))
    assert f"{CWD}/.qwen/settings.json" not in {one.path for one in QWEN.companions("/srv/x.json", context())}


def test_the_shared_file_gives_no_settings() -> None:
    shared = source({"mcpServers": {"srv": MAIL}, "mcp": {"excluded": ["srv"]}}, ".mcp.json", "project")
    found = QWEN.read([shared], context()).entries[0]
    assert found.gate is not None and not found.gate.certain


# ---- gates


@pytest.mark.parametrize(
    ("value", "off"),
    [
        ({"mcp": {"excluded": ["s?v"]}}, True),
        ({"mcp": {"excluded": ["s*"]}}, True),
        ({"mcp": {"excluded": ["S*"]}}, False),
        ({"mcp": {"allowed": []}}, True),
        ({"mcp": {"allowed": ["other"]}}, True),
        ({"mcp": {"allowed": ["s*"]}}, False),
        ({"mcp": {"allowed": ["srv"], "excluded": ["srv"]}}, True),
        ({}, False),
    ],
)
def test_servers_are_allowed_and_excluded_by_pattern_and_an_empty_list_allows_none(value: Any, off: bool) -> None:
    entry = with_settings(value, path="settings.json").entries[0]
    assert (entry.disabled is not None, entry.spec is None, entry.gate) == (off, off, None)


def test_lists_of_several_files_are_united() -> None:
    weak, strong = settings({"mcp": {"excluded": ["a"]}}), settings({"mcp": {"excluded": ["b"]}})
    setup = read("qwen-code", servers("qwen-code", {"a": MAIL, "b": MAIL, "c": MAIL}), others=(weak, strong))
    assert [entry.disabled for entry in setup.entries] == ["mcp.excluded names it"] * 2 + [None]


@pytest.mark.parametrize(
    ("system", "user", "off"),
    [
        ({"excluded": ["srv"]}, {}, False),
        ({"allowed": ["other"]}, {}, False),
        ({"excluded": ["srv"]}, {"excluded": ["s*"]}, True),
        ({"excluded": ["other"]}, {"excluded": ["srv"]}, True),
    ],
)
def test_what_only_the_system_s_settings_keep_from_starting_is_no_word_of_the_user_s(
    system: Any, user: Any, off: bool
) -> None:
    files = (settings({"mcp": system}, scope="system"), settings({"mcp": user}))
    entry = one("qwen-code", MAIL, path="settings.json", others=files)
    assert (entry.disabled is not None, entry.gate is not None and entry.gate.certain) == (off, not off)


def test_a_project_s_server_that_is_switched_off_needs_no_approval_and_nothing_is_said_of_it() -> None:
    wrong = {"command": "mail", "args": ["${NOPE}"], "disabled": True, "cwd": 5, "env": {"A": []}}
    setup = read(
        "qwen-code",
        {"mcpServers": {"srv": wrong}, "mcp": {"excluded": ["srv"]}},
        path=f"{CWD}/.qwen/settings.json",
        scope="project",
    )
    assert (setup.entries[0].disabled, setup.entries[0].gate) == ("mcp.excluded names it", None)
    assert setup.problems == ()


def test_what_stands_in_plain_text_does_so_although_the_server_is_switched_off() -> None:
    secret = {"command": "mail", "env": {"MAIL_TOKEN": "kX8v2Lq9Zp1Rt5mB"}}
    setup = read("qwen-code", {"mcpServers": {"srv": secret}, "mcp": {"allowed": []}})
    assert rules(list(setup.problems)) == [("plain-text-secret", "low")]


@pytest.mark.parametrize("name", ["__proto__", "constructor", "prototype"])
def test_names_that_every_object_has_are_never_read(name: str) -> None:
    entry = read("qwen-code", servers("qwen-code", {name: MAIL})).entries[0]
    assert entry.gate is not None and entry.gate.certain


@pytest.mark.parametrize("profile", EVERY)
@pytest.mark.parametrize(
    ("value", "stated", "held"),
    [
        ({}, {}, "maybe"),
        ({"tools": {"approvalMode": "yolo"}}, {}, "no"),
        ({}, {"approval": "yolo"}, "no"),
        ({"tools": {"approvalMode": "default"}}, {}, "maybe"),
        ({"tools": {"approvalMode": "auto-edit"}}, {"mode": "headless"}, "yes"),
        ({"approvalMode": "yolo"}, {"mode": "headless"}, "no"),
        ({}, {"mode": "headless"}, "maybe"),
        ({}, {"mode": "interactive"}, "no"),
    ],
)
def test_a_projects_servers_are_started_in_approval_mode_yolo_only(
    profile: Profile, value: Any, stated: dict[str, str], held: str
) -> None:
    text = {"mcpServers": {"srv": MAIL}, **value}
    setup = read("qwen-code", text, path=f"{CWD}/.qwen/settings.json", scope="project")
    gate = setup.entries[0].gate
    assert gate is not None and not gate.certain
    seen = Seen(setup.settings, {}, configured=True, connected=None)
    assert shut(gate, conditions_of(profile.conditions, stated, seen)) == held


def test_a_server_that_was_approved_here_is_not_gated() -> None:
    approved = beside("mcpApprovals.json", {CWD: {"srv": {"hash": "x", "status": "approved"}}})
    assert one("qwen-code", MAIL, others=(approved,), **SHARED).gate is None
    refused = beside("mcpApprovals.json", {CWD: {"srv": {"hash": "x", "status": "rejected"}}})
    assert one("qwen-code", MAIL, others=(refused,), **SHARED).gate is not None


TRUST = {"security": {"folderTrust": {"enabled": True}}}


@pytest.mark.parametrize(
    ("value", "folders", "certain"),
    [
        (TRUST, {CWD: "TRUST_FOLDER"}, None),
        (TRUST, {HOME: "TRUST_FOLDER"}, None),
        (TRUST, {CWD: "DO_NOT_TRUST"}, True),
        (TRUST, {HOME: "TRUST_FOLDER", CWD: "DO_NOT_TRUST"}, True),
        (TRUST, {f"{HOME}/x": "TRUST_PARENT", CWD: "TRUST_FOLDER"}, None),
        (TRUST, {}, False),
        ({}, {CWD: "DO_NOT_TRUST"}, None),
    ],
)
def test_in_a_folder_that_is_not_trusted_no_server_is_started(value: Any, folders: Any, certain: bool | None) -> None:
    others = (settings(value), beside("trustedFolders.json", folders))
    gate = one("qwen-code", MAIL, others=others, path=f"{HOME}/.qwen/settings.json").gate
    assert (gate.certain if gate else None) is certain


def test_a_projects_settings_do_not_count_in_a_folder_that_is_not_trusted() -> None:
    others = (settings(TRUST), beside("trustedFolders.json", {CWD: "DO_NOT_TRUST"}))
    project = {"mcpServers": {"srv": MAIL}, "tools": {"disabled": ["send_message"]}}
    setup = read("qwen-code", project, path=f"{CWD}/.qwen/settings.json", scope="project", others=others)
    assert setup.settings.get("tools") is None
    assert setup.entries[0].gate is not None and setup.entries[0].gate.certain


# ---- filters, what is taken away


@pytest.mark.parametrize(
    ("entry", "excluded"),
    [
        ({"includeTools": ["send(x"]}, False),
        ({"excludeTools": ["send(x)"]}, False),
        ({"includeTools": []}, True),
        ({"excludeTools": ["send"]}, True),
        ({"excludeTools": ["Send"]}, False),
        ({"includeTools": ["send"], "excludeTools": ["send"]}, True),
        ({"includeTools": ["s*"]}, True),
    ],
)
def test_tools_are_filtered_by_their_own_names(entry: Any, excluded: bool) -> None:
    setup = read("qwen-code", servers("qwen-code", {"srv": {**MAIL, **entry}}))
    assert (QWEN.excludes(setup.entries[0], "send", setup.settings) is not None) is excluded


@pytest.mark.parametrize(
    ("written", "tool", "gone"),
    [
        ("mcp__srv__send", "send", True),
        (" mcp__srv__send ", "send", True),
        ("send", "send", False),
        ("mcp__srv__*", "send", False),
        ("mcp__srv__a b", "a b", True),
    ],
)
def test_a_servers_tool_is_switched_off_by_its_runtime_name(written: str, tool: str, gone: bool) -> None:
    setup = with_settings({"tools": {"disabled": [written]}})
    assert (QWEN.excludes(setup.entries[0], tool, setup.settings) is not None) is gone


@pytest.mark.parametrize("profile", EVERY)
@pytest.mark.parametrize(
    ("value", "name", "setting"),
    [
        ({"tools": {"disabled": ["send_message"]}}, "send_message", "tools.disabled"),
        ({"tools": {"disabled": ["SendMessage"]}}, "send_message", None),
        ({"permissions": {"deny": ["FindFiles"]}}, "glob", "permissions.deny"),
        ({"permissions": {"deny": ["FindFiles(x)"]}}, "glob", None),
        ({"permissions": {"deny": ["Bash"]}}, "run_shell_command", "permissions.deny"),
        ({"permissions": {"deny": ["Read"]}}, "grep_search", "permissions.deny"),
        ({"permissions": {"deny": ["Grep"]}}, "read_file", None),
        ({"tools": {"exclude": ["Edit"]}}, "write_file", "tools.exclude"),
        ({"tools": {"core": ["Read"]}}, "read_file", None),
        ({"tools": {"core": ["Read"]}}, "grep_search", "tools.core"),
        ({"tools": {"core": ["Read"]}}, "send_message", None),
        ({"tools": {"core": []}}, "read_file", None),
        ({}, "send_message", None),
    ],
)
def test_settings_take_built_ins_away_by_name_or_alias(profile: Profile, value: Any, name: str, setting: Any) -> None:
    assert QWEN.removes_builtin(name, profile, with_settings(value).settings) == setting


# ---- what the model sees


@pytest.mark.parametrize("profile", EVERY)
@pytest.mark.parametrize(
    ("value", "entry", "visible"),
    [
        ({}, MAIL, "deferred"),
        ({"tools": {"toolSearch": {"enabled": False}}}, MAIL, "yes"),
        ({"tools": {"disabled": ["tool_search"]}}, MAIL, "yes"),
        ({"permissions": {"deny": ["tool_search"]}}, MAIL, "yes"),
        ({}, {**MAIL, "alwaysLoadTools": True}, "yes"),
        ({"tools": {"visible": ["mcp__srv__send"]}}, MAIL, "yes"),
        ({"tools": {"visible": ["send"]}}, MAIL, "deferred"),
    ],
)
def test_a_servers_tools_are_found_by_searching_unless_a_setting_shows_them(
    profile: Profile, value: Any, entry: Any, visible: str
) -> None:
    setup = with_settings(value, entry)
    run = likely(profile, setup)
    assert QWEN.shows(setup.entries[0], Contract("send", {}), profile, run, "mcp__srv__send") == visible


@pytest.mark.parametrize("profile", EVERY)
def test_a_bare_or_safe_run_has_no_server_and_code_mode_hides_every_tool(profile: Profile) -> None:
    setup = with_settings({}, {**MAIL, "alwaysLoadTools": True})
    for stated in ({"bare": "on"}, {"safe": "on"}):
        assert QWEN.visibility(setup.entries[0], profile, likely(profile, setup, **stated)) == "no"
    if "code-mode" in profile.conditions:
        run = likely(profile, setup, **{"code-mode": "on"})
        assert QWEN.visibility(setup.entries[0], profile, run) == "deferred"


# ---- starting


@pytest.mark.parametrize(
    ("entry", "budget"),
    [
        (MAIL, 30.0),
        ({"httpUrl": "http://h"}, 5.0),
        ({**MAIL, "discoveryTimeoutMs": 9000}, 9.0),
        ({**MAIL, "timeout": 3000}, 3.0),
        ({**MAIL, "timeout": 600000}, 30.0),
        ({**MAIL, "timeout": 3000, "discoveryTimeoutMs": 9000}, 3.0),
        ({**MAIL, "discoveryTimeoutMs": 999999}, 300.0),
    ],
)
def test_a_start_is_bounded_by_the_shorter_of_two_times(entry: Any, budget: float) -> None:
    assert spec("qwen-code", entry).budget == budget


def test_headless_waits_for_all_and_an_interactive_session_for_none_unless_told() -> None:
    setup = with_settings({})
    for run, waits in (
        ({"mode": "headless"}, None),
        ({"mode": "acp"}, None),
        ({}, None),
        ({"mode": "interactive"}, 0.0),
        ({"mode": "interactive", "mcp-blocking": "on"}, None),
    ):
        assert QWEN.wait_before_first_request(setup.entries[0], setup.settings, context(), run) == waits


@pytest.mark.parametrize(
    ("tools", "lost"),
    [
        ([{"name": "a", "inputSchema": {"type": "object"}}], None),
        ([{"name": "a", "inputSchema": {"type": "object"}}] * 2, "a"),
        ([{"name": "constructor", "inputSchema": {"type": "object"}}], "constructor"),
        ([{"name": "a", "inputSchema": {}}], "a"),
        ([{"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"$ref": "#/no"}}}}], None),
        ([{"inputSchema": {"type": "object"}}], "#0"),
    ],
)
@pytest.mark.parametrize("profile", EVERY)
def test_one_bad_tool_or_name_loses_the_server(profile: Profile, tools: Any, lost: str | None) -> None:
    found = QWEN.loss(build_manifest(list(tools)), profile, 2)
    assert (found.tool if found else None) == lost and (found is None or found.cost == "server-lost")


def test_the_two_versions_differ_over_what_a_tool_returns() -> None:
    tools = build_manifest([{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}])
    assert QWEN.loss(tools, OLD, 1) is not None and QWEN.loss(tools, NEW, 1) is None
