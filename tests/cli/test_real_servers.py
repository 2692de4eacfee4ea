"""The whole command against published servers and against servers with faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import SEND, Shell, servers, stub
from tests.servers.published import SERVERS

QWEN = "qwen-code@0.21.10"
ROOT = Path(__file__).parents[2]


def published(*names: str) -> str:
    """A file of published servers; skips the test where one is not installed."""
    entries: dict[str, Any] = {}
    for name in names:
        server = SERVERS[name]
        if server.missing:
            pytest.skip(server.missing)
        program, *arguments = server.command
        entries[name] = {"command": program, "args": arguments}
    return servers(**entries)


def test_a_common_healthy_set_up_is_ready_with_low_findings(shell: Shell) -> None:
    shell.write("settings.json", published("filesystem", "memory", "git", "time"))
    node = {"PATH": f"{shell.env['PATH']}:{Path(_node()).parent}"}
    done = shell.run("preflight", "--config", "settings.json", "--runtime", QWEN, "--yes", "--format", "json", env=node)
    report = done.report
    assert (done.code, report["verdict"]) == (0, "ready"), [row["reason"] for row in report["providers"]]
    assert {row["era"] for row in report["providers"]} == {"legacy"}  # what Qwen Code speaks
    assert {finding["severity"] for finding in report["findings"]} <= {"low", "info"}
    shadowed = {finding["tool"] for finding in report["findings"] if finding["rule"] == "CTD301"}
    assert shadowed == {"read_file", "write_file", "list_directory"}
    assert {row["visible"] for row in report["tools"]} == {"deferred"}


def test_the_published_server_whose_parameters_are_lost_is_not_ready(shell: Shell) -> None:
    shell.write("settings.json", published("filesystem-lost"))
    node = {"PATH": f"{shell.env['PATH']}:{Path(_node()).parent}"}
    done = shell.run("preflight", "--config", "settings.json", "--runtime", QWEN, "--yes", "--format", "json", env=node)
    assert done.code == 1
    assert "CTD405" in done.rules()


def _node() -> str:
    import shutil  # noqa: PLC0415

    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    return node


def test_the_founding_incident_is_caught_with_a_server_that_writes_no_inbox(shell: Shell) -> None:
    listing = [{"name": name, "inputSchema": {"type": "object"}} for name in ("list_agents", "check_inbox")]
    shell.write("qwen.json", servers(mail=stub("listed", listed=[*listing, SEND])))
    done = shell.run("preflight", "--config", "qwen.json", "--runtime", "qwen-code@0.21.13", "--yes", "-q")
    text = " ".join(done.out.split())
    assert done.code == 1
    assert "high[CTD301] builtin-shadowing: send_message of mail: send_message is Qwen Code's own tool." in text
    assert "A call of send_message lands in the built-in." in text
    assert "assumed from 0.21.10" in text
    assert '{"tools": {"disabled": ["list_agents", "send_message"]}}' in done.out
    assert done.out.splitlines()[-1].startswith("✗ not_ready: ")


def test_a_server_of_every_kind_of_trouble_costs_its_own_row_and_nothing_else(shell: Shell) -> None:
    shell.write(
        "servers.json",
        servers(
            good=stub(tools=2, prefix="good"),
            modern=stub("modern", tools=1, prefix="new"),
            dead=stub("traceback"),
            noisy=stub("banner", lines=3, prefix="noisy"),
            liar=stub("list-result", result={"tools": "none"}),
            loop=stub("endless-pages"),
            empty=stub(tools=0),
            gone={"command": "no-such-program"},
        ),
    )
    args = (
        "preflight",
        "--config",
        "servers.json",
        "--runtime",
        "claude-code@2.1.332",
        "--yes",
        "-q",
        "--timeout",
        "20",
    )
    done = shell.run(*args, "--format", "json")
    report = done.report
    rows = {row["name"]: row for row in report["providers"]}
    assert done.code == 1
    assert {name for name, row in rows.items() if row["status"] == "ready"} == {
        "good", "modern", "noisy", "loop", "empty",
    }  # fmt: skip
    by_provider = {
        name: {finding["rule"] for finding in report["findings"] if finding["provider"] == name} for name in rows
    }
    assert by_provider["dead"] == {"CTD201"}
    assert by_provider["noisy"] == {"CTD205"}
    assert by_provider["liar"] == {"CTD203"}
    assert by_provider["loop"] == {"CTD208"}
    assert by_provider["empty"] == {"CTD209"}
    assert by_provider["gone"] == {"CTD105"}, "the program that is not there is told once"
    assert "a_dependency_that_was_renamed" in rows["dead"]["stderr_tail"]


def test_a_fake_runtime_s_version_is_used_and_its_nonsense_is_not(shell: Shell) -> None:
    shell.write("a.json", servers(mail=stub()))
    args = ("preflight", "--config", "a.json", "--runtime", "claude-code", "--yes", "-q", "--format", "json")
    shell.program("claude", "echo '2.1.999 (Claude Code)'")
    runtime = shell.run(*args).report["runtime"]
    assert (runtime["version"], runtime["version_source"], runtime["data_version"]) == ("2.1.999", "program", "2.1.332")
    shell.program("claude", "(setsid sleep 1000 &); yes garbage")
    done = shell.run(*args)
    assert (done.code, done.report["runtime"]["version_source"]) == (0, "assumed")
    shell.program("claude", "echo 9.9.9")
    stated = shell.run(*args[:4], "claude-code@2.1.332", *args[5:])
    assert stated.report["runtime"]["version_source"] == "stated"


SECRET = "kX8v2Lq9Zp1Rt5mB7cD"


def test_no_secret_reaches_any_output(shell: Shell) -> None:
    """Arguments, a URL, variables and headers that hold one; a server that prints what it was given and dies."""
    words = {"words": f"bad token {SECRET}, sorry\nAuthorization: Bearer {SECRET}", "code": 3}
    entry = stub("last-words", **words)
    entry["args"] += ["--api-key", SECRET, f"--token={SECRET}"]
    env = {"MAIL_TOKEN": SECRET, "OTHER": "${FROM_OUTSIDE_TOKEN}"}
    shell.write(
        "servers.json",
        servers(
            mail={**entry, "env": env},
            echo={**stub("banner", lines=1), "env": {"MAIL_TOKEN": SECRET}},
            wiki={
                "type": "http",
                "url": f"http://me:{SECRET}@127.0.0.1:9/mcp?api_key={SECRET}",
                "headers": {"Authorization": f"Bearer {SECRET}"},
            },
        ),
    )
    args = ("preflight", "--config", "servers.json", "--runtime", "claude-code@2.1.332")
    outside = {"FROM_OUTSIDE_TOKEN": SECRET}
    for form in ("text", "json", "sarif", "junit", "github", "markdown"):
        done = shell.run(*args, "--format", form, "-vv", "--yes", env=outside)
        assert SECRET not in done.out + done.err, form
        assert "mail" in done.out
    declined = shell.run(*args, "-v", env=outside)
    assert SECRET not in declined.out + declined.err


def test_hostile_servers_can_t_touch_a_terminal(shell: Shell) -> None:
    nasty = "\x1b[2J\x1b]0;pwned\x07\u202e\r\n::error::x"
    tools = [
        {"name": f"x{nasty}", "inputSchema": {"type": "object"}},
        {"name": "y", "inputSchema": {"type": "object", "$schema": nasty}},
    ]
    shell.write(
        "servers.json",
        json.dumps(
            {"mcpServers": {f"mail{nasty}": stub("listed", listed=tools), "b": stub("last-words", words=nasty, code=1)}}
        ),
    )
    args = ("preflight", "--config", "servers.json", "--runtime", "claude-code@2.1.332", "--yes", "-v")
    for form in ("text", "markdown", "github"):
        done = shell.run(*args, "--format", form)
        said = done.out + done.err
        assert done.code == 1
        assert not set("\x1b\x07\u202e\r") & set(said), form
    declined = shell.run(*args[:-2])
    assert not set("\x1b\x07\u202e\r") & set(declined.out + declined.err)
