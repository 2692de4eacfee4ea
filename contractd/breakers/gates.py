"""Gates, which are no breakers: a quota waits for a time, and a refused credential for another one.

Neither counts failures, tries calls, or blames a tool. Not safe in threads by themselves: ``Breakers`` holds a lock.
"""

from __future__ import annotations

import math
from typing import Literal

from contractd.breakers.keys import GateKey
from contractd.breakers.limits import Reason
from contractd.breakers.permit import Refusal
from contractd.breakers.policy import GatePolicy

Quota = Literal["unknown", "available", "exhausted"]
"""``unknown``: nobody said, or what was said is over. It neither stops a call nor promises anything."""

Authz = Literal["open", "refreshing", "closed"]
Advice = Literal["refresh", "closed", "late"]
"""After a refused credential: refresh it once and say how that went; give up until it changes; an older one was meant.
"""


class QuotaGate:
    """A principal's quota at a provider, or for one tool of it."""

    __slots__ = ("_next_wait", "_policy", "_stated", "_until", "key")

    def __init__(self, key: GateKey, policy: GatePolicy) -> None:
        self.key = key
        self._policy = policy
        self._until: float | None = None  # end of the wait
        self._stated: float | None = None  # end of the time for which "there is some left" was said
        self._next_wait = policy.quota_seconds

    def reading(self, now: float) -> Quota:
        """What is known now."""
        if self._until is not None and now < self._until:
            return "exhausted"
        return "available" if self._stated is not None and now < self._stated else "unknown"

    def exhausted(self, now: float, retry_after: float | None) -> float:
        """It is used up. ``retry_after``: seconds that the server named (Retry-After, or its reset); None or nonsense:
        the policy's, longer each time. Several calls may learn of it: the latest end holds. Returns the seconds.
        """
        if retry_after is None or math.isnan(retry_after) or retry_after < 0:
            if self.reading(now) != "exhausted":
                self._wait(now, self._next_wait)
                self._next_wait = min(self._next_wait * 2, self._policy.max_quota_seconds)
        else:
            self._wait(now, min(retry_after, self._policy.max_quota_seconds))
        assert self._until is not None
        return self._until - now

    def _wait(self, now: float, seconds: float) -> None:
        self._until = max(self._until or now, now + seconds)
        self._stated = None

    def reported(self, now: float, remaining: float, resets_in: float | None) -> None:
        """The server told how much is left, and perhaps in how many seconds it starts anew.

        Nothing left closes the gate. Something left opens none: the answer may be older than the refusal.
        """
        if remaining <= 0:
            self.exhausted(now, resets_in)
        elif self.reading(now) != "exhausted":
            known = resets_in is not None and 0 <= resets_in < math.inf
            self._stated = now + (resets_in if known and resets_in else self._policy.quota_seconds)
            self._next_wait = self._policy.quota_seconds

    def refusal(self, now: float) -> Refusal | None:
        """Why no call may be sent, or None."""
        if self._until is None or now >= self._until:
            return None
        return Refusal(self.key, Reason.QUOTA, self._until - now, "time")

    def remains(self, now: float) -> float:
        """Seconds until the end of the wait."""
        return 0.0 if self._until is None else max(0.0, self._until - now)

    @property
    def next_wait(self) -> float:
        """Seconds to wait the next time, if the server names none."""
        return self._next_wait

    def restore(self, now: float, remains: float, next_wait: float) -> None:
        """Go on with a wait of an earlier run."""
        self._until = now + min(remains, self._policy.max_quota_seconds)
        self._next_wait = min(max(next_wait, self._policy.quota_seconds), self._policy.max_quota_seconds)


class AuthzGate:
    """Whether a principal's credential is worth showing to a provider.

    The first refusal asks one caller to refresh it; calls wait outside meanwhile. Refused again after that, or not
    to be refreshed: closed until ``changed``. A call that is accepted after a refresh earns the next one.
    """

    __slots__ = ("_lease_ends", "_policy", "_refreshed", "_state", "generation", "key")

    def __init__(self, key: GateKey, policy: GatePolicy) -> None:
        self.key = key
        self._policy = policy
        self._state: Authz = "open"
        self._refreshed = False
        self._lease_ends = 0.0
        self.generation = 0

    def state(self, now: float) -> Authz:
        """Where it stands; a refresh of which nothing was heard for too long is over, and counts as the one."""
        if self._state == "refreshing" and now >= self._lease_ends:
            return "open"
        return self._state

    @property
    def refreshed(self) -> bool:
        """Has the one refresh been used."""
        return self._refreshed

    def refused(self, now: float, generation: int, *, can_refresh: bool) -> Advice:
        """The provider would not have a credential that was shown under ``generation`` (401 or 403)."""
        if generation != self.generation:
            return "late"
        self.generation += 1
        if self._refreshed or not can_refresh:
            self._state = "closed"
            return "closed"
        self._state, self._refreshed = "refreshing", True
        self._lease_ends = now + self._policy.refresh_seconds
        return "refresh"

    def refresh_ended(self, *, ok: bool) -> None:
        """What came of the refresh. Nothing, if none is under way."""
        if self._state == "refreshing":
            self._state = "open" if ok else "closed"
            self.generation += 1

    def accepted(self, generation: int) -> None:
        """A call shown under ``generation`` went through."""
        if generation == self.generation and self._state != "closed":
            self._state, self._refreshed = "open", False

    def changed(self) -> None:
        """Another credential is there."""
        self._state, self._refreshed = "open", False
        self.generation += 1

    def refusal(self, now: float) -> Refusal | None:
        """Why no call may be sent, or None."""
        state = self.state(now)
        if state == "closed":
            return Refusal(self.key, Reason.UNAUTHORISED, None, "credential")
        if state == "refreshing":
            return Refusal(self.key, Reason.REFRESHING, self._lease_ends - now, "credential")
        return None

    def restore(self, *, closed: bool, refreshed: bool) -> None:
        """Go on where an earlier run left off; a refresh that was under way then is over."""
        self._state, self._refreshed = "closed" if closed else "open", refreshed
