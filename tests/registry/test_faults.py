"""Every fault of a stdio server costs its own row and nothing else. All of them run in one bootstrap, beside healthy
servers; each test looks at one row.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from contractd.registry import Row
from tests.servers.processes import carrying, children, settled
from tests.servers.specs import names, new_mark, rows, stub_spec

TWO = ["tool_0", "tool_1"]
GOOD = {"name": "good", "inputSchema": {"type": "object"}}
SLOW = 1.5  # the budget of those that never answer


@dataclass(frozen=True)
class Fault:
    """``says`` is searched in the failure's message; a fault without a ``signal`` is survived, with ``tools``."""

    id: str
    mode: str
    signal: str | tuple[str, ...] | None = None
    says: str = ""
    tools: list[str] = field(default_factory=lambda: TWO)
    era: str | None = "legacy"
    exit_code: int | None = None
    stderr: str = ""
    budget: float = 40.0
    options: dict[str, Any] = field(default_factory=dict)


FAULTS = [
    # never, or too late
    Fault("silent", "silent", "stdio-12", "asked which protocol version", budget=SLOW),
    Fault("slower than its budget", "slow-start", "stdio-12", budget=SLOW, options={"seconds": 30}),
    Fault("slow but in time", "slow-start", options={"seconds": 2}),
    Fault("slow, modern, in time", "slow-start", era="modern", options={"seconds": 2, "era": "modern"}),
    Fault("silent when asked for its tools", "list-silent", "stdio-12", "asked for its tools", budget=SLOW),
    Fault("answers another id", "other-ids", "stdio-12", budget=SLOW),
    # starts and ends
    Fault("dies on import", "traceback", "stdio-02", "code 1 before it answered", exit_code=1, stderr="ModuleNotFound"),
    Fault("exits on the probe alone", "exits-on-probe"),
    Fault("answers the probe and exits", "answers-then-exits-on-probe"),
    Fault("exits on anything", "exits-always", "stdio-02", exit_code=3, stderr="does not like you"),
    Fault("exits in mid-conversation", "dies-in-list", "stdio-exit", "code 7 in mid", exit_code=7, stderr="of luck"),
    Fault("SIGKILL", "dies", "stdio-04", exit_code=-9, options={"signal": int(signal.SIGKILL)}),
    Fault("SIGSEGV", "dies", "stdio-05", "SIGSEGV", exit_code=-11, options={"signal": int(signal.SIGSEGV)}),
    Fault("closes stdout and lives on", "closes-stdout", "stdio-06", "runs on"),
    Fault("dies, a child holds its stdout", "leaves-its-stdout", "stdio-02", "it exited with code 3", budget=SLOW),
    # the handshake
    Fault("swallows the probe", "swallows-probe"),
    Fault("answers anything to anything", "answers-anything"),
    Fault("swallows the probe, refuses initialize", "refuses-initialize", "mcp-handshake", "not today"),
    Fault("refuses other versions than its own", "strict-version"),
    Fault("wants a capability", "wants-capability", "mcp-handshake", "server/discover with error -32021"),
    Fault("initialize yields a text", "bad-initialize", "mcp-handshake", "not an object", options={"result": "hi"}),
    Fault("initialize yields no version", "bad-initialize", "mcp-handshake", options={"result": {"capabilities": {}}}),
    Fault("an unknown legacy version", "legacy", "mcp-14", "1.0", options={"versions": ["1.0"]}),
    Fault("a future modern version", "modern", "mcp-14", "2099-01-01", options={"versions": ["2099-01-01"]}),
    # stdout
    Fault("a banner", "banner"),
    Fault("binary garbage", "garbage"),
    Fault("answers in pieces", "half-lines"),
    Fault("one endless line", "endless-line", "stdio-flood", "one line of more than"),
    Fault("endless notifications", "endless-notifications", ("stdio-flood", "stdio-12"), budget=4),
    Fault("asks for ever and never reads", "asks-and-never-reads", ("stdio-flood", "stdio-12"), budget=4),
    Fault("ids echoed as text", "text-ids"),
    Fault("asks back before it answers", "asks-first"),
    Fault("stderr without end", "stderr-flood"),
    Fault(
        "a line beyond the limit", "huge-line", ("stdio-flood", "stdio-12"), options={"megabytes": 40}, budget=20
    ),
    # tools/list
    Fault("list error", "list-error", "mcp-list", "error -32603: the backend said 401"),
    Fault("list error, method not found", "list-error", "mcp-list", "-32601", options={"code": -32601}),
    Fault("list error, the code a text", "list-error", "mcp-list", "-32000", options={"code": "-32000"}),
    Fault("list error, the code a word", "list-error", "mcp-list", "no code", options={"code": "E_NO"}),
    Fault("the list is an array", "list-result", "mcp-list", "not an object", options={"result": []}),
    Fault("the list has no tools", "list-result", "mcp-list", "no tools array", options={"result": {}}),
    Fault("tools is an object", "list-result", "mcp-list", "no tools array", options={"result": {"tools": {}}}),
    Fault("a cursor of a number", "list-result", "mcp-list", "Cur", options={"result": {"tools": [], "nextCursor": 3}}),
    Fault(
        "an unknown resultType",
        "list-result",
        "mcp-list",
        "resultType 'input_required'",
        options={"result": {"resultType": "input_required", "tools": []}, "era": "modern"},
    ),
    Fault("no tools capability", "no-tools-capability", tools=[]),
    Fault("no tools capability, modern", "no-tools-capability", tools=[], era="modern", options={"era": "modern"}),
    Fault("NaN in the list", "raw-list", "stdio-12", options={"result": '{"tools":[],"x":NaN}'}, budget=SLOW),
    Fault(
        "JSON nested 100,000 levels deep",
        "raw-list",
        "stdio-12",
        options={"result": '{"tools":[@1~]}', "repeat": "[", "back": "]", "times": 100_000},
        budget=2,
    ),
    Fault(
        "three hundred thousand entries that are no tools",
        "raw-list",
        "mcp-list",
        "more than 20,000 tools",
        options={"result": '{"tools":[@0]}', "repeat": "{},", "times": 300_000},
    ),
    Fault("endless pages with new tools", "endless-pages", "mcp-list", "does not end", options={"fresh": True}),
    Fault("an expired cursor", "cursor-expires", tools=["one", "two"]),
    Fault("cursors that always expire", "cursor-expires", "mcp-list", "-32602", options={"times": 99}),
    # ends
    Fault("ignores SIGTERM", "ignores-sigterm"),
    Fault("ignores that stdin closes", "ignores-stdin-close"),
    Fault("leaves a grandchild of another session", "grandchild"),
    Fault("leaves a grandchild that holds its pipes", "grandchild", options={"holds": True}),
    Fault("leaves a grandchild without environment", "bare-grandchild"),
]  # fmt: skip

