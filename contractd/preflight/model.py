"""The values of a preflight report. Everything here is final: text from servers in it is still hostile."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from contractd.errors import Place

Severity = Literal["info", "low", "medium", "high"]
Confidence = Literal["low", "medium", "high"]
FailOn = Literal["info", "low", "medium", "high", "never"]
Verdict = Literal["ready", "not_ready", "undetermined"]
Visible = Literal["yes", "deferred", "no", "unknown"]
ToolStatus = Literal["bound", "shadowed", "refused", "quarantined", "excluded"]
ProviderStatus = Literal["ready", "locked", "failed", "skipped", "disabled"]
VersionSource = Literal["stated", "program", "assumed"]
Command = Literal["preflight", "diff", "replay"]

PASTE = "put into"
SEVERITIES: tuple[Severity, ...] = ("info", "low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Rule:
    """What is checked. ``severity`` None: earned case by case. ``undetermined``: a finding says that something could
    not be determined, which makes the verdict ``undetermined`` whatever its severity. ``source``: the command that
    finds it by itself; with a lock preflight finds those of ``diff`` too."""

    id: str
    name: str
    severity: Severity | None
    summary: str
    undetermined: bool = False
    source: Command = "preflight"


@dataclass(frozen=True, slots=True)
class Remedy:
    """Exact lines to put somewhere. ``where`` names the file or key; ``text`` is ready to paste. ``lead``: what to do
    with them, where it is something else."""

    where: str
    text: str
    language: str = "json"
    lead: str = PASTE


@dataclass(frozen=True)
class Finding:
    """One thing found. ``subject`` tells findings of the same rule, provider and tool apart (it enters the
    fingerprint; line numbers don't)."""

    rule: Rule
    severity: Severity
    message: str
    action: str
    place: Place
    confidence: Confidence = "high"
    provider: str | None = None
    tool: str | None = None
    subject: str = ""
    retryable: bool | None = None
    undetermined: bool = False
    settled: str | None = None
    suppressed: str | None = None
    remedies: tuple[Remedy, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Stable over runs and moved lines: the rule and what it is about."""
        parts = (self.rule.id, self.provider or "", self.tool or "", self.subject)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def counts(self, fail_on: FailOn) -> bool:
        """Whether it makes the verdict ``not_ready``."""
        if self.settled or self.suppressed or self.undetermined or fail_on == "never":
            return False
        return SEVERITIES.index(self.severity) >= SEVERITIES.index(fail_on)


@dataclass(frozen=True)
class RuntimeView:
    """The agent runtime the configuration is for. ``version_source`` ``assumed``: nobody said and nobody could be
    asked. ``data_version`` is the version whose built-ins and rules were used; None where none are known."""

    name: str
    title: str
    version: str | None
    version_source: VersionSource
    reason: str
    data_version: str | None = None
    note: str | None = None
    conditions: Mapping[str, str] = field(default_factory=dict)
    assumed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ProviderView:
    """One row. The three questions are answered by contractd; what the running runtime would say is not known here."""

    name: str
    id: str
    transport: str
    status: ProviderStatus
    target: str
    place: Place
    scope: str
    reason: str | None = None
    signal: str | None = None
    retryable: bool | None = None
    era: str | None = None
    protocol_version: str | None = None
    tools: int | None = None
    seconds: float | None = None
    budget: float | None = None
    exit_code: int | None = None
    stderr_tail: str = ""
    foreign: tuple[str, ...] = ()
    manifest_digest: str | None = None
    started: bool | None = None


@dataclass(frozen=True)
class ToolView:
    """One tool of one provider. ``runtime_name`` None: not known, or the tool has none (then ``visible`` is ``no``)."""

    provider: str
    name: str
    runtime_name: str | None
    visible: Visible
    status: ToolStatus
    digest: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class FileView:
    """A file that was read, and in which scope its runtime reads it."""

    path: str
    scope: str
    why: str


@dataclass(frozen=True)
class SideView:
    """One of two manifests that were compared."""

    file: str
    tools: int
    manifest_digest: str


@dataclass(frozen=True)
class DriftView:
    """What became of the tools of two manifests, each counted once; ``tools`` by what became of them, names of the new
    manifest where there are two."""

    old: SideView
    new: SideView
    tools: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class ReplayView:
    """Recorded calls that were tried against a manifest: what they were made under, where that was given, and how many
    of them came to what."""

    file: str
    new: SideView
    old: SideView | None
    calls: Mapping[str, int]


@dataclass(frozen=True)
class Report:
    """The answer. ``undetermined`` lists the rule ids that keep the verdict from ``ready``. ``drift``: two manifests
    were compared; ``replay``: recorded calls were tried. Then there is no provider and no tool of one in it."""

    verdict: Verdict
    runtime: RuntimeView
    files: tuple[FileView, ...]
    providers: tuple[ProviderView, ...]
    tools: tuple[ToolView, ...]
    findings: tuple[Finding, ...]
    fail_on: FailOn
    offline: bool = False
    undetermined: tuple[str, ...] = ()
    hidden: int = 0
    notes: tuple[str, ...] = ()
    drift: DriftView | None = None
    replay: ReplayView | None = None

    @property
    def command(self) -> Command:
        """The command whose answer it is."""
        return "diff" if self.drift else "replay" if self.replay else "preflight"


def by_urgency(findings: tuple[Finding, ...]) -> list[Finding]:
    """Open ones first, then settled, then suppressed; the severest first in each."""

    def key(finding: Finding) -> tuple[object, ...]:
        state = 1 if finding.settled else 2 if finding.suppressed else 0
        return (
            state, -SEVERITIES.index(finding.severity), finding.rule.id,
            finding.provider or "", finding.tool or "", finding.place.file, finding.place.line or 0, finding.subject,
        )  # fmt: skip

    return sorted(findings, key=key)


def verdict_of(
    findings: tuple[Finding, ...], fail_on: FailOn, allowed: frozenset[str]
) -> tuple[Verdict, tuple[str, ...]]:
    """not_ready outranks undetermined outranks ready; and the rules whose question stayed open.

    An undetermined finding counts at any severity unless it is suppressed or its rule is in ``allowed``.
    """
    open_rules = {
        finding.rule.id
        for finding in findings
        if finding.undetermined and not finding.settled and not finding.suppressed and finding.rule.id not in allowed
    }
    if any(finding.counts(fail_on) for finding in findings):
        return "not_ready", tuple(sorted(open_rules))
    return ("undetermined" if open_rules else "ready"), tuple(sorted(open_rules))
