"""CTD301, 302, 303, 306, 310: one name, two tools. The three kinds of docs/rules.md, told over all servers at once.

Where a call of each name lands is what a reader needs to know, so every message says it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from contractd.preflight.catalogue import rule
from contractd.preflight.likeness import folded
from contractd.preflight.model import Finding, Remedy
from contractd.preflight.names import Builtin, NamedTool
from contractd.preflight.rules.configuration import remedies
from contractd.preflight.severity import effect_of, equal_names, shadowing
from contractd.preflight.view import View
from contractd.text import listed, visible


def check(view: View) -> Iterator[Finding]:
    """Built-in × MCP first, then MCP × MCP."""
    builtins = view.table.builtins or ()
    for tool in view.table.tools:
        if tool.contract is None:
            continue
        equal = next((builtin for builtin in builtins if _meets(tool, builtin)), None)
        if equal is not None:
            yield _builtin_collision(view, tool, equal)
            continue
        for builtin in _namesakes(tool, builtins):
            yield _shadowing(view, tool, builtin)
    yield from _between_servers(view)
    yield from _ambiguous(view)


# ---- built-in × MCP


def _meets(tool: NamedTool, builtin: Builtin) -> bool:
    """Equal runtime names."""
    return tool.name is not None and tool.name == builtin.name


def _namesakes(tool: NamedTool, builtins: tuple[Builtin, ...]) -> list[Builtin]:
    """The built-in of exactly this name, else the ones that fold to it."""
    exact = [builtin for builtin in builtins if builtin.tool.name == tool.raw]
    if exact:
        return exact
    wanted = folded(tool.raw)
    return [builtin for builtin in builtins if folded(builtin.tool.name) == wanted][:1]


def _shadowing(view: View, tool: NamedTool, builtin: Builtin) -> Finding:
    assert tool.contract is not None
    declared = view.tool_policy(tool.entry, tool.raw)
    effect = effect_of(tool.contract, declared, builtin.tool)
    exact = builtin.tool.name == tool.raw and builtin.tool.namespace is None
    severity, why = shadowing(
        tool=tool.contract,
        effect=effect,
        builtin=builtin.tool,
        answers=exact,
        switched_on=builtin.presence != "off" or builtin.removed_by is not None,
    )
    raw, name, server = visible(tool.raw, 80), visible(builtin.name, 80), visible(tool.entry.name, 60)
    alike = (
        f", which has {raw} in a namespace of its own" if builtin.tool.namespace else f", and {raw} reads as the same"
    )
    own = f"{name} is {view.runtime.title}'s own tool" + ("" if exact else alike)
    there = _how_reached(tool)
    message = f"{raw} of {server}: {own}. {_lands(view, tool, builtin, exact=exact)} {there}; {why}"
    fixes: list[Remedy] = list(remedies(view.runtime.disable_builtins([builtin.tool.name])))
    if tool.visible == "deferred":
        fixes += remedies(view.runtime.reveal(tool.entry))
    settled = _settled(tool, builtin, overrides=bool(declared and declared.overrides_builtin))
    return Finding(
        rule("builtin-shadowing"),
        severity,
        message,
        f"{'take the built-in away, and ' if fixes else ''}name the tool in instructions as "
        f"{visible(tool.name or tool.raw, 80)}",
        tool.entry.place,
        confidence={"on": "high", "maybe": "medium", "off": "low"}[builtin.presence],  # type: ignore[arg-type]
        provider=tool.entry.name,
        tool=tool.raw,
        subject=builtin.name,
        retryable=False,
        settled=settled,
        remedies=tuple(fixes),
        details={
            "builtin": builtin.name,
            "effect": effect,
            "builtin_presence": builtin.presence,
            "exact": exact,
            "lands": _short(tool, builtin, exact=exact),
        },
    )


def _short(tool: NamedTool, builtin: Builtin, *, exact: bool) -> str:
    name = visible(builtin.name, 60)
    return f"its bare name is the built-in {name}" if exact else f"reads as the built-in {name}"


def _lands(view: View, tool: NamedTool, builtin: Builtin, *, exact: bool) -> str:
    raw, name = visible(tool.raw, 80), visible(builtin.name, 80)
    if builtin.removed_by and exact:
        return f"With the built-in taken away by {builtin.removed_by}, a call of {raw} is refused."
    if exact:
        doubt = {"on": "", "maybe": " (where it is present)", "off": " (once it is switched on)"}[builtin.presence]
        return f"A call of {raw} lands in the built-in{doubt}."
    if view.profile is not None and view.profile.mcp.clash.bare_name == "mcp":
        return f"A call of {raw} reaches the server, one of {name} the built-in."
    return f"A call of {raw} is refused with an error, one of {name} lands in the built-in."


def _how_reached(tool: NamedTool) -> str:
    if tool.excluded or tool.dropped:
        return "The server's tool is out of the model's reach"
    if tool.name is None:
        return "Under which name the model sees the server's tool is not known"
    hidden = ", which the model finds only by searching" if tool.visible == "deferred" else ""
    hidden = ", which the model never sees" if tool.visible == "no" else hidden
    return f"The server is reached as {visible(tool.name, 130)} only{hidden}"


def _settled(tool: NamedTool, builtin: Builtin, *, overrides: bool) -> str | None:
    if builtin.removed_by:
        return f"the built-in is taken away by {builtin.removed_by}"
    if tool.excluded:
        return f"the server's tool is left out: {tool.excluded}"
    return "contractd's policy says overrides_builtin" if overrides else None


def _builtin_collision(view: View, tool: NamedTool, builtin: Builtin) -> Finding:
    assert tool.contract is not None and view.profile is not None
    declared = view.tool_policy(tool.entry, tool.raw)
    effect = effect_of(tool.contract, declared, builtin.tool)
    winner = view.profile.mcp.clash.builtin
    if winner == "mcp-wins" and builtin.tool.effect != "read":
        effect = "write"  # what the built-in should have written goes to a stranger
    who = {
        "mcp-wins": f"the server's tool replaces the built-in without a word: a call of {visible(builtin.name, 80)} "
        "goes to the server",
        "builtin-wins": "the built-in keeps the name, and the server's tool can't be called",
        "start-aborts": f"{view.runtime.title} refuses to start: no model is asked, and the exit code is 0",
        "apart": "the server's tool vanishes, and a call of the name goes to the built-in",
        "first-wins-race": "whoever is there first keeps the name, so it changes from run to run",
        "undetermined": "who gets the call is not known",
    }[winner]
    raw, server = visible(tool.raw, 80), visible(tool.entry.name, 60)
    return Finding(
        rule("builtin-collision"),
        equal_names(effect, aborts=winner == "start-aborts", switched_on=builtin.presence != "off"),
        f"{raw} of {server} becomes {visible(builtin.name, 130)}, which is {view.runtime.title}'s own tool: {who}",
        "rename the server or leave the tool out",
        tool.entry.place,
        confidence={"on": "high", "maybe": "medium", "off": "low"}[builtin.presence],  # type: ignore[arg-type]
        provider=tool.entry.name,
        tool=tool.raw,
        subject=builtin.name,
        retryable=False,
        settled=_settled(tool, builtin, overrides=bool(declared and declared.overrides_builtin)),
        remedies=remedies(
            view.runtime.exclude(tool.entry, [tool.raw]), view.runtime.disable_builtins([builtin.tool.name])
        ),
        details={"builtin": builtin.name, "wins": winner},
    )


# ---- MCP × MCP


def _between_servers(view: View) -> Iterator[Finding]:
    """Every set of tools with one runtime name."""
    by_name: dict[str, list[NamedTool]] = defaultdict(list)
    for tool in view.table.tools:
        if tool.name is not None and tool.contract is not None:
            by_name[tool.name].append(tool)
    for name, tools in by_name.items():
        present = [tool for tool in tools if not tool.excluded]
        if len(tools) > 1:
            settled = None if len(present) > 1 else "all but one are left out of the model's list"
            yield _equal(view, name, tools, settled)
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
        effect_of(tool.contract, view.tool_policy(tool.entry, tool.raw)) for tool in tools if tool.contract is not None
    ]
    one_server = len({tool.entry.id for tool in tools}) == 1
    who = [f"{visible(tool.raw, 60)} of {visible(tool.entry.name, 60)}" for tool in tools]
    return Finding(
        rule("provider-collision" if same_raw else "collision-after-naming"),
        equal_names("write" if "write" in effects else "read", aborts=False),
        f"{listed(who)} are both {visible(name, 130)} to the model: {_winner(view, one_server=one_server)}",
        "rename one of the tools" if one_server else "rename one of the servers",
        tools[-1].entry.place,
        provider=tools[-1].entry.name,
        tool=tools[-1].raw,
        subject=name,
        retryable=False,
        settled=settled,
        remedies=remedies(view.runtime.exclude(tools[-1].entry, [tools[-1].raw])),
        details={"runtime_name": name, "tools": [f"{tool.entry.id}.{tool.raw}" for tool in tools]},
    )


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
        "apart": "the runtime keeps them apart",
    }.get(rule_of_clash, "which one answers is not known")


def _ambiguous(view: View) -> Iterator[Finding]:
    """One raw name in several servers, told apart by their runtime names: only a prompt's bare name is in doubt."""
    by_raw: dict[str, list[NamedTool]] = defaultdict(list)
    for tool in view.table.tools:
        if tool.contract is not None and not tool.excluded:
            by_raw[tool.raw].append(tool)
    for raw, tools in by_raw.items():
        if len({tool.entry.id for tool in tools}) < 2 or len({tool.name for tool in tools}) < len(tools):
            continue
        yield Finding(
            rule("ambiguous-bare-name"),
            "info",
            f"{visible(raw, 80)} is offered by {listed([tool.entry.name for tool in tools])}: an instruction that says "
            "only this name leaves the choice to the model",
            "name the tool in instructions as the model sees it: "
            + listed([tool.name or raw for tool in tools], last="or"),
            tools[-1].entry.place,
            provider=tools[-1].entry.name,
            tool=raw,
            retryable=False,
        )
