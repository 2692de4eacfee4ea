"""Two contracts of one tool, compared: the verdicts with their proof, and everything that differs."""

from __future__ import annotations

from typing import Any

from contractd.contracts.compat import Comparison, compare_schemas
from contractd.contracts.compat.result import Direction
from contractd.contracts.contract import Contract
from contractd.contracts.drift.hints import hint_changes
from contractd.contracts.drift.refusal import refusal_of
from contractd.contracts.drift.result import ContractChange, Difference, Refusal
from contractd.contracts.drift.schemas import argument_changes, result_changes, text_changes
from contractd.contracts.drift.told import told_of

# What one comparison of schemas may take, in seconds of work: real ones take some milliseconds, and a process that
# cleans up its memory meanwhile must not make a verdict unknown.
SECONDS = 1.0


def compare(old: Contract, new: Contract, *, seconds: float = SECONDS) -> ContractChange:
    """What became of a tool's promise. The name is not compared: a tool may have been renamed.

    A tool without an output schema promises nothing of its results: one that appears is compatible, one that vanishes
    is breaking for whoever relied on it. ``seconds``: what each comparison of schemas may take before it is unknown.
    """
    same = old.digest == new.digest
    if same and old.description_digest == new.description_digest:
        return _unchanged(old, new)
    arguments = _compared(old, new, "arguments", seconds) if not same else Comparison("compatible", "arguments")
    results = _compared(old, new, "results", seconds) if not same else Comparison("compatible", "results")
    declared = tuple(
        _declared(old, new, found, seconds) for found in (arguments, results) if found.verdict == "breaking"
    )
    changes: tuple[Difference, ...] = (
        *argument_changes(old, new, arguments.changes),
        *result_changes(old, new, results.changes),
        *hint_changes(old.annotations, new.annotations),
        *text_changes(old, new),
    )
    refusals = tuple(
        (found, why) for found in (arguments, results, *declared) if (why := _refusal(old, new, found)) is not None
    )
    return ContractChange(old, new, arguments, results, changes, declared, refusals)


def _unchanged(old: Contract, new: Contract) -> ContractChange:
    return ContractChange(old, new, Comparison("compatible", "arguments"), Comparison("compatible", "results"))


def _schemas(old: Contract, new: Contract, direction: Direction) -> tuple[Any, Any]:
    if direction == "arguments":
        return old.input_schema, new.input_schema
    return tuple(True if side.output_schema is None else side.output_schema for side in (old, new))  # type: ignore[return-value]


def _compared(old: Contract, new: Contract, direction: Direction, seconds: float) -> Comparison:
    return compare_schemas(*_schemas(old, new, direction), direction, seconds=seconds)


def _declared(old: Contract, new: Contract, found: Comparison, seconds: float) -> Comparison:
    """The comparison of what is declared; the one for everything where nothing is narrowed."""
    before, after = _schemas(old, new, found.direction)
    accepting = before if found.direction == "arguments" else after
    told = told_of(accepting, found.direction)
    if told == accepting:
        return found
    if found.direction == "arguments":
        return compare_schemas(told, after, "arguments", seconds=seconds)
    return compare_schemas(before, told, "results", seconds=seconds)


def _refusal(old: Contract, new: Contract, found: Comparison) -> Refusal | None:
    if found.witness is None:
        return None
    before, after = _schemas(old, new, found.direction)
    return refusal_of(after if found.direction == "arguments" else before, found.witness.value)
