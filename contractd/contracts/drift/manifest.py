"""Two manifests compared, tool by tool. Tools with equal digests cost no work on their schemas."""

from __future__ import annotations

import time
from collections.abc import Callable

from contractd.contracts.drift.contract import SECONDS, compare
from contractd.contracts.drift.renames import probable_renames
from contractd.contracts.drift.result import ManifestChange, Rename
from contractd.contracts.manifest import Manifest

MAX_SECONDS = 60.0  # for a whole manifest; real ones of a hundred tools take a tenth of a second


def compare_manifests(
    old: Manifest, new: Manifest, *, seconds: float = MAX_SECONDS, clock: Callable[[], float] = time.monotonic
) -> ManifestChange:
    """What was added, removed, renamed and changed. A quarantined tool can't be compared, and is told apart.

    Past ``seconds`` of ``clock`` what is left to compare is unknown.
    """
    deadline = clock() + seconds
    before = {tool.name: tool for tool in old.tools}
    after = {tool.name: tool for tool in new.tools}
    flawed = {tool.name: tool for tool in new.flawed if tool.name is not None and tool.name not in after}
    flawed_before = {tool.name for tool in old.flawed if tool.name is not None and tool.name not in before}
    changed, unchanged = [], []
    for tool in new.tools:
        counterpart = before.get(tool.name)
        if counterpart is None:
            continue
        if counterpart.digests == tool.digests:
            unchanged.append(tool.name)
            continue
        change = compare(counterpart, tool, seconds=_share(deadline - clock()))
        if change.unchanged:
            unchanged.append(tool.name)
        else:
            changed.append(change)
    gone = [tool for tool in old.tools if tool.name not in after and tool.name not in flawed]
    fresh = [tool for tool in new.tools if tool.name not in before]
    pairs = probable_renames(gone, [tool for tool in fresh if tool.name not in flawed_before], [*before, *after])
    renamed = tuple(
        Rename(one, other, reason, compare(one, other, seconds=_share(deadline - clock())))
        for one, other, reason in pairs
    )
    paired = {id(tool) for rename in renamed for tool in (rename.old, rename.new)}
    return ManifestChange(
        tuple(changed),
        tuple(tool for tool in gone if id(tool) not in paired),
        tuple(tool for tool in fresh if id(tool) not in paired),
        renamed,
        tuple(unchanged),
        tuple((before[name], tool) for name, tool in flawed.items() if name in before),
        tuple(tool for name, tool in flawed.items() if name in flawed_before),
    )


def _share(left: float) -> float:
    """What one comparison may take."""
    return max(0.0, min(SECONDS, left))