HEALTHY = [("first", "legacy"), ("middle", "dual"), ("last", "modern")]


@pytest.fixture(scope="module")
def outcome() -> Iterator[dict[str, Row]]:
    """The one run: its rows by name. It leaves no process behind, and no descriptor."""
    mark = new_mark()
    faulty = [stub_spec(fault.mode, name=fault.id, budget=fault.budget, mark=mark, **fault.options) for fault in FAULTS]
    healthy = [stub_spec(mode, name=name, budget=40, mark=mark, tools=5) for name, mode in HEALTHY]
    half = len(faulty) // 2
    before = set(children(os.getpid())), len(os.listdir("/proc/self/fd"))
    got = asyncio.run(rows(healthy[0], *faulty[:half], healthy[1], *faulty[half:], healthy[2]))
    assert settled(lambda: not carrying(mark)), f"left behind: {carrying(mark)}"
    assert settled(lambda: not carrying("1000.0625")), "the process without an environment lives"
    assert settled(lambda: set(children(os.getpid())) <= before[0])
    assert len(os.listdir("/proc/self/fd")) <= before[1]
    yield {row.spec.name: row for row in got}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_each_fault_costs_its_own_row_and_says_its_cause(fault: Fault, outcome: dict[str, Row]) -> None:
    row = outcome[fault.id]
    if fault.signal is None:
        assert row.status == "ready", row.failure
        assert names(row) == fault.tools
        assert row.fetched is not None and row.fetched.era == fault.era
        return
    assert row.status == "failed"
    assert row.failure is not None and row.fetched is None
    allowed = (fault.signal,) if isinstance(fault.signal, str) else fault.signal
    assert row.failure.signal in allowed, row.failure
    assert re.search(fault.says, row.failure.message), row.failure.message
    if fault.exit_code is not None:
        assert (row.evidence.exit_code, row.evidence.ended) == (fault.exit_code, "itself")
    assert fault.stderr in row.evidence.stderr


def test_the_healthy_servers_beside_all_faults_are_ready_with_all_their_tools(outcome: dict[str, Row]) -> None:
    for name, mode in HEALTHY:
        row = outcome[name]
        assert row.status == "ready", row.failure
        assert names(row) == [f"tool_{number}" for number in range(5)]
        assert row.fetched is not None and row.fetched.era == ("legacy" if mode == "legacy" else "modern")


def test_the_rows_come_in_the_order_of_the_specs(outcome: dict[str, Row]) -> None:
    listed = list(outcome)
    assert listed[0] == "first" and listed[-1] == "last"
    assert [name for name in listed if name not in dict(HEALTHY)] == [fault.id for fault in FAULTS]


def test_only_those_given_up_for_want_of_time_say_so(outcome: dict[str, Row]) -> None:
    for row in outcome.values():
        assert row.timed_out == (row.failure is not None and row.failure.signal == "stdio-12")
        if row.timed_out:
            assert (
                row.failure is not None and row.failure.retryable and row.failure.details["budget"] == row.spec.budget
            )


def test_foreign_output_is_kept_as_evidence_and_counted(outcome: dict[str, Row]) -> None:
    banner = outcome["a banner"].evidence
    assert banner.foreign_count == 2  # the log line has a method and an id, and is no JSON-RPC all the same
    assert "Welcome" in banner.foreign[0] and '"method": "GET"' in banner.foreign[1]
    assert outcome["binary garbage"].evidence.foreign_count == 1
    assert outcome["ids echoed as text"].evidence.foreign_count == 0


def test_the_tail_of_stderr_is_bounded_whatever_is_written(outcome: dict[str, Row]) -> None:
    assert 0 < len(outcome["stderr without end"].evidence.stderr) <= 64 * 1024


def test_how_each_process_ended_is_told(outcome: dict[str, Row]) -> None:
    ended = {name: row.evidence.ended for name, row in outcome.items()}
    assert ended["first"] == "stdin-closed"
    assert ended["ignores that stdin closes"] == "terminated"
    assert ended["ignores SIGTERM"] == "killed"
    assert ended["silent"] == "terminated"  # given up: it gets no grace
