"""What outlives a restart, as plain data: durations only, since a monotonic clock starts anew with the machine.

Who stores it also keeps when, and hands the age back. Calls in flight and good probes so far are not kept: their
results will never come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contractd.breakers.keys import Aspect
from contractd.breakers.limits import Reason
from contractd.breakers.states import State
from contractd.errors import StateError

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Age = Annotated[float, Field(allow_inf_nan=False)]  # of a slice's middle: may lie half a slice ahead
Count = Annotated[int, Field(ge=0)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BreakerRecord(_Record):
    """One breaker. ``waits``: its open time; ``next_wait``: the one after that; None where no time heals it."""

    provider: str
    aspect: Aspect
    tool: str | None = None
    state: State
    reason: Reason
    signal: str | None = None
    since: Seconds = Field(description="Seconds since it got into that state.")
    waits: Seconds | None = None
    next_wait: Seconds | None = None
    in_a_row: Count = 0
    window: tuple[tuple[Age, Count, Count, Count], ...] = ()


class QuotaRecord(_Record):
    """A quota that is exhausted. ``remains``: seconds until it may be tried again."""

    provider: str
    principal: str = ""
    tool: str | None = None
    remains: Seconds
    next_wait: Seconds


class AuthzRecord(_Record):
    """A principal that is shut out, or has used up its one refresh."""

    provider: str
    principal: str = ""
    state: Literal["open", "closed"]
    refreshed: bool


class Kept(_Record):
    """All of it. The fingerprints tell whether configuration and credentials are still those of then."""

    version: Literal[1] = 1
    configurations: dict[str, str] = Field(default_factory=dict)
    credentials: tuple[tuple[str, str, str], ...] = Field((), description="Provider, principal, fingerprint.")
    breakers: tuple[BreakerRecord, ...] = ()
    quotas: tuple[QuotaRecord, ...] = ()
    authz: tuple[AuthzRecord, ...] = ()


def read(data: Mapping[str, Any]) -> Kept:
    """What ``data`` holds. Raises StateError if it is not what contractd writes."""
    try:
        return Kept.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise StateError(
            f"kept states of breakers can't be read: {where}: {first['msg']}",
            hint="Go on without them: all start afresh.",
        ) from None
