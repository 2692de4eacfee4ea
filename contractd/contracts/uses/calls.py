"""Recorded calls, one JSON object a line: ``{"tool": …, "arguments": {…}, "result": …}``.

They are read as a stream, and strictly: a line that can't be taken as what it should be is an error that names it, and
no line is passed over in silence. What a line holds stays out of messages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from contractd.contracts.contract import MAX_NAME
from contractd.contracts.uses.model import plain_reference
from contractd.errors import ConfigError, Place
from contractd.text import visible

MAX_LINE: Final = 8 * 1024 * 1024  # bytes
MAX_DEPTH: Final = 128
MAX_TOLD: Final = 10  # bad lines that are numbered in the message

_HINT = 'a line is one call: {"tool": "send", "arguments": {…}, "result": …}, the result may be left out'
_RESULT_KEYS: Final = frozenset(("content", "structuredContent", "isError", "_meta", "resultType"))
_INT_RANGE: Final = 10**308


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``result`` is what the output schema speaks of, ABSENT where none was recorded."""

    line: int
    tool: str
    arguments: dict[str, Any]
    result: Any = ABSENT


class Lines(Protocol):
    """An open file."""

    def readline(self, size: int, /) -> bytes:
        """At most ``size`` bytes of the next line."""


class _Bad(ValueError):  # noqa: N818 - the name says what is the case
    pass


def read_calls(lines: Lines, shown: str) -> Iterator[Call]:
    """The calls, one at a time; blank lines are none. ``shown`` names the file in errors.

    Raises ConfigError after the last line if one of them was bad, and if there was no call at all: what was made of
    the others by then must not be used.
    """
    bad: list[tuple[int, str]] = []
    count = calls = more = 0
    while True:
        count += 1
        line = lines.readline(MAX_LINE + 1)
        if not line:
            break
        try:
            call = _call(_whole(line, lines), count)
        except _Bad as error:
            if len(bad) < MAX_TOLD:
                bad.append((count, str(error)))
            else:
                more += 1
            continue
        if call is not None:
            calls += 1
            yield call
    if bad:
        raise _refused(bad, more, shown)
    if not calls:
        raise ConfigError("there is no recorded call in it", place=Place(shown), hint=_HINT)


def _refused(bad: list[tuple[int, str]], more: int, shown: str) -> ConfigError:
    number, why = bad[0]
    others = [str(other) for other, _ in bad[1:]] + ([f"{more} more"] if more else [])
    also = f" (so are lines {', '.join(others)})" if len(others) > 1 else f" (so is line {others[0]})" if others else ""
    return ConfigError(f"no recorded call: {why}{also}", place=Place(shown, number), hint=_HINT)


def _whole(line: bytes, lines: Lines) -> bytes:
    if len(line) <= MAX_LINE or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):  # read past the rest of it without keeping it
        line = lines.readline(MAX_LINE)
    raise _Bad(f"the line has more than {MAX_LINE:,} bytes")


def _call(line: bytes, number: int) -> Call | None:
    if number == 1:
        if line[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise _Bad("the file is UTF-16; save it as UTF-8")
        line = line.removeprefix(b"\xef\xbb\xbf")
    if not line.strip(b" \t\r\n"):
        return None
    value = _json(line)
    if not isinstance(value, dict):
        raise _Bad("it is no JSON object")
    tool, arguments = value.get("tool"), value.get("arguments", {})
    if not isinstance(tool, str) or not tool:
        raise _Bad('"tool" is missing' if "tool" not in value else '"tool" is no name')
    if len(tool) > 2 * MAX_NAME:
        raise _Bad(f'"tool" has {len(tool):,} characters')
    if not isinstance(arguments, dict):
        raise _Bad('"arguments" is no object')
    return Call(number, plain_reference(tool), arguments, structured(value["result"]) if "result" in value else ABSENT)


def structured(result: Any) -> Any:
    """What the output schema of a tool speaks of: of a result as MCP gives it its ``structuredContent``, and nothing
    where that is missing or the call failed; any other value is that itself."""
    if not isinstance(result, dict) or not _RESULT_KEYS.issuperset(result):
        return result
    content = result.get("content")
    if "structuredContent" not in result and not (isinstance(content, list) and all(map(_is_block, content))):
        return result
    if result.get("isError") is True:
        return ABSENT
    return result.get("structuredContent", ABSENT)


def _is_block(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("type"), str)


def _json(line: bytes) -> Any:
    try:
        text = line.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError:
        raise _Bad("it is not UTF-8 text") from None
    try:
        value = json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _Bad(f"it is not JSON (column {error.colno})") from None
    except RecursionError:
        raise _Bad(f"it is nested deeper than {MAX_DEPTH} levels") from None
    except _Bad:
        raise
    except ValueError:  # digits without end
        raise _Bad("it has a number that is too long") from None
    _check(value)
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Bad(f"the key {visible(twice, 60)} stands in it twice")
    return found


def _constant(name: str) -> Any:
    raise _Bad(f"{name} is no JSON")


def _check(value: Any) -> None:
    """What JSON text can say and no validator may be asked about."""
    stack = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, dict):
            texts = item.keys()
            stack += [(inner, depth + 1) for inner in item.values()]
        elif isinstance(item, list):
            texts = {}.keys()
            stack += [(inner, depth + 1) for inner in item]
        else:
            _check_scalar(item)
            continue
        if depth > MAX_DEPTH:
            raise _Bad(f"it is nested deeper than {MAX_DEPTH} levels")
        for text in texts:
            _check_text(text)


def _check_scalar(item: Any) -> None:
    if isinstance(item, str):
        _check_text(item)
    elif (isinstance(item, float) and not math.isfinite(item)) or (isinstance(item, int) and abs(item) > _INT_RANGE):
        raise _Bad("it has a number beyond the range of IEEE doubles")


def _check_text(text: str) -> None:
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise _Bad("it has half a surrogate pair, which is no character")
