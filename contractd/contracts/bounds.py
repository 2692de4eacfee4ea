"""Bounds within which JSON from a stranger is looked at, checked without recursion."""

from __future__ import annotations

import math
import sys
from typing import Any

MAX_DEPTH = 64  # the deepest schema of 1,391 captured real ones has 18 levels
MAX_NODES = 50_000
MAX_TEXT = 4 * 1024 * 1024  # characters of all keys and strings together
MAX_LIST_NODES = 500_000  # for all tools of one list: 12,000 of the usual size; the largest captured list has 98

_MAX_INT = int(sys.float_info.max)


class Allowance:
    """How many values of one list may still be examined, so that many large tools cost no more than one list may."""

    def __init__(self, nodes: int = MAX_LIST_NODES) -> None:
        self.nodes = nodes


def excess(value: Any, allowance: Allowance | None = None) -> str | None:
    """Why ``value`` is too deep or too large to be examined, or None. What is looked at counts on ``allowance``."""
    if allowance is None:
        return _excess(value, MAX_NODES)[0]
    if allowance.nodes <= 0:
        return "the list it stands in is too large"
    reason, nodes = _excess(value, min(MAX_NODES, allowance.nodes))
    allowance.nodes -= nodes
    return "the list it stands in is too large" if reason and allowance.nodes <= 0 else reason


def _excess(value: Any, limit: int) -> tuple[str | None, int]:
    nodes = text = 0
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        nodes += 1
        if depth > MAX_DEPTH:
            return f"nested deeper than {MAX_DEPTH} levels", nodes
        if nodes > limit:
            return f"more than {MAX_NODES:,} values", nodes
        if isinstance(item, dict):
            text += sum(map(len, item))
            stack.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, list):
            stack.extend((inner, depth + 1) for inner in item)
        elif isinstance(item, str):
            text += len(item)
        elif isinstance(item, float) and not math.isfinite(item):
            return "a number that JSON can't hold", nodes
        elif isinstance(item, int) and abs(item) > _MAX_INT:
            return "a number beyond the range of IEEE doubles", nodes  # it could not be hashed
        if text > MAX_TEXT:
            return f"more than {MAX_TEXT:,} characters", nodes
    return None, nodes
