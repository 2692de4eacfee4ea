"""Markdown for step summaries and comments on pull requests.

GitHub makes links, mentions, references and emoji out of plain text after Markdown is done, so escaping Markdown alone
is not enough: names and paths go into code, where none of that happens, and in sentences such signs are kept apart.
"""

from __future__ import annotations

import re

from contractd.preflight.model import Finding, ProviderView, Remedy, ToolView, by_urgency
from contractd.preflight.report.words import (
    SYMBOLS,
    Counts,
    Page,
    compared,
    conditions,
    groups,
    is_open,
    one_line,
    place_line,
    protocol,
    remedy_lines,
    runtime_line,
    summary,
)
from contractd.text import defused

AT_MOST = 50  # findings at length: a comment has room for 65,536 characters
_APART = "&#8203;"
_MARKUP = r"[\\`*\[\]<>|~&$]|(?<![A-Za-z0-9_])_+|_+(?![A-Za-z0-9_])"
# Mentions, references by number, URLs and emoji, bare addresses: kept apart by a zero-width space.
_LIVE = r"@|#(?=[0-9])|(?<=[Gg][Hh])-(?=[0-9])|:(?=//|[\w+-]+:)|(?<=[Ww]{3})(?=\.)"
_SPECIAL = re.compile(f"(?P<markup>{_MARKUP})|(?P<live>{_LIVE})")
_NOT_IN_TICKS = re.compile(r"[`|\\]")


def render(page: Page) -> str:
    """A heading, the providers, the findings."""
    report = page.report
    verdict, _, rest = summary(report).partition(": ")
    blocks = [
        f"## contractd {report.command}: {SYMBOLS[verdict]} {verdict}",
        f"**{prose(rest)}**",
        "  \n".join(_head(page)),
    ]
    if report.providers:
        blocks.append(_providers(page))
    findings = by_urgency(report.findings)
    open_ones = [finding for finding in findings if is_open(finding)]
    shown = open_ones if page.verbose else open_ones[:AT_MOST]
    if shown:
        items = [_finding(finding, page) for finding in shown]
        items += [f"- … {len(open_ones) - len(shown)} more"] if len(shown) < len(open_ones) else []
        blocks += ["### Findings", "\n".join(items)]
    past = [finding for finding in findings if not is_open(finding)]
    if past:
        counts = Counts.of(report)
        title = f"<details><summary>{counts.settled} settled, {counts.suppressed} suppressed</summary>"
        blocks += [title, "\n".join(_past(finding) for finding in past), "</details>"]
    return defused("\n\n".join(blocks)) + "\n"


def _head(page: Page) -> list[str]:
    report = page.report
    about = compared(report, page.base, code)
    if about:
        lines = [f"{label.capitalize()}: {side}" for label, side in about]
        return [*lines, *(f"Note: {prose(note)}" for note in report.notes)]
    lines = [f"Runtime: {prose(runtime_line(report.runtime))}"]
    for label, items in zip(("Known", "Assumed"), conditions(report.runtime), strict=True):
        lines += [f"{label}: {prose('; '.join(items))}"] if items else []
    notes = (report.runtime.note, *report.notes)
    return [*lines, *(f"Note: {prose(note)}" for note in notes if note)]


def _providers(page: Page) -> str:
    lines = ["| provider | status | transport | protocol | tools | seconds |", "|---|---|---|---|--:|--:|"]
    lines += [_provider(row.provider, row.tools) for row in groups(page.report) if row.provider]
    return "\n".join(lines)


def _provider(provider: ProviderView, listed: tuple[ToolView, ...]) -> str:
    status = f"{SYMBOLS[provider.status]} {provider.status}"
    status += f": {prose(provider.reason, 300)}" if provider.reason and provider.status != "ready" else ""
    not_bound = sum(1 for tool in listed if tool.status != "bound")
    tools = "" if provider.tools is None else str(provider.tools)
    tools += f" ({not_bound} not bound)" if not_bound else ""
    seconds = "" if provider.seconds is None else f"{provider.seconds:.2f}"
    cells = [code(provider.name, 100), status, provider.transport, prose(protocol(provider)), tools, seconds]
    return f"| {' | '.join(cells)} |"


def _finding(finding: Finding, page: Page) -> str:
    doubt = ", undetermined" if finding.undetermined else ""
    head = f"- **{finding.severity}{doubt}** {finding.rule.id} {finding.rule.name}: {prose(finding.message)}"
    lines = [head + "  "]
    if finding.place.file:
        lines.append(f"  {code(place_line(finding.place, page.base), 400)}  ")
    lines.append(f"  Do: {prose(finding.action)}")
    for remedy in finding.remedies:
        lines += ["", *_remedy(remedy), ""]
    return "\n".join(lines)


def _remedy(remedy: Remedy) -> list[str]:
    text = remedy_lines(remedy)
    longest = max((len(run) for line in text for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    language = remedy.language if re.fullmatch(r"[a-z0-9]{1,20}", remedy.language) else ""
    return [
        f"  {remedy.lead.capitalize()} {code(remedy.where, 300)}:", "",
        f"  {fence}{language}", *(f"  {line}" for line in text), f"  {fence}",
    ]  # fmt: skip


def _past(finding: Finding) -> str:
    word, why = ("settled", finding.settled) if finding.settled else ("suppressed", finding.suppressed)
    return f"- {word}: {finding.rule.id} {finding.rule.name}: {prose(finding.message, 300)} ({prose(why or '', 300)})"


def code(text: str, limit: int = 200) -> str:
    """As code. A backtick, or a pipe within a table, would end it: such text is spelt in entities."""
    shown = one_line(text, limit).strip() or " "
    if shown == " " or _NOT_IN_TICKS.search(shown):
        return f"<code>{_entities(shown)}</code>"
    return f"`{shown}`"


def prose(text: str, limit: int = 1000) -> str:
    """As plain text, whatever it contains. Never to be put at the start of a line."""
    return _SPECIAL.sub(_apart, one_line(text, limit))


def _apart(match: re.Match[str]) -> str:
    text = match.group()
    return text + _APART if match.group("live") is not None else _entities(text)


def _entities(text: str) -> str:
    return "".join(char if char.isalnum() else f"&#{ord(char)};" for char in text)
