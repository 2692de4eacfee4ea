"""What can be said of an entry as it is written: keys without effect, wrong types, credentials in plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import pointer_join
from contractd.errors import ConfigError
from contractd.providers.base import Transport
from contractd.runtimes.base import Level
from contractd.runtimes.noting import Noter
from contractd.runtimes.secrets import is_secret, named_in
from contractd.runtimes.style import REMOTE_ROLES, STDIO_ROLES
from contractd.text import visible

MAX_DEPTH = 8  # tables within tables in which credentials are looked for
_PASSED_BY_NAME = ("bearer-env", "headers-env", "inherit-names")  # their values are names of variables


def unknown_keys(reader: Noter, name: str, raw: Mapping[str, Any], pointer: str) -> None:
    """Keys that the runtime ignores."""
    reading, title = reader.reading, reader.title
    for key in raw:
        if key in reading.keys:
            continue
        meant, ignored = reading.slips.get(key), reading.ignored.get(key)
        shown = visible(key, 60)
        level: Level = "medium"
        if ignored:
            message, action = f"{title} ignores {shown}: {ignored.follows}", ignored.instead
        elif meant:
            message = f"{title} ignores {shown}; {title} says {meant}"
            action = f"rename it to {meant}" if meant in reading.keys else f"write {meant} instead"
        elif reading.closed:
            message, action = f"{title} ignores {shown}", "remove it, or look for the key that was meant"
            level = "low"
        else:
            message = f"whether {reader.who} reads {shown} is not known"
            action, level = "make sure that the key has the effect it is there for, or remove it", "info"
        reader.problem(
            "ignored-key",
            level,
            f"{visible(name)}: {message}",
            pointer_join(pointer, key),
            server=name,
            subject=key,
            action=action,
            sure="high" if reading.closed else "low",
        )


def unused_keys(reader: Noter, name: str, raw: Mapping[str, Any], pointer: str, transport: Transport) -> None:
    """Keys of the other transport: the runtime reads them and makes nothing of them here."""
    if not reader.reading.closed or transport not in ("stdio", "http", "sse"):
        return
    others, kind = (REMOTE_ROLES, "stdio") if transport == "stdio" else (STDIO_ROLES, "remote")
    for key in raw:
        role = reader.reading.keys.get(key)
        if role not in others or raw[key] is None or role in reader.reading.either:
            continue
        main = role in ("command", "argv", "url")
        other = "address" if transport == "stdio" else "command"
        reader.problem(
            "transport-mismatch" if main else "ignored-key",
            "medium" if main else "low",
            f"{visible(name)} has both a command and an address; {reader.title} ignores the {other}"
            if main
            else f"{visible(name)}: {visible(key, 60)} has no effect on a {kind} server",
            pointer_join(pointer, key),
            server=name,
            subject=key,
            action="make two entries of it, or remove the one that is not meant" if main else "remove it",
        )


def wrong_shapes(reader: Noter, name: str, raw: Mapping[str, Any], pointer: str) -> bool:
    """Values of a wrong type for which the runtime drops the entry; whether there is one.

    Raises ConfigError where it costs the whole file.
    """
    reading, found = reader.reading, False
    chosen = reading.transport(raw)
    others = (REMOTE_ROLES if chosen[0] == "stdio" else STDIO_ROLES) if isinstance(chosen, tuple) else frozenset()
    for key, shape in reading.shapes.items():
        if key not in raw or shape.fits(raw[key]) or reading.keys.get(key) in others:
            continue
        found = True
        wrong = (
            "its arguments are no array of texts" if reading.keys.get(key) == "args" else f"{key} is not {shape.words}"
        )
        message = f"{visible(name)}: {wrong}; {reader.title} {reading.over_shape}"
        where = pointer_join(pointer, key)
        if reading.whole_file:
            raise ConfigError(message, place=reader.place(where), hint=f"make {key} {shape.words}")
        reader.problem(
            "server-entry-invalid",
            "high",
            message,
            where,
            server=name,
            subject=key,
            action=f"make {key} {shape.words}; this server can't be used as it is written",
        )
    return found


def plain_secrets(reader: Noter, name: str, raw: Mapping[str, Any], pointer: str) -> None:
    """Credentials written out anywhere in the entry."""
    for where, label, text in _texts_of(raw, pointer, "", 0):
        key = where[len(pointer) + 1 :].partition("/")[0].replace("~1", "/").replace("~0", "~")
        if reader.reading.keys.get(key) in _PASSED_BY_NAME or not is_secret(label, text):
            continue
        level: Level = "medium" if reader.holder(where).scope == "project" else "low"
        named = named_in(text) or label or key
        reader.problem(
            "plain-text-secret",
            level,
            f"{visible(name)}: {visible(named, 60)} holds a credential in plain text",
            where,
            server=name,
            subject=f"{key} {label}",
            action=f"take it from an environment variable{_way(reader, key)}",
            sure="medium",
        )


def _way(reader: Noter, key: str) -> str:
    role = reader.reading.keys.get(key)
    syntax = reader.reading.syntax.get(role) if role else None
    if syntax:
        return f": {syntax.example}"
    wanted = ("headers-env", "bearer-env") if role in REMOTE_ROLES else ("inherit-names",)
    names = [known for known, other in reader.reading.keys.items() if other in wanted]
    return f", named in {' or '.join(names)}" if names else ""


def _texts_of(value: Any, pointer: str, label: str, depth: int) -> Iterator[tuple[str, str, str]]:
    """(pointer, what the text is called, text) of every text within ``value``."""
    if isinstance(value, str):
        yield pointer, label, value
    elif depth > MAX_DEPTH:
        return
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts_of(inner, pointer_join(pointer, key), str(key), depth + 1)
    elif isinstance(value, list):
        option = label
        for index, inner in enumerate(value):
            here = pointer_join(pointer, index)
            if not isinstance(inner, str):
                yield from _texts_of(inner, here, label, depth + 1)
                continue
            name, joined, rest = inner.partition("=")
            if joined and re.fullmatch(r"-{1,2}[A-Za-z][\w-]*|[A-Za-z_][A-Za-z0-9_]*", name):
                yield here, name, rest
            else:
                yield here, option, inner
            option = inner if inner.startswith("-") and not joined else ""
