"""All that is known of a change, for the details of its finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contractd.contracts.drift import ContractChange
from contractd.preflight.drift.used import used_details


def details_of(change: ContractChange, name: str) -> Mapping[str, Any]:
    """What the rule called ``name`` is about; of schemas also the verdicts and what proves them."""
    aspects: Mapping[str, tuple[Any, ...]] = {
        "description-drift": ("description",),
        "annotation-drift": ("annotations",),
    }
    chosen = change.of(*aspects.get(name, ("arguments", "results")))
    details: dict[str, Any] = {
        "changes": [
            {"kind": item.kind, "rule": item.rule, "pointer_old": item.pointer_old, "pointer_new": item.pointer_new,
             "direction": item.direction, "effect": item.effect}
            for item in chosen
        ]
    }  # fmt: skip
    if name in aspects:
        return details
    details |= used_details(change)
    rows = zip(change.judged, (change.arguments, change.results), change.for_anyone, strict=True)
    for found, strict, declared in rows:
        refusal = change.refusal(found)
        details[found.direction] = {
            "verdict": strict.verdict,
            "declared_only": declared.verdict,
            "witness": None if found.witness is None else found.witness.value,
            "refused_by": None
            if refusal is None
            else {"pointer": refusal.pointer, "keyword": refusal.keyword, "schema_pointer": refusal.schema_pointer},
            "reason": found.reason,
        }
    return details
