"""How one runtime writes its servers, as a value: its keys, their types, its variables, what it forgives."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contractd.documents import Document
from contractd.providers.base import Inherit, Transport
from contractd.runtimes.base import Context, Source
from contractd.runtimes.shapes import Shape
from contractd.runtimes.variables import Syntax
from contractd.text import visible

Role = Literal[
    "command", "argv", "args", "env", "cwd", "url", "headers", "type", "enabled", "disabled", "include", "exclude",
    "required", "always-visible", "budget-s", "budget-ms", "ceiling-ms", "inherit-names", "bearer", "bearer-env",
    "headers-env", "env-file", "path", "known",
]  # fmt: skip
STDIO_ROLES: frozenset[Role] = frozenset({"command", "argv", "args", "env", "cwd", "inherit-names", "env-file"})
REMOTE_ROLES: frozenset[Role] = frozenset({"url", "headers", "headers-env", "bearer", "bearer-env"})


class Wrong(str):
    """What is wrong with an entry, and what to do about it."""

    action: str

    def __new__(cls, why: str, action: str) -> Wrong:
        wrong = super().__new__(cls, why)
        wrong.action = action
        return wrong


class Lost(Wrong):
    """What costs the entry alone, also in a runtime that otherwise loses the whole file over a wrong one."""


class Unspoken(str):
    """A transport that the runtime speaks and contractd does not, in words: nothing can be known of the server."""

    __slots__ = ()


# A transport and whether HTTP+SSE is tried after HTTP; or what is wrong with the entry.
Chosen = tuple[Transport, bool] | str | Wrong | Unspoken
# What becomes of the names of files in a text that stands in this source.
FileTexts = Callable[[str, Source], str]

NO_COMMAND = Wrong("it has no command", "give the program to start under command")
NO_TARGET = Wrong(
    "it has neither a command nor a url", "give the program to start under command, or an address under url"
)


def unknown_type(value: Any, known: str, over: str = "") -> Wrong:
    """An entry whose ``type`` the runtime does not know. ``known`` lists those it does."""
    return Wrong(f"type {visible(json.dumps(value)[:60])} is not known{over}", f"write {known}")


@dataclass(frozen=True)
class Ignored:
    """A key that the runtime ignores although much hangs on it: what follows, and what to do instead."""

    follows: str
    instead: str


@dataclass(frozen=True)
class Reading:
    """How a runtime writes its servers. ``keys`` maps its key to a role, the preferred one first where two have one
    role; every other key it ignores. ``closed`` False: nobody knows all its keys.

    ``syntax``: in which roles variables are expanded, and how they are written; ``own_variables`` are the runtime's,
    ``env_files`` says where else it looks, ``set_it`` how one is given a value, ``prompts`` finds what it asks a person
    for. ``file_texts`` puts in what files hold that a text names. ``blanked``: variables expanded to nothing in a role,
    whatever their value; ``withheld``: variables of an entry that it passes on to no server. ``home_roles``: where a
    leading ``~`` stands for the home directory.
    ``shapes``: what a key must hold, ``over_shape`` what the runtime does over a wrong one, and ``whole_file`` whether
    it loses every server over that. ``slips``: a wrong key and the one meant; ``ignored``: keys whose loss matters.
    ``either``: roles that count whatever the transport. ``budgets`` are seconds per transport;
    one that is given is kept between ``shortest_budget`` and ``longest_budget``.
    ``comments``, ``trailing_commas``, ``bom``: whether it takes them, None where nobody knows, or where ``doubts`` says
    what it hangs on. ``over_syntax``: what it does over a file that it can't read.
    """

    container: tuple[str, ...]
    keys: Mapping[str, Role]
    transport: Callable[[Mapping[str, Any]], Chosen]
    syntax: Mapping[Role, Syntax]
    budgets: Mapping[Transport, float]
    inherit: Inherit = "all"
    comments: bool | None = None
    trailing_commas: bool | None = None
    bom: bool | None = True
    doubts: Mapping[str, str] = field(default_factory=dict)
    over_syntax: str = ""
    formats: frozenset[str] = frozenset({"json"})
    top_level: frozenset[str] | None = None
    blanked: Mapping[Role, re.Pattern[str]] = field(default_factory=dict)
    withheld: frozenset[str] = frozenset()
    own_variables: Mapping[str, str] = field(default_factory=dict)
    prompts: re.Pattern[str] | None = None
    file_texts: FileTexts | None = None
    env_files: str = ""
    set_it: str = "set {name} before the session starts"
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    over_shape: str = "drops the entry"
    whole_file: bool = False
    slips: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, Ignored] = field(default_factory=dict)
    closed: bool = True
    either: frozenset[Role] = frozenset()
    home_roles: frozenset[Role] = frozenset()
    default_cwd: str | None = None
    shortest_budget: float = 0.0
    longest_budget: float = 3600.0


def slug(name: str) -> str:
    """A provider id from any name: ``[a-z0-9_-]+``, never empty."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "server"


