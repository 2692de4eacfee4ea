"""VS Code and Cursor: read from public sources, not run here."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.errors import ConfigError
from tests.runtimes.situations import CWD, HOME, context, one, problems, read, rules, runtime, servers, spec

VSCODE, CURSOR = runtime("vscode-copilot"), runtime("cursor")
SERVER = {"command": "mail"}
PROJECT = {"path": ".vscode/mcp.json", "scope": "project"}


# ---- VS Code


@pytest.mark.parametrize(
    ("entry", "transport", "fallback"),
    [
        (SERVER, "stdio", False),
        ({"type": "stdio", "command": "mail"}, "stdio", False),
        ({"type": "http", "url": "http://h"}, "http", True),
        ({"url": "http://h"}, "http", True),
        ({"type": "sse", "url": "http://h"}, "sse", False),
    ],
)
def test_vs_code_tries_the_newer_remote_transport_first(entry: dict[str, Any], transport: str, fallback: bool) -> None:
    found = spec("vscode-copilot", entry)
    assert (found.transport, found.fallback_sse) == (transport, fallback)


@pytest.mark.parametrize(
    "entry", [{}, {"type": "bogus"}, {"command": "mail", "env": {"A": []}}, {"httpUrl": "http://h"}, "x"]
)
def test_vs_code_does_not_take_an_entry_of_another_shape(entry: Any) -> None:
    setup = read("vscode-copilot", servers("vscode-copilot", {"srv": entry, "good": SERVER}))
    assert [found.spec is None for found in setup.entries] == [True, False]
    assert ("server-entry-invalid", "high") in rules(list(setup.problems))


def test_vs_code_takes_comments_trailing_commas_and_inputs() -> None:
    setup = read("vscode-copilot", '{"servers": {"a": {"command": "x"},}, // c\n "inputs": [],}')
    assert setup.problems == () and setup.entries[0].spec is not None
    assert rules(list(read("vscode-copilot", {"servers": {}, "mcpServers": {"a": SERVER}}).problems)) == [
        ("wrong-top-level-key", "high")
    ]


def test_vs_code_fills_in_its_own_variables_and_those_of_the_environment() -> None:
    entry = {
        "command": "${userHome}/bin/mail",
        "args": [
            "${workspaceFolder}/x",
            "${env:A}",
            "${env:U}",
            "${workspaceFolderBasename}",
            "${pathSeparator}",
            "$A",
        ],
        "env": {"K": "${env:A}"},
    }
    found = spec("vscode-copilot", entry, environ={"A": "abc"}, **PROJECT)
    assert found.argv == (f"{HOME}/bin/mail", f"{CWD}/x", "abc", "", "work", "/", "$A") and found.env == {"K": "abc"}
    assert sorted(rules(problems("vscode-copilot", entry, environ={"A": "abc"}, **PROJECT))) == [
        ("literal-variable", "medium"),
        ("unset-variable", "medium"),
    ]


def test_the_workspace_is_the_folder_of_the_project_file() -> None:
    entry = {"command": "./run", "args": ["${workspaceFolder}"]}
    found = spec("vscode-copilot", entry, path="../other/.vscode/mcp.json", scope="project")
    assert found.cwd == f"{HOME}/other" and found.argv == ("./run", f"{HOME}/other")
    assert spec("vscode-copilot", SERVER, path=f"{HOME}/.config/Code/User/mcp.json").cwd == HOME
    assert spec("vscode-copilot", {**SERVER, "cwd": "~/x"}).cwd == f"{HOME}/x"


def test_what_vs_code_asks_a_person_for_leaves_the_server_undetermined() -> None:
    entry = {"command": "mail", "env": {"K": "${input:key}"}, "args": ["${command:pick}"], "envFile": ".env"}
    found = problems("vscode-copilot", entry)
    assert [(problem.rule, problem.level, problem.undetermined) for problem in found] == [
        ("prompted-variable", "info", True)
    ] * 3
    assert any("asks a person for ${input:key}" in problem.message for problem in found)


def test_null_in_the_environment_takes_a_variable_away_and_a_number_is_its_text() -> None:
    found = spec("vscode-copilot", {**SERVER, "env": {"A": None, "PORT": 80}}, environ={"A": "1", "B": "2"})
    assert found.env == {"PORT": "80"} and found.inherit == frozenset({"B"})


def test_the_portable_form_has_other_keys_and_variables() -> None:
    text = {"mcpServers": {"srv": {"command": "mail", "args": ["${A}", "${U:-d}", "${env:A}"]}}}
    setup = read("vscode-copilot", text, path=".copilot/mcp-config.json", environ={"A": "abc"})
    assert setup.entries[0].spec is not None and setup.entries[0].spec.argv == ("mail", "abc", "d", "${env:A}")
    assert rules(list(setup.problems)) == [("literal-variable", "medium")]


def test_vs_codes_files() -> None:
    assert [location.path for location in VSCODE.locations(context())] == [
        f"{HOME}/.config/Code/User/mcp.json", f"{CWD}/.vscode/mcp.json",
    ]  # fmt: skip
    assert VSCODE.scope_of("/x/.vscode/mcp.json", context())[0] == "project"


# ---- Cursor


def test_a_key_that_nobody_knows_cursor_to_read_or_ignore_is_only_mentioned() -> None:
    found = problems("cursor", {**SERVER, "cwd": "/x", "disabled": True, "httpUrl": "http://h"})
    assert [(p.subject, p.level, p.sure) for p in found] == [
        ("cwd", "info", "low"), ("disabled", "info", "low"), ("httpUrl", "medium", "low"),
    ]  # fmt: skip
    assert "not known" in found[0].message


def test_cursor_fills_in_its_own_variables_and_those_of_the_environment() -> None:
    entry = {"command": "mail", "args": ["${workspaceFolder}", "${userHome}", "${env:A}", "${input:x}"]}
    found = spec("cursor", entry, environ={"A": "abc"}, path="../other/.cursor/mcp.json", scope="project")
    assert found.argv == ("mail", f"{HOME}/other", HOME, "abc", "${input:x}")
    told = problems("cursor", entry, environ={"A": "abc"})
    assert rules(told) == [("literal-variable", "low")]


@pytest.mark.parametrize(
    "text", ['{"mcpServers": {"a": {"command": "x"}}} // c', '{"mcpServers": {"a": {"command": "x"},}}']
)
def test_liberties_of_which_nobody_knows_are_low_findings_of_low_confidence(text: str) -> None:
    found = read("cursor", text).problems
    assert [(p.rule, p.level, p.sure) for p in found] == [("syntax-not-confirmed", "low", "low")]


@pytest.mark.parametrize(
    ("entry", "transport"),
    [(SERVER, "stdio"), ({"url": "http://h"}, "http"), ({"type": "sse", "url": "http://h"}, "sse")],
)
def test_cursors_transports(entry: dict[str, Any], transport: str) -> None:
    found = spec("cursor", entry)
    assert found.transport == transport and found.fallback_sse is (transport == "http")


def test_cursors_project_file_beats_the_users_on_equal_names() -> None:
    assert [location.scope for location in CURSOR.locations(context())] == ["user", "project"]
    assert CURSOR.scope_of("/x/.cursor/mcp.json", context())[0] == "project"
    assert CURSOR.scope_of(f"{HOME}/.cursor/mcp.json", context())[0] == "user"


def test_a_file_of_another_format_is_refused() -> None:
    for name in ("cursor", "vscode-copilot", "claude-code", "cline", "gemini-cli"):
        with pytest.raises(ConfigError):
            read(name, "a = 1\n", path="x.toml")


def test_one_entry_reads_the_same_in_both_scopes() -> None:
    assert one("cursor", SERVER).spec == one("cursor", SERVER, scope="project").spec
