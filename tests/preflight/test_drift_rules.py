"""The rules of ``contractd diff``: a situation that shows each, and the nearest that does not."""

from __future__ import annotations

import json

import pytest

from contractd.preflight.catalogue import BY_ID, RULES
from contractd.preflight.drift import DiffRequest, diff
from contractd.preflight.model import Finding
from tests.preflight.pairs.drift import PAIRS, DriftPair, Tools
from tests.preflight.situations import Bench


def found(bench: Bench, pair: DriftPair, new: Tools, before: str = "") -> list[Finding]:
    """The findings of the pair's rule, with ``before`` in front of both files."""
    bench.write("old.json", before + json.dumps({"tools": pair.old}, indent=1))
    bench.write("new.json", before + json.dumps({"tools": new}, indent=1))
    report, _ = diff(DiffRequest("old.json", "new.json", cwd=str(bench.here)))
    return [finding for finding in report.findings if finding.rule.id == pair.rule]


def test_every_rule_of_diff_has_a_pair_of_situations() -> None:
    assert {rule.id for rule in RULES if rule.source == "diff"} == {pair.rule for pair in PAIRS}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_finding_says_what_and_what_to_do(bench: Bench, pair: DriftPair) -> None:
    (finding,) = found(bench, pair, pair.new)
    assert (finding.severity, finding.tool, finding.provider) == (pair.severity, pair.tool, None)
    assert (finding.undetermined, finding.retryable) == (pair.undetermined, False)
    assert BY_ID[pair.rule].severity in (None, pair.severity)
    assert pair.message in finding.message
    assert pair.action in finding.action


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_finding_points_at_the_name_of_its_tool(bench: Bench, pair: DriftPair) -> None:
    place = found(bench, pair, pair.new)[0].place
    lines = bench.here.joinpath(place.file).read_text("utf-8").splitlines()
    assert place.file == f"{pair.points_at}.json"
    assert place.line is not None and place.column is not None
    assert lines[place.line - 1][place.column - 1 :].startswith(f'"name": "{pair.named_there or pair.tool}"')
    tools = pair.new if pair.points_at == "new" else pair.old
    names = [tool["name"] for tool in tools]
    assert place.pointer == f"/tools/{names.index(pair.named_there or pair.tool)}"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_nearest_healthy_situation_does_not_show_the_rule(bench: Bench, pair: DriftPair) -> None:
    assert not found(bench, pair, pair.healthy)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_finding_keeps_its_fingerprint_when_lines_move(bench: Bench, pair: DriftPair) -> None:
    here, moved = found(bench, pair, pair.new)[0], found(bench, pair, pair.new, before="\n\n")[0]
    assert moved.place.line == (here.place.line or 0) + 2
    assert moved.fingerprint == here.fingerprint
