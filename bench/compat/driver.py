"""Puts cases to an adapter's process, one by one: one that hangs is killed, one that dies is a crash, and the next case
starts a new one."""

from __future__ import annotations

import json
import select
import subprocess
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from bench.compat.cases import Direction, Row
from bench.compat.figures import Answer

LIMIT = 10.0  # seconds for one case, by the clock
START = 60.0  # and for the peer's own imports
READY = b"ready\n"


class CannotStartError(Exception):
    """The adapter's process never became ready."""


class Adapter:
    """A process that answers, started when it is needed."""

    def __init__(self, command: list[str], limit: float = LIMIT) -> None:
        self._command, self._limit = command, limit
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def answers(self, rows: Iterable[Row], direction: Direction) -> list[Answer]:
        """Raises CannotStartError."""
        return [self._answer(row, direction) for row in rows]

    def _answer(self, row: Row, direction: Direction) -> Answer:
        process = self._process or self._start()
        case = {"old": row["old"], "new": row["new"], "direction": direction, "draft": row.get("draft")}
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(case).encode() + b"\n")
        except BrokenPipeError:
            line: bytes | None = b""
        else:
            line = self._line(process, self._limit)
        if line is None:
            self._end()
            return Answer("gave up", self._limit, f"no answer in {self._limit:g} s")
        if not line:
            self._end()
            return Answer("crash", why=f"its process ended with {process.returncode}")
        return Answer(**json.loads(line))

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0)
        self._process = process
        if self._line(process, START) != READY:
            self._end()
            raise CannotStartError(f"its adapter ended with {process.returncode} before the first case")
        return process

    @staticmethod
    def _line(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        """None past the time. An answer is one short line, written at once."""
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        return process.stdout.readline() if ready else None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
