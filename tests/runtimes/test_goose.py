"""Goose, as its public source reads."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.runtimes.catalogue import nearest_profile
from contractd.runtimes.naming import Names
from tests.runtimes.situations import HOME, context, one, problems, read, rules, runtime, spec

GOOSE = runtime("goose")
MAIL: dict[str, Any] = {"enabled": True, "type": "stdio", "name": "mail", "cmd": "mail", "args": []}
POST: dict[str, Any] = {
    "enabled": True,
    "type": "streamable_http",
    "name": "post",
    "description": None,
    "uri": "http://h",
}


def without(entry: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != key}


@pytest.mark.parametrize(("entry", "transport"), [(MAIL, "stdio"), (POST, "http")])
def test_the_transport_is_the_type(entry: dict[str, Any], transport: str) -> None:
    assert spec("goose", entry).transport == transport


@pytest.mark.parametrize(
    "entry",
    [
        *(without(MAIL, missing) for missing in ("enabled", "type", "name", "cmd", "args")),
        *(without(POST, missing) for missing in ("description", "uri")),
        {**MAIL, "type": "sse"}, {**MAIL, "type": "bogus"}, {**MAIL, "args": "x"}, {**MAIL, "envs": {"PORT": 8080}},
        {**MAIL, "timeout": "5"}, {**MAIL, "timeout": 1.5}, {**MAIL, "available_tools": "x"},
        {**MAIL, "enabled": "yes"},
        "mail", None, 5,
    ],
)  # fmt: skip
def test_an_entry_it_skips_is_a_high_finding_and_costs_itself_only(entry: Any) -> None:
    setup = read("goose", {"extensions": {"srv": entry, "good": MAIL}})
    assert [found.spec is None for found in setup.entries] == [True, False]
    assert ("server-entry-invalid", "high") in rules(list(setup.problems))


def test_its_own_extensions_are_no_servers() -> None:
    own = {
        kind: {"type": kind, "enabled": True, "name": kind}
        for kind in ("builtin", "platform", "frontend", "inline_python")
    }
    setup = read("goose", {"extensions": {**own, "srv": MAIL}})
    assert [entry.name for entry in setup.entries] == ["srv"] and setup.problems == ()


def test_yaml_is_read_with_the_place_of_every_key() -> None:
    lines = ["enabled: true", "type: stdio", "name: mail", "cmd: mail", "args: []", "command: x"]
    text = "extensions:\n  srv: # mine\n" + "".join(f"    {line}\n" for line in lines)
    setup = read("goose", text)
    assert [(p.rule, p.level, p.place.line, p.place.column) for p in setup.problems] == [
        ("ignored-key", "medium", 8, 5)
    ]
    assert "cmd" in setup.problems[0].action


def test_variables_are_expanded_in_addresses_and_headers_only_and_from_the_entrys_own() -> None:
    entry = {**POST, "uri": "http://h/${A}/${B}/$OUT", "headers": {"K": "$A"}, "envs": {"A": "abc"}, "env_keys": ["B"]}
    found = spec("goose", entry, environ={"B": "bcd", "OUT": "not this"})
    assert found.url == "http://h/abc/bcd/$OUT" and found.headers == {"K": "abc"}
    told = problems("goose", entry, environ={"B": "bcd", "OUT": "not this"})
    assert rules(told) == [("unset-variable", "medium")] and "env_keys" in told[0].action
    literal = {**MAIL, "args": ["${A}"], "envs": {"A": "abc", "K": "${A}"}}
    assert spec("goose", literal).argv == ("mail", "${A}") and spec("goose", literal).env["K"] == "${A}"
    assert rules(problems("goose", literal)) == [("literal-variable", "medium")] * 2


def test_a_key_of_the_keyring_leaves_the_server_undetermined_and_one_in_the_environment_does_not() -> None:
    entry = {**MAIL, "env_keys": ["TOKEN"]}
    found = problems("goose", entry)
    assert [(p.rule, p.level, p.undetermined) for p in found] == [("prompted-variable", "info", True)]
    assert problems("goose", entry, environ={"TOKEN": "x"}) == []
    assert problems("goose", {**entry, "enabled": False}) == []


def test_variables_that_envs_may_not_set_are_told() -> None:
    entry = {**MAIL, "envs": {"PATH": "/x", "LD_PRELOAD": "y", "BOX": "z"}}
    assert spec("goose", entry).env == {"BOX": "z"}
    assert rules(problems("goose", entry)) == [("variable-not-passed", "medium")] * 2


def test_the_budget_is_in_seconds_and_five_minutes_without_one() -> None:
    assert spec("goose", MAIL).budget == 300.0 and spec("goose", {**MAIL, "timeout": 60}).budget == 60.0
    assert spec("goose", {**MAIL, "timeout": None}, environ={"GOOSE_DEFAULT_EXTENSION_TIMEOUT": "20"}).budget == 20.0
    assert spec("goose", MAIL, environ={"GOOSE_DEFAULT_EXTENSION_TIMEOUT": "²"}).budget == 300.0


@pytest.mark.parametrize(("listed", "excluded"), [([], False), (["send"], False), (["other"], True), (["SEND"], True)])
def test_available_tools_are_raw_names_and_an_empty_list_keeps_all(listed: list[str], excluded: bool) -> None:
    entry = one("goose", {**MAIL, "available_tools": listed})
    assert (GOOSE.excludes(entry, "send", read("goose", {}).settings) is not None) is excluded


def test_the_field_name_and_not_the_key_makes_the_models_name() -> None:
    entry = one("goose", {**MAIL, "name": "My Mail"})
    names = Names(GOOSE, nearest_profile("goose", None), [(entry, ["Send.It"])], {}, {})
    assert names.name(entry, "Send.It").name == "mymail__Send.It"


def test_it_is_never_told_to_keep_tools_that_nobody_named() -> None:
    assert GOOSE.exclude(one("goose", MAIL), ["send"]) is None


def test_a_switched_off_extension_is_not_started() -> None:
    assert one("goose", {**MAIL, "enabled": False}).disabled == "switched off by enabled: false"


def test_its_file_is_in_the_configuration_folder() -> None:
    assert [location.path for location in GOOSE.locations(context())] == [f"{HOME}/.config/goose/config.yaml"]
    assert [location.path for location in GOOSE.locations(context({"XDG_CONFIG_HOME": "/x"}))] == [
        "/x/goose/config.yaml"
    ]
