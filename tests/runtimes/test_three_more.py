"""Qwen Code, OpenCode and OpenHands CLI, as the published programs were seen to read their files."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.errors import ConfigError
from tests.runtimes.situations import HOME, one, problems, read, rules, runtime, servers, source, spec

QWEN = runtime("qwen-code")
MAIL = {"command": "mail"}
LOCAL = {"type": "local", "command": ["mail"]}


def settings(value: dict[str, Any]) -> Any:
    return source(value, f"{HOME}/.qwen/settings.json", "user", servers=False)


# ---- Qwen Code


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        (MAIL, "stdio"),
        ({"httpUrl": "http://h"}, "http"),
        ({"url": "http://h"}, "sse"),
        ({"type": "http", "url": "http://h"}, "sse"),
        ({"type": "stdio", "command": "mail"}, "stdio"),
    ],
)
def test_qwen_reads_a_bare_address_as_the_older_transport(entry: Any, transport: str) -> None:
    found = spec("qwen-code", entry)
    assert found.transport == transport and not found.fallback_sse


def test_qwen_is_told_to_mean_another_transport_than_was_written() -> None:
    found = problems("qwen-code", {"type": "http", "url": "http://h"})
    assert rules(found) == [("transport-mismatch", "high")] and "httpUrl" in found[0].action


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"type": "http", "url": "http://h"}, "http"),
        ({"type": "sse", "url": "http://h"}, "sse"),
        ({"url": "http://h"}, "sse"),
    ],
)
def test_qwen_reads_the_shared_file_as_claude_code_writes_it(entry: Any, transport: str) -> None:
    assert spec("qwen-code", entry, path=".mcp.json", scope="project").transport == transport


def test_qwen_expands_two_ways_of_writing_and_knows_no_defaults() -> None:
    entry = {**MAIL, "args": ["$A", "${A}", "${U}", "${A:-d}", "$$A"]}
    assert spec("qwen-code", entry, environ={"A": "abc"}).argv[1:] == ("abc", "abc", "${U}", "${A:-d}", "$abc")


@pytest.mark.parametrize("entry", [{}, "mail", {"command": ["mail"]}, {"command": "mail", "args": "x"}])
def test_qwen_loses_an_entry_of_a_wrong_shape_alone(entry: Any) -> None:
    setup = read("qwen-code", servers("qwen-code", {"srv": entry, "good": MAIL}))
    assert [found.spec is None for found in setup.entries] == [True, False]


def test_qwen_takes_numbers_in_an_environment() -> None:
    assert spec("qwen-code", {**MAIL, "env": {"PORT": 80, "ON": True}}).env == {"PORT": "80", "ON": "true"}


@pytest.mark.parametrize(("key", "value"), [("disabled", True), ("enabled", False)])
def test_qwen_starts_a_server_that_is_switched_off_in_its_entry(key: str, value: bool) -> None:
    assert one("qwen-code", {**MAIL, key: value}).disabled is None
    assert rules(problems("qwen-code", {**MAIL, key: value})) == [("ignored-key", "medium")]


@pytest.mark.parametrize(
    ("value", "gated"),
    [
        ({"mcp": {"excluded": ["s?v"]}}, True),
        ({"mcp": {"excluded": ["s*"]}}, True),
        ({"mcp": {"allowed": ["s*"]}}, False),
        ({"mcp": {"allowed": ["srv"], "excluded": ["srv"]}}, True),
        ({}, False),
    ],
)
def test_qwen_excludes_servers_by_pattern(value: Any, gated: bool) -> None:
    gate = one("qwen-code", MAIL, path="settings.json", others=(settings(value),)).gate
    assert (gate is not None and gate.certain) is gated


def test_qwen_gates_a_projects_servers() -> None:
    gate = one("qwen-code", MAIL, path=".mcp.json", scope="project").gate
    assert gate is not None and not gate.certain


@pytest.mark.parametrize(
    ("entry", "excluded"),
    [
        ({"includeTools": ["send(x"]}, False),
        ({"includeTools": []}, True),
        ({"excludeTools": ["send"]}, True),
        ({"includeTools": ["send"], "excludeTools": ["send"]}, True),
        ({"includeTools": ["s*"]}, True),
    ],
)
def test_qwen_filters_by_raw_names(entry: Any, excluded: bool) -> None:
    setup = read("qwen-code", servers("qwen-code", {"srv": {**MAIL, **entry}}))
    assert (QWEN.excludes(setup.entries[0], "send", setup.settings) is not None) is excluded


def test_qwen_gives_a_program_thirty_seconds_and_an_address_five() -> None:
    assert spec("qwen-code", MAIL).budget == 30.0 and spec("qwen-code", {"httpUrl": "http://h"}).budget == 5.0
    assert spec("qwen-code", {**MAIL, "discoveryTimeoutMs": 9000}).budget == 9.0


# ---- OpenCode


def test_opencode_takes_liberties_with_json() -> None:
    text = '\ufeff{"mcp": {"a": {"type": "local", "command": ["x"]},}, // c\n}'
    assert read("opencode", text).problems == ()


def test_opencode_expands_its_own_way_of_writing_and_leaves_nothing_of_what_is_not_set() -> None:
    entry = {"type": "local", "command": ["mail", "{env:A}", "{env:U}", "$A", "${A}"]}
    assert spec("opencode", entry, environ={"A": "abc"}).argv == ("mail", "abc", "", "$A", "${A}")


def test_opencode_tries_the_newer_remote_transport_first() -> None:
    found = spec("opencode", {"type": "remote", "url": "http://h"})
    assert found.transport == "http" and found.fallback_sse and found.budget == 30.0


def test_opencode_switches_a_server_off() -> None:
    assert one("opencode", {**LOCAL, "enabled": False}).disabled == "switched off by enabled: false"


def test_opencode_does_not_read_the_usual_key() -> None:
    assert rules(list(read("opencode", {"mcpServers": {"a": MAIL}}).problems)) == [("wrong-top-level-key", "high")]


# ---- OpenHands


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        (MAIL, "stdio"),
        ({"url": "http://h/mcp"}, "http"),
        ({"url": "http://h/sse"}, "sse"),
        ({"url": "http://h", "transport": "sse"}, "sse"),
        ({"url": "http://h", "transport": "streamable-http"}, "http"),
        ({"url": "http://h", "type": "http"}, "http"),
    ],
)
def test_openhands_takes_the_transport_from_the_key_or_the_address(entry: Any, transport: str) -> None:
    assert spec("openhands", entry).transport == transport


@pytest.mark.parametrize("text", ['{"mcpServers": {}} // c', '{"mcpServers": {},}', "", "[]"])
def test_openhands_refuses_a_file_with_liberties(text: str) -> None:
    with pytest.raises(ConfigError):
        read("openhands", text)


def test_openhands_expands_braces_with_defaults_and_passes_six_variables_on() -> None:
    entry = {**MAIL, "args": ["${A}", "$A", "${U}", "${U:-d}", "${U:-}"]}
    found = spec("openhands", entry, environ={"A": "abc"})
    assert found.argv == ("mail", "abc", "$A", "${U}", "d", "")
    assert found.inherit == frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})


def test_openhands_switches_a_server_off_by_the_json_value_only() -> None:
    assert one("openhands", {**MAIL, "enabled": False}).disabled is not None
    assert one("openhands", {**MAIL, "enabled": "false"}).disabled is None
