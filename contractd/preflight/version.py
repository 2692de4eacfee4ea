"""Ask an installed agent runtime for its version: the user's own program, given little time and no input."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping

from contractd.carriers.base import Launch, Limits
from contractd.carriers.process import Nursery, ServerProcess
from contractd.clock import Clock
from contractd.errors import ProviderError
from contractd.events import Observer, ProgramAsked
from contractd.runtimes.runtime import Runtime

_LAST_WORDS = 0.3  # seconds for what is still in the pipe once the program has ended
_MOST = 64 * 1024


async def installed_version(
    runtime: Runtime, environ: Mapping[str, str], clock: Clock, observer: Observer, *, cwd: str | None = None
) -> str | None:
    """What ``PROGRAM --version`` prints, if it is on PATH and prints a version in time.

    It runs in ``cwd``, where the user would start it: version managers pick the version by folder.
    """
    program = shutil.which(runtime.program, path=environ.get("PATH")) if runtime.program else None
    if program is None:
        return None
    start, output = clock.monotonic(), bytearray()
    async with Nursery() as nursery:
        try:
            own = {**environ, **runtime.version_environ}
            process = await nursery.start(Launch((program, "--version"), own, cwd), Limits())
        except ProviderError:
            return None
        try:
            process.stdin.close()
            await _hear(process, output, runtime.version_patience)
        finally:
            await process.stop(gently=False)
    match = runtime.version_pattern.search(output.decode("utf-8", "replace"))
    version = match.group(1)[:60] if match else None
    observer.on(ProgramAsked(runtime.program or "", version, clock.monotonic() - start))
    return version


async def _hear(process: ServerProcess, output: bytearray, patience: float) -> None:
    """What it prints until it ends its output, ends itself (a child may hold its output open), or time is up."""

    async def read() -> None:
        while len(output) < _MOST and (chunk := await process.stdout.read(_MOST)):
            output.extend(chunk)

    reading, ending = asyncio.create_task(read()), asyncio.create_task(process.wait_briefly(patience))
    try:
        await asyncio.wait({reading, ending}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({reading}, timeout=_LAST_WORDS if ending.done() else 0)
    finally:
        reading.cancel()
        ending.cancel()
        await asyncio.gather(reading, ending, return_exceptions=True)
