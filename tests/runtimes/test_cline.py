"""Cline: the extension as its source reads, and the command line program 3.0.65 as it was seen to behave."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.errors import ConfigError
from tests.runtimes.situations import CWD, HOME, context, one, problems, read, rules, runtime, servers, spec

CLINE = runtime("cline")
PROGRAMS_FILE = ".cline/data/settings/cline_mcp_settings.json"
SERVER = {"command": "mail"}


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        (SERVER, "stdio"),
        ({"type": "stdio", "command": "mail"}, "stdio"),
        ({"url": "http://h"}, "sse"),
        ({"type": "sse", "url": "http://h"}, "sse"),
        ({"type": "streamableHttp", "url": "http://h"}, "http"),
        ({"transportType": "http", "url": "http://h"}, "http"),
        ({"transportType": "sse", "url": "http://h"}, "sse"),
        ({"transport": {"type": "streamableHttp", "url": "http://h"}}, "http"),
        ({"transport": {"type": "stdio", "command": "mail"}}, "stdio"),
    ],
)
def test_the_transport_is_the_one_its_source_chooses(entry: dict[str, Any], transport: str) -> None:
    found = spec("cline", entry)
    assert found.transport == transport and not found.fallback_sse


@pytest.mark.parametrize(
    "entry",
    [
        {}, {"httpUrl": "http://h"}, {"type": "http", "url": "http://h"}, {"command": "mail", "args": "x"},
        {"command": "mail", "env": {"PORT": 1}}, {"type": "sse"}, "mail", {"command": ["mail"]},
        {"disabled": True, "command": "mail", "args": 5},
    ],
)  # fmt: skip
def test_one_entry_of_a_wrong_shape_costs_every_server_and_is_refused_at_its_place(entry: Any) -> None:
    text = json.dumps({"mcpServers": {"good": SERVER, "srv": entry}}, indent=1)
    with pytest.raises(ConfigError) as caught:
        read("cline", text)
    assert caught.value.place is not None and (caught.value.place.line or 0) >= 6
    assert "none of the servers" in caught.value.message


@pytest.mark.parametrize("text", ['{"mcpServers": {}} // x', '{"mcpServers": {},}', '\ufeff{"mcpServers": {}}', "{"])
def test_what_it_reads_nothing_of_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        read("cline", text)


def test_an_unknown_key_and_a_malformed_timeout_cost_nothing() -> None:
    found = problems("cline", {**SERVER, "zzz": 1, "timeout": "soon"})
    assert sorted(rules(found)) == [("ignored-key", "low"), ("value-not-usable", "low")]
    assert rules(problems("cline", {**SERVER, "enabled": False})) == [("ignored-key", "medium")]


def test_a_disabled_server_is_not_started() -> None:
    assert one("cline", {**SERVER, "disabled": True}).disabled == "switched off by disabled: true"


def test_the_extension_expands_its_own_way_of_writing_and_leaves_what_is_not_set() -> None:
    entry = {"command": "mail", "args": ["${env:A}", "${env:U}", "${A}"], "env": {"K": "${env:A}"}, "cwd": "${env:A}"}
    found = spec("cline", entry, environ={"A": "abc"})
    assert found.argv == ("mail", "abc", "${env:U}", "${A}") and found.env == {"K": "abc"} and found.cwd == f"{CWD}/abc"
    assert sorted(rules(problems("cline", entry, environ={"A": "abc"}))) == [
        ("literal-variable", "medium"),
        ("unset-variable", "medium"),
    ]


def test_the_program_expands_nothing_passes_everything_on_and_waits_three_seconds() -> None:
    found = spec("cline", {**SERVER, "args": ["${env:A}"]}, environ={"A": "abc"}, path=PROGRAMS_FILE)
    assert found.argv == ("mail", "${env:A}") and found.inherit == "all" and found.budget == 3.0
    assert spec("cline", {**SERVER, "timeout": 8}, path=PROGRAMS_FILE).budget == 8.0


def test_the_extension_passes_six_variables_on_and_waits_a_minute() -> None:
    found = spec("cline", SERVER)
    assert found.inherit == frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) and found.budget == 60.0


def test_the_lines_that_pass_a_variable_on_pass_it_on() -> None:
    fix = CLINE.pass_variables(one("cline", SERVER), ["A"])
    assert fix is not None
    entry = {**SERVER, **json.loads("{" + fix.text + "}")}
    assert spec("cline", entry, environ={"A": "abc"}).env == {"A": "abc"}


def test_it_reads_its_file_in_two_places() -> None:
    assert [location.path for location in CLINE.locations(context())] == [
        f"{HOME}/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        f"{HOME}/{PROGRAMS_FILE}",
    ]


def test_servers_under_another_key_are_told() -> None:
    assert rules(list(read("cline", {"servers": {"a": SERVER}}).problems)) == [("wrong-top-level-key", "high")]
    assert read("cline", servers("cline", {})).problems == ()
