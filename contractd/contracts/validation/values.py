"""Is a Python value JSON, and small enough to be checked: looked at without recursion, before any validator sees it."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 128  # of a value; JSON parsers refuse some thousand
MAX_NODES = 250_000
MAX_TEXT = 16 * 1024 * 1024  # characters of all keys and strings together

_MAX_INT = int(sys.float_info.max)
_WORD = 2**63


@dataclass(slots=True)
class Shape:
    """What was seen. ``flaw``: not JSON, at ``path``; ``excess``: too much of it, or nothing a validator can read.

    ``longest``: the longest array; ``wide``: a number that needs more than 64 bits; ``foreign``: a tuple, or an object
    of a subclass, that ``json`` writes as JSON all the same.
    """

    nodes: int = 0
    text: int = 0
    depth: int = 1
    longest: int = 0
    wide: bool = False
    foreign: bool = False
    flaw: str | None = None
    path: tuple[Any, ...] = ()
    excess: str | None = None


def shape_of(value: Any) -> Shape:
    """Look at all of ``value``; ends at the first flaw or excess, so circles end too."""
    shape = Shape()
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        kind = type(item)
        shape.nodes += 1
        if kind is dict:
            _members(item, depth, shape, stack)
        elif kind is list:
            _items(item, depth, shape, stack)
        else:
            _single(item, depth, shape, stack)
        if shape.nodes > MAX_NODES:
            shape.excess = f"the value is not examined: more than {MAX_NODES:,} values in it"
        elif shape.text > MAX_TEXT:
            shape.excess = f"the value is not examined: more than {MAX_TEXT:,} characters in it"
        if shape.flaw or shape.excess:
            shape.path = _path(value, item) if shape.flaw else ()
            break
    return shape


def _members(item: dict[Any, Any], depth: int, shape: Shape, stack: list[tuple[Any, int]]) -> None:
    if _too_deep(item, depth, shape):
        return
    for key, inner in item.items():
        if type(key) is str and key.isascii():
            shape.text += len(key)
        elif isinstance(key, str):
            shape.foreign = shape.foreign or type(key) is not str
            _text(str.__str__(key), shape)
        else:
            shape.flaw = "takes only text as names"
            return
        if type(inner) is str and inner.isascii():  # most of them: not worth a turn of its own
            shape.nodes += 1
            shape.text += len(inner)
        else:
            stack.append((inner, depth + 1))
    if len(stack) > MAX_NODES:
        shape.nodes = MAX_NODES + 1


def _items(item: Any, depth: int, shape: Shape, stack: list[tuple[Any, int]]) -> None:
    if _too_deep(item, depth, shape):
        return
    shape.longest = max(shape.longest, len(item))
    if len(item) > MAX_NODES:
        shape.nodes = MAX_NODES + 1
    else:
        stack.extend([(inner, depth + 1) for inner in item])


def _single(item: Any, depth: int, shape: Shape, stack: list[tuple[Any, int]]) -> None:
    """What holds no others, and what is written like a dict, a list or a plain value without being one."""
    kind = type(item)
    if item is None or kind is bool:
        return
    shape.foreign = shape.foreign or kind not in (str, int, float)
    if isinstance(item, str):
        _text(str.__str__(item), shape)
    elif isinstance(item, int | float):
        _number(item, shape)
    elif isinstance(item, dict):
        _members(item, depth, shape, stack)
    elif isinstance(item, list | tuple):
        _items(item, depth, shape, stack)
    else:
        shape.flaw = "takes only JSON: null, booleans, numbers, text, arrays and objects"


def _too_deep(item: Any, depth: int, shape: Shape) -> bool:
    within = depth + bool(item)  # what it holds is one level deeper
    if within > shape.depth:
        shape.depth = within
        if within > MAX_DEPTH:
            shape.excess = f"the value is not examined: nested deeper than {MAX_DEPTH} levels, or within itself"
            return True
    return False


def _text(text: str, shape: Shape) -> None:
    shape.text += len(text)
    if not text.isascii() and shape.text <= MAX_TEXT:
        try:
            text.encode()
        except UnicodeEncodeError:
            shape.excess = "the value holds half a surrogate pair, which no validator reads"


def _number(number: float, shape: Shape) -> None:
    if isinstance(number, float):
        if not math.isfinite(number):
            shape.flaw = "takes only numbers that JSON can hold"
    elif not -_WORD <= number < _WORD:
        shape.wide = True
        if abs(number) > _MAX_INT:
            shape.excess = "the value holds a number beyond the range of IEEE doubles"


def _path(value: Any, wanted: Any) -> tuple[Any, ...]:
    """The way to an item that was met; its names may be no text, and are left to the caller to cut."""
    stack: list[tuple[Any, tuple[Any, ...]]] = [(value, ())]
    while stack:
        item, path = stack.pop()
        if item is wanted:
            return path
        if len(path) > MAX_DEPTH:
            continue
        if isinstance(item, dict):
            stack += [(inner, (*path, key)) for key, inner in item.items()]
        elif isinstance(item, list | tuple):
            stack += [(inner, (*path, index)) for index, inner in enumerate(item)]
    return ()


def plain(value: Any) -> Any:
    """A copy of JSON's own types; of a value that was looked at and is not too deep."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict):
        return {str.__str__(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)
