"""The smallest witness that can be reached from one by leaving out and simplifying, while it stays a witness."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from contractd.contracts.compat.kinds import exact, kind_of, plain

MAX_TRIALS = 800
_SIMPLE: tuple[Any, ...] = (None, False, 0, "", [], {})


def shrunk(value: Any, proves: Callable[[Any], bool], late: Callable[[], bool]) -> Any:
    """Greedy and in a fixed order: the first simpler value that still ``proves`` is taken, until none does."""
    trials = 0
    progress = True
    while progress:
        progress = False
        weight = _weight(value)
        for candidate in _candidates(value):
            trials += 1
            if trials > MAX_TRIALS or late():
                return value
            if _weight(candidate) < weight and proves(candidate):
                value = candidate
                progress = True
                break
    return value


def _candidates(value: Any) -> Iterator[Any]:
    yield from _SIMPLE
    if isinstance(value, dict):
        yield from _smaller_objects(value)
    elif isinstance(value, list):
        yield from _smaller_arrays(value)
    elif isinstance(value, str):
        yield from _shorter(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _rounder(value)


def _smaller_objects(value: dict[str, Any]) -> Iterator[Any]:
    names = list(value)
    if len(names) > 4:
        for half in (names[: len(names) // 2], names[len(names) // 2 :]):
            yield {name: value[name] for name in half}
    for name in names:
        yield {key: inner for key, inner in value.items() if key != name}
    for name in names:
        short = next((letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in value), name)
        if len(name) > 1:
            yield {short if key == name else key: inner for key, inner in value.items()}
    for name, inner in value.items():
        for other in _candidates(inner):
            yield {**value, name: other}


def _smaller_arrays(value: list[Any]) -> Iterator[Any]:
    if len(value) > 4:
        yield value[: len(value) // 2]
    for index in range(min(len(value), 64)):
        yield value[:index] + value[index + 1 :]
    for index, inner in enumerate(value[:64]):
        for other in _candidates(inner):
            yield [*value[:index], other, *value[index + 1 :]]


def _shorter(text: str) -> Iterator[str]:
    yield from ("a", "0")
    if len(text) > 4:
        yield text[: len(text) // 2]
    for index in range(min(len(text), 32)):
        yield text[:index] + text[index + 1 :]
    for index, letter in enumerate(text[:32]):
        if not (letter.isascii() and letter.isprintable()):
            yield text[:index] + "a" + text[index + 1 :]


def _rounder(number: float) -> Iterator[Any]:
    yield from (1, -1, 0.5)
    whole = plain(int(exact(number)))
    if whole is not None:
        yield whole
        for divisor in (10, 2):
            yield int(whole / divisor) if abs(whole) < 2**52 else int(whole) // divisor


def _weight(value: Any) -> tuple[int, int, int]:
    """Parts, then characters, then how far from the simplest kinds."""
    parts = rank = 0
    stack = [value]
    while stack:
        item = stack.pop()
        parts += 1
        rank += kind_of(item)
        if isinstance(item, dict):
            stack += item.values()
            rank += sum(not (key.isascii() and key.isprintable()) for key in item)
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, str):
            rank += 8 * sum(not (letter.isascii() and letter.isprintable()) for letter in item)
    return parts, len(json.dumps(value, ensure_ascii=False)), rank
