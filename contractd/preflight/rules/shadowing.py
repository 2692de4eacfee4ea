"""CTD301 and 306: a tool of a server under a built-in's name.

Where a call of each name lands is what a reader needs to know, so every message says it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from contractd.preflight.catalogue import rule
from contractd.preflight.model import Finding, Remedy, Severity
from contractd.preflight.names import Builtin, NamedTool
from contractd.preflight.rules.configuration import remedies
from contractd.preflight.severity import Effect, effect_of, equal_names, shadowing
from contractd.preflight.view import View
from contractd.runtimes.base import Fix
from contractd.text import visible


def check(view: View) -> Iterator[Finding]:
    """Equal runtime names, then names that are only read as one."""
    shadows: list[Shadow] = []
    for tool in view.table.tools:
        if tool.contract is None:
            continue
        equal = view.table.builtin_named(tool.name)
        if equal is not None:
            yield _builtin_collision(view, tool, equal)
            continue
        shadows += _shadows(view, tool)
    # One list of built-ins to take away: lines pasted for one finding must not undo those for another.
    taken = [one.builtin.tool.name for one in shadows if one.settled is None and one.severity != "low"]
    for one in shadows:
        yield _shadowing(view, one, list(dict.fromkeys(taken)))


@dataclass(frozen=True)
class Shadow:
    """A tool and the built-in that its own name means. ``called``: that name, as the server or the user's settings give
    it; ``exact``: a call of it lands in the built-in."""

    tool: NamedTool
    called: str
    builtin: Builtin
    exact: bool
    effect: Effect
    severity: Severity
    why: str
    settled: str | None


def _shadows(view: View, tool: NamedTool) -> list[Shadow]:
    """Of a tool that is renamed: by the name it has now, and settled, by the one it had."""
    names = dict.fromkeys((tool.own, tool.raw))
    meant = {name: view.table.namesakes(name, tool.name)[:1] for name in names}
    found = [_shadow(view, tool, name, builtin) for name, builtins in meant.items() for builtin in builtins]
    return found[:1] if len({one.builtin.name for one in found}) == 1 else found


def _shadow(view: View, tool: NamedTool, called: str, builtin: Builtin) -> Shadow:
    assert tool.contract is not None
    declared = view.tool_policy(tool.entry, tool.raw)
    effect = effect_of(view.cautious(tool.entry, tool.contract), declared, builtin.tool)
    exact = _answers(view, tool, called, builtin)
    severity, why = shadowing(
        tool=tool.contract,
        effect=effect,
        builtin=builtin.tool,
        answers=exact,
        reached=tool.name == called,
        switched_on=builtin.presence != "off" or builtin.removed_by is not None,
    )
    settled = _settled(tool, builtin, overrides=bool(declared and declared.overrides_builtin))
    if settled is None and called != tool.own:
        settled = f"the server's tool is renamed to {visible(tool.own, 80)}"
    return Shadow(tool, called, builtin, exact, effect, severity, why, settled)


def _shadowing(view: View, one: Shadow, taken: list[str]) -> Finding:
    tool, builtin = one.tool, one.builtin
    raw, name, server = visible(one.called, 80), visible(builtin.name, 80), visible(tool.entry.name, 60)
    own = f"{name} is {view.runtime.title}'s own tool{_kinship(one.called, builtin)}"
    lands = _lands(view, one)
    low = one.severity == "low"
    away = remedies(view.runtime.disable_builtins([builtin.tool.name] if low else taken)) if not one.settled else ()
    shown = remedies(view.runtime.reveal(tool.entry)) if tool.visible == "deferred" else ()
    first = "nothing has to be done; where the server's own is meant, " if low else ""
    first = "take the built-in away, and " if away and not low else first
    return Finding(
        rule("builtin-shadowing"),
        one.severity,
        f"{raw} of {server}: {own}. {lands} {_how_reached(tool)}; {one.why}",
        f"{first}name the tool in instructions as {visible(tool.name or tool.raw, 80)}",
        tool.entry.place,
        confidence={"on": "high", "maybe": "medium", "off": "low"}[builtin.presence],  # type: ignore[arg-type]
        provider=tool.entry.name,
        tool=tool.raw,
        subject=builtin.name,
        retryable=False,
        settled=one.settled,
        remedies=away + shown,
        details={
            "builtin": builtin.name,
            "effect": one.effect,
            "builtin_presence": builtin.presence,
            "exact": one.exact,
            "lands": _short(tool, builtin, exact=one.exact),
        },
    )


def _kinship(called: str, builtin: Builtin) -> str:
    """How the two names belong together, where they are not one."""
    raw = visible(called, 80)
    if builtin.tool.namespace:
        return f", which has {raw} in a namespace of its own"
    if called in builtin.tool.answers_to:
        return f", and answers to {raw} too"
    return "" if called == builtin.tool.name else f", and {raw} reads as the same"


def _answers(view: View, tool: NamedTool, called: str, builtin: Builtin) -> bool:
    """Whether a call of the tool's own name lands in the built-in."""
    if builtin.tool.namespace is not None:
        return False
    if called == builtin.tool.name or called in builtin.tool.answers_to:
        return tool.name != called or called == builtin.tool.name
    # OpenCode tries a name that nobody bears once more in lower case.
    lowered = view.profile is not None and view.profile.mcp.clash.folding == "lower-case"
    return lowered and builtin.tool.name == called.lower()


