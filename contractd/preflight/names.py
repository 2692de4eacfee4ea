"""Every tool under every name: what the server calls it, what the model will see, and the built-ins beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from contractd.contracts import Contract, FlawedTool
from contractd.errors import Place
from contractd.preflight.model import Visible
from contractd.registry import Row
from contractd.runtimes.base import Entry, Setup
from contractd.runtimes.conditions import Conditions, holds, switched_off_by
from contractd.runtimes.naming import Names
from contractd.runtimes.profile import BuiltinTool, Profile
from contractd.runtimes.runtime import Runtime

# on: it is there. maybe: nobody can tell from here. off: it is off unless switched on, and nothing seen does.
Presence = Literal["on", "maybe", "off"]


@dataclass(frozen=True)
class NamedTool:
    """One tool that a server listed. ``name`` None with ``named`` True: the runtime drops it."""

    entry: Entry
    raw: str
    contract: Contract | None
    flawed: FlawedTool | None
    name: str | None
    named: bool
    visible: Visible
    excluded: str | None = None
    dropped: str | None = None


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
    """``builtins`` None: nobody knows them for this runtime."""

    tools: tuple[NamedTool, ...]
    builtins: tuple[Builtin, ...] | None
    conditions: Conditions


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
    runtime: Runtime, profile: Profile | None, setup: Setup, rows: Mapping[str, Row], conditions: Conditions
) -> NameTable:
    """Names over the whole set of servers at once: some runtimes name a tool by what else is there."""
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
            excluded = runtime.excludes(entry, raw, setup.settings)
            given = names.name(entry, raw)
            seen = names.visible(entry, contract)
            if excluded or given.dropped:
                seen = "no"
            tools.append(
                NamedTool(
                    entry,
                    raw,
                    contract,
                    flawed,
                    given.name,
                    given.known,
                    seen,
                    excluded=excluded,
                    dropped=given.dropped,
                )
            )
    builtins = builtins_of(profile, runtime, setup, conditions)
    return NameTable(tuple(tools), tuple(builtins) if builtins is not None else None, conditions)


def _listed(row: Row) -> list[tuple[str, Contract | None, FlawedTool | None]]:
    """Every tool a server listed, sound or not; none where it could not be asked."""
    if row.fetched is None:
        return []
    manifest = row.fetched.manifest
    sound = [(contract.name, contract, None) for contract in manifest.tools]
    return sound + [(flawed.name or f"#{flawed.index}", None, flawed) for flawed in manifest.flawed]
