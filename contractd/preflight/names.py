"""Every tool under every name: what the server calls it, what the model will see, and the built-ins beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from contractd.contracts import Contract, FlawedTool
from contractd.errors import Place
from contractd.policy import ToolPolicy
from contractd.preflight.likeness import folded
from contractd.preflight.model import Visible
from contractd.runtimes.base import Entry, Setup
from contractd.runtimes.conditions import Conditions, holds, shut, switched_off_by
from contractd.runtimes.naming import Names, Seen
from contractd.runtimes.profile import BuiltinTool, Profile
from contractd.runtimes.runtime import Runtime

if TYPE_CHECKING:
    from contractd.registry import Row

# on: it is there. maybe: nobody can tell from here. off: it is off unless switched on, and nothing seen does.
Presence = Literal["on", "maybe", "off"]


@dataclass(frozen=True)
class NamedTool:
    """One tool that a server listed. ``name`` None with ``named`` True: the runtime drops it. ``renamed``: what the
    runtime's settings call it in place of its own name. ``seen``: what its being visible hangs on."""

    entry: Entry
    raw: str
    contract: Contract | None
    flawed: FlawedTool | None
    name: str | None
    named: bool
    visible: Visible
    excluded: str | None = None
    dropped: str | None = None
    renamed: str | None = None
    seen: Seen = field(default_factory=Seen)

    @property
    def own(self) -> str:
        """Its name without the server: what instructions call it by."""
        return self.renamed or self.raw


@dataclass(frozen=True)
class Builtin:
    """A built-in tool of the runtime, as far as this run is known. ``removed``: a setting takes it away, here."""

    tool: BuiltinTool
    presence: Presence
    removed: Place | None = None
    removed_by: str | None = None

    @property
    def name(self) -> str:
        """As the model sees it."""
        return f"{self.tool.namespace}::{self.tool.name}" if self.tool.namespace else self.tool.name


@dataclass(frozen=True)
class NameTable:
    """``builtins`` None: nobody knows them for this runtime. ``servers``: the ids of those that are switched on."""

    tools: tuple[NamedTool, ...]
    builtins: tuple[Builtin, ...] | None
    conditions: Conditions
    servers: tuple[str, ...] = ()

    def of(self, entry: Entry) -> list[NamedTool]:
        """The tools of one server, in its order."""
        return self._by_entry.get(entry.id, [])

    def builtin_named(self, name: str | None) -> Builtin | None:
        """The built-in that the model sees under this name."""
        return self._by_name.get(name or "")

    def namesakes(self, called: str, borne: str | None) -> list[Builtin]:
        """The built-ins of exactly the name that a tool of a server is called by, else those that a call of it reaches
        by another name of theirs, else those whose name folds to it; the surest to be there first. ``borne``: the name
        under which the model sees that tool."""
        alike = self._by_fold.get(folded(called), [])
        exact = [builtin for builtin in alike if builtin.tool.name == called]
        # A name that a tool bears is never looked up among the other names of built-ins.
        other = [] if borne == called else self._by_other_name.get(called, [])
        return exact or other or alike

    @cached_property
    def _by_entry(self) -> dict[str, list[NamedTool]]:
        result: dict[str, list[NamedTool]] = defaultdict(list)
        for tool in self.tools:
            result[tool.entry.id].append(tool)
        return dict(result)

    @cached_property
    def _by_name(self) -> dict[str, Builtin]:
        return {builtin.name: builtin for builtin in reversed(_surest_first(self.builtins))}

    @cached_property
    def _by_other_name(self) -> dict[str, list[Builtin]]:
        result: dict[str, list[Builtin]] = defaultdict(list)
        for builtin in _surest_first(self.builtins):
            for name in builtin.tool.answers_to:
                result[name].append(builtin)
        return dict(result)

    @cached_property
    def _by_fold(self) -> dict[str, list[Builtin]]:
        result: dict[str, list[Builtin]] = defaultdict(list)
        for builtin in _surest_first(self.builtins):
            result[folded(builtin.tool.name)].append(builtin)
        return dict(result)


