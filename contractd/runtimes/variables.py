"""How each runtime writes a variable in its configuration, and what becomes of one that is not set.

Measured by starting the real programs with a server that reports its environment: docs/reference/runtimes.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
MAX_EXPANDED = 256 * 1024  # characters; Linux passes no argument or variable of more than half of that
MAX_NAMED = 20  # unset variables named for one text


@dataclass(frozen=True)
class Syntax:
    """``pattern`` has the groups ``name`` and, where defaults exist, ``default``. ``example`` is for people.

    ``bare`` finds the form without braces, in its group ``bare``; ``pattern`` finds it as well. ``again`` is a second
    round over the expanded text, as Gemini CLI makes one. ``gone``: what becomes of an unset variable after both.
    ``raw``: values go into the text of the file before it is parsed, so that a backslash in one begins an escape.
    """

    pattern: re.Pattern[str]
    example: str
    unset: Literal["literal", "empty"]
    bare: re.Pattern[str] | None = None
    again: Callable[[str, Mapping[str, str]], SecondRound] | None = None
    gone: Literal["literal", "empty"] | None = None
    raw: bool = False


@dataclass(frozen=True)
class Expanded:
    """A text after expansion; ``unset`` names what had no value. ``changed``: a second round changed what the first
    had put in, so that the server does not get the variable's value."""

    text: str
    unset: tuple[str, ...] = ()
    changed: bool = False


@dataclass(frozen=True)
class SecondRound:
    """``touched`` names all it found to expand, ``unset`` those of them that had no value."""

    text: str
    unset: tuple[str, ...]
    touched: tuple[str, ...]


_PLAIN = re.compile(_NAME)
_BARE = re.compile(rf"\$(?P<bare>{_NAME})")
DOLLAR_OR_BRACES = Syntax(re.compile(rf"\$(?:\{{(?P<name>{_NAME})\}}|(?P<bare>{_NAME}))"), "${NAME}", "literal", _BARE)
BRACES_DEFAULT = Syntax(re.compile(rf"\$\{{(?P<name>{_NAME})(?::-(?P<default>[^}}]*))?\}}"), "${NAME}", "literal")
OPENCODE = Syntax(re.compile(r"\{env:(?P<name>[^}]+)\}"), "{env:NAME}", "empty", raw=True)
VSCODE = Syntax(re.compile(rf"\$\{{env:(?P<name>{_NAME})\}}"), "${env:NAME}", "empty")
ENV_LITERAL = Syntax(re.compile(rf"\$\{{env:(?P<name>{_NAME})\}}"), "${env:NAME}", "literal")

# Any of the ways above: what is left of one in a text after its own runtime's expansion reaches the server as it is.
_BRACED = re.compile(rf"\$\{{(?:env:|input:)?(?P<name>{_NAME})(?::-[^}}]*)?\}}|\{{env:(?P<other>{_NAME})\}}")
_WHOLE = re.compile(rf"\$(?P<name>{_NAME})")


@dataclass(frozen=True)
class Stray:
    """Something that is written like a variable, though not in the runtime's way. ``shown`` leaves a default out."""

    name: str
    shown: str


def expand(text: str, syntax: Syntax | None, environ: Mapping[str, str]) -> Expanded:
    """Replace each variable of ``syntax`` in ``text``. A variable that is set to nothing counts as set."""
    if syntax is None:
        return Expanded(text)
    unset: dict[str, None] = {}
    room = MAX_EXPANDED - len(text)

    def value(match: re.Match[str]) -> str:
        nonlocal room
        groups = match.groupdict()
        name = groups.get("name") or groups.get("bare") or ""
        found = environ.get(name)
        if found is None:
            found = groups.get("default")
        if found is None:
            unset[name] = None
            return "" if syntax.unset == "empty" else match.group()
        if syntax.raw:
            found = unquoted(found) or ""
        room -= len(found)
        return found if room >= 0 else match.group()

    # Behind the last closing brace only the form without braces can match: no search runs to the end in vain.
    cut = text.rfind("}") + 1
    tail = syntax.bare.sub(value, text[cut:]) if syntax.bare else text[cut:]
    first = Expanded(syntax.pattern.sub(value, text[:cut]) + tail, tuple(unset)[:MAX_NAMED])
    return _second_round(text, first, syntax, environ) if syntax.again else first


def _second_round(text: str, first: Expanded, syntax: Syntax, environ: Mapping[str, str]) -> Expanded:
    assert syntax.again is not None
    second = syntax.again(first.text, environ)
    # What the text itself does not name came out of a variable's value, which is nobody's to see.
    unset = tuple(name for name in second.unset if name in text)
    return Expanded(second.text, unset, changed=any(name not in text for name in second.touched))


def unquoted(written: str) -> str | None:
    """What stands in a JSON string that is written so; None where it can't stand in one."""
    try:
        return str(json.loads(f'"{written}"'))
    except ValueError:
        return None


def strays(text: str, syntax: Syntax | None) -> list[Stray]:
    """What in ``text`` is written like a variable, though not in this runtime's way; each name once."""
    found: dict[str, Stray] = {}
    seen: set[str] = set()
    head = text[: text.rfind("}") + 1]
    for match in chain(_BRACED.finditer(head), filter(None, [_WHOLE.fullmatch(text)])):
        written = match.group()
        if written in seen or _expands(syntax, written):
            seen.add(written)
            continue
        shown = re.sub(r":-[^}]*\}", ":-…}", written)
        name = next(group for group in match.groupdict().values() if group)
        found.setdefault(shown, Stray(name, shown))
        if len(found) >= MAX_NAMED:
            break
    return list(found.values())


def _expands(syntax: Syntax | None, written: str) -> bool:
    """Whether the runtime takes this for one of its variables: one with a name that a variable can have."""
    match = syntax.pattern.fullmatch(written) if syntax else None
    if match is None:
        return False
    groups = match.groupdict()
    return is_name(groups.get("name") or groups.get("bare") or "")


def is_name(text: str) -> bool:
    """Whether a variable can be called so; ``env:X`` is another runtime's way of writing."""
    return _PLAIN.fullmatch(text) is not None
