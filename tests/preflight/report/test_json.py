"""The JSON format, against its own published schema."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from contractd.errors import Place
from contractd.preflight.model import Finding, Rule
from contractd.preflight.report import render

SCHEMA = json.loads(files("contractd").joinpath("schemas/report-1.schema.json").read_text("utf-8"))
RULE = Rule("CTD301", "builtin-shadowing", None, "s")


def errors(text: str) -> list[str]:
    return [
        f"{list(error.path)}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(json.loads(text))
    ]


def test_the_schema_is_a_valid_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_reports_are_valid_by_the_schema(make, incident):
    assert errors(render(make(), "json")) == []
    assert errors(render(incident, "json")) == []


def test_hostile_text_is_valid_by_the_schema(hostile):
    # Rule ids come from contractd alone; the hostile report has nonsense there.
    assert errors(render(replace(hostile, undetermined=()), "json")) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), "fine"),
        (("version",), 2),
        (("runtime", "name"), "qwen"),
        (("providers", 0, "status"), "late"),
        (("providers", 0, "tools"), -1),
        (("tools", 0, "visible"), "maybe"),
        (("findings", 0, "severity"), "critical"),
        (("findings", 0, "location"), None),
        (("findings", 0, "location", "line"), 0),
        (("findings", 0, "rule"), "E501"),
        (("summary", "findings"), "7"),
    ],
)
def test_the_schema_refuses_what_is_not_a_report(incident, path, value):
    data = json.loads(render(incident, "json"))
    here = data
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    assert errors(json.dumps(data))
    del here[path[-1]]
    assert errors(json.dumps(data))


def test_the_schema_allows_more_keys(incident):
    data = json.loads(render(incident, "json"))
    for place in (data, data["runtime"], data["providers"][0], data["tools"][0], data["findings"][0]):
        place["added_later"] = 1
    assert errors(json.dumps(data)) == []


def test_the_promised_keys_are_there(incident):
    data = json.loads(render(incident, "json"))
    finding = {"rule", "name", "severity", "confidence", "message", "provider", "tool", "location", "retryable"}
    finding |= {"action", "fingerprint", "settled", "suppressed"}
    provider = {"name", "transport", "status", "reason", "era", "protocol_version", "tools", "seconds", "exit_code"}
    provider |= {"stderr_tail"}
    assert {"version", "verdict", "runtime", "providers", "tools", "findings"} <= set(data)
    assert {"name", "version", "version_source"} <= set(data["runtime"])
    assert provider <= set(data["providers"][0])
    assert {"provider", "name", "runtime_name", "visible", "digest", "status"} <= set(data["tools"][0])
    assert finding <= set(data["findings"][0])
    assert set(data["findings"][0]["location"]) == {"file", "line", "column", "pointer"}


def test_settled_and_suppressed_are_true_or_false_with_the_reason_beside_them(incident):
    findings = json.loads(render(incident, "json"))["findings"]
    settled = [row for row in findings if row["settled"] is True]
    suppressed = [row for row in findings if row["suppressed"] is True]
    assert [row["settled_reason"] for row in settled] == [
        "tools.disabled takes the built-in away (.qwen/settings.json:20)"
    ]
    assert [row["suppressed_reason"] for row in suppressed] == ["set on the build machine only"]
    assert all(row["settled_reason"] is None for row in findings if not row["settled"])


def test_the_summary_counts_what_is_listed(incident):
    data = json.loads(render(incident, "json"))
    open_ones = [row for row in data["findings"] if not row["settled"] and not row["suppressed"]]
    assert data["summary"]["findings"] == len(open_ones) == 7
    assert data["summary"]["by_severity"] == {"high": 3, "medium": 1, "low": 2, "info": 1}
    assert data["summary"]["counting"] == 3
    assert data["summary"]["providers"] == {"ready": 2, "locked": 0, "failed": 2, "skipped": 1, "disabled": 1}
    assert data["summary"]["tools"] == {"bound": 19, "shadowed": 2, "refused": 0, "quarantined": 1, "excluded": 1}


def test_a_server_s_text_survives_unchanged_in_ascii(hostile):
    text = render(hostile, "json")
    assert text.isascii()
    data = json.loads(text)
    assert [row["name"] for row in data["tools"]] == [tool.name for tool in hostile.tools]
    assert "\\ud800" in text


def test_what_json_has_no_word_for_does_not_break_it(make):
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    details = {
        "nan": float("nan"), "infinite": float("-inf"), "bytes": b"\xff", "set": {3, 1}, "tuple": (1, None),
        "place": Place("f", 1, 2), "huge": 10**6000, "deep": deep, 7: "a number", "object": object,
    }  # fmt: skip
    report = make((Finding(RULE, "high", "m", "a", Place("f"), details=details),))
    text = render(report, "json")
    data = json.loads(text, parse_constant=pytest.fail)["findings"][0]["details"]
    assert data["nan"] is None
    assert data["infinite"] is None
    assert data["set"] == [1, 3]
    assert data["place"] == {"file": "f", "line": 1, "column": 2, "pointer": None}
    assert data["7"] == "a number"
    assert errors(text) == []
    assert render(report, verbose=True)


def test_the_rule_page_is_named(incident):
    rows = json.loads(render(incident, "json", rule_pages="https://example.org/rules"))["findings"]
    assert rows[0]["docs"] == "https://example.org/rules#ctd201-provider-failed"
