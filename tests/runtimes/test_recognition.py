"""Which runtime a file is for: by its name, by what is in it, with a reason; and what could be several's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contractd.documents import parse
from contractd.runtimes.catalogue import RUNTIMES, recognise
from tests.runtimes.situations import CONTAINER, PROGRAM, servers

COMMAND = {"mailroom": {"command": "python3", "args": ["-m", "mailroom"]}}
PLAIN = {"mcpServers": COMMAND}
HTTP_URL = {"mcpServers": {"ledger": {"httpUrl": "http://127.0.0.1:7001/mcp"}}}
TRUSTED = {"mcpServers": {"mailroom": {"command": "python3", "trust": True}}}
FILTERED = {"mcpServers": {"mailroom": {"command": "python3", "includeTools": ["send_message"]}}}
DOLLAR_ENV = {"mcpServers": {"mailroom": {"command": "python3", "env": {"BOX": "${env:BOX}"}}}}
TYPED = {"mcpServers": {"ledger": {"type": "http", "url": "http://127.0.0.1:7001/mcp"}}}
LOCAL = {"mcp": {"mailroom": {"type": "local", "command": ["python3", "-m", "mailroom"], "enabled": True}}}
REMOTE = {"mcp": {"ledger": {"type": "remote", "url": "http://127.0.0.1:7001/mcp"}}}
TRANSPORT = {"mcpServers": {"mailroom": {"transport": "stdio", "command": "python3"}}}
VSCODE = {"servers": {"mailroom": {"type": "stdio", "command": "python3"}}}
INPUTS = {**VSCODE, "inputs": [{"type": "promptString", "id": "box", "description": "mail box"}]}
CLINE = {"mcpServers": {"mailroom": {"command": "python3", "disabled": False, "autoApprove": []}}}
CODEX = '[mcp_servers.mailroom]\ncommand = "python3"\nargs = ["-m", "mailroom"]\n'
GOOSE = "extensions:\n  mailroom: {type: stdio, name: mailroom, enabled: true, cmd: python3, args: []}\n"
QWEN_AUTH = {"security": {"auth": {"selectedType": "openai"}}, **PLAIN}
GEMINI_AUTH = {"security": {"auth": {"selectedType": "gemini-api-key"}}, **PLAIN}

TABLE: list[tuple[str, Any, str, str]] = [
    # file, content, runtime, a word of the reason
    (".qwen/settings.json", PLAIN, "qwen-code", ".qwen/settings.json"),
    ("/home/ann/.qwen/settings.json", {}, "qwen-code", ".qwen/settings.json"),
    ("qwen.json", PLAIN, "qwen-code", "qwen"),
    ("examples/qwen.json", HTTP_URL, "qwen-code", "qwen"),
    ("my-qwen-settings.json", PLAIN, "qwen-code", "qwen"),
    ("settings.json", QWEN_AUTH, "qwen-code", "signs in"),
    ("settings.json", {"mcpServers": {"a": {"command": "x", "alwaysLoadTools": True}}}, "qwen-code", "only Qwen Code"),
    (
        "settings.json",
        {"mcpServers": {"a": {"httpUrl": "http://h", "discoveryTimeoutMs": 5}}},
        "qwen-code",
        "only Qwen Code",
    ),
    ("opencode.json", LOCAL, "opencode", "opencode.json"),
    ("opencode.jsonc", LOCAL, "opencode", "opencode.jsonc"),
    ("config/opencode.json", {}, "opencode", "opencode.json"),
    ("settings.json", LOCAL, "opencode", "local"),
    ("x.json", REMOTE, "opencode", "remote"),
    ("x.json", {"$schema": "https://opencode.ai/config.json", "mcp": {}}, "opencode", "$schema"),
    ("opencode-work.json", {"mcp": {}}, "opencode", "opencode"),
    (".openhands/mcp.json", PLAIN, "openhands", ".openhands/mcp.json"),
    ("mcp.json", TRANSPORT, "openhands", "transport"),
    ("openhands.json", PLAIN, "openhands", "openhands"),
    (".mcp.json", PLAIN, "claude-code", ".mcp.json"),
    ("work/.mcp.json", TYPED, "claude-code", ".mcp.json"),
    (".claude.json", {"mcpServers": {}, "projects": {}}, "claude-code", ".claude.json"),
    ("claude.json", PLAIN, "claude-code", "claude"),
    ("claude-mcp.json", TYPED, "claude-code", "claude"),
    (".claude/settings.json", {"permissions": {"deny": []}}, "claude-code", "settings files"),
    ("servers.json", {"mcpServers": {"a": {"command": "x", "alwaysLoad": True}}}, "claude-code", "only Claude Code"),
    (".gemini/settings.json", PLAIN, "gemini-cli", ".gemini/settings.json"),
    ("gemini-settings.json", PLAIN, "gemini-cli", "gemini"),
    ("gemini.json", HTTP_URL, "gemini-cli", "gemini"),
    ("settings.json", GEMINI_AUTH, "gemini-cli", "signs in"),
    (".codex/config.toml", CODEX, "codex-cli", ".codex/config.toml"),
    ("config.toml", CODEX, "codex-cli", "[mcp_servers]"),
    ("codex.toml", 'model = "gpt-5.5"\n', "codex-cli", "codex"),
    ("agent.toml", CODEX + "[model_providers.x]\n", "codex-cli", "[mcp_servers]"),
    ("goose/config.yaml", GOOSE, "goose", "goose/config.yaml"),
    ("config.yaml", GOOSE, "goose", "extensions"),
    ("goose.yaml", "extensions: {}\n", "goose", "goose"),
    ("x.yml", "extensions:\n  developer: {type: builtin, enabled: true, name: developer}\n", "goose", "extensions"),
    ("cline_mcp_settings.json", PLAIN, "cline", "cline_mcp_settings.json"),
    (".cline/data/settings/cline_mcp_settings.json", {"mcpServers": {}}, "cline", "cline_mcp_settings.json"),
    ("x.json", CLINE, "cline", "Cline"),
    ("cline.json", PLAIN, "cline", "cline"),
    (".cursor/mcp.json", PLAIN, "cursor", ".cursor/mcp.json"),
    ("cursor-mcp.json", PLAIN, "cursor", "cursor"),
    (".vscode/mcp.json", VSCODE, "vscode-copilot", ".vscode/mcp.json"),
    ("Code/User/mcp.json", VSCODE, "vscode-copilot", "User/mcp.json"),
    ("mcp.json", VSCODE, "vscode-copilot", "under servers"),
    ("mcp.json", INPUTS, "vscode-copilot", "inputs"),
    (".copilot/mcp-config.json", PLAIN, "vscode-copilot", "mcp-config.json"),
    ("contractd.toml", '[providers.a]\ncommand = ["x"]\n', "contractd", "contractd.toml"),
    ("pyproject.toml", '[tool.contractd]\nruntime = "qwen"\n', "contractd", "[tool.contractd]"),
    # nothing tells, or several fit
    ("mcp.json", PLAIN, "contractd", "nothing in the file tells"),
    ("servers.json", PLAIN, "contractd", "nothing in the file tells"),
    ("settings.json", PLAIN, "contractd", "nothing in the file tells"),
    ("settings.json", HTTP_URL, "contractd", "qwen-code or gemini-cli"),
    ("mcp.json", TYPED, "contractd", "nothing in the file tells"),
    ("servers.json", TRUSTED, "contractd", "qwen-code or gemini-cli: its entries have keys that"),
    ("x.json", FILTERED, "contractd", "qwen-code or gemini-cli: its entries have keys that"),
    ("settings.json", {"mcpServers": {}}, "contractd", "whether it is for qwen-code or gemini-cli"),
    (".mcp.json", HTTP_URL, "contractd", "qwen-code or claude-code"),
    ("mcp.json", DOLLAR_ENV, "cursor", "${env:NAME}"),
    ("servers.json", DOLLAR_ENV, "contractd", "nothing in the file tells whether"),
    ("claude_desktop_config.json", PLAIN, "contractd", "nothing in the file tells"),
    ("pyproject.toml", "[project]\nname = 'x'\n", "contractd", "nothing in the file tells"),
    ("x.toml", "a = 1\n", "contractd", "nothing in the file tells"),
    ("x.json", {}, "contractd", "nothing in the file tells"),
    ("<stdin>", PLAIN, "contractd", "nothing in the file tells"),
    ("<stdin>", LOCAL, "opencode", "local"),
    ("<stdin>", CODEX, "codex-cli", "[mcp_servers]"),
    ("<stdin>", GOOSE, "goose", "extensions"),
    ("<stdin>", INPUTS, "vscode-copilot", "inputs"),
]


def document(path: str, content: Any) -> Any:
    return parse(path, (content if isinstance(content, str) else json.dumps(content)).encode())


@pytest.mark.parametrize(("path", "content", "name", "reason"), TABLE, ids=[f"{row[0]} {row[2]}" for row in TABLE])
def test_a_file_is_recognised_with_a_reason(path: str, content: Any, name: str, reason: str) -> None:
    found = recognise(document(path, content))
    assert found.runtime.name == name, found
    assert reason.lower() in found.reason.lower()


def test_what_could_be_several_runtimes_names_them_all() -> None:
    found = recognise(document("settings.json", HTTP_URL))
    assert found.rivals and set(found.rivals) == {"qwen-code", "gemini-cli"} and "httpUrl" in found.reason


@pytest.mark.parametrize(
    ("path", "content", "rivals"),
    [
        ("servers.json", PLAIN, set()),
        ("<stdin>", PLAIN, set()),
        ("mcp-servers.yaml", PLAIN, set()),
        ("settings.json", PLAIN, {"qwen-code", "gemini-cli"}),
        ("config/settings.json", PLAIN, {"qwen-code", "gemini-cli"}),
        ("mcp.json", PLAIN, {"openhands", "cursor", "vscode-copilot"}),
        ("servers.json", DOLLAR_ENV, {"cursor", "cline", "vscode-copilot"}),
        ("settings.json", {"theme": "dark"}, set()),
        ("servers.json", TRUSTED, {"qwen-code", "gemini-cli"}),
    ],
)
def test_where_nothing_decides_those_that_a_file_may_be_for_are_named(
    path: str, content: Any, rivals: set[str]
) -> None:
    found = recognise(document(path, content))
    assert (found.runtime.name, set(found.rivals)) == ("contractd", rivals)


def test_a_file_that_names_one_runtime_tells_who_else_it_could_be_for() -> None:
    found = recognise(document(".mcp.json", CLINE))
    assert found.runtime.name == "claude-code" and found.rivals == ("cline", "qwen-code")
    assert recognise(document("opencode.json", LOCAL)).rivals == ()


@pytest.mark.parametrize("name", sorted(set(RUNTIMES) - {"contractd"}))
def test_every_runtime_recognises_its_own_files_where_it_reads_them(name: str) -> None:
    from tests.runtimes.situations import context  # noqa: PLC0415

    for location in RUNTIMES[name].locations(context()):
        if location.servers and location.scope in ("user", "project"):
            content: Any = (
                servers(name, {"a": PROGRAM[name]}) if name in CONTAINER or name not in ("codex-cli", "goose") else {}
            )
            text = {"codex-cli": CODEX, "goose": GOOSE}.get(name, json.dumps(content))
            assert recognise(document(location.path, text)).runtime.name in (name, "claude-code"), location.path


def test_what_fits_less_than_half_as_well_is_no_rival() -> None:
    found = recognise(document(".qwen/settings.json", HTTP_URL))
    assert found.runtime.name == "qwen-code" and found.rivals == ()


def test_a_folder_whose_name_only_ends_alike_is_not_taken_for_it() -> None:
    for path in ("my.gemini/settings.json", "x.codex/config.json", "a.cursor/mcp.json", "b.vscode/mcp.json"):
        assert recognise(document(path, PLAIN)).runtime.name == "contractd", path
