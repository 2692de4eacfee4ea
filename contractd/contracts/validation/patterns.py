"""What a pattern costs the engines: jsonschema-rs runs most in linear time, and the rest by backtracking.

Its linear engine refuses what needs backtracking (look-around, references back). For such a pattern the cost is told
from the pattern and the text (``compat.backtracking``), since at its limit the engine takes a text for not matching,
and before that it may run for a minute.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any

import jsonschema_rs

from contractd.contracts.compat.backtracking import MAX_STEPS, Cost, Patterns
from contractd.contracts.compat.dialects import DEFAULT
from contractd.contracts.compat.engines import fast

MAX_BACKTRACKED = 10 * MAX_STEPS  # on all texts of a value together
UNIT = 64  # bytes of a compiled pattern: a character costs some 7 ns for each
_SIZES: tuple[int, ...] = (2**10, 2**12, 2**14, 2**16, 2**18, 2**20, 2**22)  # 1 KiB to 4 MiB

LINEAR = jsonschema_rs.RegexOptions()
BACKTRACKING = jsonschema_rs.FancyRegexOptions(backtrack_limit=2 * MAX_BACKTRACKED)  # beyond what is tried


class CannotTell(Exception):  # noqa: N818 - the name says what is the case
    """Whether a text matches can't be told in bounded time."""


@lru_cache(maxsize=2048)
def linear_cost(pattern: str) -> int | None:
    """Units for each character of a text, from above; None for a pattern that only backtracking can match."""
    for size in _SIZES:
        if _compiled(pattern, jsonschema_rs.RegexOptions(size_limit=size)) is not None:
            return size // UNIT
    return None


@lru_cache(maxsize=256)
def _linear(pattern: str) -> Any:
    return _compiled(pattern, LINEAR)


@lru_cache(maxsize=256)
def _python(pattern: str) -> re.Pattern[str] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on spellings whose meaning may change
            return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


@lru_cache(maxsize=2048)
def _cost(pattern: str) -> Cost:
    return Cost.of(pattern)


def _compiled(pattern: str, options: Any) -> Any:
    try:
        return fast({"pattern": pattern}, DEFAULT, patterns=options)
    except Exception:  # whatever it says, it does not take the pattern
        return None


def hard_patterns(found: Patterns) -> Patterns:
    """Those of them that only backtracking can match."""
    return Patterns(
        tuple(cost for cost in found.texts if linear_cost(cost.pattern) is None),
        tuple(cost for cost in found.keys if linear_cost(cost.pattern) is None),
    )


class Steps:
    """What Python's engine may still backtrack, over all texts of a value."""

    def __init__(self) -> None:
        self.left: float = MAX_BACKTRACKED

    def spend(self, steps: float) -> bool:
        """Whether there are so many left."""
        if steps > min(self.left, MAX_STEPS):
            return False
        self.left -= steps
        return True


def matches(pattern: str, text: str, steps: Steps) -> bool:
    """As Python's engine says where it is safe and can read the pattern, else as the linear one does.

    Raises CannotTell.
    """
    python = _python(pattern) if steps.spend(_cost(pattern).steps(text)) else None
    if python is not None:
        return python.search(text) is not None
    linear = _linear(pattern)
    if linear is None:
        raise CannotTell
    return bool(linear.is_valid(text))
