"""What counts, and what can never turn into ready."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.errors import ConfigError, Place, UsageError
from contractd.preflight.baseline import baseline_text, read_baseline
from contractd.preflight.catalogue import RULES, rule
from contractd.preflight.model import SEVERITIES, Finding, verdict_of
from contractd.preflight.stated import rule_ids
from tests.preflight.situations import Bench, Setup, named, the, tool

LEVELS = (*SEVERITIES, "never")
NONE: frozenset[str] = frozenset()


def finding(severity: str = "high", **more: Any) -> Finding:
    about = more.pop("rule", rule("builtin-shadowing"))
    return Finding(about, severity, "it is so", "do this", Place("a.json", 1, 1, ""), **more)


OPEN = finding("info", rule=rule("not-contacted"), undetermined=True)


# ---- the verdict of a set of findings


@pytest.mark.parametrize("fail_on", LEVELS)
@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_finding_at_or_above_the_level_is_not_ready_and_one_below_is_ready(severity: str, fail_on: str) -> None:
    counts = fail_on != "never" and SEVERITIES.index(severity) >= SEVERITIES.index(fail_on)
    assert verdict_of((finding(severity),), fail_on, NONE)[0] == ("not_ready" if counts else "ready")


def test_not_ready_outranks_undetermined_outranks_ready() -> None:
    assert verdict_of((OPEN, finding("high")), "medium", NONE) == ("not_ready", ("CTD207",))
    assert verdict_of((OPEN, finding("low")), "medium", NONE) == ("undetermined", ("CTD207",))
    assert verdict_of((finding("low"),), "medium", NONE) == ("ready", ())
    assert verdict_of((), "medium", NONE) == ("ready", ())


def test_what_could_not_be_determined_counts_at_any_severity_and_never_as_a_finding() -> None:
    for severity in SEVERITIES:
        doubt = replace(OPEN, severity=severity)
        for fail_on in LEVELS:
            assert verdict_of((doubt,), fail_on, NONE)[0] == "undetermined"


def test_settled_and_suppressed_findings_do_not_count() -> None:
    assert verdict_of((finding(settled="excluded"), finding(suppressed="we know")), "info", NONE)[0] == "ready"
    assert verdict_of((replace(OPEN, suppressed="we know"),), "info", NONE)[0] == "ready"


def test_accepting_the_doubt_of_a_rule_accepts_that_rule_s_doubt_only() -> None:
    other = finding("info", rule=rule("builtins-unknown"), undetermined=True)
    assert verdict_of((OPEN, other), "medium", frozenset({"CTD207"})) == ("undetermined", ("CTD307",))
    assert verdict_of((OPEN, other), "medium", frozenset({"CTD207", "CTD307"})) == ("ready", ())


FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from(RULES),
    severity=st.sampled_from(SEVERITIES),
    message=st.just("it is so"),
    action=st.just("do this"),
    place=st.just(Place("a.json")),
    undetermined=st.booleans(),
    settled=st.sampled_from([None, "excluded"]),
    suppressed=st.sampled_from([None, "we know"]),
)
MANY = st.lists(FINDINGS, max_size=8).map(tuple)
ALLOWED = st.frozensets(st.sampled_from([known.id for known in RULES]), max_size=6)
ORDER = ("ready", "undetermined", "not_ready")


@given(MANY, FINDINGS, st.sampled_from(LEVELS), ALLOWED)
@settings(deadline=None, max_examples=120)
def test_one_more_finding_never_makes_the_verdict_better(
    found: tuple[Finding, ...], more: Finding, fail_on: Any, allowed: frozenset[str]
) -> None:
    before, after = verdict_of(found, fail_on, allowed)[0], verdict_of((*found, more), fail_on, allowed)[0]
    assert ORDER.index(after) >= ORDER.index(before)


@given(MANY, st.sampled_from(LEVELS), ALLOWED)
@settings(deadline=None, max_examples=120)
def test_a_milder_level_never_makes_the_verdict_worse(
    found: tuple[Finding, ...], fail_on: Any, allowed: frozenset[str]
) -> None:
    for milder in LEVELS[LEVELS.index(fail_on) :]:
        assert ORDER.index(verdict_of(found, milder, allowed)[0]) <= ORDER.index(verdict_of(found, fail_on, allowed)[0])


@given(MANY, st.sampled_from(LEVELS), ALLOWED)
@settings(deadline=None, max_examples=120)
def test_ready_means_that_nothing_open_is_left(found: tuple[Finding, ...], fail_on: Any, allowed: Any) -> None:
    verdict, undetermined = verdict_of(found, fail_on, allowed)
    left = {
        one.rule.id
        for one in found
        if one.undetermined and not one.settled and not one.suppressed and one.rule.id not in allowed
    }
    assert set(undetermined) == left
    assert (verdict == "ready") == (not left and not any(one.counts(fail_on) for one in found))


@given(st.permutations([OPEN, finding("high"), finding("low", settled="excluded"), finding("medium")]))
@settings(deadline=None, max_examples=24)
def test_the_order_of_findings_changes_nothing(found: list[Finding]) -> None:
    assert verdict_of(tuple(found), "medium", NONE) == ("not_ready", ("CTD207",))


# ---- chosen rules


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (["CTD301"], {"CTD301"}),
        (["ctd301"], {"CTD301"}),
        (["builtin-shadowing", "Look-Alike-Name"], {"CTD301", "CTD304"}),
        (["CTD4"], {known.id for known in RULES if known.id.startswith("CTD4")}),
        (["CTD"], {known.id for known in RULES}),
        ([], set()),
    ],
)
def test_a_rule_is_named_by_id_by_name_or_by_family(words: list[str], ids: set[str]) -> None:
    assert rule_ids(words) == ids


@pytest.mark.parametrize(
    ("word", "hint"),
    [("builtin-shadow", "builtin-shadowing"), ("CTD3O1", "CTD301"), ("xyzzy-plugh-frotz", "explain --all"), ("", "")],
)
def test_a_word_that_is_no_rule_is_an_error_that_says_what_was_meant(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match="is no rule") as caught:
        rule_ids([word])
    assert hint in (caught.value.hint or "")


# Qwen Code and Claude Code agree on the shape; a write whose bare name folds to a built-in's, and a plain-text secret.
CLASH = Setup(
    '{"mcpServers": {"mail": {"command": "sh", "env": {"MAIL_TOKEN": "kX8v2Lq9Zp1Rt5"}}}}',
    {"mail": [tool("send_message", "target", "text")]},
)
UNSEEN = CLASH.but(skipped={"mail": "it was declined"})


def test_selecting_and_ignoring_decide_what_counts(bench: Bench) -> None:
    assert bench.report(CLASH).verdict == "not_ready"
    for options in ({"select": ("CTD107",)}, {"ignore": ("CTD301",)}, {"ignore": ("builtin-shadowing",)}):
        report = bench.report(CLASH.but(options=options))
        assert report.verdict == "ready", options
        assert report.hidden > 0
        assert not named(report, "CTD301")


def test_neither_select_nor_ignore_turns_undetermined_into_ready(bench: Bench) -> None:
    assert bench.report(UNSEEN).verdict == "undetermined"
    for options in ({"select": ("CTD301",)}, {"ignore": ("CTD207",)}, {"ignore": ("CTD",)}):
        report = bench.report(UNSEEN.but(options=options))
        assert report.verdict == "undetermined", options
        assert report.undetermined == ("CTD207",)
        assert not named(report, "CTD207")


@pytest.mark.parametrize("word", ["CTD207", "not-contacted", "ctd2"])
def test_doubt_is_accepted_by_id_name_or_family(bench: Bench, word: str) -> None:
    report = bench.report(UNSEEN.but(options={"allow_undetermined": (word,)}))
    assert report.verdict == "ready"
    assert named(report, "CTD207"), "it is still told"


@pytest.mark.parametrize("option", ["select", "ignore", "allow_undetermined"])
def test_a_rule_that_is_none_is_noticed_before_anything_is_started(bench: Bench, option: str) -> None:
    with pytest.raises(UsageError, match="is no rule"):
        bench.prepare(CLASH.but(options={option: ("CTD399",)}))


@pytest.mark.parametrize("key", ["select", "ignore", "allow_undetermined"])
def test_a_rule_that_is_none_in_the_settings_has_its_line(bench: Bench, key: str) -> None:
    places = {"contractd.toml": f'[preflight]\nfail_on = "low"\n{key} = ["CTD301", "CTD399"]\n'}
    with pytest.raises(ConfigError, match=r"'CTD399' is no rule") as caught:
        bench.prepare(CLASH.but(places=places))
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == (str(bench.here / "contractd.toml"), 3)


# ---- suppressions


def settings_with(text: str) -> Setup:
    return CLASH.but(places={"contractd.toml": text})


SUPPRESS = '[[suppress]]\nrule = "{rule}"\n{more}reason = "the names are agreed"\n'


@pytest.mark.parametrize(
    ("more", "suppressed"),
    [
        ("", True),
        ('provider = "mail"\n', True),
        ('tool = "send_message"\n', True),
        ('provider = "mail"\ntool = "send_message"\n', True),
        ('provider = "post"\n', False),
        ('tool = "send"\n', False),
    ],
)
def test_a_suppression_takes_what_it_names_and_nothing_else(bench: Bench, more: str, suppressed: bool) -> None:
    report = bench.report(settings_with(SUPPRESS.format(rule="CTD301", more=more)))
    assert the(report, "CTD301").suppressed == ("the names are agreed" if suppressed else None)
    assert report.verdict == ("ready" if suppressed else "not_ready")


def test_a_provider_is_named_in_a_suppression_by_name_or_by_id(bench: Bench) -> None:
    text = CLASH.text.replace('"mail"', '"My Mail"')
    for provider in ("My Mail", "my-mail"):
        places = {"contractd.toml": SUPPRESS.format(rule="CTD301", more=f'provider = "{provider}"\n')}
        tools = {"My Mail": CLASH.tools["mail"]}
        assert bench.report(CLASH.but(text=text, places=places, tools=tools)).verdict == "ready"


def test_a_suppression_with_its_reason_accepts_even_what_could_not_be_determined(bench: Bench) -> None:
    places = {"contractd.toml": SUPPRESS.format(rule="CTD207", more='provider = "mail"\n')}
    report = bench.report(UNSEEN.but(places=places))
    assert report.verdict == "ready"
    assert the(report, "CTD207").suppressed


def test_a_suppression_without_a_reason_is_refused(bench: Bench) -> None:
    with pytest.raises(ConfigError, match="reason"):
        bench.prepare(settings_with('[[suppress]]\nrule = "CTD301"\n'))


def test_a_suppression_of_a_rule_that_is_none_is_refused_with_its_line(bench: Bench) -> None:
    text = SUPPRESS.format(rule="CTD301", more="") + SUPPRESS.format(rule="CTD999", more="")
    with pytest.raises(ConfigError, match="CTD999 is no rule") as caught:
        bench.prepare(settings_with(text))
    assert caught.value.place is not None
    assert caught.value.place.line == 4


@pytest.mark.parametrize("more", ['tool = "mail.send_message"\n', 'tool = "send_message"\n', 'provider = "mail"\n'])
@pytest.mark.parametrize("word", ["CTD301", "ctd301", "builtin-shadowing"])
def test_a_suppression_takes_a_rule_s_name_and_a_tool_s_reference(bench: Bench, more: str, word: str) -> None:
    report = bench.report(settings_with(SUPPRESS.format(rule=word, more=more)))
    assert the(report, "CTD301", "send_message").suppressed and not named(report, "CTD119")


def test_the_file_takes_the_words_that_the_command_line_takes(bench: Bench) -> None:
    text = '[preflight]\nignore = ["CTD3", "unused-suppression"]\nallow_undetermined = ["builtins-unknown"]\n'
    assert not named(bench.report(settings_with(text)), "CTD301")
    with pytest.raises(ConfigError, match="'CTD9' is no rule") as caught:
        bench.prepare(settings_with('[preflight]\nselect = ["CTD3", "CTD9"]\n'))
    assert caught.value.place is not None and caught.value.place.line == 2


def test_an_unused_suppression_is_told_at_its_own_line(bench: Bench) -> None:
    text = SUPPRESS.format(rule="CTD301", more="") + "\n" + SUPPRESS.format(rule="CTD302", more="")
    found = the(bench.report(settings_with(text)), "unused-suppression")
    assert (found.severity, found.place.line, found.place.column) == ("info", 5, 1)
    assert "CTD302" in found.message


def test_a_suppression_is_not_called_unused_while_its_server_was_not_seen(bench: Bench) -> None:
    places = {"contractd.toml": SUPPRESS.format(rule="CTD302", more="")}
    assert not named(bench.report(UNSEEN.but(places=places)), "unused-suppression")
    assert named(bench.report(CLASH.but(places=places)), "unused-suppression")
    # What stands in the file is seen even then.
    places = {"contractd.toml": SUPPRESS.format(rule="CTD108", more="")}
    assert named(bench.report(UNSEEN.but(places=places)), "unused-suppression")


# ---- the baseline


def test_a_baseline_accepts_what_it_was_written_of_and_nothing_new(bench: Bench) -> None:
    report = bench.report(CLASH)
    bench.write("baseline.json", baseline_text(report.findings))
    again = bench.report(CLASH.but(options={"baseline": "baseline.json"}))
    assert again.verdict == "ready"
    assert {one.suppressed for one in again.findings} == {"accepted by the baseline"}
    more = CLASH.but(options={"baseline": "baseline.json"}, tools={"mail": [*CLASH.tools["mail"], tool("SendMessage")]})
    assert bench.report(more).verdict == "not_ready"


def test_what_a_baseline_accepts_and_is_no_longer_there_is_told_once_every_server_was_seen(bench: Bench) -> None:
    bench.write("baseline.json", baseline_text(bench.report(CLASH).findings))
    options = {"baseline": "baseline.json"}
    assert not bench.report(CLASH.but(options=options)).notes
    mended = CLASH.but(options=options, tools={"mail": [tool("post_letter", "to")]})
    (note,) = bench.report(mended).notes
    assert "of the baseline no longer there; --write-baseline" in note
    assert not bench.report(UNSEEN.but(options=options)).notes


def test_moved_lines_and_other_words_do_not_make_a_finding_new(bench: Bench) -> None:
    bench.write("baseline.json", baseline_text(bench.report(CLASH).findings))
    moved = CLASH.but(text=CLASH.text.replace('{"mail"', '{\n\n  "mail"'), options={"baseline": "baseline.json"})
    assert bench.report(moved).verdict == "ready"


def test_a_baseline_never_accepts_what_could_not_be_determined(bench: Bench) -> None:
    report = bench.report(UNSEEN)
    text = baseline_text(report.findings)
    assert "CTD207" not in text
    forged = text.replace('"findings": []', f'"findings": [{{"fingerprint": "{the(report, "CTD207").fingerprint}"}}]')
    bench.write("baseline.json", forged)
    assert bench.report(UNSEEN.but(options={"baseline": "baseline.json"})).verdict == "undetermined"


def test_writing_a_baseline_keeps_what_the_old_one_accepts_and_leaves_out_what_the_settings_suppress(
    bench: Bench,
) -> None:
    first = baseline_text(bench.report(CLASH).findings)
    bench.write("baseline.json", first)
    assert baseline_text(bench.report(CLASH.but(options={"baseline": "baseline.json"})).findings) == first
    places = {"contractd.toml": SUPPRESS.format(rule="CTD301", more="")}
    assert "CTD301" not in baseline_text(bench.report(CLASH.but(places=places)).findings)


@given(MANY)
@settings(deadline=None, max_examples=60)
def test_a_baseline_s_text_is_the_same_for_any_order_and_reads_back(
    tmp_path_factory: pytest.TempPathFactory, found: tuple[Finding, ...]
) -> None:
    text = baseline_text(found)
    assert baseline_text(reversed(found)) == text
    path = tmp_path_factory.mktemp("baseline") / "b.json"
    path.write_text(text)
    assert read_baseline(str(path)) == {
        one.fingerprint for one in found if not one.settled and not one.suppressed and not one.undetermined
    }


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('{"version": 1,\n "findings": [}', "the baseline is not JSON", 2),
        ("", "the baseline is not JSON", 1),
        ('{"version": 2, "findings": []}', "not a baseline of format version 1", None),
        ("[]", "not a baseline of format version 1", None),
        ('{"version": 1, "findings": {}}', "not a baseline of format version 1", None),
        ("[" * 100_000, "the baseline is not JSON", None),
    ],
)
def test_a_broken_baseline_is_an_error_with_its_place(bench: Bench, text: str, message: str, line: int | None) -> None:
    bench.write("baseline.json", text)
    with pytest.raises(ConfigError, match=message) as caught:
        bench.prepare(CLASH.but(options={"baseline": "baseline.json"}))
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == ("baseline.json", line)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_baseline_that_can_t_be_read_is_an_error(bench: Bench, name: str) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        bench.prepare(CLASH.but(options={"baseline": name}))


def test_rows_of_a_baseline_that_make_no_sense_are_passed_over(bench: Bench) -> None:
    bench.write("baseline.json", '{"version": 1, "findings": [1, null, {}, {"fingerprint": 7}, {"fingerprint": "x"}]}')
    assert bench.prepare(CLASH.but(options={"baseline": "baseline.json"})).accepted == {"x"}
