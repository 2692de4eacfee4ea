"""A child process that leaves nothing behind: its own session, a tag in its environment, a guard beside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections import deque
from pathlib import Path

from contractd.carriers import sweep
from contractd.carriers.base import Launch, Limits
from contractd.carriers.threads import in_thread
from contractd.errors import Failure, ProviderError
from contractd.text import visible

_GRACE_STDIN = 0.7  # seconds a server gets to end by itself once its stdin is closed (MCP lifecycle, stdio shutdown)
_GRACE_TERM = 1.5
_STDERR_FLOOD = 8 * 1024 * 1024
_DRAIN = 0.3  # seconds to collect the last words of a dead process whose children still hold its stderr


class Nursery:
    """Knows every process of one run, and ends them all. Use as an async context manager around the run."""

    def __init__(self) -> None:
        self.tag = secrets.token_hex(16)
        self._guard: asyncio.subprocess.Process | None = None
        self._sessions: dict[int, int] = {}  # the leader's pid and when it started
        self._used = False
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Nursery:
        return self

    async def __aexit__(self, *_: object) -> None:
        # Carried to its end whatever is cancelled meanwhile, then the cancellation goes on.
        task = asyncio.ensure_future(self._end())
        cancelled: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    async def start(self, launch: Launch, limits: Limits) -> ServerProcess:
        """Start a server. Raises ProviderError with signal ``stdio-spawn`` if the system refuses."""
        if not launch.argv or not launch.argv[0]:
            raise ProviderError(Failure("stdio-spawn", "not started: it has no command", retryable=False))
        await self._ensure_guard()
        self._used = True
        env = {**launch.env, sweep.VARIABLE: sweep.tag_value(self.tag, os.environ.get(sweep.VARIABLE))}
        try:
            process = await asyncio.create_subprocess_exec(
                *launch.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=env,
                cwd=launch.cwd,
                start_new_session=True,
                limit=256 * 1024,
            )
        except (OSError, ValueError) as error:
            raise ProviderError(_not_started(launch, error)) from error
        began = self._sessions[process.pid] = sweep.started(process.pid)
        if self._guard is not None and self._guard.stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._guard.stdin.write(f"{process.pid} {began}\n".encode())
        return ServerProcess(process, limits)

    async def _ensure_guard(self) -> None:
        """The guard outlives a SIGKILL of this process and sweeps then. One per run, started with the first server."""
        async with self._lock:
            if self._guard is None and sys.platform == "linux":
                with contextlib.suppress(OSError):
                    self._guard = await asyncio.create_subprocess_exec(
                        sys.executable,
                        *("-I", "-S", sweep.__file__, self.tag),
                        stdin=asyncio.subprocess.PIPE,
                        stdout=asyncio.subprocess.DEVNULL,
                        stderr=asyncio.subprocess.DEVNULL,
                        start_new_session=True,
                        cwd="/",
                    )

    async def _end(self) -> None:
        if self._used:
            await in_thread(sweep.kill_tagged, self.tag, dict(self._sessions))
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._guard.wait(), 5)
            _close_transport(self._guard)


class ServerProcess:
    """One running server: its pipes, the tail of its stderr, and an orderly end."""

    def __init__(self, process: asyncio.subprocess.Process, limits: Limits) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.stdin, self.stdout = process.stdin, process.stdout
        self.ended: str | None = None
        self._process = process
        self._stopped = False
        self._tail: deque[bytes] = deque()
        self._tail_limit = limits.stderr_tail
        self._stderr_task = asyncio.create_task(self._read_stderr(process.stderr))

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """The last of what it wrote to stderr."""
        return b"".join(self._tail)[-self._tail_limit :].decode("utf-8", "replace")

    async def wait_briefly(self, seconds: float) -> int | None:
        """The exit code if the process ends within ``seconds``, and the rest of its stderr collected."""
        if await self._exited(seconds):
            await asyncio.wait({self._stderr_task}, timeout=_DRAIN)
        return self.exit_code

    async def stop(self, *, gently: bool = True) -> None:
        """Close stdin, wait, SIGTERM, wait, SIGKILL; then the rest of its group. Cancelled, it kills at once.

        ``gently`` False skips the first wait. What left the group is found by the nursery's sweep.
        """
        if self._stopped:
            return
        self._stopped = True
        try:
            await self._end(gently)
        finally:
            self._stderr_task.cancel()
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.ended = self.ended or "killed"
            _close_transport(self._process)

    async def _end(self, gently: bool) -> None:
        if self.exit_code is not None:
            self.ended = "itself"
        with contextlib.suppress(OSError, RuntimeError):
            self.stdin.close()
        steps: tuple[tuple[str, signal.Signals | None, float], ...] = (
            ("stdin-closed", None, _GRACE_STDIN if gently else 0.0),
            ("terminated", signal.SIGTERM, _GRACE_TERM),
            ("killed", signal.SIGKILL, 5.0),
        )
        for how, number, grace in steps:
            if self.exit_code is not None:
                break
            if number is not None:
                with contextlib.suppress(OSError):
                    os.killpg(self._process.pid, number)
            if await self._exited(grace):
                self.ended = self.ended or how
        await asyncio.wait({self._stderr_task}, timeout=_DRAIN)

    async def _exited(self, seconds: float) -> bool:
        """Whether the process ends within ``seconds``.

        Looks at the exit code in growing steps: asyncio's own ``wait`` returns only once every pipe is closed too,
        and those may be held by a grandchild for ever.
        """
        loop = asyncio.get_running_loop()
        deadline, step = loop.time() + seconds, 0.001
        while self.exit_code is None and loop.time() < deadline:
            await asyncio.sleep(step)
            step = min(step * 2, 0.02)
        return self.exit_code is not None

    async def _read_stderr(self, stream: asyncio.StreamReader) -> None:
        size = total = 0
        while chunk := await stream.read(65536):
            self._tail.append(chunk)
            size += len(chunk)
            total += len(chunk)
            while len(self._tail) > 1 and size - len(self._tail[0]) >= self._tail_limit:
                size -= len(self._tail.popleft())
            if total > _STDERR_FLOOD:  # a server that only writes must not keep this process busy reading
                await asyncio.sleep(0.005)


def _close_transport(process: asyncio.subprocess.Process) -> None:
    """Free the pipes even where a foreign process still holds their other ends."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


def _not_started(launch: Launch, error: Exception) -> Failure:
    command = visible(launch.argv[0], 120)
    if launch.cwd is not None and not Path(launch.cwd).is_dir():
        return Failure("stdio-spawn", f"not started: its cwd {visible(launch.cwd)} is no directory", retryable=False)
    if isinstance(error, FileNotFoundError):
        if "/" in launch.argv[0] and Path(launch.cwd or ".", launch.argv[0]).exists():
            why = f"not started: the program that {command} names in its first line was not found"
        else:
            why = f"not started: the command {command} was not found"
        return Failure("stdio-spawn", why, retryable=False)
    if isinstance(error, PermissionError):
        return Failure("stdio-spawn", f"not started: {command} may not be executed", retryable=False)
    why = error.strerror if isinstance(error, OSError) and error.strerror else "the command line can't be used"
    return Failure("stdio-spawn", f"not started: {command}: {why}", retryable=False)
