"""Files that name no runtime, and contractd's own providers."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.errors import ConfigError
from contractd.runtimes.base import Setup
from tests.runtimes.situations import CWD, HOME, problems, read, rules, runtime, servers, spec

OWN = runtime("contractd")


def own(text: str, **more: Any) -> Setup:
    return read("contractd", text, path="contractd.toml", scope="project", **more)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "mail"}, ("stdio", False)),
        ({"type": "local", "command": "mail"}, ("stdio", False)),
        ({"url": "http://h"}, ("http", True)),
        ({"httpUrl": "http://h"}, ("http", False)),
        ({"serverUrl": "http://h"}, ("http", True)),
        ({"transport": "streamable-http", "url": "http://h"}, ("http", False)),
        ({"type": "sse", "url": "http://h"}, ("sse", False)),
        ({"manifest_url": "http://h/m.json"}, ("manifest-url", False)),
        ({"manifest": "m.json"}, ("manifest-file", False)),
    ],
)
def test_a_plain_entry_is_read_generously(entry: dict[str, Any], expected: tuple[str, bool]) -> None:
    found = spec("contractd", entry)
    assert (found.transport, found.fallback_sse) == expected
    assert found.url in (None, "http://h", "http://h/m.json")


@pytest.mark.parametrize("key", ["mcpServers", "servers", "mcp_servers"])
def test_servers_are_found_under_any_of_the_usual_keys(key: str) -> None:
    setup = read("contractd", {key: {"srv": {"command": "mail"}}, "other": 1})
    assert [entry.name for entry in setup.entries] == ["srv"] and setup.problems == ()


def test_servers_at_the_top_are_told() -> None:
    assert rules(list(read("contractd", {"srv": {"command": "mail"}}).problems)) == [("wrong-top-level-key", "high")]
    assert read("contractd", {}).problems == ()


@pytest.mark.parametrize(
    "entry", [{}, {"type": "bogus"}, {"manifest": 5}, {"command": 5}, {"url": []}, "x", {"command": "\0"}]
)
def test_an_unusable_entry_is_a_high_finding(entry: Any) -> None:
    assert ("server-entry-invalid", "high") in rules(problems("contractd", entry))


def test_an_unknown_key_is_only_mentioned_for_nobody_knows_who_will_read_the_file() -> None:
    found = problems("contractd", {"command": "mail", "zzz": 1})
    assert [(p.rule, p.level, p.sure) for p in found] == [("ignored-key", "info", "low")]
    assert "the program that will read it" in found[0].message


def test_numbers_in_an_environment_are_taken_as_their_text_and_told() -> None:
    entry = {"command": "mail", "env": {"PORT": 8080, "ON": True}}
    assert spec("contractd", entry).env == {"PORT": "8080", "ON": "true"}
    assert rules(problems("contractd", entry)) == [("value-not-usable", "low")] * 2


def test_a_header_that_could_smuggle_another_is_refused() -> None:
    for headers in ({"X": "a\r\nY: b"}, {"X Y": "a"}, {"": "a"}, {"X": ["a"]}):
        assert ("server-entry-invalid", "high") in rules(problems("contractd", {"url": "http://h", "headers": headers}))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('command = ["mail", "--all"]', ("stdio", ("mail", "--all"), None)),
        ('url = "http://h"', ("http", (), "http://h")),
        ('url = "http://h"\ntransport = "sse"', ("sse", (), "http://h")),
        ('manifest_url = "http://h/m"', ("manifest-url", (), "http://h/m")),
        ('manifest = "m.json"', ("manifest-file", (), None)),
    ],
)
def test_its_own_providers_are_read_as_their_models_say(written: str, expected: Any) -> None:
    setup = own(f"[providers.mail]\n{written}\n")
    found = setup.entries[0].spec
    assert found is not None and (found.transport, found.argv, found.url) == expected and setup.problems == ()


def test_its_own_providers_run_in_the_folder_of_the_file() -> None:
    for path, folder in (
        ("contractd.toml", CWD),
        ("../up/contractd.toml", f"{HOME}/up"),
        ("/abs/contractd.toml", "/abs"),
    ):
        own_folder = '[providers.a]\ncommand = ["x"]\n[providers.b]\ncommand = ["x"]\ncwd = "sub"\n'
        text = own_folder + '[providers.c]\nmanifest = "m.json"\n'
        setup = read("contractd", text, path=path, scope="project")
        specs = [entry.spec for entry in setup.entries]
        assert [found.cwd for found in specs if found and found.cwd] == [folder, f"{folder}/sub"]
        assert specs[2] is not None and specs[2].path == f"{folder}/m.json"


def test_what_a_provider_inherits_is_all_none_or_what_is_named() -> None:
    text = "".join(
        f'[providers.{name}]\ncommand = ["x"]\ninherit_env = {value}\n'
        for name, value in (("a", "true"), ("b", "false"), ("c", '["A"]'))
    )
    inherits = [entry.spec.inherit for entry in own(text).entries if entry.spec]
    assert inherits == ["all", frozenset(), frozenset({"A"})]


def test_its_own_timeouts_filters_and_switches_are_honoured() -> None:
    first_provider = '[providers.a]\ncommand = ["x"]\ntimeout = 5\ninclude = ["t"]\nexclude = ["u"]\n'
    setup = own(first_provider + '[providers.b]\nurl = "http://h"\nenabled = false\n')
    first, second = setup.entries
    assert first.spec is not None and first.spec.budget == 5.0 and (first.include, first.exclude) == (("t",), ("u",))
    assert second.disabled == "switched off by enabled: false"


@pytest.mark.parametrize(
    "written", ["5", '"x"', "[]", "{}", '{ command = "x" }', "{ url = 5 }", '{ command = ["x"], zzz = 1 }']
)
def test_a_provider_of_another_shape_is_told_even_where_nobody_checked_it_before(written: str) -> None:
    setup = read("contractd", f"[providers]\na = {written}\n", path="other.toml")
    assert rules(list(setup.problems)) == [("server-entry-invalid", "high")] and setup.entries[0].spec is None


def test_a_table_of_servers_that_is_none_and_a_file_that_is_none_are_told() -> None:
    assert rules(list(read("contractd", {"mcpServers": []}).problems)) == [("server-entry-invalid", "high")]
    assert rules(list(read("contractd", {"providers": "x"}).problems)) == [("server-entry-invalid", "high")]
    with pytest.raises(ConfigError):
        read("contractd", "[]")


def test_a_pyproject_holds_providers_under_tool_contractd() -> None:
    text = '[tool.contractd.providers.a]\ncommand = ["x"]\n[tool.other]\nservers = 5\n'
    setup = read("contractd", text, path="pyproject.toml", scope="project")
    assert [entry.name for entry in setup.entries] == ["a"] and setup.problems == ()


def test_variables_are_written_in_braces_and_a_tilde_is_home_for_a_directory() -> None:
    found = spec("contractd", {"command": "mail", "args": ["${A}", "${U:-d}"], "cwd": "~/x"}, environ={"A": "abc"})
    assert found.argv == ("mail", "abc", "d") and found.cwd == f"{HOME}/x"


def test_servers_that_several_tables_name_are_read_once() -> None:
    setup = read("contractd", {**servers("contractd", {"srv": {"command": "a"}}), "servers": {"srv": {"command": "b"}}})
    assert [(entry.name, entry.spec and entry.spec.argv) for entry in setup.entries] == [("srv", ("b",))]
