"""Providers that only one side has, that did not answer, or whose list may not be all there is."""

from __future__ import annotations

from contractd.preflight.catalogue import rule
from contractd.preflight.drift.offers import Offer
from contractd.preflight.drift.pairing import Pair
from contractd.preflight.drift.sides import Side
from contractd.preflight.model import Finding
from contractd.text import listed, plural, visible


def unpaired(pair: Pair, old: Offer, new: Offer, fates: dict[str, list[str]], notes: list[str]) -> list[Finding]:
    """What is to be said of it; its tools are counted in ``fates``, and a new provider is a line in ``notes``."""
    name = pair.name or ""
    missing = new.missing.get(name) or old.missing.get(name)
    there = pair.old or pair.new
    tools = [tool.name for tool in there.manifest.tools] if there else []
    if missing is not None:
        fates["undetermined"] += [f"{name}.{tool}" for tool in tools]
        reason, place = missing
        return [
            Finding(
                rule("undetermined-drift"),
                "info",
                f"{visible(name, 80)} could not be compared: {visible(reason, 400)}",
                "have it come up, or agree to it, and compare again",
                place,
                provider=name,
                retryable=True,
                undetermined=True,
            )
        ]
    if pair.old is None:
        fates["added"] += [f"{name}.{tool}" for tool in tools]
        notes.append(f"{visible(name, 80)} is new, with {plural(len(tools), 'tool')}: {listed(tools)}")
        return []
    fates["removed"] += [f"{name}.{tool}" for tool in tools]
    return [
        Finding(
            rule("tool-removed"),
            "high",
            f"{visible(name, 80)} is not in {visible(new.shown, 200)}: its {plural(len(tools), 'tool')} "
            + ("is gone" if len(tools) == 1 else "are gone")
            + (f" ({listed(tools)})" if tools else ""),
            "take its tools out of instructions and expectations, or configure it again",
            pair.old.home,
            provider=name,
            retryable=False,
        )
    ]


def unsure(doubt: str, side: Side) -> Finding:
    """What is not certain about a list as a whole."""
    return Finding(
        rule("undetermined-drift"),
        "info",
        f"{visible(side.provider, 80)}: {doubt}" if side.provider else doubt,
        "compare whole lists in which every name stands once",
        side.home,
        provider=side.provider,
        subject=doubt,
        retryable=False,
        undetermined=True,
    )
