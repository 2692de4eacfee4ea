"""Preflight against 1, 10 and 50 real processes: is the wall time the slowest server, and what does contractd add.

    python -m bench.preflight [--runs N]

The *floor* is a hand-written asyncio program that starts the same processes at once, shakes hands and lists, with
nothing else. *one by one* is the floor without the "at once". Every figure is the median of the runs, taken in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contractd.providers import ProviderSpec
from contractd.registry.bootstrap import bootstrap

STUB = str(Path(__file__).parent / "stub_server.py")


def command(delay: float) -> list[str]:
    return [sys.executable, "-I", "-S", STUB, f"{delay:.3f}"]


async def floor_one(delay: float) -> float:
    """Start one process, shake hands, list, close; the seconds until the list is there."""
    start = time.perf_counter()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command(delay), stdin=pipe, stdout=pipe, stderr=pipe, limit=2**20)
    assert process.stdin and process.stdout
    shake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "floor", "version": "1"}}
    for number, (method, params) in enumerate((("initialize", shake), ("tools/list", {})), 1):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        json.loads(await process.stdout.readline())
    seconds = time.perf_counter() - start
    process.stdin.close()
    await process.wait()
    return seconds


async def floor(delays: list[float]) -> None:
    await asyncio.gather(*map(floor_one, delays))


async def one_by_one(delays: list[float]) -> None:
    for delay in delays:
        await floor_one(delay)


async def registry(delays: list[float]) -> None:
    specs = [ProviderSpec(f"s{n}", f"s{n}", "stdio", tuple(command(delay))) for n, delay in enumerate(delays)]
    rows = await bootstrap(specs)
    assert all(row.status == "ready" for row in rows), [row.failure for row in rows]


def whole_command(delays: list[float], folder: Path) -> tuple[float, float]:
    """Wall seconds and peak MiB of the command as a user runs it."""
    servers = {f"s{n}": {"command": command(delay)[0], "args": command(delay)[1:]} for n, delay in enumerate(delays)}
    config = folder / f"mcp-{len(delays)}.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    argv = [sys.executable, "-m", "contractd", "preflight", "--config", str(config), "--yes", "-q", "--no-policy"]
    start = time.perf_counter()
    process = subprocess.Popen([*argv, "--runtime", "contractd"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def timed(work) -> float:  # type: ignore[no-untyped-def]
    start = time.perf_counter()
    result = work()
    if asyncio.iscoroutine(result):
        asyncio.run(result)
    return time.perf_counter() - start


def measured(count: int, slowest: float, folder: Path) -> tuple[float, ...]:
    """Seconds of: one by one, the floor, contractd's registry, the whole command; and its peak MiB."""
    delays = [slowest * index / max(count - 1, 1) for index in range(count)]
    return (
        timed(lambda: one_by_one(delays)),
        timed(lambda: floor(delays)),
        timed(lambda: registry(delays)),
        *whole_command(delays, folder),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    start_up = statistics.median(timed(lambda: floor_one(0.0)) for _ in range(max(runs, 5)))
    slowest = 2 * start_up  # the slowest stub's delay: at most twice what its start costs
    print(f"start-up of one stub: {start_up * 1000:.0f} ms; delays spread from 0 to {slowest * 1000:.0f} ms\n")
    print(
        "| servers | one by one | floor, at once | contractd's registry | to the floor | whole command | to the floor "
        "| peak memory |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for count in (1, 10, 50):
            rows = [measured(count, slowest, Path(name)) for _ in range(runs)]
            sequential, least, ours, whole, memory = (statistics.median(column) for column in zip(*rows, strict=True))
            print(
                f"| {count} | {sequential:.2f} s | {least:.2f} s | {ours:.2f} s | {ours / least:.2f} "
                f"| {whole:.2f} s | {whole / least:.2f} | {memory:.0f} MiB |"
            )


if __name__ == "__main__":
    main()
