"""CTD305, 307, 308, 309, 311, 312: what the model gets to see, and under which names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from contractd.documents import pointer_join
from contractd.errors import Place
from contractd.preflight.catalogue import rule
from contractd.preflight.likeness import nearest
from contractd.preflight.model import Finding, Severity
from contractd.preflight.names import NamedTool
from contractd.preflight.rules.configuration import remedies, unknown_provider, value_place
from contractd.preflight.view import View
from contractd.runtimes.base import Entry
from contractd.runtimes.reading import Role
from contractd.text import listed, plural, visible

# What the interfaces of model providers take: OpenAI chat completions ^[a-zA-Z0-9_-]{1,64}$; the others take more.
_EVERY_PROVIDER = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST_REMEDIES = 8


def check(view: View) -> Iterator[Finding]:
    """Unknown built-ins, then names one by one, then whole servers."""
    yield from _unknown(view)
    for tool in view.table.tools:
        yield from _accepted(view, tool)
    deferred: list[Entry] = []
    for entry in view.setup.entries:
        tools = view.table.of(entry)
        if tools:
            yield from _hidden(view, entry, tools)
            yield from _filters(view, entry, tools)
        if any(tool.visible == "deferred" for tool in tools):
            deferred.append(entry)
    if deferred:
        yield _deferred(view, deferred)
    yield from _declarations(view)


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


def _hidden(view: View, entry: Entry, tools: list[NamedTool]) -> Iterator[Finding]:
    """What the model never sees, and what it may not see: that never passes."""
    sound = [tool for tool in tools if tool.contract is not None and not tool.excluded and not tool.dropped]
    hidden = [tool for tool in sound if tool.visible == "no"]
    assumed = listed(_assumed_where_hidden(view))
    if hidden:
        yield Finding(
            rule("never-visible"),
            "medium",
            f"{view.runtime.title} never shows the model {plural(len(hidden), 'tool')} of {visible(entry.name)}"
            + (f" with {assumed}, which is assumed" if assumed else ""),
            "change the mode or the setting that hides them"
            + (", or say with --condition what it will be instead" if assumed else ""),
            entry.place,
            provider=entry.name,
            retryable=False,
            remedies=remedies(view.runtime.reveal(entry)),
        )
    # Where not even the built-ins are known, CTD307 leaves all of it open.
    doubtful = [tool for tool in sound if tool.visible == "unknown"] if view.table.builtins is not None else []
    if doubtful:
        yield _perhaps_hidden(view, entry, doubtful)


def _assumed_where_hidden(view: View) -> list[str]:
    """What is only assumed of the run, of all that hides tools in it."""
    rules = view.profile.mcp.visibility.rules if view.profile else []
    whens = [rule.when for rule in rules if rule.visible == "no" and isinstance(rule.when, list)]
    found = {
        f"{key}={view.table.conditions.defaults[key]}"
        for when in whens
        for alternative in when
        for key, values in alternative.items()
        if view.table.conditions.defaults.get(key) in values
    }
    return sorted(found)


def _perhaps_hidden(view: View, entry: Entry, tools: list[NamedTool]) -> Finding:
    title, seen, conditions = view.runtime.title, tools[0].seen, view.table.conditions
    said = [("never in ", seen.never), ("nobody knows for ", seen.unsaid)]
    told = [f"{words}{listed(_runs(runs, conditions.known), last='or')}" for words, runs in said if runs]
    hangs = {key for run in (*seen.never, *seen.unsaid) for key in run if key in conditions.open}
    values = [f"{key}={value}" for key in sorted(hangs) for value in conditions.open[key]]
    show = view.runtime.reveal(entry)
    say = f"say how it is run, with --condition {listed(values, last='or')}" if values else ""
    otherwise = "have them shown in every run" if show else f"see in {title} itself what the model is shown"
    return Finding(
        rule("never-visible"),
        "low",
        f"whether the model sees {plural(len(tools), 'tool')} of {visible(entry.name)} hangs on how {title} is run: "
        + ", ".join(told),
        f"{say}, or {otherwise}" if say else otherwise,
        entry.place,
        provider=entry.name,
        subject="perhaps",
        retryable=False,
        undetermined=True,
        remedies=remedies(show),
    )


def _runs(runs: Iterable[Mapping[str, str]], stated: Mapping[str, str]) -> list[str]:
    """What is not stated of these runs; all of it where everything is."""
    told = [{key: value for key, value in run.items() if key not in stated} or run for run in runs]
    return list(dict.fromkeys(" with ".join(f"{key}={value}" for key, value in run.items()) for run in told))


def _deferred(view: View, entries: list[Entry]) -> Finding:
    """One finding for all servers: it is the runtime's way, not a server's fault."""
    fixes = dict.fromkeys(fix for entry in entries for fix in remedies(view.runtime.reveal(entry)))
    return Finding(
        rule("deferred-tools"),
        "info",
        f"{view.runtime.title} keeps the tools of {listed([entry.name for entry in entries])} out of the model's list "
        "until it searches for them",
        "name the tools in the instructions, or have them shown at once",
        entries[0].place,
        provider=entries[0].name if len(entries) == 1 else None,
        retryable=False,
        remedies=tuple(fixes)[:_MOST_REMEDIES],
    )


def _filters(view: View, entry: Entry, tools: list[NamedTool]) -> Iterator[Finding]:
    """An allow list that names a tool the server doesn't have yields less than was meant, in silence."""
    names = [tool.raw for tool in tools]
    lists: tuple[tuple[Role, tuple[str, ...]], ...] = (("include", entry.include or ()), ("exclude", entry.exclude))
    for role, wanted in lists:
        for pattern in dict.fromkeys(wanted):
            if view.runtime.filter_matches(pattern, names):
                continue
            close = nearest(pattern, names)
            hint = f"; did you mean {visible(close, 80)}?" if close else f"; it offers {listed(names)}"
            kind = "includes only" if role == "include" else "leaves out"
            yield Finding(
                rule("filter-without-match"),
                "medium" if role == "include" else "low",
                f"the entry of {visible(entry.name)} {kind} {visible(pattern, 80)}, which is not offered{hint}",
                "correct the name in the list",
                _element(view, entry, role, pattern),
                provider=entry.name,
                tool=pattern,
                subject=role,
                retryable=False,
            )


