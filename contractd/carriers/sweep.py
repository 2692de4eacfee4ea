"""Find and kill what a server left behind. Standard library only: the guard process runs this file by itself.

Every server started by one contractd carries the run's random tag in ``CONTRACTD_RUN``, and so do its children,
whatever session or parent they have by then; a contractd inside a contractd adds its tag to the outer one's. Linux's
/proc shows it. A process that both clears its environment and leaves its session can't be found this way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

VARIABLE = "CONTRACTD_RUN"
_PROC = Path("/proc")
_NONE: Mapping[int, int] = MappingProxyType({})


def tag_value(tag: str, outer: str | None) -> str:
    """What ``CONTRACTD_RUN`` is set to for a server of the run ``tag``."""
    return f"{outer}:{tag}" if outer else tag


def started(pid: int) -> int:
    """When the process started, in clock ticks since boot; with the pid it names a process for good. 0: it is gone."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(_fields(_PROC / str(pid))[19])
    return 0


def tagged(tag: str, sessions: Mapping[int, int] = _NONE) -> list[int]:
    """The living processes, but this one, that carry ``tag`` or belong to one of ``sessions``. None off Linux.

    ``sessions`` maps a session's leader to when it started: a pid may have been given to a stranger since.
    """
    needle = tag.encode()
    found = []
    for entry in _PROC.glob("[0-9]*"):
        pid = int(entry.name)
        if pid == os.getpid():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = _fields(entry)
            if fields[0] == b"Z":
                continue
            session = int(fields[3])
            # Session 0 is that of a leader outside this pid namespace: whoever is in it is none of ours.
            ours = session > 0 and session in sessions and started(session) in (0, sessions[session])
            if ours or needle in _tags((entry / "environ").read_bytes()):
                found.append(pid)
    return found


def kill_tagged(tag: str, sessions: Mapping[int, int] = _NONE, *, patience: float = 2.0) -> int:
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


def _fields(entry: Path) -> list[bytes]:
    """The fields after the command's name: state, ppid, pgrp, session, …, start time as the 20th (proc(5))."""
    return (entry / "stat").read_bytes().rpartition(b")")[2].split()


def _tags(environ: bytes) -> list[bytes]:
    prefix = VARIABLE.encode() + b"="
    return [tag for item in environ.split(b"\0") if item.startswith(prefix) for tag in item[len(prefix) :].split(b":")]


def main() -> None:
    """The guard: read ``PID START`` lines until the pipe on stdin closes, which it does however contractd ends."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    heard = b""
    while data := os.read(0, 4096):
        heard += data
    sessions = {int(line.split()[0]): int(line.split()[1]) for line in heard.splitlines() if line.count(b" ") == 1}
    kill_tagged(sys.argv[1], sessions)


if __name__ == "__main__":
    main()
