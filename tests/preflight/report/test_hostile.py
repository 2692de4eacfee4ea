"""Whatever text a server, a file name or a path holds, no format becomes unsafe or invalid."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contractd.documents import Document
from contractd.errors import Place
from contractd.preflight.model import (
    FileView,
    Finding,
    ProviderView,
    Remedy,
    Report,
    Rule,
    RuntimeView,
    ToolView,
)
from contractd.preflight.report import FORMATS, render

PIECES = [
    "\x1b[31m", "\u202e", "\n", "\r\n", "\r", "::error::x", "##[error]", "]]>", "</td>", "`", "```", "|", "\\",
    "\ud800", "%0A",
    "[a](b)", "<img src=x>", "@user", "#12", "https://x.example", ":smile:", "*", "_", "\u2028", "\ufffe", "é", "表",
    " ", "",
    "GH-1", "www.x.example", "<!--", "&amp;", "~~", "$", "- ", "\t",
]  # fmt: skip
texts = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.sampled_from(["x" * 500, "wort " * 120]),
)
maybe = st.none() | texts
numbers = st.none() | st.integers(-1, 10**6)
places = st.builds(Place, texts, numbers, numbers, maybe)
rules = st.builds(
    Rule, st.from_regex(r"CTD[0-9]{3}", fullmatch=True), st.sampled_from(["builtin-shadowing", "plain-text-secret"]),
    st.none() | st.sampled_from(["info", "high"]), texts,
)  # fmt: skip
severities = st.sampled_from(["info", "low", "medium", "high"])
details = st.dictionaries(
    texts, st.none() | st.floats() | texts | st.lists(st.binary(max_size=4), max_size=3), max_size=3
)
findings = st.builds(
    Finding, rules, severities, texts, texts, places, st.sampled_from(["low", "high"]), maybe, maybe, texts,
    st.none() | st.booleans(), st.booleans(), maybe, maybe, st.lists(st.builds(Remedy, texts, texts, texts),
    max_size=2), details,
)  # fmt: skip
providers = st.builds(
    ProviderView, texts, texts, st.sampled_from(["stdio", "http"]), st.sampled_from(["ready", "failed", "skipped",
    "disabled"]),
    texts, places, texts, maybe, maybe, st.none() | st.booleans(), st.none() | st.sampled_from(["legacy", "modern"]),
    maybe,
    st.none() | st.integers(0, 500), st.none() | st.floats(0, 100), st.none() | st.floats(0, 100),
    st.none() | st.integers(-20, 255), texts, st.lists(texts, max_size=2).map(tuple), maybe, st.none() | st.booleans(),
)  # fmt: skip
tools = st.builds(
    ToolView, texts, texts, maybe, st.sampled_from(["yes", "deferred", "no", "unknown"]),
    st.sampled_from(["bound", "shadowed", "refused", "quarantined", "excluded"]), maybe, maybe,
)  # fmt: skip
runtimes = st.builds(
    RuntimeView, st.sampled_from(["qwen-code", "contractd"]), texts, maybe, st.sampled_from(["stated", "program",
    "assumed"]), texts,
    maybe, maybe, st.dictionaries(texts, texts, max_size=2), st.dictionaries(texts, st.lists(texts).map(tuple),
    max_size=2),
)  # fmt: skip
reports = st.builds(
    Report, st.sampled_from(["ready", "not_ready", "undetermined"]), runtimes,
    st.lists(st.builds(FileView, texts, texts, texts), max_size=2).map(tuple), st.lists(providers,
    max_size=3).map(tuple),
    st.lists(tools, max_size=15).map(tuple), st.lists(findings, max_size=4).map(tuple),
    st.sampled_from(["info", "medium", "never"]), st.booleans(), st.lists(texts, max_size=2).map(tuple),
    st.integers(0, 3),
    st.lists(texts, max_size=2).map(tuple),
)  # fmt: skip
check = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
SGR = re.compile(r"\x1b\[[0-9;]+m")


def rendered(report: Report, source: str, name: str, **options: object) -> str:
    files = {finding.place.file for finding in report.findings}
    documents = {file: Document(file, source, "json", {"env": {"TOKEN": source}}) for file in files}
    return render(report, name, documents=documents, base="/home/ada", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_emits_what_can_t_be_seen(hostile, documents, unsafe, name):
    assert unsafe(render(hostile, name, documents=documents, verbose=True)) == set()
    assert unsafe(SGR.sub("", render(hostile, name, documents=documents, color=True))) == set()


@check
@given(reports, texts, st.booleans(), st.integers(1, 130))
def test_no_text_makes_any_format_unsafe(unsafe, runner, report, source, verbose, width):
    for name in FORMATS:
        text = rendered(report, source, name, verbose=verbose, width=width)
        assert unsafe(text) == set()
        assert text.endswith("\n")
        text.encode()
        if name not in ("github", "json", "sarif", "junit"):
            assert runner(text) == []


@check
@given(reports, texts)
def test_no_text_makes_json_or_sarif_invalid(report, source):
    for name in ("json", "sarif"):
        text = rendered(report, source, name)
        assert text.isascii()
        json.loads(text, parse_constant=pytest.fail)


@check
@given(reports, texts)
def test_no_text_makes_junit_invalid_or_its_numbers_wrong(report, source):
    root = ET.fromstring(rendered(report, source, "junit").encode())
    assert len(root.findall(".//failure")) == sum(finding.counts(report.fail_on) for finding in report.findings)
    assert len(root.findall("testsuite")) == 1 + len(report.providers)


@check
@given(reports, texts)
def test_no_text_adds_a_workflow_command(runner, report, source):
    open_ones = sum(not finding.settled and not finding.suppressed for finding in report.findings)
    text = rendered(report, source, "github")
    assert len(runner(text)) == 1 + open_ones
    assert text.count("\n") == 1 + open_ones


@check
@given(reports, texts)
def test_colour_never_changes_the_words(report, source):
    assert SGR.sub("", rendered(report, source, "text", color=True)) == rendered(report, source, "text")
