"""The values every runtime file speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from contractd.documents import Document
from contractd.errors import Place
from contractd.providers.base import ProviderSpec

Scope = Literal["system", "user", "project", "local", "stated"]
Level = Literal["info", "low", "medium", "high"]
Visible = Literal["yes", "deferred", "no", "unknown"]
Sure = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class Context:
    """Where and with what environment a runtime would be started. Paths are absolute.

    ``env_files``: ``environ`` holds the variables of the runtime's own .env files already. ``repository``: the root of
    the git repository that ``cwd`` lies in. ``texts``: what the files hold that a configuration takes texts from.
    """

    environ: Mapping[str, str] = field(repr=False)
    home: str
    cwd: str
    env_files: bool = False
    repository: str | None = None
    texts: Mapping[str, str] = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Location:
    """A file a runtime reads, weakest first in a list of them. ``servers`` False: it holds settings only.

    ``text``: what it reads is no file but this; ``path`` says where it stands.
    """

    path: str
    scope: Scope
    servers: bool = True
    text: str | None = field(repr=False, default=None)


@dataclass(frozen=True)
class Source:
    """A document that was read and how its runtime regards it."""

    document: Document
    scope: Scope
    why: str
    servers: bool = True


@dataclass(frozen=True)
class Fix:
    """Exact lines to put somewhere."""

    where: str
    text: str
    language: str = "json"


@dataclass(frozen=True)
class Problem:
    """Something wrong with a configuration. ``rule`` is the name of a CTD1xx rule; ``subject`` keeps it apart."""

    rule: str
    level: Level
    message: str
    action: str
    place: Place
    server: str | None = None
    subject: str = ""
    sure: Sure = "high"
    undetermined: bool = False
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Gate:
    """Why the runtime would, or might, not start a server it has read.

    ``certain``: in every run. Else it depends on the run: ``when`` has the alternatives of conditions, as in
    ``manifests/builtin``, under which it is shut (``conditions.shut`` decides), or is empty where nobody can tell.
    ``silent``: the runtime says nothing when it is shut.
    """

    why: str
    certain: bool
    settle: str
    fixes: tuple[Fix, ...] = ()
    when: Sequence[Mapping[str, Sequence[str]]] = ()
    silent: bool = True


@dataclass(frozen=True)
class Entry:
    """One configured server. ``spec`` None: the entry is unusable, and a problem says why.

    ``let_through``: names of tools that the runtime's settings show where the others of the server stay hidden.
    """

    name: str
    id: str
    spec: ProviderSpec | None
    source: Source
    pointer: str
    raw: Mapping[str, Any] = field(repr=False, default_factory=dict)
    disabled: str | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    required: bool = False
    always_visible: bool | None = None
    let_through: tuple[str, ...] = ()
    gate: Gate | None = None

    @property
    def place(self) -> Place:
        """Where the entry stands."""
        return self.source.document.place(self.pointer)


@dataclass(frozen=True)
class Settings:
    """A runtime's own settings, merged over its files, each value with the source it came from."""

    value: Mapping[str, Any]
    sources: tuple[Source, ...] = ()

    def get(self, dotted: str, default: Any = None) -> Any:
        """The value at a dotted path."""
        here: Any = self.value
        for name in dotted.split("."):
            if not isinstance(here, Mapping) or name not in here:
                return default
            here = here[name]
        return here

    def place(self, dotted: str) -> Place | None:
        """Where the value was written: the strongest file that has it."""
        pointer = "/" + dotted.replace(".", "/")
        for source in reversed(self.sources):
            if source.document.get(pointer) is not None:
                return source.document.place(pointer)
        return None

    def only_of_system(self, dotted: str, says: Callable[[Any], bool] = lambda value: value is not None) -> bool:
        """Whether the system's files alone say this at a dotted path: then it is no word of the user's."""
        pointer = "/" + dotted.replace(".", "/")
        scopes = {source.scope for source in self.sources if says(source.document.get(pointer))}
        return scopes == {"system"}

    def names(self, dotted: str) -> tuple[str, ...]:
        """The texts of the array at a dotted path; empty where there is none."""
        value = self.get(dotted)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


@dataclass(frozen=True)
class Setup:
    """Everything read from a runtime's files."""

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    settings: Settings
    sources: tuple[Source, ...]
