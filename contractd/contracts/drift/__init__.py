"""Drift: what became of a contract, or of a manifest, and whom it breaks.

``compat`` proves verdicts on schemas; here are the tools around them: names, parameters, annotations, texts. Pure.
"""

from contractd.contracts.drift.contract import compare
from contractd.contracts.drift.manifest import compare_manifests
from contractd.contracts.drift.result import ContractChange, Difference, ManifestChange, Narrowed, Refusal, Rename

__all__ = [
    "ContractChange",
    "Difference",
    "ManifestChange",
    "Narrowed",
    "Refusal",
    "Rename",
    "compare",
    "compare_manifests",
]
