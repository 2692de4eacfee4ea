"""What a breaker answers when it is asked, and what it is told afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from contractd.breakers.keys import BreakerKey, GateKey
from contractd.breakers.limits import Reason

if TYPE_CHECKING:
    from contractd.breakers.course import Course

Mark = Literal["good", "bad", "neutral"]
"""What a call's end says of one breaker's subject. Cancelled, the caller's own error, ignored: neutral."""

Settled = Literal["counted", "neutral", "late", "again"]
"""What became of a result: counted; said nothing; of an older generation or after its lease; told before."""

Heals = Literal["time", "probe", "renegotiation", "configuration", "credential", "operator"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that must not be sent. It is our own refusal: it feeds no breaker, also no outer one.

    ``retry_after``: seconds after which asking again makes sense; None where no time heals it. ``heals`` says what
    does; ``probe`` is the end of the calls that are being tried, of which ``retry_after`` is then the latest moment.
    ``signal`` is the id of the failure that led to it.
    """

    key: BreakerKey | GateKey
    reason: Reason
    retry_after: float | None
    heals: Heals
    signal: str | None = None


class Permit:
    """A call may be sent. Give it back with ``Breaker.settle`` whatever becomes of the call, once.

    ``probe``: the breaker is half-open, and the call a trial: a dead process must be started anew before it. A permit
    belongs to a generation; when the breaker has moved on, its result is late and dropped.
    """

    __slots__ = ("admitted", "course", "expires", "generation", "settled")

    def __init__(self, generation: int, admitted: float, expires: float | None, course: Course) -> None:
        self.generation = generation
        self.admitted = admitted
        self.expires = expires
        self.course = course
        self.settled = False

    @property
    def probe(self) -> bool:
        return self.expires is not None
