"""Contact every provider at the same time, each within its own budget; the slowest one is the wall time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from contractd.carriers import Evidence
from contractd.carriers.process import Nursery
from contractd.clock import Clock, SystemClock
from contractd.errors import Failure, ProviderError
from contractd.events import FanOut, Observer, ProviderEnded, ProviderStarted
from contractd.providers.base import Fetched, ProviderSpec
from contractd.providers.contact import TIMEOUT_SIGNAL, Contact

__all__ = ["TIMEOUT_SIGNAL", "Row", "bootstrap"]


@dataclass(frozen=True)
class Row:
    """What became of one provider. ``seconds`` from start to the last page or the failure."""

    spec: ProviderSpec
    status: Literal["ready", "failed"]
    seconds: float
    fetched: Fetched | None = None
    failure: Failure | None = None
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def timed_out(self) -> bool:
        """It was given up for want of time."""
        return self.failure is not None and self.failure.signal == TIMEOUT_SIGNAL


async def bootstrap(
    specs: Iterable[ProviderSpec],
    *,
    clock: Clock | None = None,
    observer: Observer | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[Row, ...]:
    """Fetch every manifest at once; the rows come in the order of ``specs``.

    A provider's trouble is its row. Cancellation ends every process first. ``environ`` None: this process's own.
    """
    watch = FanOut([observer] if observer else [])
    time = clock or SystemClock()
    async with Nursery() as nursery, asyncio.TaskGroup() as group:
        tasks = [group.create_task(_one(spec, nursery, time, watch, environ)) for spec in specs]
    return tuple(task.result() for task in tasks)


async def _one(
    spec: ProviderSpec, nursery: Nursery, clock: Clock, observer: Observer, environ: Mapping[str, str] | None
) -> Row:
    observer.on(ProviderStarted(spec.name, spec.transport, spec.budget))
    start = clock.monotonic()
    contact = Contact(spec, nursery, environ)
    fetched: Fetched | None = None
    failure: Failure | None = None
    gently = False
    try:
        async with asyncio.timeout(spec.budget):
            fetched = await contact.fetch()
        gently = True
    except TimeoutError:
        failure = contact.give_up()
    except ProviderError as error:
        failure, gently = error.failure, True
    except Exception as error:
        failure = Failure("local", f"contractd failed on its answer: {type(error).__name__}", retryable=False)
    finally:
        seconds = clock.monotonic() - start
        if fetched or failure:
            reason = failure.message if failure else None
            count = len(fetched.manifest.tools) if fetched else 0
            observer.on(ProviderEnded(spec.name, "failed" if failure else "ready", seconds, count, reason))
        await contact.close(gently=gently)
    return Row(spec, "failed" if failure else "ready", seconds, fetched, failure, contact.evidence)
