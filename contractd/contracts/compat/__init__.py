"""Are two schemas compatible: the verdict, its proof, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractd.contracts.compat.result import Change, Comparison, Witness

if TYPE_CHECKING:
    from contractd.contracts.compat.verdict import compare_schemas

__all__ = ["Change", "Comparison", "Witness", "compare_schemas"]


def __getattr__(name: str) -> Any:
    # The solver comes with it, which a check of a value, or a look at a dialect, does not need.
    if name == "compare_schemas":
        from contractd.contracts.compat.verdict import compare_schemas  # noqa: PLC0415

        return compare_schemas
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
