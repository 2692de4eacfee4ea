"""What counts: suppressions, the baseline, chosen rules, and the verdict they leave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from contractd.errors import UsageError
from contractd.policy import Suppression
from contractd.preflight.catalogue import BY_ID, BY_NAME, rule
from contractd.preflight.model import FailOn, FileView, Finding, Verdict, verdict_of
from contractd.preflight.view import View
from contractd.text import visible


@dataclass(frozen=True)
class Judged:
    """The findings as they are reported, and what follows from them."""

    verdict: Verdict
    undetermined: tuple[str, ...]
    findings: tuple[Finding, ...]
    fail_on: FailOn
    hidden: int
    files: tuple[FileView, ...]


def judge(view: View, found: tuple[Finding, ...], accepted: frozenset[str]) -> Judged:
    """Mark what is suppressed or accepted, leave out what was not asked for, and say the verdict.

    A rule that is left out by ``select`` or ``ignore`` can't make the verdict ``not_ready``; what could not be
    determined still keeps it from ``ready``: not looking is not knowing.
    """
    settings = view.policy.policy.preflight
    fail_on = view.request.fail_on or settings.fail_on
    allowed = rule_ids((*view.request.allow_undetermined, *settings.allow_undetermined))
    select = rule_ids(view.request.select or tuple(settings.select))
    ignore = rule_ids((*view.request.ignore, *settings.ignore))
    marked = _suppress(view, found)
    marked = tuple(
        replace(finding, suppressed="accepted by the baseline")
        if finding.fingerprint in accepted and not finding.undetermined and not finding.suppressed
        else finding
        for finding in marked
    )
    shown = tuple(
        finding for finding in marked if (finding.rule.id in select or not select) and finding.rule.id not in ignore
    )
    left_out = [finding for finding in marked if finding not in shown]
    open_questions = tuple(finding for finding in left_out if finding.undetermined)
    verdict, undetermined = verdict_of(shown + open_questions, fail_on, allowed)
    files = tuple(FileView(source.document.path, source.scope, source.why) for source in view.setup.sources)
    if view.policy.documents:
        known = {file.path for file in files}
        files += tuple(
            FileView(document.path, "project", "contractd's own settings")
            for document in view.policy.documents
            if document.path not in known
        )
    return Judged(verdict, undetermined, shown, fail_on, len(left_out), files)


def rule_ids(stated: Iterable[str]) -> frozenset[str]:
    """Rule ids from ids or names; ``CTD3`` stands for a family. Raises UsageError for what is neither."""
    result: set[str] = set()
    for word in stated:
        if word.upper() in BY_ID:
            result.add(word.upper())
        elif word.lower() in BY_NAME:
            result.add(BY_NAME[word.lower()].id)
        elif word.upper() in ("CTD", "CTD1", "CTD2", "CTD3", "CTD4"):
            result |= {rule_id for rule_id in BY_ID if rule_id.startswith(word.upper())}
        else:
            raise UsageError(f"{visible(word, 60)!r} is no rule", hint="contractd explain --all lists them")
    return frozenset(result)


def _suppress(view: View, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
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
        if index not in used:
            place = view.policy.place("suppress") or view.file
            result.append(
                Finding(
                    rule("unused-suppression"),
                    "info",
                    f"the suppression of {suppression.rule} matches no finding ({visible(suppression.reason, 100)})",
                    "remove it: what it was for is mended",
                    place,
                    subject=f"{suppression.rule} {suppression.provider} {suppression.tool}",
                    retryable=False,
                )
            )
    return tuple(result)


def _matches(suppression: Suppression, finding: Finding, view: View) -> bool:
    if suppression.rule != finding.rule.id:
        return False
    if suppression.tool is not None and suppression.tool != finding.tool:
        return False
    if suppression.provider is None:
        return True
    entry = view.entry(finding.provider) if finding.provider else None
    return entry is not None and suppression.provider in (entry.id, entry.name)
