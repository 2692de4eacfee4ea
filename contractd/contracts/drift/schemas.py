"""The differences of two contracts' schemas, in the words of those who call a tool and those who read its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from contractd.contracts.compat.changes import escaped
from contractd.contracts.compat.result import Change
from contractd.contracts.contract import Contract
from contractd.contracts.drift.parameters import renamed_parameters
from contractd.contracts.drift.result import Difference

# What a model reads, and no validator.
_TEXTS: Final = frozenset(
    ("description-changed", "title-changed", "examples-changed", "comment-changed", "other-keyword-changed")
)
_INPUT, _OUTPUT = "/inputSchema", "/outputSchema"


def argument_changes(old: Contract, new: Contract, changes: Iterable[Change]) -> Iterator[Difference]:
    """What differs between the input schemas; a parameter's new name is one difference."""
    if old.parameters and not new.parameters:
        yield Difference("parameters-lost", f"{_INPUT}/properties", None, "arguments", "narrows")
    pairs = renamed_parameters(old, new)
    for name, other in pairs.items():
        yield Difference("parameter-renamed", _parameter(name), _parameter(other), "arguments", "narrows")
    gone = {_parameter(name) for name in pairs}
    fresh = {_parameter(name) for name in pairs.values()}
    for change in changes:
        found = _difference(change, _INPUT)
        if (found.kind == "property-removed" and found.pointer_old in gone) or (
            found.kind == "property-added" and found.pointer_new in fresh
        ):
            continue
        yield _renamed_kind(found, old, new)


def result_changes(old: Contract, new: Contract, changes: Iterable[Change]) -> Iterator[Difference]:
    """What differs between the output schemas; one that appears or vanishes is one difference."""
    if old.output_schema is None and new.output_schema is None:
        return
    if old.output_schema is None:
        yield Difference("output-schema-added", None, _OUTPUT, "results", "narrows")
    elif new.output_schema is None:
        yield Difference("output-schema-removed", _OUTPUT, None, "results", "widens")
    else:
        for change in changes:
            yield _difference(change, _OUTPUT)


def text_changes(old: Contract, new: Contract) -> Iterator[Difference]:
    """Title and description of the tool: they say to the model when to choose it."""
    for key, before, after in (("title", old.title, new.title), ("description", old.description, new.description)):
        if before != after:
            yield Difference(
                f"{key}-changed",
                None if before is None else f"/{key}",
                None if after is None else f"/{key}",
                "description",
                "neither",
            )


def _difference(change: Change, base: str) -> Difference:
    return Difference(
        change.kind,
        None if change.pointer_old is None else base + change.pointer_old,
        None if change.pointer_new is None else base + change.pointer_new,
        "description" if change.kind in _TEXTS else change.direction,
        change.effect,
    )


def _renamed_kind(found: Difference, old: Contract, new: Contract) -> Difference:
    """Of the top level: parameters, and whether what is required now could be given before."""
    place = found.pointer_new or found.pointer_old or ""
    tokens = place.split("/")[2:]
    if found.kind in ("property-removed", "property-added") and len(tokens) == 2:
        return replace(found, kind=found.kind.replace("property", "parameter"))
    if found.kind == "required-added" and len(tokens) == 2:
        name = new.input_schema["required"][int(tokens[1])]
        return replace(found, kind="newly-required" if name in old.parameters else "added-required")
    return found


def _parameter(name: str) -> str:
    return f"{_INPUT}/properties/{escaped(name)}"
