"""CTD41x: is what a server offers what was accepted of it. Only with a lock."""

from __future__ import annotations

from collections.abc import Iterator

from contractd.preflight.model import Finding
from contractd.preflight.view import View


def check(view: View) -> Iterator[Finding]:
    """What became of every locked tool, what is offered and not locked, and what is locked and not configured."""
    if view.lock is None:
        return
    # Comparing brings two validators, which a run without a lock has no use for.
    from contractd.preflight.locking.compare import Comparing, Offered  # noqa: PLC0415
    from contractd.preflight.locking.taken import unfit_tools  # noqa: PLC0415

    comparing = Comparing(view.lock, view.request, view.uses)
    for entry in view.setup.entries:
        row = view.rows.get(entry.id)
        if row is None or row.fetched is None or entry.id in view.locked:
            continue
        locked = view.lock.lock.providers.get(entry.id)
        offered = Offered(entry.name, entry.place, row.fetched.manifest, unfit_tools(row, view.request.environ))
        if locked is not None:
            yield from comparing.differences(locked, offered)
        elif offered.manifest.tools:
            yield comparing.not_locked(entry.id, offered)
    yield from comparing.left_over(frozenset(entry.id for entry in view.setup.entries))
