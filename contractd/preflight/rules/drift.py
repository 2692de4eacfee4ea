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
    from contractd.preflight.locking.compare import differences, left_over, not_locked  # noqa: PLC0415

    shown = view.lock.shown
    for entry in view.setup.entries:
        row = view.rows.get(entry.id)
        if row is None or row.fetched is None or entry.id in view.locked:
            continue
        manifest, locked = row.fetched.manifest, view.lock.lock.providers.get(entry.id)
        if locked is not None:
            yield from differences(locked, manifest, entry.name, entry.place, shown, view.uses)
        elif manifest.tools:
            names = [tool.name for tool in manifest.tools]
            yield not_locked(entry.id, entry.name, names, entry.place, shown, whole=True)
    yield from left_over(view.lock, frozenset(entry.id for entry in view.setup.entries))
