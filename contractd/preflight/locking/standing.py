"""Offline, a server is not asked: what was accepted of it stands in for what it would list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from contractd.preflight.locking.taken import Home, as_listed, launch, not_for, source
from contractd.preflight.prepare import Prepared
from contractd.preflight.view import View
from contractd.text import visible
from contractd.wire import Era

if TYPE_CHECKING:
    from contractd.registry import Row


@dataclass(frozen=True)
class Standing:
    """Rows made of the lock, and why the other servers that were not contacted have none; both by provider id."""

    rows: Mapping[str, Row] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> frozenset[str]:
        """The providers that are judged by the lock."""
        return frozenset(self.rows)


def stand_ins(prepared: Prepared, eras: tuple[Era, ...]) -> Standing:
    """Only with ``--offline``: a server that nobody agreed to start is not made sound by a lock. ``eras``: those that
    the runtime speaks."""
    request, lock, skipped = prepared.request, prepared.lock, prepared.skipped
    if lock is None or not request.offline:
        return Standing(skipped=skipped)
    home = Home(lock.folder, request.home, request.environ)
    rows: dict[str, Row] = {}
    left: dict[str, str] = {}
    for entry in prepared.gathered.setup.entries:
        if entry.id not in skipped or entry.spec is None:
            continue
        spec = replace(entry.spec, eras=eras)
        locked = lock.lock.providers.get(entry.id)
        why = not_for(locked, spec, home)
        if locked is None or why is not None:
            left[entry.id] = f"{skipped[entry.id]}, and {why}"
        else:
            rows[entry.id] = as_listed(locked, spec)
    return Standing(rows, {**skipped, **left})


def started_otherwise(view: View) -> tuple[str, ...]:
    """What is to be said of servers that are not started or reached as they were when they were locked."""
    if view.lock is None:
        return ()
    home = Home(view.lock.folder, view.request.home, view.request.environ)
    said = []
    for entry in view.setup.entries:
        locked = view.lock.lock.providers.get(entry.id)
        if locked is None or entry.spec is None or entry.id not in view.rows or entry.id in view.locked:
            continue
        name, now = visible(entry.name, 80), source(entry.spec, home)
        if locked.source != now:
            said.append(f"{name} was locked from another command or address: {visible(locked.source, 200)}")
        elif locked.launch != launch(entry.spec, home):
            said.append(f"{name} was locked with other arguments, variables, headers or in another folder")
    return tuple(said)
