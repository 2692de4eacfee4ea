"""Contact every provider at the same time, each within its own budget; the slowest one is the wall time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from contractd.carriers.process import Nursery
from contractd.clock import Clock, SystemClock
from contractd.errors import Failure, ProviderError
from contractd.events import FanOut, Observer, ProviderEnded, ProviderStarted
from contractd.providers.base import Fetched, ProviderSpec
from contractd.providers.contact import Contact
from contractd.registry.row import Row


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
