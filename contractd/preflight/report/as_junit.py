"""JUnit XML: a suite for the configuration and one for each provider.

A test case fails exactly for each finding that makes the verdict ``not_ready``, so the page is red when the verdict
is. What was not answered is skipped with the reason, never passed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator

from contractd.preflight.model import Finding, ProviderView, ToolView
from contractd.preflight.report.words import (
    Group,
    Page,
    groups,
    named_from,
    one_line,
    place_line,
    questions,
    remedy_lines,
)
from contractd.text import defused, visible_lines

_QUESTIONS = {"configured": "is configured", "started": "did start", "tools_listed": "has listed its tools"}


def render(page: Page) -> str:
    """The document."""
    root = ET.Element("testsuites", name=f"contractd {page.report.command}")
    *providers, strays = groups(page.report)
    _suite(root, _about(page), _configuration(strays, page), 0.0)
    for row in providers:
        if row.provider is None:
            continue
        suite = _suite(root, row.provider.name, _cases(row.provider, row, page), row.provider.seconds or 0.0)
        if row.provider.stderr_tail:
            ET.SubElement(suite, "system-err").text = "\n".join(map(_safe, visible_lines(row.provider.stderr_tail)))
    for key in ("tests", "failures", "skipped", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + defused(ET.tostring(root, encoding="unicode")) + "\n"


def _about(page: Page) -> str:
    return {"diff": "drift", "replay": "calls"}.get(page.report.command, "configuration")


def _suite(root: ET.Element, name: str, cases: Iterable[ET.Element], seconds: float) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=_safe(name))
    suite.extend(cases)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("skipped", str(len(suite.findall("*/skipped"))))
    suite.set("errors", "0")
    suite.set("time", f"{seconds:.3f}")
    return suite


def _configuration(strays: Group, page: Page) -> Iterator[ET.Element]:
    name = _about(page)
    for file in page.report.files:
        yield _case(name, f"reads {file.path}")
    yield from (_tool(name, tool) for tool in strays.tools)
    yield from (_finding(name, finding, page) for finding in strays.findings)


def _cases(provider: ProviderView, row: Group, page: Page) -> Iterator[ET.Element]:
    for question, says in questions(provider).items():
        case = _case(provider.name, _QUESTIONS[question])
        answer = says["by_contractd"]
        if answer != "yes":
            why = f": {provider.reason}" if provider.reason else ""
            ET.SubElement(case, "skipped", message=_safe(f"{answer} ({provider.status}){why}"))
        yield case
    yield from (_tool(provider.name, tool) for tool in row.tools)
    yield from (_finding(provider.name, finding, page) for finding in row.findings)


def _tool(suite: str, tool: ToolView) -> ET.Element:
    case = _case(suite, f"tool {tool.name}")
    if tool.status != "bound":
        ET.SubElement(case, "skipped", message=_safe(tool.status + (f": {tool.note}" if tool.note else "")))
    return case


def _finding(suite: str, finding: Finding, page: Page) -> ET.Element:
    about = f" {finding.tool}" if finding.tool else ""
    case = _case(suite, f"{finding.rule.id} {finding.rule.name}{about} ({finding.fingerprint[:8]})")
    path, _ = named_from(finding.place.file, page.base)
    case.set("file", _safe(path))
    if finding.place.line is not None:
        case.set("line", str(finding.place.line))
    past = [f"{word}: {why}" for word, why in (("settled", finding.settled), ("suppressed", finding.suppressed)) if why]
    if finding.counts(page.report.fail_on):
        failure = ET.SubElement(case, "failure", type=f"{finding.severity}[{finding.rule.id}]")
        failure.set("message", _safe(finding.message))
        failure.text = _body(finding, page)
    elif finding.undetermined and not past:
        skipped = ET.SubElement(case, "skipped", message=_safe(f"undetermined: {finding.message}"))
        skipped.text = _body(finding, page)
    else:
        text = "\n".join([*map(_safe, past), f"{finding.severity}: {_safe(finding.message)}", _body(finding, page)])
        ET.SubElement(case, "system-out").text = text
    return case


def _body(finding: Finding, page: Page) -> str:
    lines = [place_line(finding.place, page.base), f"do: {_safe(finding.action)}"]
    for remedy in finding.remedies:
        lines += [f"{remedy.lead} {_safe(remedy.where)}:", *(f"    {line}" for line in remedy_lines(remedy))]
    return "\n".join(lines)


def _case(suite: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=_safe(f"contractd.preflight.{suite}"), name=_safe(name))


def _safe(text: str) -> str:
    """One line of characters that XML 1.0 allows; what is markup the serialiser escapes."""
    return one_line(text, 2000)
