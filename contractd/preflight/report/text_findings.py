"""The findings of the text format: open ones at length, settled and suppressed ones on a line each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from contractd.preflight.model import Finding, Remedy, by_urgency
from contractd.preflight.report.as_json import plain
from contractd.preflight.report.cells import Paint, wrap
from contractd.preflight.report.snippet import Shown, Sources
from contractd.preflight.report.words import Page, is_open, one_line, place_line, remedy_lines, subject_of

_OF_A_KIND_AT_MOST = 8  # open findings of one rule about one provider; then they are counted
_AT_MOST = 120  # open findings in all
_KINDS_AT_MOST = 12
_PAST_AT_MOST = 60

_COLORS = {"high": "red", "medium": "yellow", "low": "cyan", "info": "blue"}


def findings_lines(page: Page, paint: Paint) -> Iterator[list[str]]:
    """A block for each open finding, the severest first, then one for all the others."""
    sources = Sources(page.documents)
    findings = by_urgency(page.report.findings)
    shown, left = _chosen([finding for finding in findings if is_open(finding)], page)
    for finding in shown:
        yield [*_finding(finding, page, paint, sources)]
    past = [finding for finding in findings if not is_open(finding)]
    if not page.verbose and len(past) > _PAST_AT_MOST:
        left.append(f"{len(past) - _PAST_AT_MOST} more, settled or suppressed")
        past = past[:_PAST_AT_MOST]
    yield [line for finding in past for line in _past(finding, page, paint)]
    yield [paint(f"… {line}; --verbose shows them", "dim") for line in left]


def _chosen(findings: list[Finding], page: Page) -> tuple[list[Finding], list[str]]:
    """The findings to show at length, and what is said of the others: a hundred of one kind have one reason."""
    if page.verbose:
        return findings, []
    told: Counter[tuple[str, str]] = Counter()
    left: Counter[str] = Counter()
    shown: list[Finding] = []
    for finding in findings:
        kind = finding.rule.id, finding.provider or ""
        told[kind] += 1
        if told[kind] <= _OF_A_KIND_AT_MOST and len(shown) < _AT_MOST:
            shown.append(finding)
        else:
            whose = f" of {one_line(finding.provider, 80)}" if finding.provider else ""
            left[f"{finding.severity}[{finding.rule.id}] {finding.rule.name}{whose}"] += 1
    lines = [f"{count} more {what}" for what, count in left.most_common(_KINDS_AT_MOST)]
    rest = left.total() - sum(count for _, count in left.most_common(_KINDS_AT_MOST))
    return shown, [*lines, f"{rest} more of other kinds"] if rest else lines


def _finding(finding: Finding, page: Page, paint: Paint, sources: Sources) -> Iterator[str]:
    label = f"{finding.severity}[{finding.rule.id}]"
    title = f" {finding.rule.name}{' (undetermined)' if finding.undetermined else ''}: "
    lines = wrap(one_line(finding.message, 2000), page.width, first=len(label + title), indent="    ")
    yield paint(label, "bold", _COLORS[finding.severity]) + paint(title, "bold") + lines[0]
    yield from lines[1:]
    if finding.place.file:
        yield f"{paint('  -->', 'blue')} {place_line(finding.place, page.base)}"
        room = page.width - 8
        yield from _source(sources.around(finding.place, room, secret="secret" in finding.rule.name), finding, paint)
    yield from _note("do", finding.action, page, paint)
    if finding.confidence == "low":
        yield from _note("confidence", "low", page, paint)
    if finding.retryable is not None and (finding.retryable or finding.rule.id.startswith("CTD2") or page.verbose):
        yield from _note("retry", "worth another try" if finding.retryable else "no use without a change", page, paint)
    for remedy in finding.remedies:
        yield from _remedy(remedy, page, paint)
    if page.verbose:
        for key, value in finding.details.items():
            text = json.dumps(plain(value), ensure_ascii=False)
            yield from _note(one_line(str(key), 40), text, page, paint)
        yield from _note("more", f"contractd explain {finding.rule.id}", page, paint)


def _source(shown: list[Shown], finding: Finding, paint: Paint) -> Iterator[str]:
    if not shown:
        return
    margin = len(str(shown[-1].number))
    bar = paint("│", "blue")
    for line in shown:
        if line.gap:
            yield f" {'⋮':>{margin}} {bar}"
        yield f" {paint(f'{line.number:>{margin}}', 'blue')} {bar} {line.text}"
        if line.caret:
            at, length = line.caret
            yield f" {'':{margin}} {bar} {' ' * at}{paint('^' * length, 'bold', _COLORS[finding.severity])}"


def _note(label: str, text: str, page: Page, paint: Paint) -> Iterator[str]:
    lines = wrap(one_line(text, 2000), page.width, first=6 + len(label), indent="      ")
    yield f"  {paint('=', 'blue')} {paint(label + ':', 'bold')} {lines[0]}"
    yield from lines[1:]


def _remedy(remedy: Remedy, page: Page, paint: Paint) -> Iterator[str]:
    """Never wrapped: it is there to be pasted."""
    yield f"  {paint('=', 'blue')} {paint(remedy.lead, 'bold')} {one_line(remedy.where, 400)}:"
    yield from (f"      {paint(line, 'green')}" for line in remedy_lines(remedy))


def _past(finding: Finding, page: Page, paint: Paint) -> Iterator[str]:
    word, why = ("settled", finding.settled) if finding.settled else ("suppressed", finding.suppressed)
    about = subject_of(finding)
    head = f"{word} {finding.severity}[{finding.rule.id}] {finding.rule.name}"
    head += f" {one_line(about, 120)}" if about else ""
    text = f"{head}: {one_line(why or '', 400)}"
    lines = wrap(text, page.width, indent="    ")
    yield from (paint(line, "dim") for line in lines)
