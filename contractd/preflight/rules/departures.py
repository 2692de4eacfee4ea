"""CTD406 and CTD407: answers that are not as MCP's schema says, and what this runtime's client makes of them.

contractd reads them all the same. Whether the runtime does is data (``manifests/builtin/clients.json``); where nobody
has tried it, nothing passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contractd.contracts.deviations import Deviation
from contractd.preflight.catalogue import rule
from contractd.preflight.model import Finding
from contractd.preflight.view import View
from contractd.providers.base import Fetched
from contractd.runtimes.base import Entry
from contractd.runtimes.clients import judged
from contractd.text import visible

_MEND = "mend the server's answers; an optional member without a value must be left out"
_MOST_SHOWN = 3


def departed(view: View, entry: Entry, fetched: Fetched) -> Iterator[Finding]:
    """One finding at most: the worst that this runtime makes of a server's deviations."""
    noticed = fetched.departures
    if not noticed:
        return
    title, name = view.runtime.title, visible(entry.name)
    if view.profile is None:
        yield _read(entry, noticed, f"{title} reads it; clients of other make may not")
        return
    enabled = sum(other.disabled is None for other in view.setup.entries)
    told = judged(noticed, view.profile.mcp, enabled)
    if told.refused:
        lost = (
            f"{title} does not start: no model is asked, and the exit status is 0"
            if told.aborts
            else f"{title} will have no tool of {name}"
        )
        yield _finding(
            entry,
            "list-lost",
            told.refused,
            f"{lost}; {told.library or 'its client'} refuses answers of {name} that are not as MCP's schema says: "
            f"{_texts(told.refused)}",
            cost="start-aborts" if told.aborts else "server-lost",
        )
    elif told.unknown:
        yield _finding(
            entry,
            "off-schema",
            told.unknown,
            f"answers of {name} are not as MCP's schema says, and whether {title} takes them is not known (many "
            f"clients drop a server over it): {_texts(told.unknown)}",
        )
    else:
        yield _read(entry, told.taken, f"{title} takes it; clients of other make may not")


def _finding(entry: Entry, name: str, found: Sequence[Deviation], message: str, *, cost: str | None = None) -> Finding:
    lost = cost is not None
    return Finding(
        rule(name),
        "high" if lost else "medium",
        message,
        _MEND,
        entry.place,
        provider=entry.name,
        subject=found[0].place,
        retryable=False,
        undetermined=not lost,
        details={"cost": cost, "deviations": [one.key for one in found]},
    )


def _read(entry: Entry, found: Sequence[Deviation], who: str) -> Finding:
    return Finding(
        rule("off-schema"),
        "low",
        f"answers of {visible(entry.name)} are not as MCP's schema says: {_texts(found)}; {who}",
        _MEND,
        entry.place,
        provider=entry.name,
        subject=found[0].place,
        retryable=False,
        details={"deviations": [one.key for one in found]},
    )


def _texts(found: Sequence[Deviation]) -> str:
    said = [one.text + (f" (in {visible(one.tool, 80)})" if one.tool else "") for one in found[:_MOST_SHOWN]]
    more = len(found) - _MOST_SHOWN
    return "; ".join(said) + (f"; and {more} more" if more > 0 else "")
