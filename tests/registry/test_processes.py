"""No process is left behind, however a run ends; the ends that kill contractd itself are tried in a child."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from contractd.events import ProviderEnded, ProviderStarted
from contractd.providers import ProviderSpec
from contractd.registry.bootstrap import bootstrap
from tests.conftest import ROOT
from tests.servers.processes import carrying, children, settled
from tests.servers.specs import HANG, names, row, rows

SCRIPT = """
import asyncio, json, sys
from contractd.providers import ProviderSpec
from contractd.registry.bootstrap import bootstrap

async def main():
    specs = [ProviderSpec(n, n, "stdio", argv=tuple(a), env={"STUB_MARK": sys.argv[2]}, budget=120)
             for n, a in json.loads(sys.argv[1]).items()]
    task = asyncio.create_task(bootstrap(specs))
    while not task.done():
        print("still at it", flush=True)
        await asyncio.sleep(0.02)

asyncio.run(main())
"""


@contextmanager
def running(stub: Callable[..., Any], mark: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A contractd of its own in the middle of a bootstrap, with every stubborn server up."""
    specs = [stub("silent"), stub("list-silent"), stub("slow-start", seconds=500), stub("held"), stub("bare")]
    commands = json.dumps({spec.name: spec.argv for spec in specs})
    command = [sys.executable, "-c", SCRIPT, commands, mark]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=ROOT, **more)
    try:
        # The program itself, five servers, and what one of them left.
        assert settled(lambda: len(carrying(mark)) >= 7 and bool(carrying(BARE)), 30), carrying(mark)
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


BARE = "1000.0625"  # how /bin/sleep is called by the grandchild without an environment


@pytest.mark.parametrize(
    ("number", "times", "code"),
    [(signal.SIGINT, 1, -2), (signal.SIGINT, 2, -2), (signal.SIGTERM, 1, -15), (signal.SIGKILL, 1, -9)],
    ids=["SIGINT", "SIGINT twice", "SIGTERM", "SIGKILL"],
)
def test_a_signal_to_contractd_ends_every_server_and_grandchild(
    stub: Callable[..., Any], mark: str, number: signal.Signals, times: int, code: int
) -> None:
    with running(stub, mark, stderr=subprocess.DEVNULL) as process:
        for _ in range(times):
            process.send_signal(number)
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(HANG) in (code, 1, 130)
        assert settled(lambda: carrying(mark) == [])
        assert settled(lambda: carrying(BARE) == [])


def test_row_72_a_closed_stdout_ends_every_server_and_grandchild(stub: Callable[..., Any], mark: str) -> None:
    """EPIPE ignored left an orphan at 100 % CPU: the writer ends, and everything with it."""
    with running(stub, mark, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(HANG) != 0
        assert settled(lambda: carrying(mark) == [])


def test_a_run_inside_a_run_is_swept_with_it(stub: Callable[..., Any], mark: str) -> None:
    """A server that is itself a contractd marks its servers with both tags: the outer sweep finds them too."""
    with running(stub, mark, stderr=subprocess.DEVNULL, env={**os.environ, "CONTRACTD_RUN": "0uter"}) as process:
        inner = [pid for pid in carrying(mark) if pid != process.pid]
        for pid in inner:
            with open(f"/proc/{pid}/environ", "rb") as file:
                assert b"CONTRACTD_RUN=0uter:" in file.read()


async def test_cancelling_a_bootstrap_ends_what_it_started(
    stub: Callable[..., Any], mark: str, no_task_is_left: Callable[[], None]
) -> None:
    task = asyncio.ensure_future(bootstrap([stub("silent"), stub("list-silent"), stub("held"), stub("bare")]))
    async with asyncio.timeout(HANG):
        await until(lambda: len(carrying(mark)) >= 5 and bool(carrying(BARE)))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert carrying(mark) == [] and carrying(BARE) == []
    no_task_is_left()


@pytest.mark.parametrize("ticks", [0, 1, 2, 5, 20, 60])
async def test_cancelling_again_and_again_still_leaves_nothing(
    stub: Callable[..., Any], mark: str, ticks: int, no_task_is_left: Callable[[], None]
) -> None:
    """The second cancellation meets the orderly end in its middle, the third the sweep."""
    task = asyncio.ensure_future(bootstrap([stub("silent"), stub("ignores-stdin-close"), stub("held")]))
    async with asyncio.timeout(HANG):
        await until(lambda: len(carrying(mark)) >= 4)
        while not task.done():
            task.cancel()
            for _ in range(ticks + 1):
                await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert settled(lambda: carrying(mark) == [])
    no_task_is_left()


async def test_cancelling_while_the_servers_are_being_started_leaves_nothing(
    stub: Callable[..., Any], mark: str, no_task_is_left: Callable[[], None]
) -> None:
    for turns in (1, 3, 6, 12):
        task = asyncio.ensure_future(bootstrap([stub("silent", name=str(number)) for number in range(3)]))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        async with asyncio.timeout(HANG):
            with pytest.raises(asyncio.CancelledError):
                await task
        assert settled(lambda: carrying(mark) == [])
    no_task_is_left()


async def test_a_finished_run_leaves_no_task_no_descriptor_and_no_child(
    stub: Callable[..., Any], no_task_is_left: Callable[[], None]
) -> None:
    await rows(stub("legacy"))  # what a first run imports and opens for good
    before = len(os.listdir("/proc/self/fd"))
    await rows(stub("legacy"), stub("silent", budget=0.5), stub("held", budget=1), stub("traceback"))
    assert len(os.listdir("/proc/self/fd")) == before
    assert children(os.getpid()) == []
    no_task_is_left()


async def test_the_guard_runs_during_the_run_and_not_after_it(stub: Callable[..., Any], mark: str) -> None:
    task = asyncio.ensure_future(bootstrap([stub("silent", budget=30)]))
    async with asyncio.timeout(HANG):
        await until(lambda: bool(carrying(mark)))
        (server,) = carrying(mark)
        guards = [pid for pid in children(os.getpid()) if pid != server]
        assert len(guards) == 1 and guards[0] in carrying("sweep.py")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert children(os.getpid()) == []


async def test_without_a_stdio_server_no_guard_is_started(tmp_path: Any) -> None:
    (tmp_path / "m.json").write_text('{"schema_version": 1, "tools": []}')
    seen: list[list[int]] = []

    class Watch:
        def on(self, event: object) -> None:
            seen.append(children(os.getpid()))

    spec = ProviderSpec("m", "m", "manifest-file", path=str(tmp_path / "m.json"))
    assert (await row(spec, observer=Watch())).status == "ready"
    assert seen == [[], []]


async def test_an_observer_hears_start_and_end_and_its_own_failure_harms_nobody(stub: Callable[..., Any]) -> None:
    heard: list[object] = []

    class Broken:
        def on(self, event: object) -> None:
            heard.append(event)
            raise RuntimeError("an onlooker's fault")

    got = await row(stub("legacy", tools=3), observer=Broken())
    assert names(got) == ["tool_0", "tool_1", "tool_2"]
    assert [type(event) for event in heard] == [ProviderStarted, ProviderEnded]
    assert heard[1].status == "ready" and heard[1].tools == 3  # type: ignore[attr-defined]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.02)
