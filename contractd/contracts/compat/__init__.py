"""Are two schemas compatible: the verdict, its proof, and what differs."""

from contractd.contracts.compat.result import Change, Comparison, Witness
from contractd.contracts.compat.verdict import compare_schemas

__all__ = ["Change", "Comparison", "Witness", "compare_schemas"]
