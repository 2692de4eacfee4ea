"""CTD302, 303, 310: one name, tools of several servers. Told over all servers at once.

Where a call of each name lands is what a reader needs to know, so every message says it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from contractd.preflight.catalogue import rule
from contractd.preflight.model import Finding, Remedy
from contractd.preflight.names import NamedTool
from contractd.preflight.rules.configuration import remedies
from contractd.preflight.severity import effect_of, equal_names
from contractd.preflight.view import View
from contractd.text import listed, visible


def check(view: View) -> Iterator[Finding]:
    """Equal runtime names, names listed twice, names that a prompt can't tell apart."""
    yield from _between_servers(view)
    yield from _listed_twice(view)
    yield from _ambiguous(view)


def _between_servers(view: View) -> Iterator[Finding]:
    """Every set of tools with one runtime name."""
    by_name: dict[str, list[NamedTool]] = defaultdict(list)
    for tool in view.table.tools:
        if tool.name is not None and tool.contract is not None:
            by_name[tool.name].append(tool)
    for name, tools in by_name.items():
        present = [tool for tool in tools if not tool.excluded]
        if len(present) > 1:
            yield _equal(view, name, present, None)
        elif len(tools) > 1:
            left = "all but one" if present else "all of them"
            yield _equal(view, name, tools, f"{left} are left out of the model's list")


def _listed_twice(view: View) -> Iterator[Finding]:
    for entry in view.setup.entries:
        row = view.rows.get(entry.id)
        for twice in row.fetched.manifest.duplicates if row and row.fetched else ():
            yield Finding(
                rule("provider-collision"),
                "medium",
                f"{visible(entry.name)} lists {visible(twice, 80)} twice; which of the two definitions holds is up to "
                "the client",
                "mend the server: names must be unique within it",
                entry.place,
                provider=entry.name,
                tool=twice,
                subject="twice",
                retryable=False,
            )


def _equal(view: View, name: str, tools: list[NamedTool], settled: str | None) -> Finding:
    same_raw = len({tool.raw for tool in tools}) == 1
    effects = [
        effect_of(view.cautious(tool.entry, tool.contract), view.tool_policy(tool.entry, tool.raw))
        for tool in tools
        if tool.contract is not None
    ]
    one_server = len({tool.entry.id for tool in tools}) == 1
    who = [f"{visible(tool.raw, 60)} of {visible(tool.entry.name, 60)}" for tool in tools]
    together = "both" if len(tools) == 2 else "all"
    return Finding(
        rule("provider-collision" if same_raw else "collision-after-naming"),
        equal_names("write" if "write" in effects else "read", aborts=False),
        f"{listed(who)} are {together} {visible(name, 130)} to the model: {_winner(view, one_server=one_server)}",
        _action(view, tools, one_server=one_server),
        tools[-1].entry.place,
        provider=tools[-1].entry.name,
        tool=tools[-1].raw,
        subject=name,
        retryable=False,
        settled=settled,
        remedies=_leave_one_out(view, tools),
        details={"runtime_name": name, "tools": [f"{tool.entry.id}.{tool.raw}" for tool in tools]},
    )


def _leave_one_out(view: View, tools: list[NamedTool]) -> tuple[Remedy, ...]:
    """Lines that leave the last one out, unless the same lines leave another out too."""
    *others, last = (view.runtime.exclude(tool.entry, [tool.raw]) for tool in tools)
    return () if last in others else remedies(last)


def _action(view: View, tools: list[NamedTool], *, one_server: bool) -> str:
    """What makes two names of one. Renaming an entry does so only where its name is in the names of its tools."""
    out = ", or leave one of them out as below" if _leave_one_out(view, tools) else ""
    if one_server:
        return f"rename one of the tools{out}"
    part = view.profile.mcp.server_part(len(view.table.servers)) if view.profile else "key"
    if part == "key":
        return f"rename one of the servers{out}"
    if part is None:
        return f"switch one of the servers off for this session{out}"
    return f"give one of the servers another {part}{out}"


def _winner(view: View, *, one_server: bool) -> str:
    rule_of_clash = view.profile.mcp.clash.mcp if view.profile else "undetermined"
    if one_server:
        return "only one of them is left, without a word"
    return {
        "last-wins-race": "whoever connects last wins, so which one wins changes from run to run",
        "first-wins-race": "whoever connects first wins, so which one wins changes from run to run",
        "last-wins": "the one configured last is kept, the other dropped without a word",
        "first-wins": "the one configured first is kept, the other dropped without a word",
        "one-dropped": "one of them is dropped without a word",
    }.get(rule_of_clash, "which one answers is not known")


def _ambiguous(view: View) -> Iterator[Finding]:
    """One raw name in several servers, told apart by their runtime names: only a prompt's bare name is in doubt.

    One finding for each set of servers: two of one kind share all their names, for one reason.
    """
    by_raw: dict[str, list[NamedTool]] = defaultdict(list)
    for tool in view.table.tools:
        if tool.contract is not None and not tool.excluded:
            by_raw[tool.own].append(tool)
    by_servers: dict[tuple[str, ...], list[list[NamedTool]]] = defaultdict(list)
    for tools in by_raw.values():
        servers = tuple(dict.fromkeys(tool.entry.name for tool in tools))
        if len(servers) > 1 and len({tool.name for tool in tools}) == len(tools):
            by_servers[servers].append(tools)
    for servers, shared in by_servers.items():
        yield _shared(servers, shared)


def _shared(servers: tuple[str, ...], shared: list[list[NamedTool]]) -> Finding:
    raws, first = [tools[0].own for tools in shared], shared[0]
    one = len(raws) == 1
    return Finding(
        rule("ambiguous-bare-name"),
        "info",
        f"{listed(raws)} {'is' if one else 'are'} offered by {listed(servers)}: an instruction that says only "
        f"{'this name' if one else 'such a name'} leaves the choice to the model",
        "name the tool in instructions as the model sees it: "
        + listed([tool.name or tool.own for tool in first], last="or"),
        first[-1].entry.place,
        provider=first[-1].entry.name,
        tool=raws[0] if one else None,
        subject=" ".join(servers),
        retryable=False,
        details={"tools": [f"{tool.entry.id}.{tool.raw}" for tools in shared for tool in tools][:200]},
    )