def _short(tool: NamedTool, builtin: Builtin, *, exact: bool) -> str:
    name = visible(builtin.name, 60)
    return f"its bare name goes to the built-in {name}" if exact else f"reads as the built-in {name}"


def _lands(view: View, one: Shadow) -> str:
    builtin = one.builtin
    raw, name = visible(one.called, 80), visible(builtin.name, 80)
    if builtin.removed_by and one.exact:
        return f"With the built-in taken away by {builtin.removed_by}, a call of {raw} is refused."
    if one.exact:
        doubt = {"on": "", "maybe": " (where it is present)", "off": " (once it is switched on)"}[builtin.presence]
        return f"A call of {raw} lands in the built-in{doubt}."
    # No built-in has exactly this name, or a call of it would land there.
    bare = view.profile.mcp.clash.bare_name_without_builtin if view.profile else "undetermined"
    taker = "lands nobody knows where" if bare == "undetermined" else "is refused with an error"
    if one.tool.name == one.called or bare == "mcp":
        taker = "reaches the server"
    gone = f"is refused: {builtin.removed_by} takes the built-in away"
    theirs = gone if builtin.removed_by else "lands in the built-in"
    return f"A call of {raw} {taker}, one of {name} {theirs}."


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
        where = f" ({builtin.removed})" if builtin.removed else ""
        return f"the built-in is taken away by {builtin.removed_by}{where}"
    if tool.excluded:
        return f"the server's tool is left out: {tool.excluded}"
    return "contractd's policy says overrides_builtin" if overrides else None


def _builtin_collision(view: View, tool: NamedTool, builtin: Builtin) -> Finding:
    assert tool.contract is not None and view.profile is not None
    declared = view.tool_policy(tool.entry, tool.raw)
    effect = effect_of(view.cautious(tool.entry, tool.contract), declared, builtin.tool)
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
        _apart(view, tool),
        tool.entry.place,
        confidence={"on": "high", "maybe": "medium", "off": "low"}[builtin.presence],  # type: ignore[arg-type]
        provider=tool.entry.name,
        tool=tool.raw,
        subject=builtin.name,
        retryable=False,
        settled=_settled(tool, builtin, overrides=bool(declared and declared.overrides_builtin)),
        remedies=remedies(view.runtime.rename(tool.entry, tool.raw))
        + _either(view.runtime.exclude(tool.entry, [tool.raw]), view.runtime.disable_builtins([builtin.tool.name])),
        details={"builtin": builtin.name, "wins": winner},
    )


def _apart(view: View, tool: NamedTool) -> str:
    """What makes two names of one: renaming the server only where its name is part of the tool's."""
    part = view.profile.mcp.server_part(len(view.table.servers)) if view.profile else None
    if part == "key":
        return "rename the server or leave the tool out"
    return "rename the tool or leave it out" if view.runtime.rename(tool.entry, tool.raw) else "leave the tool out"


def _either(leave_out: Fix | None, take_away: Fix | None) -> tuple[Remedy, ...]:
    """Lines that take one of the two away; the same lines for both would take both."""
    return () if leave_out == take_away else remedies(leave_out, take_away)
