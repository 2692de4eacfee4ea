"""Differences, witnesses and what refuses them, in sentences. Names in them are hostile, and made visible here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from contractd.contracts.compat import Comparison
from contractd.contracts.contract import Contract
from contractd.contracts.drift import ContractChange, Difference, Refusal
from contractd.preflight.model import Remedy
from contractd.text import visible

_MOST = 4  # differences told in a sentence; details have all of them
_LONGEST = 4000  # characters of a witness; the shrunk ones have some dozen
_WHOLE = {
    "parameters-lost": "all its parameters are gone",
    "output-schema-added": "it has an output schema now",
    "output-schema-removed": "its output schema is gone",
    "dialect-changed": "the JSON Schema dialect is another",
}
_PARTS = {
    "parameter-added": "{} is a new parameter",
    "parameter-removed": "{} is no parameter any more",
    "property-added": "{} is new",
    "property-removed": "{} is gone",
    "default-changed": "the default of {} is another",
    "object-closed": "{}: only declared properties are taken now",
    "object-opened": "{}: properties that are not declared are taken now",
    "type-narrowed": "{} takes fewer types",
    "type-widened": "{} takes more types",
    "enum-value-removed": "{} lost a value",
    "enum-value-added": "{} has a value more",
    "bound-tightened": "a bound of {} is tighter",
    "bound-loosened": "a bound of {} is looser",
}


def told(changes: Iterable[Difference], of: ContractChange) -> str:
    """The first few differences, each once."""
    parts = list(dict.fromkeys(phrase(change, of) for change in _telling(list(changes), of)))
    more = f"; and {len(parts) - _MOST} more" if len(parts) > _MOST else ""
    return "; ".join(parts[:_MOST]) + more or "nothing that can be named"


def _telling(changes: list[Difference], of: ContractChange) -> list[Difference]:
    """Without what another one says as well: a parameter that is new and required is new."""
    required = {_named(of.new, change.pointer_new) for change in changes if change.kind == "added-required"}
    gone = {
        _last(change.pointer_old) for change in changes if change.kind in ("parameter-removed", "parameter-renamed")
    }
    return [
        change
        for change in changes
        if not (change.kind == "parameter-added" and _last(change.pointer_new) in required)
        and not (change.kind == "required-removed" and _named(of.old, change.pointer_old) in gone)
    ]


def phrase(change: Difference, of: ContractChange) -> str:
    """One difference, for people."""
    if change.kind in _WHOLE:
        return _WHOLE[change.kind]
    if change.kind == "parameter-renamed":
        return f"{_last(change.pointer_old)} is probably {_last(change.pointer_new)} now"
    if change.kind in ("added-required", "newly-required", "required-added", "required-removed"):
        gone = change.kind == "required-removed"
        name = _named(of.old, change.pointer_old) if gone else _named(of.new, change.pointer_new)
        became = {"added-required": "is new and required", "required-removed": "is not required any more"}
        return f"{name} {became.get(change.kind, 'is required now')}"
    place = change.pointer_new or change.pointer_old or ""
    if change.kind in _PARTS:
        return _PARTS[change.kind].format(_subject(place))
    return f"{change.kind.replace('-', ' ')} at {visible(place, 120)}"


def refused(refusal: Refusal | None, whole: str) -> str:
    """The path and the rule; never the value."""
    if refusal is None:
        return f"{whole} no longer fit the schema"
    where = visible(refusal.pointer, 160) or whole
    if refusal.property is not None:
        within = f" in {where}" if refusal.pointer else ""
        became = "is required" if refusal.keyword == "required" else "is not taken"
        return f"{visible(refusal.property, 80)} {became}{within} ({visible(refusal.schema_pointer, 160)})"
    return (
        f"{where}: {visible(refusal.keyword, 60)} ({visible(refusal.schema_pointer, 160) or 'the schema as a whole'})"
    )


def shown_witness(tool: Contract, comparison: Comparison) -> Remedy | None:
    """The call that is refused now, ready to be sent, or the result that a reader was never told of."""
    if comparison.witness is None:
        return None
    value = comparison.witness.value
    if comparison.direction == "arguments":
        return Remedy(
            "tools/call", compact({"name": tool.name, "arguments": value}), lead="accepted before, refused now as"
        )
    return Remedy(f"a result of {visible(tool.name, 80)}", compact(value), lead="never agreed to, possible now as")


def compact(value: Any) -> str:
    """JSON on one line in ASCII; ``##[``, which GitHub's runner takes for a command, in an escape."""
    return json.dumps(value).replace("##[", "#\\u0023[")[:_LONGEST]


def _last(pointer: str | None) -> str:
    return visible((pointer or "").rpartition("/")[2].replace("~1", "/").replace("~0", "~"), 80)


def _named(tool: Contract, pointer: str | None) -> str:
    """The name that an element of ``required`` holds."""
    here: Any = {"inputSchema": tool.input_schema, "outputSchema": tool.output_schema}
    for token in (pointer or "").split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        here = here[int(name)] if isinstance(here, list) else here[name] if isinstance(here, dict) else None
    return visible(str(here), 80)


def _subject(place: str) -> str:
    """A parameter, or a field of the result, by its name; anything else by its pointer, a schema's root in words."""
    root, *tokens = place.split("/")[1:] or [""]
    whole = "the arguments" if root == "inputSchema" else "the result"
    held = tokens if len(tokens) % 2 == 0 else tokens[:-1]  # the last one is a keyword
    if held and set(held[::2]) == {"properties"}:
        names = "/".join(name.replace("~1", "/").replace("~0", "~") for name in held[1::2])
        return visible(names, 120) + ("" if root == "inputSchema" else " of the result")
    return visible("/" + "/".join(tokens[:-1]), 120) if len(tokens) > 1 else whole
