"""One server's entry as a provider spec: its command or address, its environment, its headers, its budget."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import pointer_join
from contractd.providers.base import Inherit, ProviderSpec, Transport
from contractd.runtimes.base import Level
from contractd.runtimes.noting import Noter
from contractd.runtimes.remarks import unused_keys
from contractd.runtimes.style import Lost, Role, Unspoken, slug
from contractd.runtimes.texts import Texts
from contractd.text import visible

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
# Only what no report shows: a command line with a file's text in it would.
_FROM_FILES: tuple[Role, ...] = ("env", "headers")
_TIMES: tuple[tuple[Role, float], ...] = (("budget-s", 1.0), ("budget-ms", 0.001))


class SpecBuilder:
    """Builds the spec of one entry; what is wrong with it is noted with its reader."""

    def __init__(self, reader: Noter, name: str, raw: Mapping[str, Any], pointer: str) -> None:
        self._reader, self._name, self._raw, self._pointer = reader, name, raw, pointer
        self._reading, self._context = reader.reading, reader.context
        self._texts = Texts(reader.reading, reader.context, reader.title, name, raw, reader.who)

    def build(self) -> ProviderSpec | None:
        """The spec; None where the entry is unusable, and a problem says why."""
        chosen = self._reading.transport(self._raw)
        if isinstance(chosen, Unspoken):
            self._reader.problem(
                "server-entry-invalid", "info", f"{visible(self._name)}: {chosen}", self._pointer, server=self._name,
                undetermined=True,
                action=f"see in {self._reader.title} itself whether the server comes up and what it offers",
            )  # fmt: skip
            return None
        if isinstance(chosen, str):
            self._reader.bad(self._name, chosen, self._pointer)
            return None
        transport, fallback = chosen
        before = len(self._reader.problems)
        unused_keys(self._reader, self._name, self._raw, self._pointer, transport)
        common: dict[str, Any] = {"budget": self._budget(transport)}
        if transport == "stdio":
            common |= {"argv": self._argv(), "env": self._env(), "inherit": self._inherit(), "cwd": self._cwd()}
        elif transport == "manifest-file":
            common["path"] = self._path()
        else:
            common |= {"url": self._url(), "headers": self._headers(), "fallback_sse": fallback}
        if any(found.rule == "server-entry-invalid" for found in self._reader.problems[before:]):
            return None
        return ProviderSpec(self._name, slug(self._name), transport, **common)

    # ---- what is written

    def _value(self, role: Role) -> Any:
        return self._reader.value(self._raw, role)

    def _where(self, role: Role, *more: str | int) -> str:
        """The pointer to what gives a role, or to where it would stand."""
        key = self._reader.key(self._raw, role)
        return pointer_join(self._pointer, key, *more) if key is not None else self._pointer

    def _key(self, role: Role) -> str:
        """The key that gives a role, for people."""
        written = self._reader.key(self._raw, role)
        return written or self._reader.key(dict.fromkeys(self._reading.keys), role) or role

    def _bad(self, why: str, pointer: str, subject: str, action: str) -> None:
        """What comes to light here costs the entry alone; shapes over which more is lost are looked at before."""
        self._reader.bad(self._name, Lost(why, action), pointer, subject)

    def _note(self, rule: str, level: Level, message: str, pointer: str, **more: Any) -> None:
        self._reader.problem(rule, level, f"{visible(self._name)}: {message}", pointer, server=self._name, **more)

    def _text(self, role: Role, value: str, pointer: str) -> str:
        """``value`` as the server gets it in this role."""

        def note(rule: str, level: Level, message: str, **more: Any) -> None:
            self._reader.problem(rule, level, message, pointer, server=self._name, **more)

        expanded = self._texts.expanded(role, value, note)
        if self._reading.file_texts and role in _FROM_FILES:
            expanded = self._reading.file_texts(expanded, self._reader.holder(pointer))
        expanded = self._texts.home(role, expanded)
        if "\0" in expanded:
            self._bad("a text holds the character U+0000, which can't be passed on", pointer, role, "take it out")
        return expanded

    # ---- parts

    def _argv(self) -> tuple[str, ...]:
        whole, args = self._value("argv"), self._value("args")
        if isinstance(whole, list):
            parts = [(part, self._where("argv", index)) for index, part in enumerate(whole)]
        elif args is not None and not isinstance(args, list):
            self._bad(
                "its arguments are no array", self._where("args"), "args", f"make {self._key('args')} an array of texts"
            )
            return ()
        else:
            parts = [(self._value("command"), self._where("command"))]
            parts += [(part, self._where("args", index)) for index, part in enumerate(args or [])]
        if not parts or not all(isinstance(part, str) for part, _ in parts) or not parts[0][0].strip():
            where = parts[0][1] if parts else self._where("argv")
            action = "give the program, and each of its arguments, as a text that is not empty"
            self._bad("its command line is not made of texts", where, "command", action)
            return ()
        return tuple(
            self._text("command" if index == 0 else "args", part, where) for index, (part, where) in enumerate(parts)
        )

    def _url(self) -> str:
        url = self._value("url")
        if not isinstance(url, str) or not url.strip():
            self._bad("it has no URL", self._where("url"), "url", f"give its address under {self._key('url')}")
            return ""
        return self._text("url", url.strip(), self._where("url"))

    def _path(self) -> str:
        path = self._value("path")
        if not isinstance(path, str) or not path:
            self._bad("its manifest is no path", self._where("path"), "path", "give the path of a file")
            return ""
        return os.path.normpath(os.path.join(self._cwd(), self._text("path", path, self._where("path"))))  # noqa: PTH118

    def _env(self) -> dict[str, str]:
        found, file = self._table("env"), self._value("env-file")
        if isinstance(file, str) and file:
            self._note(
                "prompted-variable",
                "info",
                f"{self._reader.title} takes more variables from {visible(file, 120)}, which contractd does not read",
                self._where("env-file"),
                subject="env-file",
                action="the server is contacted without them; set in the environment what it needs to list its tools",
                undetermined=True,
            )
        for variable in sorted(set(found) & self._reading.withheld):
            self._note(
                "variable-not-passed",
                "medium",
                f"{self._reader.title} passes no {visible(variable, 60)} on to a server, though the entry sets it",
                self._where("env", variable),
                subject=variable,
                action="start the server through a program that sets it, such as env",
            )
        return {variable: value for variable, value in found.items() if variable not in self._reading.withheld}

    def _table(self, role: Role) -> dict[str, str]:
        """A table of texts, such as env or headers, expanded. Numbers and booleans are taken as their text."""
        key, table = self._key(role), self._value(role)
        if table is None:
            return {}
        if not isinstance(table, Mapping):
            self._bad(f"{key} is no table", self._where(role), key, f"make {key} a table of texts")
            return {}
        result: dict[str, str] = {}
        for name, value in table.items():
            if value is None and key in self._reading.shapes:
                continue  # allowed there, and means: not set
            text, where = value, self._where(role, name)
            if isinstance(value, bool | int | float):
                text = str(value).lower() if isinstance(value, bool) else str(value)
                if key not in self._reading.shapes:  # else the runtime's own rule is known, and this one has passed it
                    message = f"{key}.{visible(name, 60)} is no text"
                    self._note("value-not-usable", "low", message, where, subject=name, action="write it in quotes")
            named = _HEADER_NAME.fullmatch(name) if role == "headers" else name and not set(name) & {"=", "\0"}
            if isinstance(text, str) and named:
                result[name] = self._text(role, text, where)
            else:
                self._bad(
                    f"{key}.{visible(name, 60)} can't be passed on", where, name, "give it a plain name and a text"
                )
        return result

    def _headers(self) -> dict[str, str]:
        headers = self._table("headers")
        for header, value in headers.items():
            if "\n" in value or "\r" in value:
                self._bad("a header's value holds a line end", self._where("headers", header), header, "take it out")
        named = self._value("headers-env")
        for header, variable in named.items() if isinstance(named, Mapping) else ():
            found = self._environment(variable, "headers-env")
            if found:
                headers[header] = found
        found = self._environment(self._value("bearer-env"), "bearer-env")
        token = self._value("bearer")
        if isinstance(token, str) and token:
            found = self._text("bearer", token, self._where("bearer"))
        return {**headers, "Authorization": f"Bearer {found}"} if found else headers

    def _environment(self, variable: Any, role: Role) -> str | None:
        """The value of a variable that an entry names for its credentials."""
        if not isinstance(variable, str):
            return None
        value = self._context.environ.get(variable)
        if not value:
            shown = visible(variable, 80)
            self._note(
                "unset-variable",
                "medium",
                f"the variable {shown}, named in {self._key(role)}, is not set",
                self._where(role),
                subject=f"{role} {variable}",
                action=f"set {shown} before the session starts",
            )
        return value or None

    def _inherit(self) -> Inherit:
        names, env = self._value("inherit-names"), self._value("env")
        unset = {key for key, value in env.items() if value is None} if isinstance(env, Mapping) else set()
        if self._reading.inherit == "all":
            return frozenset(self._context.environ) - unset if unset else "all"
        more = frozenset(_variable_names(names)) if isinstance(names, list) else frozenset()
        return (self._reading.inherit | more) - unset

    def _cwd(self) -> str:
        base, value = self._reading.default_cwd or self._context.cwd, self._value("cwd")
        if not isinstance(value, str) or not value:
            return base
        # Text only: nothing is looked up here.
        return os.path.normpath(os.path.join(base, self._text("cwd", value, self._where("cwd"))))  # noqa: PTH118

    def _budget(self, transport: Transport) -> float:
        ceiling, longest = self._value("ceiling-ms"), self._reading.longest_budget
        if _is_time(ceiling) and ceiling < longest * 1000:
            longest = float(ceiling / 1000)
        elif _is_number(ceiling) and ceiling <= 0:
            key = self._key("ceiling-ms")
            self._note(
                "value-not-usable",
                "high",
                f"{key} is {ceiling}: {self._reader.title} gives the server up at once, and none of its tools is there",
                self._where("ceiling-ms"),
                subject=key,
                action=f"give {key} a number above 0, or take it out",
            )
        for role, unit in _TIMES:
            value = self._value(role)
            if value is None:
                continue
            if _is_number(value) and self._reading.shortest_budget:
                value = max(value, self._reading.shortest_budget / unit)
            if _is_time(value):
                return longest if value > longest / unit else float(value * unit)
            key = self._key(role)
            self._note(
                "value-not-usable",
                "low",
                f"{key} is no usable time; {self._reader.title}'s default is assumed",
                self._where(role),
                subject=key,
                action=f"give {key} a number above 0",
            )
        return min(self._reading.budgets.get(transport, 30.0), longest)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    return _is_number(value) and value > 0


def _variable_names(names: list[Any]) -> Iterator[str]:
    """The names in a list of names, or of tables with a ``name``."""
    for item in names:
        name = item.get("name") if isinstance(item, Mapping) else item
        if isinstance(name, str):
            yield name
