"""CTD304, 305, 307, 308, 309, 311: what the model gets to see, and under which names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from contractd.preflight.catalogue import rule
from contractd.preflight.likeness import folded, nearest, one_edit_apart, skeleton
from contractd.preflight.model import Finding, Severity
from contractd.preflight.names import NamedTool
from contractd.preflight.rules.configuration import remedies
from contractd.preflight.severity import same_parameter
from contractd.preflight.view import View
from contractd.runtimes.base import Entry
from contractd.text import listed, plural, visible

# What the interfaces of model providers take: OpenAI chat completions ^[a-zA-Z0-9_-]{1,64}$; the others take more.
_EVERY_PROVIDER = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORTEST_LOOK_ALIKE = 5
_MOST_LOOK_ALIKES = 50


def check(view: View) -> Iterator[Finding]:
    """Unknown built-ins, then names one by one, then whole servers."""
    yield from _unknown(view)
    for tool in view.table.tools:
        yield from _accepted(view, tool)
    yield from _look_alikes(view)
    deferred: list[Entry] = []
    for entry in view.setup.entries:
        tools = [tool for tool in view.table.tools if tool.entry is entry]
        if tools:
            yield from _hidden(view, entry, tools)
            yield from _filters(view, entry, tools)
        if any(tool.visible == "deferred" for tool in tools):
            deferred.append(entry)
    if deferred:
        yield _deferred(view, deferred)


def _unknown(view: View) -> Iterator[Finding]:
    if view.runtime.name == "contractd" or view.table.builtins is not None:
        return
    if not any(entry.disabled is None for entry in view.setup.entries):
        return
    yield Finding(
        rule("builtins-unknown"),
        "info",
        f"the tools that {view.runtime.title} brings of its own are not known, so clashes with them can't be seen",
        f"look for equal names yourself; --allow-undetermined {rule('builtins-unknown').id} accepts the doubt",
        view.file,
        retryable=False,
        undetermined=True,
    )


def _accepted(view: View, tool: NamedTool) -> Iterator[Finding]:
    raw, server = visible(tool.raw, 130), visible(tool.entry.name, 60)
    if tool.excluded:
        return
    if tool.dropped:
        message = f"{raw} of {server} is dropped by {view.runtime.title}: {tool.dropped}"
        severity: Severity = "medium"
        action = "give the server or the tool a shorter or plainer name"
    elif tool.name is not None and not _provider_takes(view, tool.name):
        length = f"{len(tool.name)} characters" if len(tool.name) > 64 else "characters other than A-Z a-z 0-9 _ -"
        message = (
            f"{raw} of {server} becomes {visible(tool.name, 140)}: {length}, which some providers of models refuse, "
            "and with it the whole list of tools"
        )
        severity, action = "medium", "leave the tool out, or shorten the server's name"
    else:
        return
    yield Finding(
        rule("name-not-accepted"),
        severity,
        message,
        action,
        tool.entry.place,
        confidence="high" if tool.dropped else "medium",
        provider=tool.entry.name,
        tool=tool.raw,
        retryable=False,
        remedies=remedies(view.runtime.exclude(tool.entry, [tool.raw])),
    )


def _provider_takes(view: View, name: str) -> bool:
    pattern = view.runtime.provider_pattern or _EVERY_PROVIDER
    return all(pattern.fullmatch(part) for part in name.split("::"))


def _look_alikes(view: View) -> Iterator[Finding]:
    """Names that a reader takes for one another: across servers, and against built-ins."""
    tools = [tool for tool in view.table.tools if tool.contract is not None and not tool.excluded]
    found = 0
    for one, other in combinations(tools, 2):
        if one.entry is other.entry or one.raw == other.raw or found >= _MOST_LOOK_ALIKES:
            continue
        kind = _likeness(one.raw, other.raw)
        if kind == "letters" or (kind == "edit" and _alike(one, other)):
            found += 1
            yield _look_alike(other, f"{visible(one.raw, 80)} of {visible(one.entry.name, 60)}", one.raw, kind)
    for tool in tools:
        for builtin in view.table.builtins or ():
            kind = _likeness(builtin.tool.name, tool.raw)
            parameters = set(map(folded, builtin.tool.parameters or {}))
            mine = {folded(name) for name in tool.contract.parameters} if tool.contract else set()
            if kind == "letters" or (kind == "edit" and parameters & mine and found < _MOST_LOOK_ALIKES):
                found += 1
                yield _look_alike(tool, f"the built-in {visible(builtin.name, 80)}", builtin.name, kind)


def _likeness(one: str, other: str) -> str | None:
    if folded(one) == folded(other):
        return None  # other rules' business
    if skeleton(one) == skeleton(other):
        return "letters"
    long_enough = min(len(one), len(other)) >= _SHORTEST_LOOK_ALIKE
    return "edit" if long_enough and one_edit_apart(folded(one), folded(other)) else None


def _alike(one: NamedTool, other: NamedTool) -> bool:
    """The same job, as far as parameters tell: each required one of the first has a counterpart in the second."""
    assert one.contract is not None and other.contract is not None
    theirs = [folded(name) for name in other.contract.parameters]
    mine = [folded(name) for name in one.contract.parameters]
    return bool(mine or not theirs) and all(
        any(same_parameter(folded(name), known) for known in theirs) for name in one.contract.required
    )


def _look_alike(tool: NamedTool, other: str, subject: str, kind: str | None) -> Finding:
    letters = kind == "letters"
    how = "letters that look the same but are not" if letters else "one character"
    return Finding(
        rule("look-alike-name"),
        "medium" if letters else "low",
        f"{visible(tool.raw, 80)} of {visible(tool.entry.name, 60)} differs from {other} by {how}",
        "make sure which of the two is meant: such names are also how one tool poses as another"
        if letters
        else "say in instructions which of the two is meant",
        tool.entry.place,
        confidence="high" if letters else "medium",
        provider=tool.entry.name,
        tool=tool.raw,
        subject=subject,
        retryable=False,
    )


def _hidden(view: View, entry: Entry, tools: list[NamedTool]) -> Iterator[Finding]:
    sound = [tool for tool in tools if tool.contract is not None and not tool.excluded and not tool.dropped]
    hidden = [tool for tool in sound if tool.visible == "no"]
    if hidden:
        yield Finding(
            rule("never-visible"),
            "medium",
            f"{view.runtime.title} never shows the model {plural(len(hidden), 'tool')} of {visible(entry.name)}",
            "change the mode or the setting that hides them",
            entry.place,
            provider=entry.name,
            retryable=False,
            remedies=remedies(view.runtime.reveal(entry)),
        )


def _deferred(view: View, entries: list[Entry]) -> Finding:
    """One finding for all servers: it is the runtime's way, not a server's fault."""
    return Finding(
        rule("deferred-tools"),
        "info",
        f"{view.runtime.title} keeps the tools of {listed([entry.name for entry in entries])} out of the model's list "
        "until it searches for them",
        "name the tools in the instructions, or have them shown at once",
        entries[0].place,
        provider=entries[0].name if len(entries) == 1 else None,
        retryable=False,
        remedies=remedies(view.runtime.reveal(entries[0])),
    )


def _filters(view: View, entry: Entry, tools: list[NamedTool]) -> Iterator[Finding]:
    """An allow list that names a tool the server doesn't have yields less than was meant, in silence."""
    names = [tool.raw for tool in tools]
    for wanted, included in ((entry.include or (), True), (entry.exclude, False)):
        for pattern in wanted:
            if view.runtime.filter_matches(pattern, names):
                continue
            close = nearest(pattern, names)
            hint = f"; did you mean {visible(close, 80)}?" if close else f"; it offers {listed(names)}"
            kind = "includes only" if included else "leaves out"
            yield Finding(
                rule("filter-without-match"),
                "medium" if included else "low",
                f"the entry of {visible(entry.name)} {kind} {visible(pattern, 80)}, which is not offered{hint}",
                "correct the name in the list",
                entry.place,
                provider=entry.name,
                tool=pattern,
                subject="include" if included else "exclude",
                retryable=False,
            )
