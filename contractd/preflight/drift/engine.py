"""From the two words of ``contractd diff`` to a report."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from contractd.contracts import compare_manifests
from contractd.contracts.drift import ManifestChange
from contractd.documents import Document
from contractd.errors import UsageError
from contractd.policy import Loaded, LoadedUses
from contractd.preflight.drift.findings import drift_findings
from contractd.preflight.drift.offers import Offer, offer_of, read_offer
from contractd.preflight.drift.pairing import Pair, pairs
from contractd.preflight.drift.unpaired import unpaired, unsure
from contractd.preflight.drift.used import Judge, PairJudge
from contractd.preflight.files import STDIN
from contractd.preflight.model import (
    DriftView,
    FailOn,
    FileView,
    Finding,
    Report,
    RuntimeView,
    Verdict,
    by_urgency,
    verdict_of,
)
from contractd.preflight.own import own_settings
from contractd.preflight.prepare import Ask, Prepared
from contractd.preflight.request import Request
from contractd.preflight.stated import Chosen, chosen
from contractd.preflight.uses import read_uses
from contractd.preflight.verdict import suppressed
from contractd.runtimes.catalogue import CONTRACTD
from contractd.text import listed, plural

if TYPE_CHECKING:
    from contractd.clock import Clock
    from contractd.events import Observer

_NO_RUNTIME = RuntimeView(CONTRACTD, "contractd", None, "stated", "two manifests are compared")
_FATES = (
    "breaking", "removed", "renamed", "invalid", "riskier", "undetermined", "compatible", "added", "unchanged",
)  # fmt: skip


@dataclass(frozen=True)
class DiffRequest:
    """``old`` and ``new`` name files: manifests, locks, configurations; one may be ``-``: what ``stdin`` holds.

    ``provider``: only this one; of two manifests, with ``uses``, whose they are. ``uses`` names a uses file.
    ``contact`` says how the servers of a configuration are contacted, and which contractd.toml counts; its ``configs``
    and ``stdin`` are not looked at. The others are as in ``Request``.
    """

    old: str
    new: str
    stdin: bytes = b""
    cwd: str = field(default_factory=os.getcwd)
    fail_on: FailOn | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    allow_undetermined: tuple[str, ...] = ()
    provider: str | None = None
    contact: Request | None = None
    uses: str | None = None


@dataclass(frozen=True)
class PreparedDiff:
    """Both sides as far as they can be read without contacting anything."""

    asked: DiffRequest
    old: Offer | Prepared
    new: Offer | Prepared
    policy: Loaded
    choice: Chosen
    uses: LoadedUses | None = None

    @property
    def contacts(self) -> bool:
        """Whether servers have to be asked."""
        return isinstance(self.old, Prepared) or isinstance(self.new, Prepared)


def diff(request: DiffRequest) -> tuple[Report, Mapping[str, Document]]:
    """Compare two files: the report, and the documents it points into. Nothing is contacted.

    Raises UsageError for what is no rule, for two sides on standard input or for a configuration, ConfigError for what
    can't be read.
    """
    return compare_files(prepare_diff(request))


def compare_files(prepared: PreparedDiff) -> tuple[Report, Mapping[str, Document]]:
    """The report on two sides that are there already. Raises UsageError for a configuration, which has to be asked."""
    old, new = prepared.old, prepared.new
    if isinstance(old, Prepared) or isinstance(new, Prepared):
        raise UsageError("a configuration has to be asked: carry_out_diff does, this compares files only")
    return _judge(prepared, old, new)


def prepare_diff(request: DiffRequest, *, ask: Ask | None = None) -> PreparedDiff:
    """Read both sides, and ask what may be started. Raises UsageError or ConfigError."""
    if request.old == request.new == STDIN:
        raise UsageError("only one of the two sides can come from standard input")
    base = request.contact or Request(cwd=request.cwd, use_policy=False)
    wanted = replace(
        base,
        configs=(),
        stdin=request.stdin,
        cwd=request.cwd,
        fail_on=request.fail_on,
        select=request.select,
        ignore=request.ignore,
        allow_undetermined=request.allow_undetermined,
    )
    policy = own_settings(wanted).loaded
    choice = chosen(wanted, policy)
    uses = None if request.uses is None else read_uses(request.uses, request.cwd)
    old, new = (read_offer(name, wanted, ask) for name in (request.old, request.new))
    return PreparedDiff(request, old, new, policy, choice, uses)


async def carry_out_diff(
    prepared: PreparedDiff, *, observer: Observer | None = None, clock: Clock | None = None
) -> tuple[Report, Mapping[str, Document]]:
    """Ask the servers of what is a configuration, and compare. Raises UsageError where it is not clear what with."""
    old = await _offer(prepared.old, observer, clock)
    new = await _offer(prepared.new, observer, clock)
    return _judge(prepared, old, new)


async def _offer(side: Offer | Prepared, observer: Observer | None, clock: Clock | None) -> Offer:
    if isinstance(side, Offer):
        return side
    from contractd.preflight.contact import contact  # noqa: PLC0415 - aiohttp is needed here only

    rows, _ = await contact(side, observer=observer, clock=clock, version=False)
    return offer_of(side, {row.spec.id: row for row in rows})


def _judge(prepared: PreparedDiff, old: Offer, new: Offer) -> tuple[Report, Mapping[str, Document]]:
    """The report on two sides. As in preflight, a rule that is left out can't make the verdict ``not_ready``, and
    what could not be determined still keeps it from ``ready``."""
    choice = prepared.choice
    fates: dict[str, list[str]] = {fate: [] for fate in _FATES}
    found: list[Finding] = []
    notes: list[str] = []
    judge = Judge(prepared.uses, prepared.asked.provider)
    for pair in pairs(old, new, None if judge.names_both(old, new) else prepared.asked.provider):
        here = judge.of(pair)
        if pair.old is None or pair.new is None:
            counted: dict[str, list[str]] = {fate: [] for fate in _FATES}
            found += here.settled(unpaired(pair, old, new, counted, notes))
            here.count(counted, fates)
            continue
        change = here.narrowed(compare_manifests(pair.old.manifest, pair.new.manifest))
        found += here.settled(drift_findings(change, pair.old, pair.new))
        found += [unsure(doubt, side) for side in (pair.old, pair.new) for doubt in side.doubts]
        _count(change, pair, fates, here)
        notes += _notes(change, pair)
    notes = [*judge.notes(), *notes]
    marked = suppressed(prepared.policy.policy.suppress, found)
    verdict, undetermined, shown = _verdict(marked, choice)
    report = Report(
        verdict,
        _NO_RUNTIME,
        tuple(FileView(side.shown, word, f"the {word} manifest") for word, side in (("old", old), ("new", new))),
        (),
        (),
        tuple(by_urgency(shown)),
        choice.fail_on,
        undetermined=undetermined,
        hidden=len(found) - len(shown),
        notes=tuple(notes),
        drift=DriftView(old.view, new.view, {fate: tuple(names) for fate, names in fates.items()}),
    )
    return report, {**old.documents, **new.documents}


def _verdict(marked: tuple[Finding, ...], choice: Chosen) -> tuple[Verdict, tuple[str, ...], tuple[Finding, ...]]:
    shown = tuple(finding for finding in marked if choice.shows(finding.rule.id))
    doubts = tuple(finding for finding in marked if finding.undetermined and not choice.shows(finding.rule.id))
    verdict, undetermined = verdict_of(shown + doubts, choice.fail_on, choice.allowed)
    return verdict, undetermined, shown


def _count(change: ManifestChange, pair: Pair, fates: dict[str, list[str]], judge: PairJudge) -> None:
    """What became of each tool, the worst first."""
    by_verdict = {"breaking": "breaking", "unknown": "undetermined", "compatible": "compatible"}
    before = f"{pair.name}." if pair.new is not None and pair.new.provider is not None else ""
    became = [
        ("riskier" if one.told == "compatible" and one.riskier else by_verdict[one.told], one.new.name)
        for one in change.changed
    ]
    became += [("undetermined", tool.name or "") for tool in change.unreadable]
    became += [("removed", tool.name) for tool in change.removed]
    became += [("renamed", rename.new.name) for rename in change.renamed]
    became += [("invalid", tool.name) for tool, _ in change.lost]
    became += [("added", tool.name) for tool in change.added]
    became += [("unchanged", name) for name in change.unchanged]
    was = {rename.new.name: rename.old.name for rename in change.renamed}
    for fate, name in became:
        fates.setdefault(judge.fate(fate, was.get(name, name)), []).append(before + name)


def _notes(change: ManifestChange, pair: Pair) -> list[str]:
    assert pair.old is not None and pair.new is not None
    notes = []
    of = f" of {listed([pair.new.provider])}" if pair.new.provider else ""
    broken = {tool.name for tool in pair.old.manifest.flawed}
    for word, names in (
        ("new tool", [tool.name for tool in change.added if tool.name not in broken]),
        ("tool that was no valid one and is now", [tool.name for tool in change.added if tool.name in broken]),
    ):
        if names:
            notes.append(f"{plural(len(names), word, word.replace('tool', 'tools', 1))}{of}: {listed(names)}")
    for side in (pair.old, pair.new):
        flawed = len(side.manifest.flawed)
        if flawed:
            notes.append(f"{side.shown} lists {plural(flawed, 'tool')} besides that can't be compared: no valid ones")
    return notes
