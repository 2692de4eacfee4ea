"""The knobs of a breaker, with units and defaults. ``python -m contractd.breakers.page`` prints them as a table."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contractd.breakers.keys import BreakerKey
from contractd.breakers.states import Healing


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Probing(_Model):
    """How a breaker is tried that was open."""

    probes: int = Field(1, ge=1, le=100, description="Calls let through at once while it is half-open.")
    close_after: int = Field(1, ge=1, le=100, description="Good probes that close it; the first bad one opens it.")
    lease_seconds: float = Field(
        60.0,
        gt=0,
        le=86400,
        description="Seconds a probe may take, if its call names no other time, before it is lost.",
    )


class AvailabilityPolicy(_Probing):
    """When a provider or a tool is held to be unavailable, and for how long it is left alone.

    Judged on every bad or slow result: it opens if one of the three limits that are set is reached.
    """

    window_seconds: float = Field(
        120.0, gt=0, le=86400, description="Seconds for which a result counts, less up to one slice."
    )
    slices: int = Field(10, ge=1, le=1000, description="Slices of the window; each is forgotten as a whole.")
    min_calls: int = Field(5, ge=1, description="Calls in the window before a rate means anything.")
    failure_rate: float | None = Field(
        0.5, gt=0, le=1, description="Share of bad calls that opens it; null: none does."
    )
    slow_after_seconds: float | None = Field(
        None, gt=0, description="Seconds beyond which a call is slow; null: none is. A slow probe is a bad one."
    )
    slow_rate: float = Field(0.8, gt=0, le=1, description="Share of slow calls that opens it.")
    in_a_row: int | None = Field(
        5,
        ge=1,
        description="Bad calls without a good one in between that open it, however far apart: an agent that calls "
        "one tool after the other never fills a window. null: no number does.",
    )
    open_seconds: float = Field(10.0, ge=0, le=86400, description="Seconds it stays open the first time.")
    growth: float = Field(2.0, ge=1, le=100, description="Factor on each reopening, until it has closed again.")
    max_open_seconds: float = Field(300.0, ge=0, le=86400, description="Seconds beyond which the open time won't grow.")

    @property
    def heals(self) -> Healing:
        """What an open breaker waits for."""
        return "time"

    @model_validator(mode="after")
    def _sensible(self) -> AvailabilityPolicy:
        if self.max_open_seconds < self.open_seconds:
            raise ValueError("max_open_seconds is less than open_seconds")
        if self.failure_rate is None and self.in_a_row is None and self.slow_after_seconds is None:
            raise ValueError("nothing would ever open it: set failure_rate, in_a_row or slow_after_seconds")
        return self


class EvidencePolicy(_Probing):
    """When a contract, or a provider's configuration, is held to be broken. No time heals that."""

    heals: Literal["renegotiation", "configuration"] = Field("renegotiation", description="What it waits for.")
    evidence: int = Field(1, ge=1, le=3, description="Pieces of evidence that open it.")
    window_seconds: float = Field(
        600.0, gt=0, le=86400, description="Seconds for which a piece of evidence counts, less up to a tenth."
    )


BreakerPolicy = AvailabilityPolicy | EvidencePolicy


class GatePolicy(_Model):
    """How long a gate stays closed where nobody says."""

    quota_seconds: float = Field(
        30.0, gt=0, le=86400, description="Seconds to wait for a quota whose server names no time; doubles each time."
    )
    max_quota_seconds: float = Field(
        86400.0, gt=0, description="Seconds beyond which no quota is waited for, whatever a server says: then we ask."
    )
    refresh_seconds: float = Field(
        60.0,
        gt=0,
        le=86400,
        description="Seconds a refresh of a credential may take; then the next call tries with what there is.",
    )

    @model_validator(mode="after")
    def _sensible(self) -> GatePolicy:
        if self.max_quota_seconds < self.quota_seconds:
            raise ValueError("max_quota_seconds is less than quota_seconds")
        return self


class Policies(_Model):
    """The policy of each of the four keys, and of the gates."""

    provider: AvailabilityPolicy = Field(
        default=AvailabilityPolicy(in_a_row=3), description="(provider, availability): can it be reached."
    )
    tool: AvailabilityPolicy = Field(
        default=AvailabilityPolicy(), description="(tool, availability): its own timeouts, 5xx, slowness."
    )
    contract: EvidencePolicy = Field(default=EvidencePolicy(), description="(tool, contract).")
    config: EvidencePolicy = Field(default=EvidencePolicy(heals="configuration"), description="(provider, config).")
    gates: GatePolicy = Field(default=GatePolicy(), description="Quota and authz.")

    @model_validator(mode="after")
    def _healed_by_their_own(self) -> Policies:
        if self.contract.heals != "renegotiation" or self.config.heals != "configuration":
            raise ValueError("a contract heals by renegotiation, and a configuration by a changed one")
        return self

    def of(self, key: BreakerKey) -> BreakerPolicy:
        """The policy for ``key``."""
        if key.aspect == "contract":
            return self.contract
        if key.aspect == "config":
            return self.config
        return self.provider if key.tool is None else self.tool
