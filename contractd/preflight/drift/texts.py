"""Texts that a model reads and no validator: which of them say something, and what they say now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from contractd.contracts.compat.changes import escaped
from contractd.contracts.drift import ContractChange, Difference
from contractd.contracts.references import at_pointer
from contractd.preflight.drift.words import compact
from contractd.preflight.likeness import folded
from contractd.preflight.model import Remedy
from contractd.text import visible

_SUFFIXES = (
    "", "arguments", "args", "input", "inputs", "params", "parameters", "request", "output", "result", "response",
)  # fmt: skip
_LONGEST = 80  # characters of a title; a name that is longer says more than a name
_NO_WORDS = frozenset(("type", "$ref", "$schema", "$id", "id", "$anchor", "format", "pattern", "$dynamicRef"))
_MOST = 3  # texts shown of one tool
_BEFORE, _SHOWN = 60, 400  # characters before the first difference, and in all


def generated_title(change: Difference, of: ContractChange) -> bool:
    """Whether a changed title in a schema says no more than the name it stands at: ``Recipient`` of ``recipient``,
    ``send_messageArguments`` of the tool ``send_message`` or ``mail_send_message``."""
    place = change.pointer_new or change.pointer_old or ""
    tokens = place.split("/")[1:]
    if change.kind != "title-changed" or len(tokens) < 2:
        return False
    if change.pointer_new is None:
        return True  # it is gone
    title = _text(of.new, place)
    if not isinstance(title, str) or len(title) > _LONGEST:
        return False
    said = folded(title)
    if len(tokens) > 2 and said == folded(tokens[-2].replace("~1", "/").replace("~0", "~")):
        return True
    tool = folded(of.new.name)
    bare = [said.removesuffix(suffix) for suffix in _SUFFIXES if said.endswith(suffix)]
    return any(base and base in tool for base in bare)


def new_texts(changes: Iterable[Difference], of: ContractChange) -> Iterator[Remedy]:
    """The new words, from just before they differ; hostile text, safe to show."""
    shown = [change for change in changes if change.pointer_new is not None]
    for change in shown[:_MOST]:
        place = change.pointer_new or ""
        was, now = (_plain(_text(side, at)) for side, at in ((of.old, change.pointer_old), (of.new, place)))
        start = max(0, _alike(was, now) - _BEFORE)
        yield Remedy(visible(place, 160), _shown(now, start), "text", lead="reads now, at")


def _shown(text: str, start: int) -> str:
    cut = text[start : start + _SHOWN]
    more = f"… (+{len(text) - start - len(cut)} characters)" if len(text) > start + len(cut) else ""
    return f"{'…' if start else ''}{visible(cut, _SHOWN)}{more}".replace("##[", "##\\x5b")


def new_words(of: ContractChange) -> list[Remedy]:
    """Texts anywhere in the new schemas that the old ones do not have, but for titles that only repeat a name."""
    before = {text for schema in (of.old.input_schema, of.old.output_schema) for _, text in _texts_in(schema, "")}
    found: list[Remedy] = []
    for base, schema in (("/inputSchema", of.new.input_schema), ("/outputSchema", of.new.output_schema)):
        for place, text in _texts_in(schema, base):
            title = Difference("title-changed", None, place, "description", "neither")
            if text not in before and not (place.endswith("/title") and generated_title(title, of)):
                before.add(text)
                found.append(Remedy(visible(place, 160), _shown(text, 0), "text", lead="reads now, at"))
    return found


def _texts_in(schema: Any, base: str) -> Iterator[tuple[str, str]]:
    """Every text under a keyword that describes, or that JSON Schema does not know; bounded as schemas are."""
    stack = [(schema, base)]
    while stack:
        here, place = stack.pop()
        if isinstance(here, list):
            stack += [(inner, f"{place}/{index}") for index, inner in enumerate(here)]
        elif isinstance(here, dict):
            for key, inner in here.items():
                at = f"{place}/{escaped(key)}"
                if isinstance(inner, str) and key not in _NO_WORDS:
                    yield at, inner
                elif isinstance(inner, dict | list):
                    stack.append((inner, at))


def _text(side: Any, place: str | None) -> Any:
    if place is None:
        return None
    root = {
        "title": side.title,
        "description": side.description,
        "inputSchema": side.input_schema,
        "outputSchema": side.output_schema,
    }
    return at_pointer(root, place)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else compact(value)


def _alike(was: str, now: str) -> int:
    """How many characters they have in common at the start."""
    pairs = enumerate(zip(was, now, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(was), len(now)))