def milliseconds(context: Context, variable: str) -> float | None:
    """The seconds in a variable of the environment that holds milliseconds; None where it holds no such number."""
    text = context.environ.get(variable, "")
    return int(text) / 1000 if re.fullmatch(r"[0-9]{1,12}", text) else None


def is_file(document: Document, *endings: str) -> bool:
    """Whether the document's path is, or ends in the folders and file of, one of ``endings``."""
    path = document.path.replace("\\", "/")
    return any(path == ending or path.endswith("/" + ending) for ending in endings)


def is_called(document: Document, name: str) -> bool:
    """Whether a file of servers under mcpServers is called so, wherever it stands: a weak sign."""
    return posixpath.basename(document.path) == name and isinstance(document.get("/mcpServers"), Mapping)


def entries_of(document: Document) -> list[Mapping[str, Any]]:
    """The entries under mcpServers that are tables."""
    servers = document.get("/mcpServers")
    return [raw for raw in servers.values() if isinstance(raw, Mapping)] if isinstance(servers, Mapping) else []


def holds_text(value: Any, part: str, depth: int = 6) -> bool:
    """Whether a text in it holds ``part``."""
    if isinstance(value, str):
        return part in value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return depth > 0 and any(holds_text(one, part, depth - 1) for one in inner)


def project_folder(source: Source, context: Context) -> str:
    """The folder a project's file belongs to: the one above its dotted folder, or the one it stands in."""
    folder = posixpath.dirname(source.document.path)
    if posixpath.basename(folder).startswith("."):
        folder = posixpath.dirname(folder)
    return posixpath.normpath(posixpath.join(context.cwd, folder))


def wildcard_matches(pattern: str, text: str, *, single: str = "") -> bool:
    """Whether ``text`` is ``pattern``, in which ``*`` stands for anything and ``single`` for any one character; in one
    pass, whatever the pattern."""
    first, *others = pattern.split("*")
    if not others:
        return len(text) == len(pattern) and _at(pattern, text, 0, single)
    last = others.pop()
    end = len(text) - len(last)
    if end < len(first) or not (_at(first, text, 0, single) and _at(last, text, end, single)):
        return False
    at = len(first)
    for piece in others:
        found = _find(piece, text, at, end, single)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _at(piece: str, text: str, at: int, single: str) -> bool:
    if not single or single not in piece:
        return text.startswith(piece, at)
    return all(want in (single, char) for want, char in zip(piece, text[at : at + len(piece)], strict=True))


def _find(piece: str, text: str, at: int, end: int, single: str) -> int:
    if not single or single not in piece:
        return text.find(piece, at, end)
    found = re.compile(re.escape(piece).replace(re.escape(single), "."), re.DOTALL).search(text, at, end)
    return found.start() if found else -1
