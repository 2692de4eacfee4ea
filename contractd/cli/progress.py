"""Progress on stderr: a line per provider as it ends, and on a terminal a line of who is still awaited."""

from __future__ import annotations

import contextlib
import shutil
import sys

from contractd.events import Event, ProviderEnded, ProviderStarted
from contractd.text import defused, listed, plural, visible


class Progress:
    """An observer that writes plain lines, none of which GitHub's runner takes for a command.

    ``live``: stderr is a terminal, so a waiting line is kept at the bottom.
    """

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._waiting: list[str] = []

    def on(self, event: Event) -> None:
        """Tell of one event."""
        if isinstance(event, ProviderStarted):
            self._waiting.append(event.provider)
        elif isinstance(event, ProviderEnded):
            if event.provider in self._waiting:
                self._waiting.remove(event.provider)
            told = plural(event.tools, "tool") if event.status == "ready" else visible(event.reason or "", 100)
            self._write(f"{visible(event.provider, 40)}: {event.status} after {event.seconds:.1f} s, {told}\n")
        else:
            return
        if self._live and self._waiting:
            text = f"waiting for {listed(self._waiting, 4)} …"
            # A line that wraps could not be taken back.
            self._write(text[: shutil.get_terminal_size().columns - 1], keep=False)

    def close(self) -> None:
        """Clear the waiting line."""
        if self._live:
            self._write("")

    def _write(self, text: str, *, keep: bool = True) -> None:
        start, text = "\r\x1b[2K" if self._live else "", defused(text)
        if keep or self._live:
            with contextlib.suppress(OSError, ValueError):  # nobody reads it: no reason to stop
                sys.stderr.write(start + text)
                sys.stderr.flush()
