"""From the names of two manifests to a report."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from contractd.contracts import compare_manifests
from contractd.contracts.drift import ManifestChange
from contractd.documents import Document
from contractd.errors import UsageError
from contractd.preflight.drift.findings import drift_findings
from contractd.preflight.drift.sides import Side, read_side
from contractd.preflight.files import STDIN
from contractd.preflight.model import DriftView, FailOn, FileView, Report, RuntimeView, by_urgency, verdict_of
from contractd.preflight.stated import Chosen, rule_ids
from contractd.runtimes.catalogue import CONTRACTD
from contractd.text import listed, plural

_NO_RUNTIME = RuntimeView(CONTRACTD, "contractd", None, "stated", "two manifests are compared")


@dataclass(frozen=True)
class DiffRequest:
    """``old`` and ``new`` name files, one of them may be ``-``: what ``stdin`` holds. The others are as in
    ``Request``, and no contractd.toml is read."""

    old: str
    new: str
    stdin: bytes = b""
    cwd: str = field(default_factory=os.getcwd)
    fail_on: FailOn | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    allow_undetermined: tuple[str, ...] = ()


def diff(request: DiffRequest) -> tuple[Report, Mapping[str, Document]]:
    """Compare two manifests: the report, and the documents it points into.

    Raises UsageError for what is no rule or for two sides on standard input, ConfigError for what is no manifest.
    """
    if request.old == request.new == STDIN:
        raise UsageError("only one of the two manifests can come from standard input")
    choice = Chosen(
        rule_ids(request.select),
        rule_ids(request.ignore),
        rule_ids(request.allow_undetermined),
        request.fail_on or "medium",
    )
    old, new = (read_side(name, request.cwd, request.stdin) for name in (request.old, request.new))
    return judge_sides(old, new, choice), {side.document.path: side.document for side in (old, new)}


def judge_sides(old: Side, new: Side, choice: Chosen) -> Report:
    """The report on two manifests. As in preflight, a rule that is left out can't make the verdict ``not_ready``, and
    what could not be determined still keeps it from ``ready``."""
    change = compare_manifests(old.manifest, new.manifest)
    found = tuple(drift_findings(change, old, new))
    shown = tuple(finding for finding in found if choice.shows(finding.rule.id))
    doubts = tuple(finding for finding in found if finding.undetermined and not choice.shows(finding.rule.id))
    verdict, undetermined = verdict_of(shown + doubts, choice.fail_on, choice.allowed)
    sides = (("old", old), ("new", new))
    return Report(
        verdict,
        _NO_RUNTIME,
        tuple(FileView(side.document.path, word, f"the {word} manifest") for word, side in sides),
        (),
        (),
        tuple(by_urgency(shown)),
        choice.fail_on,
        undetermined=undetermined,
        hidden=len(found) - len(shown),
        notes=_notes(change, old, new),
        drift=DriftView(old.view, new.view, _fates(change)),
    )


def _fates(change: ManifestChange) -> dict[str, tuple[str, ...]]:
    """What became of each tool, the worst first."""
    by_verdict: dict[str, list[str]] = {"breaking": [], "unknown": [], "compatible": []}
    for one in change.changed:
        by_verdict[one.told].append(one.new.name)
    unreadable = [tool.name or "" for tool in change.unreadable]
    return {
        "breaking": tuple(by_verdict["breaking"]),
        "removed": tuple(tool.name for tool in change.removed),
        "renamed": tuple(rename.new.name for rename in change.renamed),
        "invalid": tuple(tool.name for tool, _ in change.lost),
        "undetermined": (*by_verdict["unknown"], *unreadable),
        "compatible": tuple(by_verdict["compatible"]),
        "added": tuple(tool.name for tool in change.added),
        "unchanged": change.unchanged,
    }


def _notes(change: ManifestChange, old: Side, new: Side) -> tuple[str, ...]:
    notes = [*old.notes, *new.notes]
    if change.added:
        names = listed([tool.name for tool in change.added])
        notes.append(f"{plural(len(change.added), 'new tool')}: {names}")
    for side in (old, new):
        if side.manifest.duplicates:
            twice = listed(list(side.manifest.duplicates))
            notes.append(f"{side.document.path} lists a name twice, of which the later tool is compared: {twice}")
    return tuple(notes)
