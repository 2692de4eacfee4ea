"""Looking into /proc, independently of the code under test."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def carrying(text: str) -> list[int]:
    """The living processes with ``text`` in their environment or command line, but this one."""
    needle = text.encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z":
                continue
            if needle in (entry / "environ").read_bytes() or needle in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def children(pid: int) -> list[int]:
    """The living direct children of a process."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != b"Z":
            found.append(int(entry.name))
    return found


def settled(condition: Callable[[], bool], seconds: float = 8.0) -> bool:
    """Whether ``condition`` comes true within a generous while."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
