"""All quota and authz gates of a registry, by provider, tool and principal. A gate exists only once something
was said, so principals that were never refused cost nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from contractd.breakers.gates import Advice, Authz, AuthzGate, Quota, QuotaGate
from contractd.breakers.keys import GateKey
from contractd.breakers.limits import Reason
from contractd.breakers.outbox import Outbox
from contractd.breakers.permit import Refusal
from contractd.breakers.policy import GatePolicy
from contractd.breakers.snapshot import AuthzRecord, QuotaRecord
from contractd.events import GateMoved

_Quotas = tuple[str, str, str | None]  # provider, principal, tool


class Gatekeeper:
    """Holds its own lock; tells of moves through ``outbox``, which the caller delivers."""

    def __init__(self, policy: GatePolicy, clock: Callable[[], float], outbox: Outbox) -> None:
        self._policy, self._clock, self._outbox = policy, clock, outbox
        self._lock = threading.RLock()
        self._quotas: dict[_Quotas, QuotaGate] = {}
        self._authz: dict[tuple[str, str], AuthzGate] = {}

    def refusal(self, provider: str, tool: str | None, principal: str) -> Refusal | None:
        """Why a gate would not let a call through, or None."""
        if not self._quotas and not self._authz:
            return None
        with self._lock:
            now = self._clock()
            for whose in {(provider, principal, None), (provider, principal, tool)}:
                quota = self._quotas.get(whose)
                refusal = quota.refusal(now) if quota else None
                if refusal is not None:
                    return refusal
            authz = self._authz.get((provider, principal))
            return authz.refusal(now) if authz else None

    # Quota

    def quota(self, provider: str, tool: str | None, principal: str) -> Quota:
        """What is known of a quota now."""
        with self._lock:
            gate = self._quotas.get((provider, principal, tool))
            return gate.reading(self._clock()) if gate else "unknown"

    def exhausted(self, provider: str, tool: str | None, principal: str, retry_after: float | None) -> float:
        """A quota is used up; the seconds to wait."""
        with self._lock:
            now, gate = self._clock(), self._quota_gate(provider, tool, principal)
            before = gate.reading(now)
            wait = gate.exhausted(now, retry_after)
            self._tell(gate.key, before, gate.reading(now), Reason.QUOTA, wait)
            return wait

    def reported(
        self, provider: str, tool: str | None, principal: str, remaining: float, resets_in: float | None
    ) -> None:
        """The server told how much is left."""
        with self._lock:
            now, gate = self._clock(), self._quota_gate(provider, tool, principal)
            before = gate.reading(now)
            gate.reported(now, remaining, resets_in)
            after = gate.reading(now)
            if after == "exhausted":
                self._tell(gate.key, before, after, Reason.QUOTA, gate.remains(now))

    def _quota_gate(self, provider: str, tool: str | None, principal: str) -> QuotaGate:
        key = GateKey(provider, "quota", principal, tool)
        return self._quotas.setdefault((provider, principal, tool), QuotaGate(key, self._policy))

    # Authz

    def generation(self, provider: str, principal: str) -> int:
        """Under which a credential is shown now."""
        gate = self._authz.get((provider, principal)) if self._authz else None
        return gate.generation if gate else 0

    def authz(self, provider: str, principal: str) -> Authz:
        """Where a principal stands with a provider."""
        with self._lock:
            gate = self._authz.get((provider, principal))
            return gate.state(self._clock()) if gate else "open"

    def refused(self, provider: str, principal: str, generation: int, *, can_refresh: bool) -> Advice:
        """A credential was refused; what to do about it."""
        with self._lock:
            key = GateKey(provider, "authz", principal)
            gate = self._authz.setdefault((provider, principal), AuthzGate(key, self._policy))
            now = self._clock()
            before = gate.state(now)
            advice = gate.refused(now, generation, can_refresh=can_refresh)
            refreshing = advice == "refresh"
            self._tell(
                key, before, gate.state(now), Reason.REFRESHING if refreshing else Reason.UNAUTHORISED,
                self._policy.refresh_seconds if refreshing else None,
            )  # fmt: skip
            return advice

    def refresh_ended(self, provider: str, principal: str, *, ok: bool) -> None:
        """The one refresh came to an end."""
        with self._lock:
            gate = self._authz.get((provider, principal))
            if gate is not None:
                now = self._clock()
                before = gate.state(now)
                gate.refresh_ended(ok=ok)
                self._tell(gate.key, before, gate.state(now), Reason.REFRESHED if ok else Reason.UNAUTHORISED)

    def succeeded(self, provider: str, tool: str | None, principal: str, generation: int) -> None:
        """A call went through: what is over is forgotten."""
        if not self._quotas and not self._authz:
            return
        with self._lock:
            now = self._clock()
            for whose in {(provider, principal, None), (provider, principal, tool)}:
                quota = self._quotas.get(whose)
                if quota is not None and quota.reading(now) == "unknown":
                    del self._quotas[whose]
                    self._tell(quota.key, "exhausted", "unknown", Reason.QUOTA_OVER)
            authz = self._authz.get((provider, principal))
            if authz is not None:
                authz.accepted(generation)

    def changed(self, provider: str, principals: Iterable[str] | None, reason: Reason) -> None:
        """Another configuration or credential: the gates of these principals (None: of all) are open."""
        with self._lock:
            now, named = self._clock(), None if principals is None else set(principals)
            for (whose, principal), authz in self._authz.items():
                if whose == provider and (named is None or principal in named):
                    before = authz.state(now)
                    authz.changed()
                    self._tell(authz.key, before, "open", reason)
            for quota in [gate for gate in self._quotas.values() if gate.key.provider == provider]:
                if named is None or quota.key.principal in named:
                    del self._quotas[provider, quota.key.principal, quota.key.tool]
                    if quota.reading(now) == "exhausted":
                        self._tell(quota.key, "exhausted", "unknown", reason)

    def _tell(self, key: GateKey, before: str, after: str, reason: Reason, retry_after: float | None = None) -> None:
        if before != after:
            self._outbox.put(
                GateMoved(key.provider, key.tool, key.principal, key.gate, before, after, reason, retry_after)
            )

    # What outlives a restart

    def records(self) -> tuple[tuple[QuotaRecord, ...], tuple[AuthzRecord, ...]]:
        """The gates that are closed, or have used up their refresh."""
        with self._lock:
            now = self._clock()
            quotas = tuple(
                QuotaRecord(
                    provider=gate.key.provider, principal=gate.key.principal, tool=gate.key.tool,
                    remains=gate.remains(now), next_wait=gate.next_wait,
                )
                for gate in self._quotas.values()
                if gate.reading(now) == "exhausted"
            )  # fmt: skip
            authz = tuple(
                AuthzRecord(
                    provider=provider, principal=principal, refreshed=gate.refreshed,
                    state="closed" if gate.state(now) == "closed" else "open",
                )
                for (provider, principal), gate in self._authz.items()
                if gate.refreshed or gate.state(now) == "closed"
            )  # fmt: skip
            return quotas, authz

    def restore(self, quotas: Iterable[QuotaRecord], authz: Iterable[AuthzRecord], age: float) -> None:
        """Go on where an earlier run left off, ``age`` seconds ago."""
        with self._lock:
            now = self._clock()
            for quota in quotas:
                if quota.remains > age:
                    gate = self._quota_gate(quota.provider, quota.tool, quota.principal)
                    gate.restore(now, quota.remains - age, quota.next_wait)
            for record in authz:
                key = GateKey(record.provider, "authz", record.principal)
                known = self._authz.setdefault((record.provider, record.principal), AuthzGate(key, self._policy))
                known.restore(closed=record.state == "closed", refreshed=record.refreshed)
