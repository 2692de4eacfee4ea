"""A server that the user has switched off is off, in every runtime's own way; one that is gated is told, once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.configured import servers
from tests.preflight.situations import Bench, Setup, failed, named, ready, the, tool

GET = [tool("get_x", "id")]
QWEN, GEMINI, CLAUDE = "qwen-code", "gemini-cli", "claude-code"
INTERACTIVE = {"conditions": {"mode": "interactive"}}

OFF: list[tuple[str, dict[str, str], dict[str, Any], str]] = [
    # runtime, other files, keys beside the servers, why
    (QWEN, {}, {"mcp": {"excluded": ["mail"]}}, "mcp.excluded names it"),
    (QWEN, {"~/.qwen/settings.json": '{"mcp": {"excluded": ["ma*"]}}'}, {}, "mcp.excluded names it"),
    (QWEN, {}, {"mcp": {"allowed": ["wiki"]}}, "mcp.allowed does not name it"),
    (GEMINI, {}, {"mcp": {"excluded": ["mail"]}}, "mcp.excluded names it"),
    (GEMINI, {}, {"mcp": {"allowed": ["wiki"]}}, "mcp.allowed does not name it"),
    (GEMINI, {"~/.gemini/mcp-server-enablement.json": '{"mail": {"enabled": false}}'}, {}, "switched off in"),
    (CLAUDE, {"~/.claude/settings.json": '{"disabledMcpjsonServers": ["mail"]}'}, {}, "disabledMcpjsonServers names"),
    (CLAUDE, {"~/.claude/settings.json": '{"deniedMcpServers": [{"serverName": "mail"}]}'}, {}, "deniedMcpServers"),
    (CLAUDE, {"~/.claude/settings.json": '{"allowedMcpServers": [{"serverName": "wiki"}]}'}, {}, "allowedMcpServers"),
]


@pytest.mark.parametrize(("runtime", "places", "top", "why"), OFF, ids=[f"{row[0]} {row[3]}" for row in OFF])
def test_a_server_that_is_switched_off_is_neither_started_nor_spoken_of(
    bench: Bench, runtime: str, places: dict[str, str], top: dict[str, Any], why: str
) -> None:
    setup = servers(runtime, {"mail": GET, "wiki": GET}, top=top, places=places, options=INTERACTIVE)
    if runtime == CLAUDE:
        setup = setup.but(name=".mcp.json")
    assert [spec.name for spec in bench.prepare(setup).specs] == ["wiki"]
    report = bench.report(setup)
    row = report.providers[0]
    assert (row.name, row.status, row.transport) == ("mail", "disabled", "stdio")
    assert row.reason is not None and why in row.reason
    assert "mail" not in [finding.provider for finding in report.findings]
    assert report.verdict == "ready"


@pytest.mark.parametrize("runtime", [QWEN, CLAUDE])
def test_a_list_that_allows_no_server_leaves_nothing_to_check(bench: Bench, runtime: str) -> None:
    setup = servers(runtime, {"mail": GET, "wiki": GET}, options=INTERACTIVE, top={"mcp": {"allowed": []}})
    if runtime == CLAUDE:
        setup = setup.but(places={"~/.claude/settings.json": '{"allowedMcpServers": []}'})
    report = bench.report(setup)
    assert [finding.rule.id for finding in report.findings] == ["CTD115"]
    assert (report.verdict, report.undetermined) == ("undetermined", ("CTD115",))


def codex(name: str, required: bool) -> Setup:
    more = "required = true\n" if required else ""
    text = f'[mcp_servers."{name}"]\ncommand = "sh"\n{more}'
    return Setup(text, runtime="codex-cli@0.171.0", name="config.toml")


@pytest.mark.parametrize("name", ["my mail", "mail"])
def test_a_server_that_is_never_started_takes_nothing_with_it_and_nobody_waits_for_it(bench: Bench, name: str) -> None:
    gated = name != "mail"
    dead = codex(name, required=True).but(tools={name: failed("stdio-02", "it exited with code 1")})
    report = bench.report(dead)
    assert bool(named(report, "gated-server")) is gated
    assert bool(named(report, "fatal-server")) is not gated
    slow = bench.report(codex(name, required=False).but(tools={name: ready(GET, seconds=5.0)}))
    assert bool(named(slow, "gated-server")) is gated
    assert bool(named(slow, "not-awaited")) is not gated


def test_a_project_s_server_that_this_run_does_not_start_has_no_tools_in_it(bench: Bench) -> None:
    setup = servers(QWEN, {"mail": GET}).but(
        name=".qwen/settings.json",
        places={"~/.qwen/settings.json": '{"tools": {"approvalMode": "default"}}'},
        options={"conditions": {"mode": "headless"}},
    )
    report = bench.report(setup)
    assert the(report, "gated-server").severity == "high"
    assert [(row.status, row.visible) for row in report.tools] == [("excluded", "no")]
    assert report.tools[0].note is not None and report.tools[0].note.startswith("its server is not started")
    asked = bench.report(setup.but(options={"conditions": {"mode": "interactive"}}))
    assert [(row.status, row.visible) for row in asked.tools] == [("bound", "deferred")]


def test_one_bad_tool_of_a_server_that_is_never_started_costs_nothing(bench: Bench) -> None:
    bad = [*GET, {"name": "bad", "inputSchema": {"type": "string"}}]
    report = bench.report(servers(CLAUDE, {"workspace": bad, "mail": bad}))
    assert [finding.provider for finding in named(report, "list-lost")] == ["mail"]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_project_s_file_that_codex_does_not_count_is_not_listed_as_read_and_its_warning_is_told(
    bench: Bench, trusted: bool
) -> None:
    level = "trusted" if trusted else "untrusted"
    user = f'[projects."{bench.here}"]\ntrust_level = "{level}"\n'
    setup = Setup(
        '[mcp_servers.mail]\ncommand = "sh"\n',
        {"mail": GET},
        "codex-cli@0.171.0",
        ".codex/config.toml",
        places={"~/.codex/config.toml": user},
        options={"discover": True},
    )
    report = bench.report(setup)
    listed = next(file for file in report.files if file.path.startswith(str(bench.here)))
    assert listed.why.startswith("Codex CLI reads it" if trusted else "Codex CLI does not count it")
    found = named(report, "gated-server")
    assert bool(found) is not trusted
    assert all("nothing is said" not in one.message and "stderr has one warning" in one.message for one in found)


@pytest.mark.parametrize(
    ("runtime", "entry", "transport"),
    [
        ("qwen-code", '"tcp": "h:1", "serverUrl": "http://mail.example"', "http"),
        ("claude-code", '"url": "https://mail.example/mcp"', "http"),
        ("claude-code", '"type": "bogus", "url": "https://mail.example/mcp"', "http"),
        ("openhands", '"enabled": false, "url": "https://mail.example/sse"', "sse"),
        ("vscode-copilot", '"type": "ftp", "url": "https://mail.example/mcp"', "http"),
        ("claude-code", '"args": []', "stdio"),
    ],
)
def test_an_entry_that_can_t_be_used_is_shown_with_the_transport_it_was_meant_for(
    bench: Bench, runtime: str, entry: str, transport: str
) -> None:
    container = "servers" if runtime == "vscode-copilot" else "mcpServers"
    setup = Setup(f'{{"{container}": {{"mail": {{{entry}}}}}}}', runtime=runtime)
    assert [row.transport for row in bench.report(setup).providers] == [transport]
