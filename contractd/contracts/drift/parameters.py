"""Parameters that were probably renamed: one is gone, one is new, and they are alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from contractd.contracts.compat.kinds import freeze
from contractd.contracts.contract import Contract
from contractd.contracts.drift.names import nearness, words

_MOST = 60  # parameters gone, and new ones, that are compared with each other
_SAID_NOTHING = frozenset(("title", "description", "default", "examples", "$comment", "deprecated"))
_LIKE = 0.5


def renamed_parameters(old: Contract, new: Contract) -> dict[str, str]:
    """Old name to new name. One and the same schema but for its texts, and a sign that both mean one thing: like names,
    like descriptions, or required on both sides with a word in common or as the only ones of their kind."""
    before, after = old.parameters, new.parameters
    gone = [name for name in before if name not in after][:_MOST]
    fresh = [name for name in after if name not in before][:_MOST]
    scored = []
    for name in gone:
        for other in fresh:
            if bare_shape(before[name]) == bare_shape(after[other]):
                score = _likeness(name, other, before, after)
                if name in old.required and other in new.required and (score or _only(old, new, name, other)):
                    score = max(score, _LIKE)
                if score >= _LIKE:
                    scored.append((score, name, other))
    pairs: dict[str, str] = {}
    for _, name, other in sorted(scored, key=lambda row: -row[0]):
        if name not in pairs and other not in pairs.values():
            pairs[name] = other
    return pairs


def _likeness(name: str, other: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> float:
    near = nearness(name, other)
    first, second = _said(before[name]), _said(after[other])
    told = len(first & second) / len(first | second) if first and second else 0.0
    # Half of a name and some of the text, or either alone.
    return max(near, told, near + told if near and told else 0.0)


def _said(schema: Any) -> frozenset[str]:
    text = schema.get("description") if isinstance(schema, dict) else None
    return words(text) if isinstance(text, str) else frozenset()


def _only(old: Contract, new: Contract, name: str, other: str) -> bool:
    shape = bare_shape(old.parameters[name])
    gone = [key for key in old.required if key not in new.parameters and key in old.parameters]
    fresh = [key for key in new.required if key not in old.parameters and key in new.parameters]
    alike = [[key for key in gone if bare_shape(old.parameters[key]) == shape]]
    alike.append([key for key in fresh if bare_shape(new.parameters[key]) == shape])
    return alike == [[name], [other]]


def bare_shape(schema: Any) -> Hashable:
    """A schema's own keywords without its texts, comparable."""
    if not isinstance(schema, dict):
        return freeze(schema)
    return freeze({key: inner for key, inner in schema.items() if key not in _SAID_NOTHING})
