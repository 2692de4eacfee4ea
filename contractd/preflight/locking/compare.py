"""A lock beside what is offered now: findings for preflight, and for ``contractd lock``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from contractd.contracts import Manifest, compare_manifests
from contractd.contracts.drift import ManifestChange
from contractd.errors import Place
from contractd.policy import LoadedUses
from contractd.preflight.catalogue import rule
from contractd.preflight.drift.findings import drift_findings
from contractd.preflight.drift.pairing import Pair
from contractd.preflight.drift.sides import Side, locked_side
from contractd.preflight.drift.texts import new_words
from contractd.preflight.drift.used import Judge
from contractd.preflight.files import STDIN
from contractd.preflight.lockfile import LockFile
from contractd.preflight.model import Finding
from contractd.preflight.request import Request
from contractd.registry.lock import LOCK_FILE, LockedProvider
from contractd.text import listed, plural, visible


@dataclass(frozen=True)
class Offered:
    """What a configured server offers: ``name`` is its own in the configuration, ``place`` its entry there. ``unfit``:
    why a tool of it can't be locked."""

    name: str
    place: Place
    manifest: Manifest
    unfit: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparing:
    """The lock that is compared with, for which request: its findings say what to type. ``uses``: judge by what one
    agent uses."""

    file: LockFile
    request: Request
    uses: LoadedUses | None = None

    def differences(self, locked: LockedProvider, offered: Offered) -> tuple[Finding, ...]:
        """What became of each locked tool, and the tools that are not locked."""
        old = locked_side(locked, self.file.shown, offered.name)
        new = Side(offered.place.file, offered.manifest, offered.place, provider=offered.name)
        judge = Judge(self.uses).of(Pair(locked.id, old, new))
        change = judge.narrowed(compare_manifests(locked.manifest, offered.manifest))
        found = [*judge.settled(drift_findings(change, old, new))]
        found += [*judge.settled(self._words_of_additions(change, found, new))]
        added = (self.not_locked(locked.id, offered, tool.name) for tool in change.added)
        return (*(self._acceptable(finding, locked.id) for finding in found), *added)

    def _words_of_additions(self, change: ManifestChange, found: list[Finding], new: Side) -> Iterator[Finding]:
        """What stands in a schema that is new within a tool is text that nobody has read, however safe the rest."""
        told = {finding.tool for finding in found if finding.rule.name == "description-drift"}
        for one in change.changed:
            words = new_words(one)
            if words and one.new.name not in told:
                name = f"{visible(new.provider or '', 80)}.{visible(one.new.name, 120)}"
                yield Finding(
                    rule("description-drift"),
                    "low",
                    f"{name}: {plural(len(words), 'new text')} in what was added to its schemas",
                    "read the new text before an agent acts on it",
                    new.place(one.new.name),
                    provider=new.provider,
                    tool=one.new.name,
                    retryable=False,
                    remedies=tuple(words[:3]),
                )

    def not_locked(self, provider: str, offered: Offered, tool: str | None = None) -> Finding:
        """One tool that nobody accepted; or a server of which the lock knows nothing."""
        server, shown = visible(offered.name, 80), visible(self.file.shown, 200)
        if tool is None:
            names = [one.name for one in offered.manifest.tools]
            said = f"{server} is not in {shown}: nobody accepted its {plural(len(names), 'tool')} ({listed(names)})"
        else:
            said = f"{server}.{visible(tool, 120)} is not in {shown}: nobody accepted it"
        unfit = offered.unfit.get(tool) if tool is not None else None
        reference = provider if tool is None else f"{provider}.{tool}"
        return Finding(
            rule("tool-not-locked"),
            "medium",
            f"{said}, and it can't be locked: {unfit}" if unfit else said,
            "have the server keep it out of its tools, or leave the tool out of the configuration"
            if unfit
            else f"read what it says of itself, then accept it: {self._upgrade(reference)}",
            offered.place,
            provider=offered.name,
            tool=tool,
            retryable=False,
        )

    def left_over(self, configured: frozenset[str]) -> Iterator[Finding]:
        """Servers that are locked and not configured."""
        for provider in self.file.lock.providers.values():
            if provider.id not in configured:
                yield Finding(
                    rule("lock-unused"),
                    "info",
                    f"{self.file.shown} holds {plural(len(provider.tools), 'tool')} of {visible(provider.id, 80)}, "
                    "which is not configured",
                    f"nothing, if another configuration has it; else take it out: {self._upgrade(provider.id)}",
                    provider.place or Place(self.file.shown),
                    subject=provider.id,
                    retryable=False,
                )

    def _acceptable(self, finding: Finding, provider: str) -> Finding:
        """With the command that accepts it; a tool with another name is accepted under that."""
        tool = finding.subject if finding.rule.name == "tool-renamed" else finding.tool
        action = f"{finding.action}; or accept it as it is now: {self._upgrade(f'{provider}.{tool}')}"
        message = finding.message
        if finding.rule.name == "annotation-drift":
            message += ". Until it is accepted, the stricter of both counts"
        return replace(finding, message=message, action=action)

    def _upgrade(self, reference: str) -> str:
        """The command that accepts a tool or a server as it is now."""
        request = self.request
        words = ["contractd", "lock"]
        for config in request.configs:
            words += ["--config", config if config != STDIN else "FILE"]
        words += ["--runtime", request.runtime] if request.runtime else []
        if self.file.path != os.path.normpath(Path(request.cwd, LOCK_FILE)):
            words += ["--lock", self.file.shown]
        words += ["--upgrade", visible(reference, 200)]
        return " ".join(shlex.quote(word) for word in words)
