"""A lock beside what is offered now: findings for preflight, and for ``contractd lock``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from contractd.contracts import Manifest, compare_manifests
from contractd.errors import Place
from contractd.policy import LoadedUses
from contractd.preflight.catalogue import rule
from contractd.preflight.drift.findings import drift_findings
from contractd.preflight.drift.pairing import Pair
from contractd.preflight.drift.sides import Side, locked_side
from contractd.preflight.drift.used import Judge
from contractd.preflight.lockfile import LockFile
from contractd.preflight.model import Finding
from contractd.registry.lock import LockedProvider
from contractd.text import listed, plural, visible


def differences(
    locked: LockedProvider, manifest: Manifest, name: str, place: Place, shown: str, uses: LoadedUses | None = None
) -> tuple[Finding, ...]:
    """What became of each locked tool, and the tools that are not locked, with what to type to accept it.

    ``name`` is the server's in its configuration, ``place`` its entry there, ``shown`` the lock's name. ``uses``: judge
    by what one agent uses.
    """
    old, new = locked_side(locked, shown, name), Side(place.file, manifest, place, provider=name)
    judge = Judge(uses).of(Pair(locked.id, old, new))
    change = judge.narrowed(compare_manifests(locked.manifest, manifest))
    found = judge.settled(drift_findings(change, old, new))
    added = (not_locked(locked.id, name, [tool.name], place, shown) for tool in change.added)
    return (*(_acceptable(finding, locked.id) for finding in found), *added)


def _acceptable(finding: Finding, provider: str) -> Finding:
    """With the command that accepts it; a tool with another name is accepted under that."""
    tool = finding.subject if finding.rule.name == "tool-renamed" else finding.tool
    command = upgrade(f"{provider}.{tool}")
    return replace(finding, action=f"{finding.action}; or accept it as it is now: {command}")


def not_locked(provider: str, name: str, tools: list[str], place: Place, shown: str, *, whole: bool = False) -> Finding:
    """One tool that nobody accepted; or with ``whole`` a server of which the lock knows nothing."""
    server = visible(name, 80)
    if whole:
        said = f"{server} is not in {visible(shown, 200)}: nobody accepted its {plural(len(tools), 'tool')}"
        said += f" ({listed(tools)})" if tools else ""
    else:
        said = f"{server}.{visible(tools[0], 120)} is not in {visible(shown, 200)}: nobody accepted it"
    reference = provider if whole else f"{provider}.{tools[0]}"
    return Finding(
        rule("tool-not-locked"),
        "medium",
        said,
        f"read what it says of itself, then accept it: {upgrade(reference)}",
        place,
        provider=name,
        tool=None if whole else tools[0],
        retryable=False,
    )


def left_over(lock: LockFile, configured: frozenset[str]) -> Iterator[Finding]:
    """Servers that are locked and not configured."""
    for provider in lock.lock.providers.values():
        if provider.id not in configured:
            yield Finding(
                rule("lock-unused"),
                "info",
                f"{lock.shown} holds {plural(len(provider.tools), 'tool')} of {visible(provider.id, 80)}, "
                "which is not configured",
                f"nothing, if another configuration has it; else take it out: {upgrade(provider.id)}",
                provider.place or Place(lock.shown),
                subject=provider.id,
                retryable=False,
            )


def upgrade(reference: str) -> str:
    """The command that accepts a tool or a server as it is now."""
    shown = visible(reference, 200)
    quoted = shown if shown.replace(".", "").replace("-", "").replace("_", "").isalnum() else f"'{shown}'"
    return f"contractd lock --upgrade {quoted}"
