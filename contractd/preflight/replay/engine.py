"""From the names of files to a report on recorded calls."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from typing import BinaryIO

from contractd.contracts import Manifest
from contractd.contracts.uses import read_calls
from contractd.contracts.uses.replay import Replay, Target
from contractd.documents import MAX_BYTES
from contractd.errors import ConfigError, Place, UsageError
from contractd.preflight.drift.offers import Offer, read_offer
from contractd.preflight.drift.pairing import pairs
from contractd.preflight.files import STDIN
from contractd.preflight.model import FailOn, FileView, ReplayView, Report, RuntimeView, by_urgency, verdict_of
from contractd.preflight.prepare import Prepared
from contractd.preflight.replay.findings import replay_findings
from contractd.preflight.request import Request
from contractd.preflight.stated import rule_ids
from contractd.preflight.uses import lines_of
from contractd.runtimes.catalogue import CONTRACTD
from contractd.text import visible

_NO_RUNTIME = RuntimeView(CONTRACTD, "contractd", None, "stated", "recorded calls are tried against a manifest")


@dataclass(frozen=True)
class ReplayRequest:
    """``calls`` names a file of recorded calls, ``against`` and ``made_under`` manifests or locks; one of the files may
    be ``-``: what ``stdin`` holds. ``provider``: only this one; of a manifest, whose it is. Calls of others are passed
    over."""

    calls: str
    against: str
    made_under: str | None = None
    provider: str | None = None
    stdin: BinaryIO = field(default_factory=io.BytesIO)
    cwd: str = field(default_factory=os.getcwd)
    fail_on: FailOn | None = None
    allow_undetermined: tuple[str, ...] = ()


def replay(request: ReplayRequest) -> Report:
    """Try recorded calls against a manifest, without calling anything.

    Raises UsageError where standard input is named twice, ConfigError for what is no manifest and for a line that is no
    call. No document comes with the report: the lines hold what was sent.
    """
    named = [name for name in (request.calls, request.against, request.made_under) if name == STDIN]
    if len(named) > 1:
        raise UsageError("only one of the files can come from standard input")
    allowed = rule_ids(request.allow_undetermined)
    new = _offer(request.against, request)
    old = None if request.made_under is None else _offer(request.made_under, request)
    tried = Replay(_targets(new, old, request.provider), only=request.provider is not None)
    with lines_of(request.calls, request.cwd, request.stdin) as (lines, shown):
        for call in read_calls(lines, shown):
            tried.see(call)
    counts = dict(tried.counts)
    if counts["elsewhere"] == counts["calls"]:
        raise ConfigError(
            f"none of the recorded calls is of a tool of {visible(request.provider or new.shown, 200)}",
            place=Place(shown),
            hint="--provider names the one whose manifest it is, as the calls name it",
        )
    findings = tuple(by_urgency(tuple(replay_findings(tried, shown, bool(old)))))
    fail_on = request.fail_on or "medium"
    verdict, undetermined = verdict_of(findings, fail_on, allowed)
    sides = [("new", new)] + ([("old", old)] if old else [])
    return Report(
        verdict,
        _NO_RUNTIME,
        (
            FileView(shown, "calls", "the recorded calls"),
            *(FileView(side.shown, word, f"the {word} manifest") for word, side in sides),
        ),
        (),
        (),
        findings,
        fail_on,
        undetermined=undetermined,
        notes=tuple(doubt for _, offer in sides for side in offer.sides.values() for doubt in side.doubts),
        replay=ReplayView(shown, new.view, old.view if old else None, counts),
    )


def _offer(name: str, request: ReplayRequest) -> Offer:
    stdin = request.stdin.read(MAX_BYTES + 1) if name == STDIN else b""
    offer = read_offer(name, Request(cwd=request.cwd, stdin=stdin, use_policy=False), None)
    if isinstance(offer, Prepared):
        raise UsageError(
            f"{visible(name, 200)} is a configuration, and nothing is asked here",
            hint="contractd lock keeps what its servers say now: give its contracts.lock",
        )
    return offer


def _targets(new: Offer, old: Offer | None, provider: str | None) -> list[Target]:
    """The manifests, each with the one before of its provider. ``provider`` chooses one, and names a manifest that does
    not say whose it is."""
    before = old or new
    nameless = None in new.sides and None in before.sides
    targets = []
    for pair in pairs(before, new, None if nameless else provider):
        now = pair.new.manifest if pair.new else Manifest(())
        was = pair.old.manifest if old and pair.old else None
        targets.append(Target(now, was, pair.name or provider))
    return targets
