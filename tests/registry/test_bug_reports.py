"""Public bug reports of agent runtimes, tried against bootstrap; the rows are those of the field notes.

Rows 42-46 and 49-51 stand in test_listing.py, 43 and 44 also in tests/providers, 48 also in
tests/contracts, 72 in test_processes.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contractd.providers import ProviderSpec
from tests.servers.specs import http_spec, names, row, rows, signal_of


async def test_row_6_a_server_that_exits_at_once_is_started_twice_and_not_more(
    stub: Callable[..., Any], tmp_path: Path
) -> None:
    """Once, and once more in the legacy way, since it may have died of the probe; its neighbour is not disturbed."""
    spawns = tmp_path / "spawns"
    dead, healthy = await rows(stub("exits-always", spawns=str(spawns)), stub("legacy"))
    assert signal_of(dead) == "stdio-02" and names(healthy) == ["tool_0", "tool_1"]
    assert len(spawns.read_text().splitlines()) == 2


async def test_rows_10_28_29_a_dead_server_has_a_row_with_the_reason_and_never_an_empty_list(
    stub: Callable[..., Any],
) -> None:
    """A silent start failure let agents claim or improvise: the row says failed, why, and with which last words."""
    dead = await row(stub("traceback"))
    assert dead.status == "failed" and dead.fetched is None
    assert dead.failure.message == "it exited with code 1 before it answered anything"
    assert "a_dependency_that_was_renamed" in dead.evidence.stderr


async def test_rows_19_and_21_servers_with_odd_or_equal_names_keep_their_rows_apart(stub: Callable[..., Any]) -> None:
    """``a__b`` beside ``a``, and a name given twice: rows are kept by place, not by name."""
    specs = [stub("legacy", name=name, prefix=prefix) for name, prefix in (("a__b", "c"), ("a", "b__c"), ("a", "d"))]
    got = await rows(*specs)
    assert [one.spec.name for one in got] == ["a__b", "a", "a"]
    assert [names(one)[0] for one in got] == ["c_0", "b__c_0", "d_0"]


async def test_rows_24_and_26_long_and_odd_names_are_listed_and_cost_no_other_tool(stub: Callable[..., Any]) -> None:
    """A name of 70 characters, or ``__IMPORTANT``, rejected the batch: naming rules are for the report."""
    odd = ["t" * 70, "__IMPORTANT", "with space", "a/b", "ünïcode", "x\u202ey", "plain"]
    listed = [{"name": name, "inputSchema": {"type": "object"}} for name in odd]
    got, other = await rows(stub("listed", listed=listed), stub("legacy"))
    assert names(got) == odd and got.fetched.manifest.flawed == ()
    assert names(other) == ["tool_0", "tool_1"]


async def test_row_30_a_refused_list_is_a_failure_and_never_an_empty_contract(http_stub: Callable[..., Any]) -> None:
    """401 on tools/list became []: it is http-03, not retryable, and there is no manifest."""
    server = await http_stub("status", status=401, headers={"WWW-Authenticate": "Bearer"}, only="tools/list")
    got = await row(http_spec(server.url))
    assert signal_of(got) == "http-03" and got.fetched is None
    assert got.failure.retryable is False


async def test_row_32_one_silent_http_server_costs_its_own_budget_only(
    stub: Callable[..., Any], http_stub: Callable[..., Any]
) -> None:
    """An accepting socket that never answers delayed a session by 192 s."""
    dumb = await http_stub("silent")
    start = time.monotonic()
    quiet, healthy = await rows(http_spec(dumb.url, budget=1), stub("legacy"))
    assert quiet.timed_out and names(healthy) == ["tool_0", "tool_1"]
    assert quiet.evidence.started and "it was reached and asked which protocol version" in quiet.failure.message
    assert time.monotonic() - start < 20  # a guard against hanging; the budget was 1 s


async def test_rows_33_and_34_each_server_has_its_own_budget_and_it_is_honoured(stub: Callable[..., Any]) -> None:
    """A clamp of 250 ms skipped 20 of 22 servers: a slow one with time is ready, one without is reported."""
    patient, hasty = await rows(
        stub("slow-start", name="patient", seconds=2, budget=40), stub("slow-start", name="hasty", seconds=30, budget=1)
    )
    assert patient.status == "ready" and hasty.timed_out
    assert hasty.failure.message.startswith("no answer within 1 s") and hasty.failure.retryable


async def test_row_35_a_server_broken_by_its_unpinned_dependency_shows_its_traceback(
    published: Callable[..., Any], stub: Callable[..., Any]
) -> None:
    """mcp-server-git 2025.7.1 with the mcp of today: a real start failure beside a healthy server."""
    broken, healthy = await rows(published("git-broken"), stub("legacy"))
    assert signal_of(broken) == "stdio-02" and broken.evidence.exit_code == 1
    assert "Traceback" in broken.evidence.stderr and "Error" in broken.evidence.stderr
    assert healthy.status == "ready"


async def test_row_48_an_input_schema_of_nothing_but_its_dialect_is_told_from_a_tool_without_arguments(
    stub: Callable[..., Any],
) -> None:
    """filesystem <= 2025.8.21 with zod 4: the server looks healthy, all parameters are lost."""
    lost = {"name": "lost", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}
    none = {"name": "none", "inputSchema": {"type": "object", "properties": {}}}
    bare = {"name": "bare", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}}
    got = await row(stub("listed", listed=[lost, none, bare]))
    assert names(got) == ["none", "bare"]
    (flawed,) = got.fetched.manifest.flawed
    assert [flaw.kind for flaw in flawed.flaws] == ["parameters-lost"]


async def test_row_60_json_labelled_as_an_event_stream_is_an_error_and_never_an_empty_list(
    http_stub: Callable[..., Any],
) -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'
    server = await http_stub("status", status=200, text=text, type="text/event-stream", only="tools/list")
    assert signal_of(await row(http_spec(server.url))) == "mcp-28"


async def test_row_63_a_session_nobody_knows_is_reported_with_the_servers_words(http_stub: Callable[..., Any]) -> None:
    """400 + -32000 "No valid session ID" looked like an outage."""
    server = await http_stub("session")
    good = await row(http_spec(server.url))
    assert good.status == "ready"
    server.rpc = lambda body: {"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32000, "message": "lost"}}
    lost = await row(http_spec(server.url))
    assert signal_of(lost) == "mcp-handshake" and "-32000: lost" in lost.failure.message


async def test_row_65_headers_and_then_nothing_ends_with_the_budget(http_stub: Callable[..., Any]) -> None:
    """Killed after the 200 headers, two runs were parked for 29 minutes."""
    server = await http_stub("stall")
    got = await row(http_spec(server.url, budget=1))
    assert got.timed_out and got.evidence.status == 200
    assert "it was reached" in got.failure.message


async def test_thirty_programs_that_are_not_there_do_not_hide_the_healthy_one(stub: Callable[..., Any]) -> None:
    dead = [ProviderSpec(f"dead{n}", f"dead{n}", "stdio", argv=(f"/no/such/program{n}",)) for n in range(30)]
    got = await rows(*dead, stub("legacy"))
    assert [one.status for one in got] == ["failed"] * 30 + ["ready"]
    assert {signal_of(one) for one in got[:-1]} == {"stdio-spawn"}


async def test_row_74_a_server_that_exits_on_the_unknown_first_request_is_started_anew_in_the_legacy_way(
    stub: Callable[..., Any], tmp_path: Path
) -> None:
    """Both ways to leave: at once, and after an error."""
    spawns = tmp_path / "spawns"
    got = await rows(
        stub("exits-on-probe", spawns=str(spawns)), stub("answers-then-exits-on-probe", spawns=str(spawns))
    )
    assert [one.fetched.era for one in got] == ["legacy", "legacy"]
    assert len(spawns.read_text().splitlines()) == 4
