"""CTD4xx: tools whose definition can't be accepted, and what that does in this runtime."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from contractd.contracts import Flaw, FlawedTool
from contractd.preflight.catalogue import rule
from contractd.preflight.model import Finding
from contractd.preflight.names import NamedTool, never_started
from contractd.preflight.rules.departures import departed
from contractd.preflight.view import View
from contractd.providers.base import Fetched
from contractd.runtimes.base import Entry
from contractd.text import plural, visible

_RULES = {
    "invalid-schema": ("invalid-schema", "mend the tool's definition in the server, or leave the tool out"),
    "unsupported-dialect": ("unsupported-dialect", "have the server write its schemas in a published dialect"),
    "parameters-lost": (
        "parameters-lost",
        "pin the server's dependencies: such lists come from zod 4 where zod-to-json-schema wants zod 3",
    ),
}


def check(view: View) -> Iterator[Finding]:
    """Each quarantined tool; then what the runtime does not take of a server: its era, its list, its answers."""
    for entry in view.setup.entries:
        flawed = [tool for tool in view.table.of(entry) if tool.flawed is not None]
        for tool in flawed:
            assert tool.flawed is not None
            yield _quarantined(entry, tool, tool.flawed)
        row = view.rows.get(entry.id)
        if row is not None and row.fetched is not None and not never_started(entry, view.table.conditions):
            yield from _of_server(view, entry, row.fetched)


def _of_server(view: View, entry: Entry, fetched: Fetched) -> Iterator[Finding]:
    """The first reason why the runtime has nothing of a server is the one that counts."""
    found = next(chain(_other_era(view, entry, fetched), _list_lost(view, entry, fetched)), None)
    if found is not None:
        yield found
    else:
        yield from departed(view, entry, fetched)


def _other_era(view: View, entry: Entry, fetched: Fetched) -> Iterator[Finding]:
    """A server that refused the only era which the runtime speaks, and was listed in the other."""
    mcp = view.profile.mcp if view.profile else None
    if mcp is None or mcp.eras != ("legacy",) or fetched.refusal is None:
        return
    title, name = view.runtime.title, visible(entry.name)
    yield Finding(
        rule("unsupported-protocol"),
        "high",
        f"{name} speaks MCP {fetched.protocol_version} only, and {title} speaks {mcp.newest or 'older ones'} at most: "
        f"it will have none of its tools (the answer to initialize: {fetched.refusal})",
        f"use a version of the server that answers initialize too, or a version of {title} that speaks "
        f"{fetched.protocol_version}",
        entry.place,
        provider=entry.name,
        retryable=False,
        details={"refused": "initialize", "offered": [fetched.protocol_version]},
    )


def _quarantined(entry: Entry, tool: NamedTool, flawed: FlawedTool) -> Finding:
    flaw = _worst(flawed.flaws)
    name, action = _RULES[flaw.kind]
    about = rule(name)
    assert about.severity is not None
    more = f" (and {plural(len(flawed.flaws) - 1, 'more flaw')})" if len(flawed.flaws) > 1 else ""
    return Finding(
        about,
        about.severity,
        f"{visible(tool.raw, 80)} of {visible(entry.name, 60)} is quarantined: {flaw.message}{more}",
        action,
        entry.place,
        provider=entry.name,
        tool=tool.raw,
        subject=flaw.pointer,
        retryable=False,
        settled=f"the tool is left out: {tool.excluded}" if tool.excluded else None,
        details={"schema_pointer": flaw.pointer},
    )


def _worst(flaws: tuple[Flaw, ...]) -> Flaw:
    order = ("parameters-lost", "unsupported-dialect", "invalid-schema")
    return min(flaws, key=lambda flaw: order.index(flaw.kind))


def _list_lost(view: View, entry: Entry, fetched: Fetched) -> Iterator[Finding]:
    enabled = sum(other.disabled is None for other in view.setup.entries)
    lost = view.runtime.loss(fetched.manifest, view.profile, enabled)
    sound = len(fetched.manifest.tools)
    if lost is None or (lost.cost == "server-lost" and not sound):
        return
    name, tool, title = visible(entry.name), visible(lost.tool, 80), view.runtime.title
    message = (
        f"{title} drops the whole list of {name} over {tool}: its {plural(sound, 'sound tool')} would be missing too, "
        f"without a word; {lost.why}"
        if lost.cost == "server-lost"
        else f"{title} does not start over {tool} of {name}: no model is asked, and the exit status is 0; {lost.why}"
    )
    yield Finding(
        rule("list-lost"),
        "high",
        message,
        "mend that tool in the server; leaving it out in this runtime's configuration comes too late",
        entry.place,
        provider=entry.name,
        subject=lost.tool,
        retryable=False,
        details={"cost": lost.cost},
    )
