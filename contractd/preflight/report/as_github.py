"""Workflow commands: GitHub shows them as annotations beside the lines of the configuration."""

from __future__ import annotations

from contractd.preflight.model import Finding, Severity, by_urgency
from contractd.preflight.report.words import (
    Page,
    is_file,
    is_open,
    named_from,
    one_line,
    remedy_lines,
    subject_of,
    summary,
)

_COMMANDS: dict[Severity, str] = {"high": "error", "medium": "warning", "low": "notice", "info": "notice"}
_VERDICTS = {"not_ready": "error", "undetermined": "warning", "ready": "notice"}


def render(page: Page) -> str:
    """The verdict first, since a step shows ten annotations of a kind; then the open findings, the severest first."""
    report = page.report
    lines = [_command(_VERDICTS[report.verdict], {"title": f"contractd {report.command}"}, [summary(report)])]
    lines += [_annotation(finding, page) for finding in by_urgency(report.findings) if is_open(finding)]
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding, page: Page) -> str:
    command = _COMMANDS[finding.severity]
    if finding.undetermined and command == "notice":
        command = "warning"  # it keeps the verdict from ready, whatever its severity
    about = subject_of(finding)
    title = f"{finding.rule.id} {finding.rule.name}" + (f": {one_line(about, 120)}" if about else "")
    properties = {"title": title}
    if is_file(finding.place.file):
        properties["file"] = one_line(named_from(finding.place.file, page.base)[0], 400)
        if finding.place.line is not None:
            properties["line"] = str(finding.place.line)
            if finding.place.column is not None:
                properties["col"] = str(finding.place.column)
    paragraphs = [one_line(finding.message, 2000), f"Do: {one_line(finding.action, 2000)}"]
    for remedy in finding.remedies:
        paragraphs.append(f"{remedy.lead.capitalize()} {one_line(remedy.where)}:")
        paragraphs += remedy_lines(remedy)
    return _command(command, properties, paragraphs)


def _command(command: str, properties: dict[str, str], paragraphs: list[str]) -> str:
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{command} {given}::{_data(chr(10).join(paragraphs))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
