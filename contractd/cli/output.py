"""Results go to stdout or to a file; everything else to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

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
        target = Path(output)
        scratch = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            scratch.write_text(text, "utf-8", errors="backslashreplace")
            scratch.replace(target)
        except OSError as error:
            scratch.unlink(missing_ok=True)
            raise UsageError(f"the result could not be written to {output}: {error.strerror}") from None
        return
    if sys.stdout is None:
        raise UsageError("the result could not be written: stdout is closed")
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError) as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise UsageError(f"the result could not be written: {error}") from None
