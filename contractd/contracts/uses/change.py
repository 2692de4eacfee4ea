"""A change of a contract, or of a manifest, judged by what one agent uses."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from contractd.contracts.compat import Comparison, compare_schemas
from contractd.contracts.contract import Contract
from contractd.contracts.drift.contract import SECONDS
from contractd.contracts.drift.manifest import MAX_SECONDS
from contractd.contracts.drift.refusal import refusal_of
from contractd.contracts.drift.result import ContractChange, ManifestChange, Narrowed, Refusal
from contractd.contracts.drift.told import told_of
from contractd.contracts.uses.model import ToolUse, Uses
from contractd.contracts.uses.narrow import declaring, narrowed
from contractd.contracts.uses.paths import Tree
from contractd.contracts.uses.project import kept_words, projected

Told = tuple[Comparison, Refusal | None]


def narrow_change(change: ContractChange, use: ToolUse, *, seconds: float = SECONDS) -> ContractChange:
    """The same change, with the verdict for an agent that uses the tool as ``use`` says.

    Arguments are breaking if a call that sends only what is listed, and all that is always sent, was valid and is
    refused now. Results are breaking if one may come that, to a reader of the listed fields, looks like none that
    could. What is not listed at all (``None``) is judged as before; unknown stays unknown.
    """
    doubts: list[str] = []
    arguments, results = change.for_anyone
    refusals = list(change.refusals)
    # Where the letter is kept there is nothing to narrow: what is used is a part of everything.
    if use.sends is not None and change.arguments.verdict != "compatible":
        arguments, refusal = _arguments(change, use.sends, doubts, seconds)
        refusals += [(arguments, refusal)] if refusal else []
    if use.reads is not None and change.results.verdict != "compatible":
        results, refusal = _results(change, use.reads, doubts, seconds)
        refusals += [(results, refusal)] if refusal else []
    return replace(change, narrowed=Narrowed(use, arguments, results, tuple(doubts)), refusals=tuple(refusals))


def _arguments(change: ContractChange, tree: Tree, doubts: list[str], seconds: float) -> Told:
    old, new = change.old.input_schema, change.new.input_schema
    sent = narrowed(old, tree)
    if sent is None:
        doubts.append("the arguments, whose schema is a single $ref in an old dialect")
        return change.for_anyone[0], None
    found = compare_schemas(sent, new, "arguments", seconds=seconds)
    declared = declaring(old, tree) if found.verdict == "breaking" else None
    told = None if declared is None else told_of(declared, "arguments")
    if told is not None and told != declared:  # within what is listed whole, only what is declared
        narrow = narrowed(told, tree)
        found = compare_schemas(narrow, new, "arguments", seconds=seconds) if narrow is not None else found
    if found.verdict == "compatible" and not _has_a_value(sent, seconds):
        ahead = narrowed(new, tree)  # the list may have been written for the new contract
        if ahead is None or not _has_a_value(ahead, seconds):
            doubts.append("the arguments: no call of what is listed is valid, before or now")
            return change.for_anyone[0], None
    return found, _refusal(new, found)


def _has_a_value(schema: Any, seconds: float) -> bool:
    """Is there provably a value: of nothing everything is true."""
    return compare_schemas(schema, {"not": {}}, seconds=seconds).verdict == "breaking"


def _results(change: ContractChange, tree: Tree, doubts: list[str], seconds: float) -> Told:
    old, new = (True if side.output_schema is None else side.output_schema for side in (change.old, change.new))
    loosened = projected(old, tree)
    doubts += kept_words(loosened.kept)
    found = compare_schemas(loosened.schema, new, "results", seconds=seconds)
    told: Any = told_of(new, "results") if found.verdict == "breaking" else new
    if told != new:
        found = compare_schemas(loosened.schema, told, "results", seconds=seconds)
    return found, _refusal(loosened.schema, found)


def _refusal(schema: Any, found: Comparison) -> Refusal | None:
    return None if found.witness is None else refusal_of(schema, found.witness.value)


def narrow_manifest(
    change: ManifestChange,
    uses: Uses,
    provider: str | None = None,
    *,
    seconds: float = MAX_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> ManifestChange:
    """Every change of a tool that ``uses`` speaks of, narrowed; a renamed tool under the name it had."""
    deadline = clock() + seconds

    def of(tool: Contract, one: ContractChange) -> ContractChange:
        use = uses.of(tool.name, provider)
        return one if use is None else narrow_change(one, use, seconds=max(0.0, min(SECONDS, deadline - clock())))

    return replace(
        change,
        changed=tuple(of(one.old, one) for one in change.changed),
        renamed=tuple(replace(rename, change=of(rename.old, rename.change)) for rename in change.renamed),
    )
