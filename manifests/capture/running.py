"""Run one program with a time limit in a fresh home, and leave nothing of it behind.

Every process started here carries a mark in its environment. When the run is over its process group is
killed, and then whatever else still carries the mark or descends from it, so that daemons (a terminal
multiplexer, a detached MCP server) end as well.
"""

from __future__ import annotations

import contextlib
import os
import pty
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MARK = "CONTRACTD_CAPTURE_RUN"
STOP = threading.Event()
# what a terminal answers when it is asked where the cursor is, and what it is
REPLIES = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;c"}


class StoppedError(Exception):
    """The user ended the whole thing; what was running has been ended too."""


def stop_on_signals() -> None:
    """Let an interrupt or a termination end the runs under way in all threads, and start no other."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: STOP.set())


@dataclass(frozen=True)
class Finished:
    """``code`` is None when the program had to be ended; ``stopped``: because we had seen enough."""

    code: int | None
    stopped: bool
    seconds: float
    stdout: str
    stderr: str


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float,
    until: Callable[[], bool] | None = None,
    terminal: bool = False,
    stdin: str | None = None,
) -> Finished:
    """Run ``argv`` until it ends, until ``until()`` is true, or for ``seconds``.

    ``terminal`` gives it a pseudo-terminal; ``stdin`` is written to its input, which then stays open.
    """
    if STOP.is_set():
        raise StoppedError
    mark = secrets.token_hex(8)
    out, err = cwd.parent / "stdout", cwd.parent / "stderr"
    started = time.monotonic()
    with out.open("wb") as stdout, err.open("wb") as stderr:
        side = Terminal(out) if terminal else None
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env={**env, MARK: mark},
            stdin=side.slave if side else subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=side.slave if side else stdout,
            stderr=side.slave if side else stderr,
            start_new_session=True,
        )
        try:
            if side:
                side.start()
            if child.stdin and stdin is not None:
                child.stdin.write(stdin.encode())
                child.stdin.flush()
            stopped = wait(child, started + seconds, until)
        finally:
            finish(child, mark)
            if child.stdin:
                with contextlib.suppress(OSError):
                    child.stdin.close()
            if side:
                side.close()
    if STOP.is_set():
        raise StoppedError
    texts = (path.read_bytes().decode(errors="replace") for path in (out, err))
    code = None if stopped or child.returncode is None or child.returncode < 0 else child.returncode
    return Finished(code, stopped, time.monotonic() - started, *texts)


def wait(child: subprocess.Popen[bytes], deadline: float, until: Callable[[], bool] | None) -> bool:
    while time.monotonic() < deadline and not STOP.is_set():
        if child.poll() is not None:
            return False
        if until and until():
            return True
        time.sleep(0.05)
    return False


def finish(child: subprocess.Popen[bytes], mark: str) -> None:
    """End the group politely, then everything that belongs to the run for good."""
    family = descendants(child.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(2)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    for _ in range(20):
        left = {pid for pid in family if alive(pid)} | marked(mark)
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def processes() -> list[int]:
    return (
        [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()] if Path("/proc").is_dir() else []
    )


def marked(mark: str) -> set[int]:
    wanted, found = f"{MARK}={mark}".encode(), set()
    for pid in processes():
        with contextlib.suppress(OSError):
            if wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") and alive(pid):
                found.add(pid)
    return found


def descendants(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for pid in processes():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[pid] = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family and pid not in family}:
        family |= more
    return family - {root}


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    return False


class Terminal:
    """A pseudo-terminal nobody types at; it answers the two questions that full-screen programs wait for."""

    def __init__(self, log: Path) -> None:
        self._master, self.slave = pty.openpty()
        self._log = log

    def start(self) -> None:
        os.close(self.slave)
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._log.open("ab") as log:
            while data := os.read(self._master, 65536):
                log.write(data)
                for question, reply in REPLIES.items():
                    if question in data:
                        os.write(self._master, reply)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._master)
