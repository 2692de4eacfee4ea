"""``preflight --lock``: what is offered is judged by what was accepted, and offline what was accepted stands in."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.errors import ConfigError, UsageError
from contractd.preflight.model import Report
from tests.preflight.pairs.locking import GET, SEND, beside, lock, locked
from tests.preflight.pairs.pair import SH, one
from tests.preflight.situations import Bench, Setup, hints, named, the, tool

PLAIN = "contractd"
SENT = tool("send_mail_to", "recipient", "text")


def offline(*tools: dict[str, Any], **more: Any) -> Setup:
    """One server that is not contacted, of which these tools are locked."""
    return Setup(
        one(SH),
        runtime=PLAIN,
        places={"contracts.lock": lock(locked(*tools, **more))},
        options={"lock": "", "offline": True},
    )


def rules(report: Report) -> set[str]:
    return {finding.rule.name for finding in report.findings}


def test_what_was_accepted_is_ready(bench: Bench) -> None:
    assert not [name for name in rules(bench.report(beside(GET, SEND))) if "drift" in name or "lock" in name]


def test_a_call_that_is_refused_now_is_shown_with_the_server_it_is_of(bench: Bench) -> None:
    report = bench.report(beside(GET, SEND, listed=(GET, SENT)))
    finding = the(report, "breaking-drift", "send_mail_to")
    assert (report.verdict, finding.provider, finding.severity) == ("not_ready", "mail", "high")
    assert finding.message.startswith("mail.send_mail_to: a call that was valid is refused now")
    assert finding.place.file == "servers.json"
    assert finding.remedies[0].text == '{"name": "send_mail_to", "arguments": {"to": "", "text": ""}}'


def test_a_tool_that_is_gone_is_shown_where_the_lock_has_it(bench: Bench) -> None:
    finding = the(bench.report(beside(GET, SEND, listed=(SEND,))), "tool-removed")
    assert finding.place.file == "contracts.lock"
    lines = bench.here.joinpath("contracts.lock").read_text("utf-8").splitlines()
    assert lines[(finding.place.line or 0) - 1] == '[tool."mail.get_mail_of"]'


def test_a_suppression_is_about_drift_as_about_anything(bench: Bench) -> None:
    policy = '[[suppress]]\nrule = "breaking-drift"\nprovider = "mail"\nreason = "the new one is used everywhere"\n'
    setup = beside(GET, SEND, listed=(GET, SENT)).but(places={"contractd.toml": policy})
    report = bench.report(setup)
    assert the(report, "breaking-drift").suppressed == "the new one is used everywhere"
    assert not named(report, "unused-suppression")


def test_a_hint_that_became_kinder_does_not_count_before_it_is_accepted(bench: Bench) -> None:
    """A built-in of the same name answers: reading that is plausible and wrong, writing is lost."""
    writes, reads = tool("list_agents", **hints(readOnlyHint=False)), tool("list_agents", **hints(readOnlyHint=True))

    def severity(was: dict[str, Any], now: dict[str, Any]) -> str:
        setup = Setup(
            one(SH),
            runtime="qwen-code@0.24.4",
            tools={"mail": [now]},
            places={"contracts.lock": lock(locked(was))},
            options={"lock": ""},
        )
        return the(bench.report(setup), "builtin-shadowing").severity

    assert severity(reads, reads) == "medium"
    assert {severity(writes, reads), severity(reads, writes), severity(writes, writes)} == {"high"}


def test_offline_what_was_accepted_stands_in_for_the_server(bench: Bench) -> None:
    report = bench.report(offline(GET, SEND))
    assert (report.verdict, report.findings) == ("ready", ())
    (provider,) = report.providers
    assert (provider.status, provider.tools, provider.started) == ("locked", 2, None)
    assert "judged by what contracts.lock holds of it, the last of it accepted 2026-11-30T10:00:00Z" in str(
        provider.reason
    )
    assert {tool.status for tool in report.tools} == {"bound"}


def test_offline_names_are_judged_too(bench: Bench) -> None:
    setup = offline(tool("send_message", "to", "text"))
    report = bench.report(Setup(**{**vars(setup), "runtime": "qwen-code@0.24.4"}))
    assert the(report, "builtin-shadowing", "send_message").severity == "high"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"source": "other-server"}, "the lock was taken from another command or address: other-server"),
        ({"doubts": ("get_x is no valid tool",)}, "only the server itself can tell: get_x is no valid tool"),
        ({"provider": "post"}, "the lock has nothing of it"),
    ],
)
def test_offline_a_lock_that_can_not_speak_for_a_server_leaves_it_undetermined(
    bench: Bench, more: dict[str, Any], said: str
) -> None:
    report = bench.report(offline(GET, **more))
    assert report.verdict == "undetermined"
    assert said in the(report, "not-contacted").message


def test_offline_a_suppression_of_what_only_a_live_server_shows_is_not_unused(bench: Bench) -> None:
    policy = '[[suppress]]\nrule = "foreign-output"\nprovider = "mail"\nreason = "a banner"\n'
    report = bench.report(offline(GET).but(places={"contractd.toml": policy}))
    assert (report.verdict, report.findings) == ("ready", ())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, ()),
        ({"source": "other --x"}, ("mail was locked from another command or address: other --x",)),
        ({"launch": "sha256:0"}, ("mail was locked with other arguments, variables, headers or in another folder",)),
    ],
)
def test_a_live_run_says_that_a_server_is_started_otherwise(
    bench: Bench, more: dict[str, Any], said: tuple[str, ...]
) -> None:
    setup = beside(GET, SEND).but(places={"contracts.lock": lock(locked(GET, SEND, **more))})
    assert tuple(note for note in bench.report(setup).notes if "locked" in note) == said


def test_only_offline_does_a_lock_stand_in(bench: Bench) -> None:
    setup = offline(GET).but(options={"offline": False}, skipped={"mail": "it was declined"})
    report = bench.report(Setup(**{**vars(setup), "skipped": {"mail": "it was declined"}}))
    assert (report.verdict, report.providers[0].status) == ("undetermined", "skipped")


def test_the_policy_names_a_lock_and_the_command_line_waives_it(bench: Bench) -> None:
    policy = '[lock]\nfile = "locks/mail.lock"\n'
    setup = Setup(
        one(SH),
        tools={"mail": [GET, SEND]},
        places={"contractd.toml": policy, "locks/mail.lock": lock(locked(GET))},
    )
    report = bench.report(setup)
    assert the(report, "tool-not-locked").tool == "send_mail_to"
    assert "locks/mail.lock" in [file.path for file in report.files]
    assert not named(bench.report(setup.but(options={"use_lock": False})), "tool-not-locked")


def test_a_difference_counts_for_what_this_agent_uses(bench: Bench) -> None:
    wider = tool("send_mail_to", "to", "text", optional=["cc"])
    typed = {
        **wider,
        "inputSchema": {
            **wider["inputSchema"],
            "properties": {**wider["inputSchema"]["properties"], "cc": {"type": "array"}},
        },
    }
    uses = {"uses.toml": 'version = 1\n[tools."mail.send_mail_to"]\nsends = ["to", "text"]\n'}
    setup = beside(GET, wider, listed=(GET, typed)).but(places=uses)
    assert the(bench.report(setup), "breaking-drift").tool == "send_mail_to"
    report = bench.report(setup.but(options={"uses": "uses.toml"}))
    assert "this agent never sends cc" in the(report, "compatible-drift").message
    assert not named(report, "breaking-drift")
    assert "uses.toml" in [file.path for file in report.files]


def test_what_is_used_may_name_a_server_as_its_configuration_does(bench: Bench) -> None:
    uses = 'version = 1\ncomplete = true\n[tools."My Mail.send_mail_to"]\nsends = ["to", "text"]\n'
    setup = Setup(
        one(SH, name="My Mail"),
        tools={"My Mail": [GET, SENT]},
        places={"contracts.lock": lock(locked(GET, SEND, provider="my-mail")), "uses.toml": uses},
        options={"lock": "", "uses": "uses.toml"},
    )
    report = bench.report(setup)
    assert the(report, "breaking-drift", "send_mail_to").settled is None


def test_a_use_that_was_never_valid_narrows_nothing(bench: Bench) -> None:
    uses = {"uses.toml": 'version = 1\n[tools.send_mail_to]\nsends = ["sned"]\n'}
    setup = beside(GET, SEND, listed=(GET, SENT)).but(places=uses, options={"uses": "uses.toml"})
    finding = the(bench.report(setup), "breaking-drift", "send_mail_to")
    assert "no call of what is listed is valid, before or now" in finding.message


def test_what_is_used_says_nothing_without_a_lock(bench: Bench) -> None:
    with pytest.raises(UsageError, match="without --lock nothing is compared"):
        bench.prepare(Setup(one(SH), options={"uses": "uses.toml"}))


def test_a_lock_that_is_not_there_is_an_error(bench: Bench) -> None:
    with pytest.raises(ConfigError, match=r"contracts\.lock: there is no such lock"):
        bench.prepare(Setup(one(SH), options={"lock": ""}))


def test_a_lock_with_a_merge_conflict_says_so(bench: Bench) -> None:
    text = lock(locked(GET)).replace("[provider.mail]", "<<<<<<< ours\n[provider.mail]")
    with pytest.raises(ConfigError, match="it holds a merge conflict") as caught:
        bench.prepare(Setup(one(SH), places={"contracts.lock": text}, options={"lock": ""}))
    assert caught.value.place is not None
    assert caught.value.hint == "take one side of the conflict, and run contractd lock again"
