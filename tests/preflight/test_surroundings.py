"""Variables from a runtime's own files, and servers that are started a few at a time."""

from __future__ import annotations

from contractd.preflight.consent import asked
from contractd.preflight.prepare import prepare
from tests.preflight.configured import servers
from tests.preflight.situations import Bench, named, ready, the, tool

GET = tool("get_x", "id")


def test_a_variable_of_the_runtime_s_own_file_is_set_and_the_environment_beats_it(bench: Bench) -> None:
    entry = {"env": {"A": "${ONE_KEY}", "B": "${TWO_KEY}"}}
    places = {".env": "ONE_KEY=near\nTWO_KEY=near\n", "~/.gemini/.env": "ONE_KEY=far\n"}
    setup = servers("gemini-cli", {"mail": [GET]}, entry=entry, places=places, environ={"TWO_KEY": "outside"})
    (spec,) = bench.prepare(setup).specs
    assert (spec.env["A"], spec.env["B"]) == ("near", "outside")
    report = bench.report(setup)
    assert not named(report, "unset-variable")
    assert [(file.path, file.scope) for file in report.files][-2:] == [
        (str(bench.here / ".env"), "project"),
        (str(bench.home / ".gemini/.env"), "user"),
    ]


def test_what_such_a_file_gives_to_a_server_is_asked_for_by_name(bench: Bench) -> None:
    plain = servers("gemini-cli", {"mail": [GET]})
    with_file = plain.but(places={".env": "NODE_OPTIONS=--require ./evil.js\nMAIL_TOKEN=x\n"})
    before, after = (asked(bench.prepare(one).specs[0], {"PATH": "/bin"}) for one in (plain, with_file))
    assert "NODE_OPTIONS" in after.detail
    assert "MAIL_TOKEN" not in after.detail, "Gemini CLI keeps such names from servers"
    assert before.digest != after.digest
    assert "evil" not in after.detail + after.line


def test_of_a_project_s_two_files_qwen_code_reads_the_nearer_one_only(bench: Bench) -> None:
    setup = servers("qwen-code", {"mail": [GET]}, places={".env": "A_TEAM=far\nB_TEAM=far\n", "~/.env": "C_TEAM=x\n"})
    (spec,) = bench.prepare(setup).specs
    assert spec.env == {"A_TEAM": "far", "B_TEAM": "far", "C_TEAM": "x"}
    prepared = bench.prepare(setup.but(places={".qwen/.env": "A_TEAM=near\n"}))
    assert prepared.specs[0].env == {"A_TEAM": "near", "C_TEAM": "x"}
    shown = [file.path for file in prepared.gathered.env_files]
    assert shown == [str(bench.here / ".qwen/.env"), str(bench.home / ".env")]


def test_runtimes_without_such_files_read_none(bench: Bench) -> None:
    setup = servers("claude-code", {"mail": [GET]}, places={".env": "EXTRA=1\n"})
    prepared = prepare(bench.request(setup))
    assert "EXTRA" not in prepared.specs[0].env
    assert prepared.gathered.env_files == ()


def test_the_fourth_server_of_three_at_a_time_is_up_later_than_it_takes(bench: Bench) -> None:
    tools = {f"s{number}": ready([tool(f"get_{number}")], seconds=1.6) for number in range(4)}
    finding = the(bench.report(servers("claude-code", tools).but(name=".mcp.json")), "not-awaited")
    assert finding.provider == "s3"
    said = "s3 needed 1.6 s here, and is up after 3.2 s, since Claude Code starts 3 such servers at a time"
    assert said in finding.message
    fewer = servers("claude-code", dict(list(tools.items())[:3])).but(name=".mcp.json")
    assert not named(bench.report(fewer), "not-awaited")


def test_servers_of_a_runtime_that_starts_all_at_once_wait_for_nobody(bench: Bench) -> None:
    tools = {f"s{number}": ready([tool(f"get_{number}")], seconds=0.5) for number in range(9)}
    assert not named(bench.report(servers("codex-cli", tools)), "not-awaited")
