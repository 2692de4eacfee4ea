"""Which manifest of one side is compared with which of the other."""

from __future__ import annotations

from dataclasses import dataclass

from contractd.errors import UsageError
from contractd.preflight.drift.offers import Offer
from contractd.preflight.drift.sides import Side
from contractd.preflight.likeness import nearest
from contractd.text import listed, visible


@dataclass(frozen=True)
class Pair:
    """One provider on both sides. ``name`` None: neither side says whose the manifest is."""

    name: str | None
    old: Side | None
    new: Side | None


def pairs(old: Offer, new: Offer, chosen: str | None) -> list[Pair]:
    """By provider id. A manifest of nobody's is compared with the only provider of the other side, or with the
    ``chosen`` one. Raises UsageError where it is not clear which."""
    if chosen is not None:
        _known(chosen, old, new)
    if None in old.sides and None in new.sides:
        return [Pair(None, old.sides[None], new.sides[None])]
    if None in old.sides:
        name = chosen or _only(new, old)
        return [Pair(name, old.sides[None], new.sides.get(name))]
    if None in new.sides:
        name = chosen or _only(old, new)
        return [Pair(name, old.sides.get(name), new.sides[None])]
    names = dict.fromkeys((*new.names, *old.names))
    return [Pair(name, old.sides.get(name), new.sides.get(name)) for name in names if chosen is None or name == chosen]


def _only(offer: Offer, other: Offer) -> str:
    if len(offer.names) == 1:
        return offer.names[0]
    shown = visible(offer.shown, 200)
    if not offer.names:
        raise UsageError(f"{shown} has no server to compare {visible(other.shown, 200)} with")
    raise UsageError(
        f"{visible(other.shown, 200)} is the manifest of one server, and {shown} has {len(offer.names)}",
        hint=f"--provider NAME says which: {listed(list(offer.names))}",
    )


def _known(chosen: str, *offers: Offer) -> None:
    names = [name for offer in offers for name in offer.names]
    if not names:
        raise UsageError("--provider is for locks and configurations: neither side says whose its tools are")
    if chosen not in names:
        close = nearest(chosen, names)
        there = f"did you mean {visible(close, 80)}?" if close else f"there are {listed(sorted(set(names)))}"
        raise UsageError(f"--provider {visible(chosen, 80)}: neither side has it", hint=there)
