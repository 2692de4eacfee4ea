"""JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from contractd.errors import Place
from contractd.preflight.model import ProviderView
from contractd.preflight.report import render

BASE = "/home/ada/project"


def parsed(report, **options) -> ET.Element:
    return ET.fromstring(render(report, "junit", **options).encode())


def test_it_reads_as_it_always_has(incident, golden):
    golden("incident.junit.xml", render(incident, "junit", base=BASE))


def test_there_is_a_suite_for_the_configuration_and_one_for_each_provider(incident):
    names = [suite.get("name") for suite in parsed(incident).iter("testsuite")]
    assert names == ["configuration", "mail", "search", "wiki", "drive", "old", "Big One"]


@pytest.mark.parametrize("fail_on", ["info", "low", "medium", "high", "never"])
def test_exactly_the_findings_that_count_fail(incident, fail_on):
    report = replace(incident, fail_on=fail_on)
    failures = parsed(report).findall(".//failure")
    assert len(failures) == sum(finding.counts(fail_on) for finding in report.findings)


def test_what_was_not_answered_is_skipped_with_the_reason(incident):
    cases = {
        (case.get("classname"), case.get("name")): case.find("skipped") for case in parsed(incident).iter("testcase")
    }
    assert cases["contractd.preflight.mail", "has listed its tools"] is None
    skipped = cases["contractd.preflight.search", "has listed its tools"]
    assert skipped.get("message") == "no (failed): it ended before it answered"
    skipped = cases["contractd.preflight.drive", "did start"]
    assert skipped.get("message") == "undetermined (skipped): declined"
    assert cases["contractd.preflight.Big One", "tool broken"].get("message").startswith("quarantined")
    assert any("undetermined: wiki" in (skip.get("message") or "") for skip in cases.values() if skip is not None)


def test_the_numbers_add_up(incident, hostile):
    for report in (incident, hostile):
        root = parsed(report)
        for suite in root.iter("testsuite"):
            assert int(suite.get("tests")) == len(suite.findall("testcase"))
            assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
            assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
        assert int(root.get("tests")) == len(root.findall(".//testcase"))
        assert int(root.get("failures")) == len(root.findall(".//failure"))


def test_every_tool_and_every_finding_has_one_case(incident, hostile):
    for report in (incident, hostile):
        names = [case.get("name") for case in parsed(report).iter("testcase")]
        assert sum(name.startswith("tool ") for name in names) == len(report.tools)
        assert sum(name.startswith("CTD") for name in names) == len(report.findings)


def test_a_duplicated_provider_s_finding_fails_once(make, incident):
    providers = tuple(ProviderView("mail", id_, "stdio", "ready", "", Place("f"), "user") for id_ in ("mail", "mail-2"))
    root = parsed(make(incident.findings, providers))
    assert len(root.findall(".//failure")) == sum(finding.counts("medium") for finding in incident.findings)


def test_hostile_text_stays_text(hostile):
    root = parsed(hostile)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "skipped", "system-out", "system-err",
    }  # fmt: skip
    assert any("]]></failure><script>" in (suite.get("name") or "") for suite in root)


def test_stderr_is_kept(incident):
    (stderr,) = parsed(incident).findall(".//system-err")
    assert stderr.text.endswith("ModuleNotFoundError: No module named 'search'")