def _declarations(view: View) -> Iterator[Finding]:
    """A declaration that names no tool settles nothing, in silence."""
    for reference in view.policy.policy.tools:
        provider, _, tool = reference.partition(".")
        entry = view.entry(provider)
        if entry is None:
            hint = f"no server of this name is configured{unknown_provider(view, provider)}"
        else:
            row = view.rows.get(entry.id)
            if row is None or row.fetched is None:
                continue  # what it offers is not known this time
            names = [known.raw for known in view.table.of(entry)]
            if tool in names:
                continue
            close = nearest(tool, names)
            nearby = f"did you mean {visible(close, 80)}?" if close else f"it offers {listed(names)}"
            hint = f"it is not offered; {nearby}"
        yield Finding(
            rule("declaration-without-match"),
            "low",
            f"contractd.toml declares something of {visible(reference, 200)}: {hint}",
            "correct the name, or take it out: it has no effect",
            view.policy.place("tools", reference) or view.file,
            provider=entry.name if entry else None,
            tool=tool,
            subject=reference,
            retryable=False,
        )


def _element(view: View, entry: Entry, role: Role, text: str) -> Place:
    """Where a text stands in one of an entry's lists."""
    place = value_place(view, entry, role)
    written = entry.source.document.get(place.pointer or "")
    if isinstance(written, list) and text in written:
        return entry.source.document.place(pointer_join(place.pointer or "", written.index(text)))
    return place
