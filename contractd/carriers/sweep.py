"""Find and kill what a server left behind. Standard library only: the guard process runs this file by itself.

Every server started by one contractd carries ``CONTRACTD_RUN=<random>`` in its environment, and so do its children,
whatever session or parent they have by then. Linux's /proc shows it. A process that both clears its environment and
leaves its session can't be found this way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

VARIABLE = "CONTRACTD_RUN"
_PROC = Path("/proc")


def tagged(tag: str, sessions: frozenset[int] = frozenset()) -> list[int]:
    """The living processes, but this one, that carry ``tag`` or belong to one of ``sessions``. None off Linux."""
    needle = f"{VARIABLE}={tag}".encode()
    found = []
    for entry in _PROC.glob("[0-9]*"):
        pid = int(entry.name)
        if pid == os.getpid():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            # Fields after the command's name: state, ppid, pgrp, session.
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            if fields[0] == b"Z":
                continue
            if int(fields[3]) in sessions or needle in (entry / "environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found


def kill_tagged(tag: str, sessions: frozenset[int] = frozenset(), *, patience: float = 2.0) -> int:
    """SIGKILL them until none is left or ``patience`` seconds are over; how many there were at first."""
    deadline = time.monotonic() + patience
    first = pids = tagged(tag, sessions)
    while pids and time.monotonic() < deadline:
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
        pids = tagged(tag, sessions)
    return len(first)


def main() -> None:
    """The guard: wait until the pipe on stdin closes, which it does however contractd ends, then sweep."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    kill_tagged(sys.argv[1])


if __name__ == "__main__":
    main()
