"""Ask an installed agent runtime for its version: the user's own program, given little time and no input."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping

from contractd.carriers.base import Launch, Limits
from contractd.carriers.process import Nursery
from contractd.clock import Clock
from contractd.errors import ProviderError
from contractd.events import Observer, ProgramAsked
from contractd.runtimes.runtime import Runtime

PATIENCE = 8.0  # seconds; the slowest of the real ones takes about three on a slow machine
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
    start, output = clock.monotonic(), b""
    async with Nursery() as nursery:
        try:
            process = await nursery.start(Launch((program, "--version"), dict(environ), cwd), Limits())
        except ProviderError:
            return None
        try:
            process.stdin.close()
            async with asyncio.timeout(PATIENCE):
                while len(output) < _MOST and (chunk := await process.stdout.read(_MOST)):
                    output += chunk
        except TimeoutError:
            pass  # what it printed so far may hold the version
        finally:
            await process.stop(gently=False)
    match = runtime.version_pattern.search(output.decode("utf-8", "replace"))
    version = match.group(1)[:60] if match else None
    observer.on(ProgramAsked(runtime.program or "", version, clock.monotonic() - start))
    return version
