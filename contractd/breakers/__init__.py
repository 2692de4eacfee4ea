"""May a call be sent now: circuit breakers for providers, tools, contracts and configuration; quota and authz gates.

Comes in: a provider, a tool and a principal before a call, marks after it; word of what was renegotiated or changed.
Goes out: an ``Admission`` or a ``Refusal`` with reason, key and ``retry_after``; events to an observer; states as plain
data. Must not know: how a call is made, what a signal means, where states are stored. Pure, on an injected clock.
"""

from contractd.breakers.breaker import Breaker
from contractd.breakers.gates import Advice, Authz, Quota
from contractd.breakers.keys import BreakerKey, GateKey
from contractd.breakers.limits import Reason
from contractd.breakers.marks import (
    CONTRACT_BROKEN,
    MISCONFIGURED,
    NEUTRAL,
    SUCCEEDED,
    TOOL_FAILED,
    TOOL_SILENT,
    UNREACHABLE,
    Marks,
)
from contractd.breakers.permit import Mark, Permit, Refusal, Settled
from contractd.breakers.policy import AvailabilityPolicy, BreakerPolicy, EvidencePolicy, GatePolicy, Policies
from contractd.breakers.registry import Breakers
from contractd.breakers.ring import Admission
from contractd.breakers.states import State

__all__ = [
    "CONTRACT_BROKEN",
    "MISCONFIGURED",
    "NEUTRAL",
    "SUCCEEDED",
    "TOOL_FAILED",
    "TOOL_SILENT",
    "UNREACHABLE",
    "Admission",
    "Advice",
    "Authz",
    "AvailabilityPolicy",
    "Breaker",
    "BreakerKey",
    "BreakerPolicy",
    "Breakers",
    "EvidencePolicy",
    "GateKey",
    "GatePolicy",
    "Mark",
    "Marks",
    "Permit",
    "Policies",
    "Quota",
    "Reason",
    "Refusal",
    "Settled",
    "State",
]
