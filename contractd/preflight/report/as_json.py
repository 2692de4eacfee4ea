"""The versioned JSON document; its schema is ``contractd/schemas/report-1.schema.json``.

Server text is kept raw, as JSON escapes: a consumer needs the names as they are. Pure ASCII, so nothing in it can
hurt a terminal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from contractd._version import __version__
from contractd.errors import Place
from contractd.preflight.model import PASTE, Finding, ProviderView, Remedy, Report, RuntimeView, ToolView, by_urgency
from contractd.preflight.report.words import Counts, Page, questions

VERSION = 1
_DEEPEST = 40


def render(page: Page) -> str:
    """The document, indented."""
    return dumps(document(page))


def dumps(value: Any) -> str:
    """Valid JSON whatever ``value`` holds; lone surrogates survive as escapes.

    ``##[`` is spelt with an escape: it would be a command to GitHub's runner.
    """
    text = json.dumps(plain(value), indent=2, ensure_ascii=True, allow_nan=False)
    return text.replace("##[", "#\\u0023[") + "\n"


def document(page: Page) -> dict[str, Any]:
    """The report as ``contractd schema report`` describes it."""
    report = page.report
    drift = {"drift": asdict(report.drift)} if report.drift else {}
    replay = {"replay": asdict(report.replay)} if report.replay else {}
    return {
        "version": VERSION,
        "verdict": report.verdict,
        "runtime": _runtime(report.runtime),
        "providers": [_provider(provider) for provider in report.providers],
        "tools": [_tool(tool) for tool in report.tools],
        "findings": [finding_document(finding, page.docs(finding.rule)) for finding in by_urgency(report.findings)],
        "fail_on": report.fail_on,
        "offline": report.offline,
        "files": [asdict(file) for file in report.files],
        "undetermined": report.undetermined,
        "hidden": report.hidden,
        "notes": report.notes,
        "summary": _summary(report),
        "contractd": {"version": __version__},
        **drift,
        **replay,
    }


def _runtime(runtime: RuntimeView) -> dict[str, Any]:
    return {
        "name": runtime.name,
        "version": runtime.version,
        "version_source": runtime.version_source,
        "title": runtime.title,
        "reason": runtime.reason,
        "data_version": runtime.data_version,
        "note": runtime.note,
        "conditions": runtime.conditions,
        "assumed": runtime.assumed,
    }


def _provider(provider: ProviderView) -> dict[str, Any]:
    return {
        "name": provider.name,
        "transport": provider.transport,
        "status": provider.status,
        "reason": provider.reason,
        "era": provider.era,
        "protocol_version": provider.protocol_version,
        "tools": provider.tools,
        "seconds": None if provider.seconds is None else round(provider.seconds, 3),
        "exit_code": provider.exit_code,
        "stderr_tail": provider.stderr_tail,
        "id": provider.id,
        "target": provider.target,
        "scope": provider.scope,
        "location": _location(provider.place),
        "signal": provider.signal,
        "retryable": provider.retryable,
        "budget": provider.budget,
        "foreign": provider.foreign,
        "manifest_digest": provider.manifest_digest,
        "questions": questions(provider),
    }


def _tool(tool: ToolView) -> dict[str, Any]:
    return {
        "provider": tool.provider,
        "name": tool.name,
        "runtime_name": tool.runtime_name,
        "visible": tool.visible,
        "digest": tool.digest,
        "status": tool.status,
        "note": tool.note,
    }


def finding_document(finding: Finding, docs: str) -> dict[str, Any]:
    """One finding; ``docs``: where its rule is explained."""
    return {
        "rule": finding.rule.id,
        "name": finding.rule.name,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "message": finding.message,
        "provider": finding.provider,
        "tool": finding.tool,
        "location": _location(finding.place),
        "retryable": finding.retryable,
        "action": finding.action,
        "fingerprint": finding.fingerprint,
        "settled": bool(finding.settled),
        "suppressed": bool(finding.suppressed),
        "settled_reason": finding.settled or None,
        "suppressed_reason": finding.suppressed or None,
        "undetermined": finding.undetermined,
        "remedies": [_remedy(remedy) for remedy in finding.remedies],
        "details": finding.details,
        "docs": docs,
    }


def _remedy(remedy: Remedy) -> dict[str, Any]:
    lines = {"where": remedy.where, "text": remedy.text, "language": remedy.language}
    return lines if remedy.lead == PASTE else {**lines, "lead": remedy.lead}


def _location(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column, "pointer": place.pointer}


def _summary(report: Report) -> dict[str, Any]:
    counts = Counts.of(report)
    return {
        "findings": counts.open,
        "by_severity": counts.severities,
        "undetermined": counts.undetermined,
        "counting": counts.counting,
        "settled": counts.settled,
        "suppressed": counts.suppressed,
        "providers": {
            status: counts.providers.get(status, 0) for status in ("ready", "locked", "failed", "skipped", "disabled")
        },
        "tools": {
            status: counts.tools.get(status, 0)
            for status in ("bound", "shadowed", "refused", "quarantined", "excluded")
        },
    }


def plain(value: Any, depth: int = 0) -> Any:
    """``value`` as JSON data. What JSON has no word for (NaN, bytes, sets) becomes null or its text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Place):
        return _location(value)
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(inner, depth + 1) for inner in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(inner, depth + 1) for inner in value]
    return str(value)
