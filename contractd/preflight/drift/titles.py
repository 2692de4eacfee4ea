"""Titles in schemas: most are made of names by generators, and say nothing that the names do not say."""

from __future__ import annotations

from typing import Any

from contractd.contracts.drift import ContractChange, Difference
from contractd.contracts.references import at_pointer
from contractd.preflight.likeness import folded

_SUFFIXES = (
    "",
    "arguments",
    "args",
    "input",
    "inputs",
    "params",
    "parameters",
    "request",
    "output",
    "result",
    "response",
)
_LONGEST = 80  # characters; a name that is longer says more than a name


def generated_title(change: Difference, of: ContractChange) -> bool:
    """Whether a changed title in a schema says no more than the name it stands at: ``Recipient`` of ``recipient``,
    ``send_messageArguments`` of the tool ``send_message``."""
    place = change.pointer_new or change.pointer_old or ""
    tokens = place.split("/")[1:]
    if change.kind != "title-changed" or len(tokens) < 2:
        return False
    if change.pointer_new is None:
        return True  # it is gone
    title = _at(of, tokens)
    if not isinstance(title, str) or len(title) > _LONGEST:
        return False
    name = tokens[-2].replace("~1", "/").replace("~0", "~") if len(tokens) > 2 else of.new.name
    names = {folded(name + suffix) for suffix in _SUFFIXES}
    return folded(title) in names or folded(title) in {folded(of.new.name + suffix) for suffix in _SUFFIXES}


def _at(of: ContractChange, tokens: list[str]) -> Any:
    root = {"inputSchema": of.new.input_schema, "outputSchema": of.new.output_schema}.get(tokens[0])
    return at_pointer(root, "/" + "/".join(tokens[1:]))
