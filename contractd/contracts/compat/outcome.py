"""What looking for a value ends with: one that was found, the proof that there is none, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Found:
    """A value; whether validators agree is asked once, at the end."""

    value: Any


@dataclass(frozen=True, slots=True)
class Empty:
    """There is provably no such value."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither was found out; why, for people."""

    reason: str


Outcome = Found | Empty | Unknown
EMPTY = Empty()
