"""Read one server entry, whatever the runtime: the runtime says what its keys are called and what they mean."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contractd.documents import pointer_join
from contractd.errors import Place
from contractd.providers.base import Inherit, ProviderSpec, Transport
from contractd.runtimes.base import Context, Entry, Level, Problem, Source
from contractd.runtimes.secrets import is_secret
from contractd.runtimes.variables import INPUT, Syntax, expand, foreign
from contractd.text import visible

Role = Literal[
    "command", "argv", "args", "env", "cwd", "url", "headers", "type", "enabled", "disabled", "include", "exclude",
    "required", "always-visible", "budget-s", "budget-ms", "inherit-names", "bearer-env", "headers-env", "env-file",
    "path", "known",
]  # fmt: skip
Chosen = tuple[Transport, bool] | str  # a transport and whether HTTP+SSE is tried after HTTP; or what is wrong


@dataclass(frozen=True)
class Reading:
    """How a runtime writes its servers. ``keys`` maps its key to a role; every other key it ignores.

    ``syntax`` says in which roles variables are expanded, and how they are written. ``budgets`` are seconds per
    transport. ``blanked`` names variables that are expanded to nothing in URLs and headers, whatever their value.
    """

    container: tuple[str, ...]
    keys: Mapping[str, Role]
    transport: Callable[[Mapping[str, Any]], Chosen]
    syntax: Mapping[Role, Syntax]
    budgets: Mapping[Transport, float]
    inherit: Inherit = "all"
    comments: bool | None = None
    trailing_commas: bool | None = None
    top_level: frozenset[str] | None = None
    blanked: frozenset[str] = frozenset()
    slips: Mapping[str, str] = field(default_factory=dict)


def slug(name: str) -> str:
    """A provider id from any name: ``[a-z0-9_-]+``, never empty."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "server"


