"""Results go to stdout or to a file; everything else to stderr."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from contractd.errors import UsageError


def wants_color(choice: str, environ: Mapping[str, str], *, tty: bool) -> bool:
    """``--color``, then NO_COLOR and FORCE_COLOR (no-color.org, force-color.org), then whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return tty


def settle_streams() -> None:
    """Whatever encoding the terminal has, a character it lacks becomes an escape and not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def let_go() -> None:
    """Flush, and leave nothing that Python would complain about at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _to_nowhere(stream)


def is_tty(stream: object) -> bool:
    """Whether a stream is a terminal; a closed one is none."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:
        return False


def write_result(text: str, output: str | None) -> None:
    """Write the result whole: to stdout, or to a file that is replaced only when all of it is there.

    Raises UsageError if it can't be written. A reader that went away (``| head``) is no error.
    """
    if output is not None and output != "-":
        try:
            _write_file(Path(output), text)
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or "its name can't be used"
            raise UsageError(f"the result could not be written to {output}: {why}") from None
        return
    if sys.stdout is None:
        raise UsageError("the result could not be written: stdout is closed")
    try:
        sys.stdout.write(text)  # click.echo would take the colours out of what was asked for with --color always
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(sys.stdout)
    except (OSError, ValueError) as error:
        _to_nowhere(sys.stdout)
        why = (error.strerror if isinstance(error, OSError) else None) or "stdout is closed"
        raise UsageError(f"the result could not be written: {why}") from None


def check_output(*outputs: str | None, inputs: Iterable[str] = ()) -> None:
    """Raises UsageError early for a file that could not be written at the end, and for one that is also read."""
    for output in outputs:
        if output is None or output == "-":
            continue
        path = Path(output)
        try:
            folder, parent = path.is_dir(), path.parent.is_dir()
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or "its name can't be used"
            raise UsageError(f"the result could not be written to {output}: {why}") from None
        if folder:
            raise UsageError(f"{output} is a folder; the result needs a file's name")
        if not parent:
            raise UsageError(f"the result could not be written to {output}: there is no folder {path.parent}")
        for read in inputs:
            if _same(path, read):
                raise UsageError(f"{output} is read as well: writing the result there would destroy it")


def _same(path: Path, other: str) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return os.path.realpath(path) == os.path.realpath(other)


def _write_file(path: Path, text: str) -> None:
    """Beside the target first, then moved over it; a device or a pipe is written to as it is."""
    data = text.encode("utf-8", "backslashreplace")
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    scratch = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}")
    try:
        with scratch.open("xb") as file:
            file.write(data)
        scratch.replace(target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def _to_nowhere(stream: TextIO) -> None:
    """Python flushes again at exit and would complain: give it somewhere to flush to."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
