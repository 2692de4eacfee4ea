"""A situation that shows a rule, and the nearest one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.preflight.situations import MARK, Setup


@dataclass(frozen=True)
class Pair:
    """``shows`` has the MARK where the finding must point, in its text or in one of its other files. ``message`` and
    ``action`` are parts of what is said."""

    rule: str
    shows: Setup
    healthy: Setup
    severity: str
    message: str
    action: str
    provider: str | None = None
    tool: str | None = None
    confidence: str = "high"
    retryable: bool | None = False
    undetermined: bool = False
    remedy: str | None = None
    about: str = ""

    @property
    def id(self) -> str:
        return f"{self.rule} {self.about}".strip()

    @property
    def pointed_at(self) -> tuple[str, str]:
        """The file with the MARK, and its text."""
        files = {self.shows.name: self.shows.text, **self.shows.places}
        return next(((name, text) for name, text in files.items() if MARK in text), (self.shows.name, MARK))


def one(entry: str, name: str = "mail", container: str = "mcpServers") -> str:
    """A file of one server, its name marked unless something in its entry is."""
    mark = "" if MARK in entry else MARK
    return f'{{\n  "{container}": {{\n    {mark}"{name}": {{\n      {entry}\n    }}\n  }}\n}}\n'


def setup(entry: str, **more: Any) -> Setup:
    """One server called ``mail``."""
    return Setup(one(entry), **more)


SH = '"command": "sh"'
HTTP = '"type": "http", "url": "https://mail.example/mcp"'
