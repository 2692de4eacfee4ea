"""The only step that starts or contacts anything: the servers, and beside them the runtime's own program."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from contractd.clock import Clock, SystemClock
from contractd.events import Event, FanOut, Observer, ProviderEnded
from contractd.preflight.hiding import Hider
from contractd.preflight.prepare import Prepared
from contractd.preflight.version import installed_version
from contractd.registry import Row
from contractd.registry.bootstrap import bootstrap


async def contact(
    prepared: Prepared, *, observer: Observer | None = None, clock: Clock | None = None, version: bool = True
) -> tuple[tuple[Row, ...], str | None]:
    """A row for each server, and, with ``version``, the version that the installed runtime gives."""
    request, runtime = prepared.request, prepared.gathered.runtime
    hiders = {spec.id: Hider(spec, request.environ) for spec in prepared.specs}
    named = {spec.name: hiders[spec.id] for spec in prepared.specs}
    watch, time = FanOut([_Hiding(observer, named)] if observer else []), clock or SystemClock()
    async with asyncio.TaskGroup() as group:
        contacting = group.create_task(bootstrap(prepared.specs, clock=time, observer=watch, environ=request.environ))
        asking = None
        if version and prepared.asks_version:
            asking = group.create_task(installed_version(runtime, request.environ, time, watch, cwd=request.cwd))
    rows = tuple(hiders[row.spec.id].row(row) for row in contacting.result())
    return rows, asking.result() if asking else None


class _Hiding:
    """Passes events on without the secrets that a server's words may hold."""

    def __init__(self, observer: Observer, hiders: Mapping[str, Hider]) -> None:
        self._observer = observer
        self._hiders = hiders

    def on(self, event: Event) -> None:
        if isinstance(event, ProviderEnded) and event.reason:
            event = replace(event, reason=self._hiders[event.provider].text(event.reason))
        self._observer.on(event)
