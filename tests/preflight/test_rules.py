"""Every rule of preflight: a situation that shows it, as it should be shown, and the nearest one that does not.

Those of ``contractd diff`` are in test_drift_rules.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contractd.preflight.catalogue import BY_ID, BY_NAME, RULES
from tests.preflight.pairs import configuration, contracts, locking, names, reachability
from tests.preflight.pairs.pair import Pair
from tests.preflight.situations import Bench, marked, named

PAIRS: list[Pair] = [*configuration.PAIRS, *reachability.PAIRS, *names.PAIRS, *contracts.PAIRS, *locking.PAIRS]
ROOT = Path(__file__).parents[2]


def test_every_rule_has_a_pair_of_situations() -> None:
    assert {rule.id for rule in RULES if rule.source == "preflight"} == {pair.rule for pair in PAIRS}


def test_ids_and_names_are_unique_and_stable_in_shape() -> None:
    assert len(BY_ID) == len(BY_NAME) == len(RULES)
    assert all(
        re.fullmatch(r"CTD[1-4]\d\d", rule.id) and re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name) for rule in RULES
    )
    assert [rule.id for rule in RULES] == sorted(rule.id for rule in RULES)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_finding_says_what_where_how_sure_and_what_to_do(bench: Bench, pair: Pair) -> None:
    found = named(bench.report(pair.shows), pair.rule)
    assert len(found) == 1, [finding.message for finding in found]
    finding = found[0]
    assert (finding.severity, finding.confidence) == (pair.severity, pair.confidence)
    assert (finding.provider, finding.tool) == (pair.provider, pair.tool)
    assert (finding.retryable, finding.undetermined) == (pair.retryable, pair.undetermined)
    assert (finding.settled, finding.suppressed) == (None, None)
    assert pair.message in finding.message
    assert pair.action in finding.action
    assert pair.remedy is None or pair.remedy in [remedy.text for remedy in finding.remedies]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_finding_points_at_the_line_and_column_of_what_is_meant(bench: Bench, pair: Pair) -> None:
    finding = named(bench.report(pair.shows), pair.rule)[0]
    file, text = pair.pointed_at
    assert (finding.place.line, finding.place.column) == marked(text)
    assert finding.place.file.endswith(file)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_nearest_healthy_situation_does_not_show_the_rule(bench: Bench, pair: Pair) -> None:
    assert not named(bench.report(pair.healthy), pair.rule)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_finding_keeps_its_fingerprint_when_lines_move(bench: Bench, pair: Pair) -> None:
    before = named(bench.report(pair.shows), pair.rule)[0]
    moved = pair.shows.but(text="\n\n" + pair.shows.text)
    after = named(bench.report(moved), pair.rule)[0]
    assert after.fingerprint == before.fingerprint


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_a_fixed_severity_of_the_catalogue_is_what_the_finding_has(pair: Pair) -> None:
    assert BY_ID[pair.rule].severity in (None, pair.severity)


def test_every_problem_that_a_runtime_s_reader_notes_is_a_rule() -> None:
    noted = set()
    for path in (ROOT / "contractd/runtimes").glob("*.py"):
        text = path.read_text("utf-8")
        noted |= set(re.findall(r'(?:problem|Problem)\(\s*"([a-z-]+)"', text))
    assert noted
    assert noted - set(BY_NAME) == set()


def test_no_two_findings_of_one_report_have_one_fingerprint(bench: Bench) -> None:
    for number, pair in enumerate(PAIRS):
        report = bench.report(pair.shows) if number == 0 else Bench(_folder(bench, number)).report(pair.shows)
        prints = [finding.fingerprint for finding in report.findings]
        assert len(prints) == len(set(prints)), pair.id


def _folder(bench: Bench, number: int) -> Path:
    folder = bench.here / f"again{number}"
    folder.mkdir()
    return folder
