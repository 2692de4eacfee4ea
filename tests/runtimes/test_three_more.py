"""OpenCode and OpenHands CLI, as the published programs were seen to read their files."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.errors import ConfigError
from tests.runtimes.situations import one, read, rules, spec

MAIL = {"command": "mail"}
LOCAL = {"type": "local", "command": ["mail"]}


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
