"""What a server says may hold what it was given; none of it is reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contractd.carriers import Evidence
from contractd.errors import Failure
from contractd.preflight.hiding import Hider
from contractd.providers.base import ProviderSpec
from contractd.registry import Row
from tests.preflight.situations import Bench, Setup, failed, ready, the, tool

SECRET = "kX8v2Lq9Zp1Rt5mB"
SERVER = ProviderSpec("mail", "mail", "stdio", argv=("sh",))


@pytest.mark.parametrize(
    "given",
    [
        {"env": {"MAIL_TOKEN": SECRET}},
        {"argv": ("sh", "--api-key", SECRET)},
        {"argv": ("sh", f"--token={SECRET}")},
        {"argv": ("env", f"API_KEY={SECRET}", "sh")},
        {"headers": {"X-Whatever": SECRET}},
        {"headers": {"Authorization": f"Bearer {SECRET}"}},
    ],
    ids=str,
)
def test_what_a_server_was_given_is_taken_out_of_its_words(given: dict[str, object]) -> None:
    hider = Hider(replace(SERVER, **given), {})  # type: ignore[arg-type]
    assert hider.text(f"bad key {SECRET}!") == "bad key ***!"
    assert hider.text("nothing of it") == "nothing of it"


def test_what_it_inherits_is_taken_out_too_and_harmless_values_stay() -> None:
    hider = Hider(replace(SERVER, env={"LANG": "en_US.UTF-8"}), {"OPENAI_API_KEY": SECRET, "HOME": "/home/ada-long"})
    assert hider.text(f"{SECRET} in /home/ada-long, en_US.UTF-8") == "*** in /home/ada-long, en_US.UTF-8"


def test_tokens_of_a_published_shape_are_taken_out_whoever_gave_them() -> None:
    assert Hider(SERVER, {}).text("use ghp_" + "a1B2" * 10) == "use ***"
    assert (
        Hider(SERVER, {}).text("https://me:hunter2@x.example/?api_key=abcdef")
        == "https://me:***@x.example/?api_key=***"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"env": {"DB_PASSWORD": "hunter2"}}, "login hunter2"),
        ({"env": {"SESSION_ID": "Kx7sess-0001-ABCDEF"}}, "id=Kx7sess-0001-ABCDEF"),
        ({"env": {"PIN_TOKEN": "Zpin1"}}, "Zpin1"),
        ({"env": {"AUTH_JSON": '{"password":"a b"}'}}, repr('{"password":"a b"}') + ' "{\\"password\\":\\"a b\\"}"'),
        ({"headers": {"X-Key": 'ab"c'}}, '{"X-Key": "ab\\"c"}'),
        ({"headers": {"Authorization": "Bearer Kx7sécret"}}, "Bearer Kx7s\\u00e9cret"),
        ({"argv": ("mr", "--header", "Authorization:Bearer Kx7secret99")}, '{"Authorization": "Bearer Kx7secret99"}'),
        ({"url": "http://user:Kx7pw@host/"}, "Basic dXNlcjpLeDdwdw=="),
    ],
    ids=str,
)  # fmt: skip
def test_a_secret_is_found_however_a_server_prints_it(given: dict[str, object], said: str) -> None:
    shown = Hider(replace(SERVER, **given), {}).text(said)  # type: ignore[arg-type]
    for secret in ("hunter2", "Kx7", "Zpin1", "password", "a b", "ab", "dXNl"):
        assert secret not in shown, shown


def test_short_values_are_words_and_stay() -> None:
    assert Hider(replace(SERVER, headers={"X": "json"}), {}).text("json") == "json"


def test_the_longest_secret_goes_first() -> None:
    hider = Hider(replace(SERVER, headers={"A": SECRET, "B": SECRET + "-and-more"}), {})
    assert hider.text(f"{SECRET}-and-more") == "***"


def test_a_row_is_safe_in_all_that_is_reported_of_it() -> None:
    failure = Failure("mcp-list", f"it said {SECRET}", None, {"www_authenticate": f"x {SECRET}", "code": -32000})
    evidence = Evidence(started=True, stderr=f"a\n{SECRET}\n", foreign=(f"hello {SECRET}",), foreign_count=1)
    spec = replace(SERVER, env={"MAIL_TOKEN": SECRET})
    row = Hider(spec, {}).row(Row(spec, "failed", 1.0, failure=failure, evidence=evidence))
    assert row.failure is not None
    assert SECRET not in row.failure.message + str(row.failure.details) + row.evidence.stderr + str(
        row.evidence.foreign
    )
    assert row.failure.details["code"] == -32000
    assert row.failure.details["www_authenticate"] == "x ***"


def test_a_report_shows_the_command_without_its_secrets(bench: Bench) -> None:
    text = f'{{"mcpServers": {{"mail": {{"command": "sh", "args": ["--token", "{SECRET}", "x{SECRET}x"]}}}}}}'
    report = bench.report(Setup(text, {"mail": ready([tool("get_x")])}))
    assert report.providers[0].target == "sh --token *** x***x"


def test_a_failure_s_message_is_what_the_finding_says(bench: Bench) -> None:
    report = bench.report(
        Setup('{"mcpServers": {"mail": {"command": "sh"}}}', {"mail": failed("mcp-list", "it broke")})
    )
    assert the(report, "list-failed").message == "mail: it broke"
