"""What the measurements share. Nothing of contractd is imported: a process that is measured as a child starts with its
parent's peak memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("CONTRACTD_SHARED") or ROOT.parent / "shared")


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def brief(number: float) -> str:
    """Two digits that count, and no more than the number has before the point."""
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}" if number >= 1 else f"{number:.2g}"


def machine() -> str:
    """What the times hang on."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start"


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    first = list(headings)
    lines = [first, ["---"] * len(first), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
