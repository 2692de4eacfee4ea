"""Reading files of uses and of recorded calls."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from contractd.contracts.uses import Recorded, read_calls, record
from contractd.documents import parse
from contractd.policy import LoadedUses, load_uses
from contractd.preflight.files import STDIN, STDIN_SHOWN, open_lines, read_bytes


def read_uses(name: str, cwd: str) -> LoadedUses:
    """Read a uses file. Raises ConfigError."""
    return load_uses(parse(name, read_bytes(str(Path(cwd) / name), name, pipes=True), "toml"))


def record_calls(name: str, cwd: str, stdin: BinaryIO | None = None) -> Recorded:
    """What the recorded calls of a file use; ``-`` is standard input. Raises ConfigError if one line is none."""
    with lines_of(name, cwd, stdin) as (lines, shown):
        return record(read_calls(lines, shown))


@contextmanager
def lines_of(name: str, cwd: str, stdin: BinaryIO | None) -> Iterator[tuple[BinaryIO, str]]:
    """A file of lines, and the name that is shown of it."""
    if name == STDIN:
        yield stdin or io.BytesIO(), STDIN_SHOWN
        return
    with open_lines(str(Path(cwd) / name), name) as lines:
        yield lines, name
