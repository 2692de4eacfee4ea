"""The texts of an entry with their variables expanded, and what is said of variables that come to nothing."""

from __future__ import annotations

import posixpath
import re
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, cast

from contractd.runtimes.base import Context
from contractd.runtimes.style import Reading, Role
from contractd.runtimes.variables import Stray, Syntax, expand, is_name, strays
from contractd.text import visible

# Notes a problem: rule, level, message, and the rest by name.
Note = Callable[..., None]

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})


class Texts:
    """Expands the texts of one server's entry as its runtime does. Values never get into a message."""

    def __init__(
        self, reading: Reading, context: Context, title: str, name: str, raw: Mapping[str, Any], who: str | None = None
    ) -> None:
        self._reading = reading
        self._who = who or title
        self._context = context
        self._title = title
        self._name = visible(name)
        # Only ever read: copying the environment for each entry is not needed.
        self._environ = ChainMap(dict(reading.own_variables), cast(MutableMapping[str, str], context.environ))
        command = next(
            (raw[key] for key, role in reading.keys.items() if role in ("command", "argv") and key in raw), ""
        )
        program = command[0] if isinstance(command, list) and command else command
        self._shell = isinstance(program, str) and posixpath.basename(program) in _SHELLS

    def expanded(self, role: Role, value: str, note: Note) -> str:
        """``value`` as the server gets it in this role."""
        if self._reading.prompts:
            self._prompted(role, value, note)
        value = self._blanked(role, value, note)
        syntax = self._reading.syntax.get(role)
        found = expand(value, syntax, self._environ)
        for variable in found.unset:
            if is_name(variable):  # another runtime's way of writing is a stray, below
                self._unset(role, variable, syntax, note)
        if found.changed:
            note(
                "value-not-usable",
                "medium",
                f"{self._name}: the value of a variable holds a $, which {self._title} expands once more: the server "
                "does not get the value as it is",
                subject=f"{role} expanded twice",
                action="give the value in a variable without a $, or let the server read it from a file",
            )
        # A shell expands what the runtime leaves alone.
        if not (self._shell and role in ("args", "argv")):
            for stray in strays(value, syntax):
                if not (self._reading.prompts and self._reading.prompts.search(stray.shown)):
                    self._stray(role, stray, syntax, note)
        return found.text

    def home(self, role: Role, value: str) -> str:
        """``value`` with a leading ``~`` replaced, where the runtime does so."""
        if role in self._reading.home_roles and (value == "~" or value.startswith("~/")):
            return self._context.home + value[1:]
        return value

    def _unset(self, role: Role, variable: str, syntax: Syntax | None, note: Note) -> None:
        left = "an empty text" if syntax and (syntax.gone or syntax.unset) == "empty" else "its name, as it is written,"
        # Where the runtime also reads files that were not looked into, the variable may well be set.
        files = "" if self._context.env_files else self._reading.env_files
        also = f" in the environment ({self._title} also reads {files})" if files else ""
        note(
            "unset-variable",
            "low" if files else "medium",
            f"{self._name}: the variable {visible(variable, 80)} is not set{also}; {self._title} passes {left} to the "
            "server",
            subject=f"{role} {variable}",
            action=self._reading.set_it.replace("{name}", visible(variable, 80)),
            sure="medium" if files else "high",
        )

    def _stray(self, role: Role, stray: Stray, syntax: Syntax | None, note: Note) -> None:
        shown, subject = visible(stray.shown, 80), f"{role} {stray.shown}"
        if not self._reading.closed:  # nobody knows all that is read there
            unknown = self._who != self._title  # nor by whom
            note(
                "literal-variable",
                "low",
                f"{self._name}: whether {self._who} expands {shown} is not known; contractd passes it on as written",
                subject=subject,
                action="say which agent runtime it is for: --runtime NAME"
                if unknown
                else f"{self._instead(role, syntax, visible(stray.name, 80))}, as its documentation does",
                sure="low",
            )
            return
        how = f"{self._title} writes variables as {syntax.example}" if syntax else f"{self._title} expands none here"
        note(
            "literal-variable",
            "medium",
            f"{self._name}: {shown} reaches the server as it is written: {how}",
            subject=subject,
            action=self._instead(role, syntax, visible(stray.name, 80)),
        )

    def _instead(self, role: Role, syntax: Syntax | None, variable: str) -> str:
        if syntax:
            return f"write it as {syntax.example.replace('NAME', variable)}"
        wanted: tuple[Role, ...] = ("headers-env", "bearer-env") if role in ("url", "headers") else ("inherit-names",)
        names = [key for key, known in self._reading.keys.items() if known in wanted]
        if role in ("env", "headers") and names:
            return f"name the variable in {' or '.join(names)} instead, or write the value"
        return "write the value itself"

    def _blanked(self, role: Role, value: str, note: Note) -> str:
        """What the runtime counts among its own credentials and keeps from servers becomes nothing."""
        pattern, syntax = self._reading.blanked.get(role), self._reading.syntax.get(role)
        if pattern is None or syntax is None:
            return value
        names: dict[str, None] = {}

        def nothing(match: re.Match[str]) -> str:
            if not pattern.fullmatch(match["name"]):
                return match.group()
            names[match["name"]] = None
            return ""

        cut = value.rfind("}") + 1
        value = syntax.pattern.sub(nothing, value[:cut]) + value[cut:]
        for variable in list(names)[:5]:
            note(
                "unset-variable",
                "medium",
                f"{self._name}: {self._title} counts {visible(variable, 80)} among its own credentials and passes an "
                "empty text to the server, whatever its value",
                subject=f"{role} {variable}",
                action="give the server its value in a variable of another name",
            )
        return value

    def _prompted(self, role: Role, value: str, note: Note) -> None:
        assert self._reading.prompts is not None
        head = value[: value.rfind("}") + 1]
        for match in list(self._reading.prompts.finditer(head))[:20]:
            asked = match.group()
            how = "asks a person for" if asked.startswith("${input:") else "fills in, maybe by asking a person,"
            note(
                "prompted-variable",
                "info",
                f"{self._name}: {self._title} {how} {visible(asked, 60)}",
                subject=f"{role} {asked}",
                action="the server is contacted without it; give the value in the environment of a test setup",
                undetermined=True,
            )