def _surest_first(builtins: tuple[Builtin, ...] | None) -> list[Builtin]:
    order = ("on", "maybe", "off")
    return sorted(builtins or (), key=lambda builtin: (builtin.removed_by is not None, order.index(builtin.presence)))


def builtins_of(
    profile: Profile | None, runtime: Runtime, setup: Setup, conditions: Conditions
) -> list[Builtin] | None:
    """The built-ins that are, or may be, in this run."""
    if profile is None or profile.tools is None:
        return None
    result = []
    for tool in profile.tools:
        likely = holds(tool.when, conditions.likely)
        if likely == "no":
            switch = switched_off_by(tool.when, conditions, profile.conditions)
            if switch is not None:
                result.append(Builtin(tool, "off", setup.settings.place(switch), switch))
                continue
        if holds(tool.when, conditions.known) == "no":
            continue
        presence: Presence = "on" if likely == "yes" else "maybe" if likely == "maybe" else "off"
        removed_by = runtime.removes_builtin(tool.name, profile, setup.settings)
        place = setup.settings.place(removed_by) if removed_by else None
        result.append(Builtin(tool, presence, place, removed_by))
    return result


def name_table(
    runtime: Runtime,
    profile: Profile | None,
    setup: Setup,
    rows: Mapping[str, Row],
    conditions: Conditions,
    declared: Mapping[str, ToolPolicy],
) -> NameTable:
    """Names over the whole set of servers at once: some runtimes name a tool by what else is there.

    A ``rename`` in ``declared`` changes the name that contractd exposes, and no other runtime's.
    """
    enabled = [entry for entry in setup.entries if entry.disabled is None]
    listings = [(entry, _listed(rows[entry.id]) if entry.id in rows else []) for entry in enabled]
    servers = [(entry, [raw for raw, _, _ in tools]) for entry, tools in listings]
    announced = {
        key: row.fetched.server.get("title") or row.fetched.server.get("name", "")
        for key, row in rows.items()
        if row.fetched is not None
    }
    names = Names(runtime, profile, servers, announced, conditions.likely)
    tools: list[NamedTool] = []
    for entry, listing in listings:
        for raw, contract, flawed in listing:
            excluded = never_started(entry, conditions) or runtime.excludes(entry, raw, setup.settings)
            given = names.name(entry, raw)
            policy = declared.get(f"{entry.id}.{raw}") if runtime.name == "contractd" else None
            if policy and policy.rename:
                given = replace(given, name=policy.rename)
            seen = names.seen(entry, contract)
            if excluded or given.dropped:
                seen = Seen("no")
            tools.append(
                NamedTool(
                    entry,
                    raw,
                    contract,
                    flawed,
                    given.name,
                    given.known,
                    seen.visible,
                    excluded=excluded,
                    dropped=given.dropped,
                    renamed=given.renamed,
                    seen=seen,
                )
            )
    builtins = builtins_of(profile, runtime, setup, conditions)
    ids = tuple(entry.id for entry in enabled)
    return NameTable(tuple(tools), tuple(builtins) if builtins is not None else None, conditions, ids)


def never_started(entry: Entry, conditions: Conditions) -> str | None:
    """Why the runtime does not start a server in this run, whatever contractd found there; None where it may."""
    if entry.gate is None or shut(entry.gate, conditions) != "yes":
        return None
    return f"its server is {'never' if entry.gate.certain else 'not'} started: {entry.gate.why}"


def _listed(row: Row) -> list[tuple[str, Contract | None, FlawedTool | None]]:
    """Every tool a server listed, sound or not; none where it could not be asked."""
    if row.fetched is None:
        return []
    manifest = row.fetched.manifest
    sound = [(contract.name, contract, None) for contract in manifest.tools]
    return sound + [(flawed.name or f"#{flawed.index}", None, flawed) for flawed in manifest.flawed]
