"""What became of one provider. Light to import: rules and reports look at rows, and contact nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contractd.carriers import Evidence
from contractd.errors import Failure
from contractd.providers.base import TIMEOUT_SIGNAL, Fetched, ProviderSpec


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
