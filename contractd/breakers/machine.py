"""pybreaker's CircuitBreaker as the state machine: closed, open, half-open, and who hears of a move.

pybreaker counts failures in a row, waits by the wall clock, and holds its lock while the guarded function runs. None of
that is used. Outcomes are fed to it after the call, in a call of its own that lasts microseconds; what it reads from
its storage is ours. For a failure while closed it asks whether ``storage.counter >= fail_max``: so with ``fail_max=1``,
``counter`` is 1 if our limits say so, else 0. Nothing is patched.
"""

from __future__ import annotations

from collections.abc import Callable

import pybreaker

from contractd.breakers.states import State

_STATES = {
    pybreaker.STATE_CLOSED: State.CLOSED,
    pybreaker.STATE_OPEN: State.OPEN,
    pybreaker.STATE_HALF_OPEN: State.HALF_OPEN,
}
_NAMES = {state: name for name, state in _STATES.items()}


class _Failed(Exception):  # noqa: N818 - what pybreaker takes for a failure, never seen by anyone else
    """A new one for each outcome, never the caller's own: that would be raised again, and its traceback grow."""


class Machine(pybreaker.CircuitMemoryStorage, pybreaker.CircuitBreakerListener):
    """Storage and listener in one. ``limit_reached`` is asked at each failure while closed; ``moved`` is told the state
    that pybreaker enters, also if it was in it before. Both are called with the owner's lock held, and must not raise.
    """

    def __init__(
        self,
        close_after: int,
        limit_reached: Callable[[], bool],
        moved: Callable[[State], None],
        state: State = State.CLOSED,
    ) -> None:
        super().__init__(_NAMES[state])
        self._limit_reached = limit_reached
        self._moved = moved
        # throw_new_error_on_trip would put another error over ours; reset_timeout is not looked at, since no call is
        # made in the open state.
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=1,
            reset_timeout=0,
            success_threshold=close_after,
            state_storage=self,
            listeners=[self],
            throw_new_error_on_trip=False,
        )

    @property
    def counter(self) -> int:
        return 1 if self._limit_reached() else 0

    def state_change(
        self,
        cb: pybreaker.CircuitBreaker,
        old_state: pybreaker.CircuitBreakerState | None,
        new_state: pybreaker.CircuitBreakerState,
    ) -> None:
        self._moved(_STATES[new_state.name])  # cb.current_state still tells the old one here

    def succeeded(self) -> None:
        """Feed a success; in half-open, the last one that is wanted closes."""
        self._breaker.call(_nothing)

    def failed(self) -> None:
        """Feed a failure; it opens in half-open, and in closed if the limit is reached."""
        try:
            self._breaker.call(_fail)
        except _Failed as failed:
            failed.__traceback__ = None  # its frames hold it: garbage that only the collector would find

    def enter(self, state: State) -> None:
        """Go to one of pybreaker's own states."""
        if state is State.OPEN:
            self._breaker.open()
        elif state is State.HALF_OPEN:
            self._breaker.half_open()
        else:
            self._breaker.close()


def _nothing() -> None:
    return None


def _fail() -> None:
    raise _Failed
