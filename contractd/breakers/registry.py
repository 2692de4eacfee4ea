"""All breakers and gates of a process: one question before a call, one answer after it.

A call of a tool goes through the gates and four breakers, and gets in only if all of them let it. The order puts first
what no waiting heals, so that a refusal names it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.breakers.breaker import Breaker
from contractd.breakers.gatekeeper import Gatekeeper
from contractd.breakers.gates import Advice, Authz, Quota
from contractd.breakers.keys import BreakerKey
from contractd.breakers.limits import Reason
from contractd.breakers.marks import NEUTRAL, SUCCEEDED, Marks
from contractd.breakers.outbox import Outbox
from contractd.breakers.permit import Refusal, Settled
from contractd.breakers.policy import BreakerPolicy, Policies
from contractd.breakers.ring import Admission, Ring
from contractd.breakers.snapshot import BreakerRecord, Kept, read
from contractd.clock import Clock
from contractd.errors import StateError, UsageError
from contractd.events import Observer


class Breakers:
    """Made on first use, by key. ``overrides``: policies of single keys. Safe among threads."""

    def __init__(
        self,
        clock: Clock,
        observer: Observer | None = None,
        policies: Policies | None = None,
        overrides: Mapping[BreakerKey, BreakerPolicy] | None = None,
    ) -> None:
        self._clock = clock
        self._outbox = Outbox(observer)
        self._policies = policies or Policies()
        self._overrides = dict(overrides or {})
        for key, policy in self._overrides.items():
            if policy.heals != self._policies.of(key).heals:
                raise UsageError(f"{key} can't have a policy that heals by {policy.heals}")
        self._lock = threading.RLock()
        self._calls = threading.RLock()  # of all breakers: a call asks four of them at once
        self._breakers: dict[BreakerKey, Breaker] = {}
        self._rings: dict[tuple[str, str | None], Ring] = {}
        self._gates = Gatekeeper(self._policies.gates, clock.monotonic, self._outbox)
        self._configurations: dict[str, str] = {}
        self._credentials: dict[tuple[str, str], str] = {}

    def breaker(self, key: BreakerKey) -> Breaker:
        """The breaker for ``key``; always the same."""
        with self._lock:
            return self._breaker(key)

    def __iter__(self) -> Iterator[Breaker]:
        """Those that were used so far."""
        with self._lock:
            return iter(tuple(self._breakers.values()))

    def _breaker(self, key: BreakerKey) -> Breaker:
        found = self._breakers.get(key)
        if found is None:
            policy = self._overrides.get(key) or self._policies.of(key)
            found = self._breakers[key] = Breaker(key, policy, self._clock, self._outbox, self._calls)
        return found

    def _ring(self, provider: str, tool: str | None) -> Ring:
        found = self._rings.get((provider, tool))
        if found is None:
            keys = [BreakerKey(provider, "config"), BreakerKey(provider, "availability")]
            if tool is not None:
                keys[1:1] = [BreakerKey(provider, "contract", tool)]
                keys.append(BreakerKey(provider, "availability", tool))
            with self._lock:
                breakers = tuple(map(self._breaker, keys))
                found = self._rings[provider, tool] = Ring(breakers, self._clock.monotonic, self._calls)
        return found

    # Calls

    def admit(
        self, provider: str, tool: str | None, principal: str = "", *, lease_seconds: float | None = None
    ) -> Admission | Refusal:
        """May ``tool`` be called now; ``tool=None`` asks for the provider's own requests, such as listing its tools.

        ``principal``: an id of who calls, no secret. ``lease_seconds``: the call's own time limit.
        """
        generation = self._gates.generation(provider, principal)  # first: if the gate moves now, the call is late
        refusal = self._gates.refusal(provider, tool, principal)
        if refusal is not None:
            return refusal
        answer = self._ring(provider, tool).admit(lease_seconds)
        if isinstance(answer, Refusal):
            self._outbox.deliver()
            return answer
        return Admission(provider, tool, principal, answer, generation)

    def settle(
        self, admission: Admission, marks: Marks, *, seconds: float | None = None, signal: str | None = None
    ) -> Settled:
        """What became of the call. ``counted`` if any breaker counted it, else ``late`` if any held it to be."""
        if admission.settled:
            return "again"
        admission.settled = True
        if marks is SUCCEEDED or marks == SUCCEEDED:
            self._gates.succeeded(admission.provider, admission.tool, admission.principal, admission.authz_generation)
        said = self._ring(admission.provider, admission.tool).settle(admission.entry, marks, seconds, signal)
        self._outbox.deliver()
        return said

    def refusal(self, provider: str, tool: str | None, principal: str = "") -> Refusal | None:
        """What ``admit`` would refuse with, for a catalog; None if it would not. Nothing is taken."""
        refusal = self._gates.refusal(provider, tool, principal)
        if refusal is not None:
            return refusal
        return next(filter(None, (breaker.refusal() for breaker in self._ring(provider, tool).breakers)), None)

    # Quota and authz

    def quota(self, provider: str, tool: str | None = None, principal: str = "") -> Quota:
        """What is known of a quota: exhausted, available, or unknown, which is neither."""
        return self._gates.quota(provider, tool, principal)

    def quota_exhausted(
        self, provider: str, tool: str | None = None, principal: str = "", *, retry_after: float | None = None
    ) -> float:
        """A quota is used up, of the provider or of one tool. ``retry_after``: seconds the server named (Retry-After, a
        reset). Returns the seconds for which calls are refused."""
        wait = self._gates.exhausted(provider, tool, principal, retry_after)
        self._outbox.deliver()
        return wait

    def quota_reported(
        self,
        provider: str,
        tool: str | None = None,
        principal: str = "",
        *,
        remaining: float,
        resets_in: float | None = None,
    ) -> None:
        """The server told how much is left, and perhaps in how many seconds the count starts anew."""
        self._gates.reported(provider, tool, principal, remaining, resets_in)
        self._outbox.deliver()

    def authz(self, provider: str, principal: str = "") -> Authz:
        """Where a principal stands with a provider."""
        return self._gates.authz(provider, principal)

    def unauthorised(self, admission: Admission, *, can_refresh: bool = True) -> Advice:
        """The provider refused the credential (401, 403); settles the call as neutral.

        ``refresh``: this caller refreshes the credential, once, and says ``refresh_ended``. ``closed``: no call of the
        principal goes out until ``credential`` is told another one. ``late``: an older credential was meant; try again.
        """
        if self.settle(admission, NEUTRAL) == "again":
            return "late"
        advice = self._gates.refused(
            admission.provider, admission.principal, admission.authz_generation, can_refresh=can_refresh
        )
        self._outbox.deliver()
        return advice

    def refresh_ended(self, provider: str, principal: str = "", *, ok: bool) -> None:
        """What came of the one refresh."""
        self._gates.refresh_ended(provider, principal, ok=ok)
        self._outbox.deliver()

    # What heals

    def renegotiated(self, provider: str, tool: str) -> bool:
        """The tool's contract was negotiated anew, and is compatible or was accepted. Did its breaker move."""
        return self.breaker(BreakerKey(provider, "contract", tool)).renegotiated()

    def configured(self, provider: str, fingerprint: str) -> bool:
        """Say this of every provider at the start, and when its configuration may have changed. If it has, all breakers
        and gates of the provider start afresh, contracts included: it is contacted and negotiated with anew.

        ``fingerprint`` is a digest, never the configuration itself. Did anything change.
        """
        with self._lock:
            known = self._configurations.get(provider)
            self._configurations[provider] = fingerprint
        if known is None or known == fingerprint:
            return False
        self._renew(provider, ("availability", "config", "contract"), Reason.RENEWED)
        self._gates.changed(provider, None, Reason.RENEWED)
        self._outbox.deliver()
        return True

    def credential(self, provider: str, fingerprint: str, principal: str = "") -> bool:
        """The same of a principal's credential. A changed one opens the principal's gates, and starts the provider's
        and its tools' breakers afresh but for contracts: a new credential mends no contract.

        A token that was refreshed is the same credential: ``fingerprint`` is a digest of what a person changes.
        """
        with self._lock:
            known = self._credentials.get((provider, principal))
            self._credentials[provider, principal] = fingerprint
        if known is None or known == fingerprint:
            return False
        self._renew(provider, ("availability", "config"), Reason.CREDENTIAL)
        self._gates.changed(provider, (principal,), Reason.CREDENTIAL)
        self._outbox.deliver()
        return True

    def _renew(self, provider: str, aspects: tuple[str, ...], reason: Reason) -> None:
        for breaker in self:
            if breaker.key.provider == provider and breaker.key.aspect in aspects:
                breaker.renew(reason)

    # What outlives a restart

    def snapshot(self) -> dict[str, Any]:
        """Everything as plain data for JSON: states with their age, fingerprints. Keep the time beside it."""
        records = [record for breaker in self if (record := breaker.record()) is not None]
        quotas, authz = self._gates.records()
        with self._lock:
            credentials = tuple((*whose, fingerprint) for whose, fingerprint in sorted(self._credentials.items()))
            kept = Kept(
                configurations=dict(self._configurations),
                credentials=credentials,
                breakers=tuple(records),
                quotas=quotas,
                authz=authz,
            )
        return kept.model_dump(mode="json", exclude_defaults=True) | {"version": kept.version}

    def restore(self, data: Mapping[str, Any], age: float) -> None:
        """Go on where ``data`` was made, ``age`` seconds ago by the clock of whoever stored it (less than 0 counts as
        0). What belongs to another configuration or credential than the one known here is left out; of one that is told
        later, it starts afresh then. Raises StateError, and takes over nothing, if the data can't be read.
        """
        kept, age = read(data), max(0.0, age)
        records = [(_key(record), record) for record in kept.breakers]
        credentials = {(provider, principal): fingerprint for provider, principal, fingerprint in kept.credentials}
        with self._lock:
            moved = {name for name, was in kept.configurations.items() if self._configurations.get(name, was) != was}
            rotated = {whose for whose, was in credentials.items() if self._credentials.get(whose, was) != was}
            self._configurations = kept.configurations | self._configurations
            self._credentials = credentials | self._credentials
        touched = {provider for provider, _ in rotated}
        for key, record in records:
            if key.provider not in moved and (key.aspect == "contract" or key.provider not in touched):
                self.breaker(key).restore(record, age)
        self._gates.restore(
            (one for one in kept.quotas if one.provider not in moved and (one.provider, one.principal) not in rotated),
            (one for one in kept.authz if one.provider not in moved and (one.provider, one.principal) not in rotated),
            age,
        )


def _key(record: BreakerRecord) -> BreakerKey:
    try:
        return BreakerKey(record.provider, record.aspect, record.tool)
    except UsageError as error:
        raise StateError(f"kept states of breakers can't be read: {error}") from None
