"""What ``contractd lock`` did, and what it did not accept, as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from contractd._version import __version__
from contractd.preflight.locking.engine import Locked
from contractd.preflight.locking.plan import Step
from contractd.preflight.model import Finding, by_urgency
from contractd.preflight.report.as_json import dumps, finding_document
from contractd.preflight.report.cells import wrap
from contractd.preflight.report.words import docs_of, one_line
from contractd.text import plural

_MARKS = {"new": "+", "changed": "~", "removed": "-"}
_HOW = {"first": "", "named": "", "policy": ", by lock.accept"}
_MOST_PENDING = 20
_MOST_DOUBTS = 3
_MOST = 40  # lines of one kind; a first lock of many servers is read in the file


def as_text(locked: Locked, *, written: bool, passed: bool, width: int = 120, verbose: bool = False) -> str:
    """For people. ``written``: the file was written; else this is what would be. ``passed``: the exit status is 0."""
    plan = locked.plan
    lines = [*_steps(plan.steps, verbose=verbose)]
    for sentence in plan.moved:
        lines += wrap(f"~ {sentence}", width, indent="    ")
    for provider, doubts in plan.doubts.items():
        lines += wrap(f"? {one_line(provider, 80)}: {_doubts(doubts, verbose)}", width, indent="    ")
    pending = by_urgency(plan.pending)
    shown = pending if verbose else pending[:_MOST_PENDING]
    for finding in shown:
        lines += ["", *_pending(finding, width)]
    if len(pending) > len(shown):
        lines += ["", f"… {len(pending) - len(shown)} more; --verbose shows them"]
    for provider, why in plan.unreached.items():
        kept = plan.lock.providers.get(provider)
        stays = "its blocks stay as they are" if kept else "nothing of it is locked"
        more = "contractd preflight shows its last words"
        text = f"? {one_line(provider, 80)} could not be compared: {one_line(why, 300)}; {stays} ({more})"
        lines += ["", *wrap(text, width, indent="    ")]
    if lines:
        lines.append("")
    return "\n".join([*lines, _last(locked, written=written, passed=passed)]) + "\n"


def _doubts(doubts: tuple[str, ...], verbose: bool) -> str:
    shown = doubts if verbose else doubts[:_MOST_DOUBTS]
    more = f"; and {len(doubts) - len(shown)} more" if len(doubts) > len(shown) else ""
    return f"offline the lock can't stand in for it: {'; '.join(one_line(doubt, 200) for doubt in shown)}{more}"


def as_json(locked: Locked, *, written: bool) -> str:
    """For programs: ``version`` 1."""
    plan = locked.plan
    return dumps(
        {
            "version": 1,
            "verdict": locked.verdict,
            "lock": locked.file.shown,
            "written": written,
            "stale": locked.stale,
            "accepted": [
                {"tool": step.reference, "became": step.became, "how": step.how, "rules": step.rules}
                for step in plan.steps
            ],
            "pending": [finding_document(finding, docs_of(finding.rule)) for finding in by_urgency(plan.pending)],
            "not_compared": dict(plan.unreached),
            "unchanged": plan.unchanged,
            "moved": plan.moved,
            "doubts": dict(plan.doubts),
            "contractd": {"version": __version__},
        }
    )


def _steps(steps: tuple[Step, ...], *, verbose: bool) -> Iterator[str]:
    shown = steps if verbose else steps[:_MOST]
    for step in shown:
        rules = f": {', '.join(step.rules)}" if step.rules else ""
        yield f"{_MARKS[step.became]} {one_line(step.reference, 160)} {step.became}{rules}{_HOW[step.how]}"
    if len(steps) > len(shown):
        yield f"… {len(steps) - len(shown)} more; --verbose shows them"


def _pending(finding: Finding, width: int) -> Iterator[str]:
    label = f"{finding.severity}[{finding.rule.id}]"
    doubt = " (undetermined)" if finding.undetermined else ""
    yield from wrap(f"! {label} {finding.rule.name}{doubt}: {one_line(finding.message, 2000)}", width, indent="    ")
    do = wrap(one_line(finding.action, 600), width, first=8, indent="      ")
    yield f"  = do: {do[0]}"
    yield from do[1:]
    for remedy in finding.remedies:
        yield f"  = {remedy.lead} {one_line(remedy.where, 200)}:"
        yield f"      {one_line(remedy.text, 4000)}"


def _last(locked: Locked, *, written: bool, passed: bool) -> str:
    plan = locked.plan
    providers = plan.lock.providers.values()
    holds = f"{plural(sum(len(one.tools) for one in providers), 'tool')} of {plural(len(providers), 'server')}"
    counts = [f"{len(plan.steps)} accepted"] if plan.steps else []
    counts += [f"{plan.unchanged} unchanged"] if plan.unchanged else []
    counts += [f"{plural(len(plan.pending), 'difference')} not accepted"] if plan.pending else []
    counts += [f"{plural(len(plan.unreached), 'server')} not compared"] if plan.unreached else []
    mark = "✓" if passed else "?" if locked.verdict == "undetermined" else "✗"
    name = one_line(locked.file.shown, 300)
    if written:
        state = f"{name} written: {holds}"
    elif locked.stale:
        state = f"{name} would hold {holds}; nothing was written"
    else:
        state = f"{name} is up to date: {holds}" if locked.verdict == "ready" else f"{name} stays as it is: {holds}"
    return f"{mark} {state}" + (f" ({', '.join(counts)})" if counts else "")
