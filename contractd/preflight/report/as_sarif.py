"""SARIF 2.1.0, as plain dicts: code scanning, editors.

``kind`` ``open`` is the standard's word for "could not be decided", and goes with level ``none`` (3.27.9, 3.27.10).
Settled and suppressed findings stay in the file with their reason, as suppressions.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from contractd._version import __version__
from contractd.errors import Place
from contractd.preflight.model import PASTE, Finding, Rule, Severity, by_urgency
from contractd.preflight.report.as_json import dumps
from contractd.preflight.report.words import (
    Page,
    is_file,
    named_from,
    one_line,
    remedy_lines,
    subject_of,
    summary,
)

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: dict[Severity, str] = {"high": "error", "medium": "warning", "low": "note", "info": "note"}
_ROOT = "%SRCROOT%"


def render(page: Page) -> str:
    """One log with one run."""
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(page)]})


def _run(page: Page) -> dict[str, Any]:
    report = page.report
    rules = sorted({finding.rule.id: finding.rule for finding in report.findings}.items())
    index = {rule_id: number for number, (rule_id, _) in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "contractd",
                "semanticVersion": __version__,
                "rules": [_rule(rule, page) for _, rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "automationDetails": {"id": f"contractd/{report.command}/"},
        "results": [_result(finding, index, page) for finding in by_urgency(report.findings)],
        "properties": {
            "verdict": report.verdict,
            "summary": summary(report),
            "failOn": report.fail_on,
            "runtime": {"name": report.runtime.name, "version": _name(report.runtime.version)},
        },
    }
    if page.base:
        run["originalUriBaseIds"] = {_ROOT: {"uri": _uri(page.base.rstrip("/") + "/", absolute=True)}}
    return run


def _rule(rule: Rule, page: Page) -> dict[str, Any]:
    summary_ = _text(rule.summary)
    explain = f"{summary_} Run: contractd explain {rule.id}"
    shown: dict[str, Any] = {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": summary_},
        "fullDescription": {"text": summary_},
        "help": {"text": explain},
        "properties": {"undetermined": rule.undetermined},
    }
    if rule.severity:
        shown["defaultConfiguration"] = {"level": LEVELS[rule.severity]}
    if "://" in page.rule_pages:  # the standard wants an absolute one
        shown["helpUri"] = page.docs(rule)
    return shown


def _message(finding: Finding) -> str:
    """With the call that proves it, which code scanning shows nowhere else."""
    lines = [_text(finding.message), f"Do: {_text(finding.action)}"]
    shown = [remedy for remedy in finding.remedies if remedy.lead != PASTE]
    lines += [f"{_text(f'{remedy.lead} {remedy.where}')}: {_text(remedy.text)}" for remedy in shown]
    return "\n".join(lines)


def _result(finding: Finding, index: dict[str, int], page: Page) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": index[finding.rule.id],
        "kind": "open" if finding.undetermined else "fail",
        "level": "none" if finding.undetermined else LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": _locations(finding, page),
        "partialFingerprints": {"contractdFinding/v1": finding.fingerprint},
        # Always there: a run that knows suppressions must give an (empty) array to each result (3.27.23).
        "suppressions": [
            {"kind": "external", "status": "accepted", "justification": f"{word}: {_text(why)}"}
            for word, why in (("settled", finding.settled), ("suppressed", finding.suppressed))
            if why
        ],
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "provider": _name(finding.provider),
            "tool": _name(finding.tool),
            "retryable": finding.retryable,
            "undetermined": finding.undetermined,
            "remedies": [
                {"where": one_line(remedy.where), "text": "\n".join(remedy_lines(remedy))}
                for remedy in finding.remedies
            ],
        },
    }
    return result


def _locations(finding: Finding, page: Page) -> list[dict[str, Any]]:
    location: dict[str, Any] = {}
    if is_file(finding.place.file):
        location["physicalLocation"] = _physical(finding.place, page)
    about = subject_of(finding)
    if about:
        location["logicalLocations"] = [
            {"fullyQualifiedName": _name(about), "kind": "function" if finding.tool else "module"},
        ]
    return [location] if location else []


def _physical(place: Place, page: Page) -> dict[str, Any]:
    path, under = named_from(place.file, page.base)
    artifact = {"uri": _uri(path, absolute=path.startswith("/"))}
    if under:
        artifact["uriBaseId"] = _ROOT
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if place.line is not None and place.line >= 1:
        region = {"startLine": place.line}
        if place.column is not None and place.column >= 1:
            region["startColumn"] = place.column
        physical["region"] = region
    return physical


def _uri(path: str, *, absolute: bool) -> str:
    """A path of any bytes as a URI reference; a colon is escaped, or ``a:b.json`` would have the scheme ``a``."""
    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = path.encode("utf-8", "surrogatepass")
    return ("file://" if absolute else "") + quote(data, safe="/")


def _name(text: str | None) -> str | None:
    """A name without lone surrogates: one of them would make some readers refuse the whole file."""
    return None if text is None else one_line(text)


def _text(text: str) -> str:
    """Plain text for a message: ``[x](y)`` would be a link there (3.11.6)."""
    return one_line(text, 2000).replace("](", "] (")
