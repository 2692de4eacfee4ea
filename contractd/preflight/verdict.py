"""What counts: suppressions, the baseline, chosen rules, and the verdict they leave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from contractd.policy import Suppression
from contractd.preflight.baseline import ACCEPTED
from contractd.preflight.catalogue import rule
from contractd.preflight.model import FailOn, Finding, Verdict, by_urgency, verdict_of
from contractd.preflight.stated import chosen, element_place, rule_of
from contractd.preflight.view import View
from contractd.runtimes.base import Entry
from contractd.text import visible


@dataclass(frozen=True)
class Judged:
    """The findings as they are reported, and what follows from them. ``stale``: how many of the baseline's are gone."""

    verdict: Verdict
    undetermined: tuple[str, ...]
    findings: tuple[Finding, ...]
    fail_on: FailOn
    hidden: int
    stale: int = 0


def judge(view: View, found: tuple[Finding, ...], accepted: frozenset[str]) -> Judged:
    """Mark what is suppressed or accepted, leave out what was not asked for, and say the verdict.

    A rule that is left out by ``select`` or ``ignore`` can't make the verdict ``not_ready``; what could not be
    determined still keeps it from ``ready``: not looking is not knowing.
    """
    choice = chosen(view.request, view.policy)
    marked = [_accept(finding, accepted) for finding in _suppress(view, found)]
    shown = tuple(finding for finding in marked if choice.shows(finding.rule.id))
    left_out = [finding for finding in marked if not choice.shows(finding.rule.id)]
    open_questions = tuple(finding for finding in left_out if finding.undetermined)
    verdict, undetermined = verdict_of(shown + open_questions, choice.fail_on, choice.allowed)
    gone = accepted - {finding.fingerprint for finding in found}
    stale = len(gone) if all(_seen(entry, view) for entry in view.setup.entries) else 0
    return Judged(verdict, undetermined, tuple(by_urgency(shown)), choice.fail_on, len(left_out), stale)


def suppressed(suppressions: Iterable[Suppression], found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of a comparison, those that a suppression is about marked so; by the names they themselves have."""
    stated = list(suppressions)

    def marked(finding: Finding) -> Finding:
        tools = (finding.tool, f"{finding.provider}.{finding.tool}")
        for one in stated:
            about = rule_of(one.rule) == finding.rule.id and one.provider in (None, finding.provider)
            if about and (one.tool is None or one.tool in tools):
                return replace(finding, suppressed=one.reason)
        return finding

    return tuple(marked(finding) for finding in found)


def _accept(finding: Finding, accepted: frozenset[str]) -> Finding:
    """What could not be determined is never accepted by a baseline: nobody has seen it."""
    if finding.undetermined or finding.suppressed or finding.fingerprint not in accepted:
        return finding
    return replace(finding, suppressed=ACCEPTED)


def _suppress(view: View, found: tuple[Finding, ...]) -> list[Finding]:
    """Apply the policy's suppressions; one that matches nothing is a finding itself."""
    suppressions = view.policy.policy.suppress
    used: set[int] = set()
    result: list[Finding] = []
    for finding in found:
        index = next((i for i, suppression in enumerate(suppressions) if _matches(suppression, finding, view)), None)
        if index is None:
            result.append(finding)
        else:
            used.add(index)
            result.append(replace(finding, suppressed=suppressions[index].reason))
    for index, suppression in enumerate(suppressions):
        if index not in used and not _out_of_sight(suppression, view):
            result.append(_unused(suppression, view, index))
    return result


def _unused(suppression: Suppression, view: View, index: int) -> Finding:
    entry = view.entry(suppression.provider) if suppression.provider else None
    return Finding(
        rule("unused-suppression"),
        "info",
        f"the suppression of {suppression.rule} matches no finding ({visible(suppression.reason, 100)})",
        "remove it: what it was for is mended, or never was as it says",
        element_place(view.policy, ("suppress",), index) or view.file,
        provider=entry.name if entry else None,
        subject=f"{suppression.rule} {suppression.provider} {suppression.tool}",
        retryable=False,
    )


def _out_of_sight(suppression: Suppression, view: View) -> bool:
    """What it is for may be there: a server it is about was not asked this time."""
    if (rule_of(suppression.rule) or "").startswith("CTD1"):
        return False
    entry = view.entry(suppression.provider) if suppression.provider else None
    if suppression.provider and entry is None:
        return False
    about = [entry] if entry else view.setup.entries
    return not all(_seen(one, view) for one in about)


def _seen(entry: Entry, view: View) -> bool:
    """Whether all there is to find about a server could be found this time."""
    if entry.disabled is not None:
        return True
    return entry.id in view.rows and view.rows[entry.id].status == "ready" and entry.id not in view.locked


def _matches(suppression: Suppression, finding: Finding, view: View) -> bool:
    if rule_of(suppression.rule) != finding.rule.id:
        return False
    entry = view.entry(finding.provider) if finding.provider else None
    names = (entry.id, entry.name) if entry else ()
    if suppression.tool is not None and suppression.tool not in (finding.tool, *(f"{n}.{finding.tool}" for n in names)):
        return False
    return suppression.provider is None or suppression.provider in names
