"""Reading configuration files: the only file access of preflight's front."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from contractd.documents import MAX_BYTES, Document, parse
from contractd.errors import ConfigError, Place
from contractd.preflight.request import Request

POLICY_FILE = "contractd.toml"
STDIN = "-"
STDIN_SHOWN = "<stdin>"


def is_file(path: str | Path) -> bool:
    """Whether there is a file to read; one that can't even be looked at is an error for whoever reads it."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def read_named(name: str, request: Request) -> Document:
    """A file the user named, ``-`` for standard input. Raises ConfigError."""
    if name == STDIN:
        return parse(STDIN_SHOWN, request.stdin)
    return read_document(str(Path(request.cwd) / name), shown=name, pipes=True)


def read_document(path: str, shown: str | None = None, *, pipes: bool = False) -> Document:
    """Read and parse one file. ``pipes``: it may be one, as in ``--config <(generate)``. Raises ConfigError."""
    name = shown or path
    return parse(name, read_bytes(path, name, pipes=pipes))


def read_bytes(path: str, shown: str, *, pipes: bool = False, limit: int = MAX_BYTES) -> bytes:
    """The file, up to just past the size that is parsed. Raises ConfigError."""
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise ConfigError("can't be read: it is a folder", place=Place(shown))
        if not stat.S_ISREG(mode) and not (pipes and stat.S_ISFIFO(mode)):
            raise ConfigError("can't be read: it is no regular file", place=Place(shown))
        with Path(path).open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise ConfigError("can't be read: there is no such file", place=Place(shown)) from None
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "its name can't be used"
        raise ConfigError(f"can't be read: {why}", place=Place(shown)) from None


def is_policy(document: Document) -> bool:
    """Whether a file holds contractd's own settings."""
    name = Path(document.path).name
    return name == POLICY_FILE or (name == "pyproject.toml" and document.get("/tool/contractd") is not None)


@contextmanager
def open_lines(path: str, shown: str) -> Iterator[BinaryIO]:
    """A file that is read line by line, a pipe too; however large. Raises ConfigError."""
    try:
        if stat.S_ISDIR(Path(path).stat().st_mode):
            raise ConfigError("can't be read: it is a folder", place=Place(shown))
        with Path(path).open("rb") as file:
            yield file
    except FileNotFoundError:
        raise ConfigError("can't be read: there is no such file", place=Place(shown)) from None
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "its name can't be used"
        raise ConfigError(f"can't be read: {why}", place=Place(shown)) from None
