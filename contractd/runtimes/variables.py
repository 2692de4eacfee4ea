"""How each runtime writes a variable in its configuration, and what becomes of one that is not set.

Measured by starting the real programs with a server that reports its environment: docs/reference/runtimes.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
MAX_EXPANDED = 256 * 1024


@dataclass(frozen=True)
class Syntax:
    """``pattern`` has the groups ``name`` and, where defaults exist, ``default``. ``example`` is for people."""

    pattern: re.Pattern[str]
    example: str
    unset: Literal["literal", "empty"]


@dataclass(frozen=True)
class Expanded:
    """A text after expansion; ``unset`` names what had no value, ``prompted`` what the runtime would ask a person."""

    text: str
    unset: tuple[str, ...] = ()
    prompted: tuple[str, ...] = ()


DOLLAR_OR_BRACES = Syntax(re.compile(rf"\$(?:\{{(?P<name>{_NAME})\}}|(?P<bare>{_NAME}))"), "${NAME}", "literal")
BRACES_DEFAULT = Syntax(re.compile(rf"\$\{{(?P<name>{_NAME})(?::-(?P<default>[^}}]*))?\}}"), "${NAME}", "literal")
_DOLLAR_DEFAULT = re.compile(rf"\$(?:\{{(?P<name>{_NAME})(?::-(?P<default>[^}}]*))?\}}|(?P<bare>{_NAME}))")
DOLLAR_DEFAULT = Syntax(_DOLLAR_DEFAULT, "${NAME}", "literal")
DOLLAR_DEFAULT_EMPTY = Syntax(_DOLLAR_DEFAULT, "${NAME}", "empty")
OPENCODE = Syntax(re.compile(r"\{env:(?P<name>[^}]+)\}"), "{env:NAME}", "empty")
VSCODE = Syntax(re.compile(rf"\$\{{env:(?P<name>{_NAME})\}}"), "${env:NAME}", "empty")
ENV_LITERAL = Syntax(re.compile(rf"\$\{{env:(?P<name>{_NAME})\}}"), "${env:NAME}", "literal")
BRACES = Syntax(re.compile(rf"\$\{{(?P<name>{_NAME})\}}"), "${NAME}", "literal")

# Any of the ways above: what is left of one in a text after its own runtime's expansion reaches the server as it is.
ANY = re.compile(rf"\$\{{(?:env:|input:)?{_NAME}(?::-[^}}]*)?\}}|\{{env:{_NAME}\}}|^\${_NAME}$")
INPUT = re.compile(r"\$\{input:(?P<name>[^}]+)\}")


def expand(text: str, syntax: Syntax | None, environ: Mapping[str, str]) -> Expanded:
    """Replace each variable of ``syntax`` in ``text``; no second round: a value is never expanded again."""
    if syntax is None:
        return Expanded(text)
    unset: list[str] = []

    def value(match: re.Match[str]) -> str:
        groups = match.groupdict()
        name = groups["name"] or groups.get("bare") or ""
        if environ.get(name):
            return environ[name]
        if groups.get("default") is not None:
            return groups["default"] or ""
        if name in environ:
            return ""
        unset.append(name)
        return "" if syntax.unset == "empty" else match.group()

    return Expanded(_bounded(syntax.pattern, value, text), tuple(dict.fromkeys(unset)))


def foreign(text: str, syntax: Syntax | None) -> str | None:
    """The first thing in ``text`` that is written like a variable, though not in this runtime's way."""
    for match in ANY.finditer(text):
        if syntax is None or not syntax.pattern.fullmatch(match.group()):
            return match.group()
    return None


def _bounded(pattern: re.Pattern[str], value: Callable[[re.Match[str]], str], text: str) -> str:
    return pattern.sub(value, text)[:MAX_EXPANDED]
