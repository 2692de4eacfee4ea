"""CTD110 to CTD114: servers that are configured rightly and still not there when the model is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contractd.preflight.catalogue import rule
from contractd.preflight.model import Finding, Severity
from contractd.preflight.names import never_started
from contractd.preflight.rules.configuration import remedies
from contractd.preflight.view import View
from contractd.runtimes.base import Entry
from contractd.runtimes.conditions import shut
from contractd.text import listed, visible

_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]{3,60}\b")
# Words in capitals that stderr is full of and that name no variable of a user's.
_NOT_MEANT = frozenset({"ERROR", "WARN", "WARNING", "INFO", "DEBUG", "FATAL", "CRITICAL", "TRACE", "HTTP", "HTTPS"})


def check(view: View) -> Iterator[Finding]:
    """Gates, waits, and variables that stay behind."""
    up, started = _up_after(view), _started(view)
    yield from _too_slow_together(view)
    for entry in view.setup.entries:
        if entry.disabled is not None:
            continue
        yield from _gate(view, entry)
        if entry in started:
            yield from _fatal(view, entry)
            yield from _not_awaited(view, entry, up.get(entry.id))
            yield from _not_passed(view, entry)


def _started(view: View) -> list[Entry]:
    """The servers that the runtime starts, or may start: what came of contractd's own start says nothing of others."""
    conditions = view.table.conditions
    return [one for one in view.setup.entries if one.disabled is None and not never_started(one, conditions)]


def _gate(view: View, entry: Entry) -> Iterator[Finding]:
    gate = entry.gate
    holds = shut(gate, view.table.conditions) if gate else "no"
    if gate is None or holds == "no":
        return
    severity: Severity = "high" if holds == "yes" else "low"
    never = "may not be started"
    if holds == "yes":
        never = "is never started" if gate.certain else "is not started in this run"
    yield Finding(
        rule("gated-server"),
        severity,
        f"{visible(entry.name)} {never}{', and nothing is said' if gate.silent else ''}: {gate.why}",
        gate.settle,
        entry.place,
        confidence="high" if holds == "yes" else "low",
        provider=entry.name,
        retryable=False,
        remedies=remedies(*gate.fixes),
    )


def _fatal(view: View, entry: Entry) -> Iterator[Finding]:
    row = view.rows.get(entry.id)
    if row is None or row.status != "failed":
        return
    others = len(_started(view)) - 1
    what = view.runtime.fatal(entry, others, timed_out=row.timed_out)
    if what:
        yield Finding(
            rule("fatal-server"),
            "high",
            f"{visible(entry.name)} did not come up, and it takes more with it: {what}",
            "mend the server, or switch it off until it is mended",
            entry.place,
            provider=entry.name,
            retryable=row.failure.retryable if row.failure else None,
        )


def _too_slow_together(view: View) -> Iterator[Finding]:
    """Servers that come up one after the other, all of them within one time; one that never answers is told apart."""
    limit = view.runtime.budget_for_all
    if limit is None or any(row.timed_out for row in view.rows.values()):
        return
    needed = 0.0
    for entry in _started(view):
        row = view.rows.get(entry.id)
        before, needed = needed, needed + (row.seconds if row else 0.0)
        if row and before <= limit < needed:
            yield Finding(
                rule("fatal-server"),
                "high",
                f"{visible(entry.name)} would be up after {needed:.1f} s: {view.runtime.title} starts its servers one "
                f"after the other, and gives all of them together {limit:g} s; no model is asked, exit status 0",
                "make the servers before it start faster, or switch off what this session does not need",
                entry.place,
                confidence="medium",  # a start takes another time on another day
                provider=entry.name,
                retryable=True,
            )


def _not_awaited(view: View, entry: Entry, up: float | None) -> Iterator[Finding]:
    likely = view.table.conditions.likely
    waits = view.runtime.wait_before_first_request(entry, view.setup.settings, view.context, likely)
    row = view.rows.get(entry.id)
    if row is None or up is None or waits is None or up <= waits:
        return
    name, title = visible(entry.name), view.runtime.title
    waited = f"waits {waits:g} s" if waits else "does not wait"
    queued = ""
    if up > row.seconds + 0.05:
        some = view.runtime.starts_at_once(row.spec.transport, view.context)
        queued = f", and is up after {up:.1f} s, since {title} starts {some} such servers at a time"
    yield Finding(
        rule("not-awaited"),
        "low",
        f"{name} needed {row.seconds:.1f} s here{queued}; {title} {waited} for it before it asks the model, whose "
        "first turn may know none of its tools",
        "make the runtime wait for it"
        if view.runtime.awaits(entry)
        else "start with a turn that needs none of its tools",
        entry.place,
        confidence="medium",  # a start takes another time on another day
        provider=entry.name,
        retryable=True,
        remedies=remedies(view.runtime.awaits(entry)),
    )


def _up_after(view: View) -> dict[str, float]:
    """Seconds until each ready server is up: those of a kind that are started a few at a time wait for a place, which
    one that fails holds too."""
    places: dict[bool, list[float]] = {}
    up: dict[str, float] = {}
    for entry in _started(view):
        row = view.rows.get(entry.id)
        if row is None:
            continue
        transport = row.spec.transport
        limit = view.runtime.starts_at_once(transport, view.context) or len(view.rows)
        free = places.setdefault(transport == "stdio", [0.0] * limit)
        first = min(range(len(free)), key=free.__getitem__)
        free[first] += row.seconds
        if row.status == "ready":
            up[entry.id] = free[first]
    return up


def _not_passed(view: View, entry: Entry) -> Iterator[Finding]:
    """The runtime passes some variables on; the server failed and names one that is set here and stays behind."""
    row, spec = view.rows.get(entry.id), entry.spec
    if row is None or spec is None or row.status != "failed" or spec.inherit == "all":
        return
    named = dict.fromkeys(_VARIABLE.findall(row.evidence.stderr))
    missing = [
        name
        for name in named
        if name in view.context.environ and name not in spec.env and name not in spec.inherit and name not in _NOT_MEANT
    ]
    if missing:
        yield Finding(
            rule("variable-not-passed"),
            "medium",
            f"{visible(entry.name)} failed and names {listed(missing)}: set here, but {view.runtime.title} does not "
            "pass such variables on to its servers",
            "name the variable in the server's entry",
            entry.place,
            confidence="medium",
            provider=entry.name,
            subject=" ".join(missing),
            retryable=False,
            remedies=remedies(view.runtime.pass_variables(entry, missing)),
        )