class EntryReader:
    """Reads the entries of one source. Problems are collected, not raised: a bad entry costs itself only."""

    def __init__(self, reading: Reading, source: Source, context: Context, title: str) -> None:
        self.reading = reading
        self.source = source
        self.context = context
        self.title = title
        self.problems: list[Problem] = []

    def entry(self, name: str, raw: Any, pointer: str) -> Entry:
        """One server. ``pointer`` leads to it in the document."""
        entry_id = slug(name)
        if not isinstance(raw, Mapping):
            self.problem("server-entry-invalid", "high", f"{visible(name)} is no object", pointer, server=name)
            return Entry(name, entry_id, None, self.source, pointer)
        self._keys(name, raw, pointer)
        disabled = self._disabled(raw)
        spec = None if disabled else self._spec(name, entry_id, raw, pointer)
        self._secrets(name, raw, pointer)
        return Entry(
            name,
            entry_id,
            spec,
            self.source,
            pointer,
            raw=raw,
            disabled=disabled,
            include=self._names(raw, "include"),
            exclude=self._names(raw, "exclude") or (),
            required=self.value(raw, "required") is True,
            always_visible=self.value(raw, "always-visible") if self.value(raw, "always-visible") is True else None,
        )

    # ---- values by role

    def key(self, raw: Mapping[str, Any], role: Role) -> str | None:
        """The key under which the entry gives this role."""
        return next((key for key in raw if self.reading.keys.get(key) == role), None)

    def value(self, raw: Mapping[str, Any], role: Role) -> Any:
        """What the entry gives for this role, None where it gives nothing."""
        key = self.key(raw, role)
        return raw[key] if key is not None else None

    def problem(self, rule: str, level: Level, message: str, pointer: str, **more: Any) -> None:
        """Note a problem at ``pointer``."""
        action = more.pop("action", None) or "correct the entry; this server can't be used as it is written"
        self.problems.append(Problem(rule, level, message, action, self.place(pointer), **more))

    def place(self, pointer: str) -> Place:
        return self.source.document.place(pointer)

    def text(self, name: str, role: Role, value: str, pointer: str) -> str:
        """``value`` with its variables expanded as this runtime does it in this role."""
        reading = self.reading
        syntax = reading.syntax.get(role)
        environ = self.context.environ
        if reading.blanked and role in ("url", "headers"):
            environ = {name: text for name, text in environ.items() if name not in reading.blanked}
        expanded = expand(value, syntax, environ)
        for variable in expanded.unset:
            left = "an empty text" if syntax and syntax.unset == "empty" else "its name, as it is written,"
            if variable in reading.blanked:
                left = "an empty text, whatever its value: it counts it among its own credentials,"
            self.problem(
                "unset-variable",
                "medium",
                f"{visible(name)}: the variable {visible(variable, 80)} is not set; {self.title} passes {left} to the "
                "server",
                pointer,
                server=name,
                subject=f"{role} {variable}",
                action=f"set {variable} before the session starts",
            )
        prompt = INPUT.search(value)
        stray = None if prompt else foreign(value, syntax)
        if stray and not (expanded.unset and any(unset in stray for unset in expanded.unset)):
            how = (
                f"{self.title} writes variables as {syntax.example}"
                if syntax
                else (f"{self.title} expands no variables here")
            )
            self.problem(
                "literal-variable",
                "medium",
                f"{visible(name)}: {visible(stray, 80)} reaches the server as it is written: {how}",
                pointer,
                server=name,
                subject=f"{role} {stray}",
                action=self._instead(syntax, _inner(stray)),
            )
        if prompt:
            self.problem(
                "prompted-variable",
                "info",
                f"{visible(name)}: {self.title} asks a person for ${{input:{visible(prompt['name'], 60)}}}",
                pointer,
                server=name,
                subject=f"{role} {prompt['name']}",
                action="the server is contacted without it; give the value in the environment of a test setup",
                undetermined=True,
            )
        return expanded.text

    def _instead(self, syntax: Syntax | None, variable: str) -> str:
        if syntax:
            return f"write it as {syntax.example.replace('NAME', variable)}"
        names = next((key for key, role in self.reading.keys.items() if role == "inherit-names"), None)
        return f"name the variable in {names} instead, or write the value" if names else "write the value itself"

    # ---- parts

    def _spec(self, name: str, entry_id: str, raw: Mapping[str, Any], pointer: str) -> ProviderSpec | None:
        chosen = self.reading.transport(raw)
        if isinstance(chosen, str):
            self.problem("server-entry-invalid", "high", f"{visible(name)}: {chosen}", pointer, server=name)
            return None
        transport, fallback = chosen
        before = len(self.problems)
        common: dict[str, Any] = {"budget": self._budget(name, raw, pointer, transport)}
        if transport == "stdio":
            argv = self._argv(name, raw, pointer)
            env = self._texts(name, raw, "env", pointer)
            if any(problem.rule == "server-entry-invalid" for problem in self.problems[before:]):
                return None
            common |= {"argv": argv, "env": env, "inherit": self._inherit(raw), "cwd": self._cwd(name, raw, pointer)}
        elif transport == "manifest-file":
            path = str(self.value(raw, "path"))
            common["path"] = os.path.normpath(os.path.join(self._cwd(name, raw, pointer), path))  # noqa: PTH118
        else:
            key = self.key(raw, "url")
            url = raw[key] if key else None
            if not isinstance(url, str) or not url.strip():
                self.problem("server-entry-invalid", "high", f"{visible(name)} has no URL", pointer, server=name)
                return None
            common["url"] = self.text(name, "url", url.strip(), pointer_join(pointer, key or ""))
            common |= {"headers": self._headers(name, raw, pointer), "fallback_sse": fallback}
        return ProviderSpec(name, entry_id, transport, **common)

    def _argv(self, name: str, raw: Mapping[str, Any], pointer: str) -> tuple[str, ...]:
        whole = self.value(raw, "argv")
        if isinstance(whole, list):
            key, parts = self.key(raw, "argv"), whole
        else:
            key, command = self.key(raw, "command"), self.value(raw, "command")
            args = self.value(raw, "args")
            if not isinstance(args, list | None):
                where = pointer_join(pointer, self.key(raw, "args") or "")
                self.problem(
                    "server-entry-invalid", "high", f"{visible(name)}: its arguments are no array", where, server=name
                )
                args = []
            parts = [command, *(args or [])]
        where = pointer_join(pointer, key or "")
        if not all(isinstance(part, str) for part in parts) or not parts or not parts[0].strip():
            message = f"{visible(name)}: its command line is not made of texts"
            self.problem("server-entry-invalid", "high", message, where, server=name)
            return ()
        return tuple(
            self.text(name, "command" if index == 0 else "args", part, where) for index, part in enumerate(parts)
        )

    def _texts(self, name: str, raw: Mapping[str, Any], role: Role, pointer: str) -> dict[str, str]:
        """A table of texts, such as env or headers, expanded. Numbers and booleans are taken as their text."""
        key, table = self.key(raw, role), self.value(raw, role)
        if table is None:
            return {}
        where = pointer_join(pointer, key or "")
        if not isinstance(table, Mapping):
            self.problem("server-entry-invalid", "high", f"{visible(name)}: {key} is no table", where, server=name)
            return {}
        result: dict[str, str] = {}
        for variable, value in table.items():
            inner = pointer_join(where, variable)
            if isinstance(value, bool | int | float):
                value = str(value).lower() if isinstance(value, bool) else str(value)  # noqa: PLW2901
                message = f"{visible(name)}: {key}.{visible(variable, 60)} is no text; write it in quotes"
                self.problem("value-not-text", "low", message, inner, server=name, subject=variable)
            if isinstance(value, str) and "\0" not in value and variable and not set(variable) & {"=", "\0"}:
                result[variable] = self.text(name, role, value, inner)
            else:
                message = f"{visible(name)}: {key}.{visible(variable, 60)} can't be passed on"
                self.problem("server-entry-invalid", "high", message, inner, server=name, subject=variable)
        return result

    def _headers(self, name: str, raw: Mapping[str, Any], pointer: str) -> dict[str, str]:
        headers = self._texts(name, raw, "headers", pointer)
        bearer = self.value(raw, "bearer-env")
        for header, variable in self._pairs(raw, "headers-env"):
            value = self._environment(name, variable, pointer, "headers-env")
            if value:
                headers[header] = value
        if isinstance(bearer, str):
            value = self._environment(name, bearer, pointer, "bearer-env")
            if value:
                headers["Authorization"] = f"Bearer {value}"
        return {key: value for key, value in headers.items() if "\n" not in value and "\r" not in value}

    def _pairs(self, raw: Mapping[str, Any], role: Role) -> Iterator[tuple[str, str]]:
        table = self.value(raw, role)
        if isinstance(table, Mapping):
            yield from ((key, value) for key, value in table.items() if isinstance(value, str))

    def _environment(self, name: str, variable: str, pointer: str, role: Role) -> str | None:
        value = self.context.environ.get(variable)
        if not value:
            self.problem(
                "unset-variable",
                "medium",
                f"{visible(name)}: the variable {visible(variable, 80)}, named for its credentials, is not set",
                pointer,
                server=name,
                subject=f"{role} {variable}",
                action=f"set {visible(variable, 80)} before the session starts",
            )
        return value

    def _inherit(self, raw: Mapping[str, Any]) -> Inherit:
        names = self.value(raw, "inherit-names")
        if self.reading.inherit == "all" or not isinstance(names, list):
            return self.reading.inherit
        return self.reading.inherit | {name for name in names if isinstance(name, str)}

    def _cwd(self, name: str, raw: Mapping[str, Any], pointer: str) -> str:
        key, value = self.key(raw, "cwd"), self.value(raw, "cwd")
        if not isinstance(value, str) or not value:
            return self.context.cwd
        cwd = self.text(name, "cwd", value, pointer_join(pointer, key or ""))
        if cwd.startswith("~/"):
            cwd = os.path.join(self.context.home, cwd[2:])  # noqa: PTH118 - text only; nothing is looked up here
        return os.path.normpath(os.path.join(self.context.cwd, cwd))  # noqa: PTH118

    def _budget(self, name: str, raw: Mapping[str, Any], pointer: str, transport: Transport) -> float:
        for role, unit in (("budget-s", 1.0), ("budget-ms", 0.001)):
            key, value = self.key(raw, role), self.value(raw, role)  # type: ignore[arg-type]
            if key is None:
                continue
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value * unit <= 3600:
                return float(value * unit)
            message = f"{visible(name)}: {key} is no usable time; the runtime's default is assumed"
            self.problem("value-not-usable", "low", message, pointer_join(pointer, key), server=name, subject=key)
        return self.reading.budgets.get(transport, 30.0)

    def _disabled(self, raw: Mapping[str, Any]) -> str | None:
        if self.value(raw, "enabled") is False:
            return f"switched off by {self.key(raw, 'enabled')}: false"
        if self.value(raw, "disabled") is True:
            return f"switched off by {self.key(raw, 'disabled')}: true"
        return None

    def _names(self, raw: Mapping[str, Any], role: Role) -> tuple[str, ...] | None:
        value = self.value(raw, role)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else None

    def _keys(self, name: str, raw: Mapping[str, Any], pointer: str) -> None:
        for key in raw:
            if key in self.reading.keys:
                continue
            meant = self.reading.slips.get(key)
            said = f"; {self.title} says {meant}" if meant else ""
            self.problem(
                "ignored-key",
                "medium" if meant else "low",
                f"{visible(name)}: {self.title} ignores {visible(key, 60)}{said}",
                pointer_join(pointer, key),
                server=name,
                subject=key,
                action=f"rename it to {meant}" if meant else "remove it, or look for the key that was meant",
            )

    def _secrets(self, name: str, raw: Mapping[str, Any], pointer: str) -> None:
        level: Level = "medium" if self.source.scope == "project" else "low"
        for role in ("env", "headers", "url", "args", "argv"):
            key, value = self.key(raw, role), self.value(raw, role)
            for inner, label, text in _texts_of(value, pointer_join(pointer, key or "")):
                if is_secret(label, text):
                    self.problem(
                        "plain-text-secret",
                        level,
                        f"{visible(name)}: {visible(label or role, 60)} holds a credential in plain text",
                        inner,
                        server=name,
                        subject=f"{role} {label}",
                        action="take it from an environment variable"
                        + (f": {self.reading.syntax['env'].example}" if "env" in self.reading.syntax else ""),
                        sure="medium",
                    )


def _texts_of(value: Any, pointer: str) -> Iterator[tuple[str, str, str]]:
    """(pointer, name, text) of every text in a table, list or text."""
    if isinstance(value, str):
        yield pointer, "", value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, str):
                yield pointer_join(pointer, key), str(key), inner
    elif isinstance(value, list):
        previous = ""
        for index, inner in enumerate(value):
            if isinstance(inner, str):
                option, joined, rest = inner.partition("=")
                named = option if joined and option.startswith("-") else previous if previous.startswith("-") else ""
                yield pointer_join(pointer, index), named, rest if joined and named == option else inner
                previous = inner


def _inner(stray: str) -> str:
    match = re.search(r"[A-Za-z_][A-Za-z0-9_]*(?=[:}]|$)", stray.replace("env:", "").replace("input:", ""))
    return match.group() if match else "NAME"
