"""Events on their way to an observer: in order, after the locks are released, and whatever the observer does."""

from __future__ import annotations

import contextlib
import threading
from collections import deque

from contractd.events import Event, Observer


class Outbox:
    """``put`` while a breaker's lock is held, ``deliver`` afterwards.

    An observer may therefore ask or command any breaker, and one that raises breaks none.
    """

    __slots__ = ("_delivering", "_observer", "_pending")

    def __init__(self, observer: Observer | None = None) -> None:
        self._observer = observer
        self._pending: deque[Event] = deque()
        self._delivering = threading.Lock()

    def put(self, event: Event) -> None:
        """Keep ``event`` for the next delivery."""
        if self._observer is not None:
            self._pending.append(event)

    def deliver(self) -> None:
        """Hand over what is there. While another thread (or this one, further out) does, that one takes it along."""
        while self._pending and self._delivering.acquire(blocking=False):
            try:
                while self._pending:
                    event = self._pending.popleft()
                    with contextlib.suppress(Exception):  # an onlooker's fault is not the breaker's
                        if self._observer is not None:
                            self._observer.on(event)
            finally:
                self._delivering.release()
