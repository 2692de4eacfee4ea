"""The contract with scripts: exit status, what goes to which stream, files, formats, colours, variables."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from contractd.cli import exit_codes
from contractd.cli.output import wants_color
from contractd.preflight.report import FORMATS
from tests.cli.harness import SEND, Shell, offline, servers, stub

CLAUDE = "claude-code@2.1.332"
QWEN = "qwen-code@0.21.10"


def test_the_numbers_are_pinned() -> None:
    assert exit_codes.MEANINGS.keys() == {0, 1, 2, 3, 130}
    assert exit_codes.BY_VERDICT == {"ready": 0, "not_ready": 1, "undetermined": 3}


def test_ready_is_0_and_not_ready_is_1_and_the_level_decides(shell: Shell) -> None:
    shell.write("ok.json", servers(git=stub(prefix="git")))
    done = shell.run("preflight", "--config", "ok.json", "--runtime", CLAUDE, "--yes", "--format", "json")
    assert (done.code, done.report["verdict"]) == (0, "ready")
    shell.write("bad.json", servers(mail=stub("listed", listed=[SEND])))
    clash = ("preflight", "--config", "bad.json", "--runtime", CLAUDE, "--yes")
    assert shell.run(*clash).code == 1
    assert shell.run(*clash, "--fail-on", "high").code == 0
    assert shell.run(*clash, "--fail-on", "never").code == 0
    assert shell.run(*clash, "--fail-on", "info").code == 1


def test_a_usage_error_and_a_broken_configuration_are_2(shell: Shell) -> None:
    shell.write("broken.json", "{")
    for args in (["--config", "missing.json"], ["--config", "broken.json"], ["--fail-on", "x"], ["--nothing"], ["x"]):
        done = shell.quick("preflight", *args)
        assert (done.code, done.out) == (2, ""), args
        assert done.err.startswith("error: ")


def test_what_could_not_be_determined_is_3_unless_a_finding_makes_it_1(shell: Shell) -> None:
    shell.write("one.json", servers(git=stub()))
    assert shell.quick(*offline("--config", "one.json", "--runtime", CLAUDE)).code == 3
    shell.write("two.json", servers(git=stub(), gone={"command": "no-such-program"}))
    assert shell.quick(*offline("--config", "two.json", "--runtime", CLAUDE)).code == 1


@pytest.mark.parametrize("args", [("--help",), ("preflight", "--help"), ("rules", "-h")])
def test_help_says_what_the_exit_status_means(shell: Shell, args: tuple[str, ...]) -> None:
    done = shell.quick(*args)
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    for code, meaning in exit_codes.MEANINGS.items():
        assert f"{code} {meaning}" in text


def test_stdout_holds_the_result_only_and_stderr_the_progress(shell: Shell) -> None:
    shell.write("ok.json", servers(git=stub(tools=1)))
    args = ("preflight", "--config", "ok.json", "--runtime", CLAUDE, "--yes")
    done = shell.run(*args, "--format", "json")
    assert done.report["version"] == 1
    assert "git: ready after" in done.err
    assert "1 tool\n" in done.err
    assert "\r" not in done.err
    assert "\x1b" not in done.err
    for quiet in ("--quiet", "-q", "--no-progress"):
        assert shell.run(*args, quiet).err == ""


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_one_whole_document(shell: Shell, form: str) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-program"}))
    done = shell.quick(*offline("--config", "bad.json", "--runtime", CLAUDE, "--format", form))
    assert (done.code, done.err) == (1, "")
    assert done.out.endswith("\n")
    assert "CTD105" in done.out
    if form in ("json", "sarif"):
        json.loads(done.out)
    elif form == "junit":
        ET.fromstring(done.out)


# ---- files


def test_a_result_goes_to_the_file_whole_and_stdout_stays_empty(shell: Shell) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-program"}))
    shell.write("out.json", "old and much longer " * 1000)
    done = shell.quick(*offline("--config", "bad.json", "--runtime", CLAUDE, "--format", "json", "-o", "out.json"))
    assert (done.code, done.out, done.err) == (1, "", "")
    assert json.loads((shell.work / "out.json").read_text())["verdict"] == "not_ready"
    assert sorted(path.name for path in shell.work.iterdir()) == ["bad.json", "out.json"]


def test_a_run_that_fails_leaves_the_file_as_it_was(shell: Shell) -> None:
    shell.write("broken.json", "{")
    shell.write("out.json", "old")
    assert shell.quick(*offline("--config", "broken.json", "-o", "out.json")).code == 2
    assert (shell.work / "out.json").read_text() == "old"
    shell.quick(*offline("--config", "broken.json", "-o", "new.json"))
    assert not (shell.work / "new.json").exists()


def test_a_symbolic_link_stays_one_and_a_device_is_written_to_as_it_is(shell: Shell) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-program"}))
    (shell.work / "link.txt").symlink_to("real.txt")
    args = offline("--config", "bad.json", "--runtime", CLAUDE)
    assert shell.run(*args, "-o", "link.txt").code == 1
    assert (shell.work / "link.txt").is_symlink()
    assert "CTD105" in (shell.work / "real.txt").read_text()
    assert "CTD105" in shell.run(*args, "-o", "/dev/stdout").out
    assert Path("/dev/null").is_char_device()
    assert shell.run(*args, "-o", "/dev/null").code == 1
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("nowhere/out.txt", "there is no folder nowhere"),
        (".", "is a folder"),
        ("bad.json/out.txt", "there is no folder"),
    ],
)
def test_a_file_that_can_t_be_written_is_noticed_before_anything_is_started(
    shell: Shell, target: str, why: str
) -> None:
    shell.write("bad.json", servers(git=stub(spawns=str(shell.folder / "spawns"))))
    done = shell.run("preflight", "--config", "bad.json", "--runtime", CLAUDE, "--yes", "-o", target)
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert not (shell.folder / "spawns").exists()


def test_a_baseline_is_written_and_read_back(shell: Shell) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-program"}))
    shell.write("m.json", '{"schema_version": 1, "tools": []}')
    shell.write(
        "contractd.toml", '[providers.gone]\ncommand = ["no-such-program"]\n[providers.m]\nmanifest = "m.json"\n'
    )
    args = ("preflight", "--config", "contractd.toml", "--yes")
    assert shell.run(*args, "--write-baseline", "base.json", "-o", "out.txt").code == 1
    again = shell.run(*args, "--baseline", "base.json", "--format", "json")
    assert (again.code, again.report["verdict"]) == (0, "ready")
    assert again.report["summary"]["suppressed"] > 0
    assert shell.run(*args, "--baseline", "missing.json").code == 2


# ---- colours


@pytest.mark.parametrize(
    ("choice", "environ", "tty", "wanted"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour_follows_the_option_then_the_variables_then_the_terminal(
    choice: str, environ: dict[str, str], tty: bool, wanted: bool
) -> None:
    assert wants_color(choice, environ, tty=tty) is wanted


def test_colours_that_were_asked_for_reach_a_pipe_and_others_do_not(shell: Shell) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-program"}))
    args = offline("--config", "bad.json", "--runtime", CLAUDE)
    assert "\x1b[" not in shell.quick(*args).out
    assert "\x1b[" in shell.quick(*args, "--color", "always").out
    assert "\x1b[" in shell.quick(*args, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in shell.quick(*args, "--color", "never", env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in shell.quick(*args, "--color", "always", "--format", "json").out


def test_a_terminal_s_encoding_that_lacks_a_character_gets_an_escape(shell: Shell) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-prögram"}))
    done = shell.run(*offline("--config", "bad.json", "--runtime", CLAUDE), env={"PYTHONIOENCODING": "ascii"})
    assert done.code == 1
    assert "\\u2013 mail" in done.out
    assert "no-such-pr\\xf6gram" in done.out


# ---- variables


def test_every_value_option_has_a_twin_in_the_environment_which_the_option_beats(shell: Shell) -> None:
    shell.write("a b.json", servers(git=stub(), gone={"command": "no-such-program"}))
    env = {
        "CONTRACTD_CONFIG": "a b.json",
        "CONTRACTD_RUNTIME": CLAUDE,
        "CONTRACTD_OFFLINE": "1",
        "CONTRACTD_FORMAT": "json",
        "CONTRACTD_FAIL_ON": "never",
        "CONTRACTD_CONDITION": "mode=headless",
        "CONTRACTD_EXPECT": "git.a git.b",
        "CONTRACTD_IGNORE": "CTD309",
        "CONTRACTD_SELECT": "CTD1 CTD2",
        "CONTRACTD_ALLOW_UNDETERMINED": "CTD204 CTD207",
    }
    done = shell.quick("preflight", env=env)
    assert (done.code, done.report["verdict"], done.report["fail_on"]) == (0, "ready", "never")
    assert done.report["runtime"]["conditions"]["mode"] == "headless"
    assert shell.quick("preflight", "--fail-on", "high", env=env).code == 1
    bad = shell.quick("preflight", env={**env, "CONTRACTD_FAIL_ON": "loud"})
    assert bad.code == 2
    assert "CONTRACTD_FAIL_ON" in bad.err


def test_the_help_names_the_variables(shell: Shell) -> None:
    text = shell.quick("preflight", "--help").out
    for name in ("CONFIG", "RUNTIME", "FORMAT", "FAIL_ON", "BASELINE", "SELECT", "COLOR", "YES", "ALLOW", "TIMEOUT"):
        assert f"CONTRACTD_{name}" in text
    assert "CONTRACTD_OUTPUT" not in text, "one file for every command would be written over by the next"


# ---- standard input


def test_a_configuration_comes_from_standard_input_with_its_source_lines(shell: Shell) -> None:
    text = '{\n "mcpServers": {\n  "mail": {"command": "no-such-program"}\n }\n}'
    done = shell.run(*offline("--config", "-", "--runtime", CLAUDE), stdin=text)
    assert done.code == 1
    assert "--> <stdin>:3:12" in done.out
    assert '3 │   "mail": {"command": "no-such-program"}' in done.out


def test_standard_input_that_is_broken_closed_or_too_large_is_a_usage_error(shell: Shell) -> None:
    done = shell.run(*offline("--config", "-"), stdin='{"mcpServers": ')
    assert done.code == 2
    assert done.err.startswith("error: <stdin>:1:")
    closed = shell.through("contractd <&-", *offline("--config", "-"))
    assert closed.code == 2
    assert "Traceback" not in closed.err
    large = shell.run(*offline("--config", "-"), stdin=b" " * (9 * 1024 * 1024))
    assert large.code == 2
    assert "more than 8,388,608 is not read" in large.err


def test_a_configuration_may_be_a_pipe(shell: Shell) -> None:
    script = "contractd --config <(echo '{\"mcpServers\": {}}')"
    done = shell.through(script, *offline("--runtime", CLAUDE, "--format", "json"))
    assert done.code == 3, done.err
    assert done.rules() == ["CTD115"]


# ---- readers that go away


def test_a_reader_that_goes_away_is_no_error(shell: Shell) -> None:
    shell.write("bad.json", servers(mail={"command": "no-such-program"}, git=stub(tools=30)))
    args = ("preflight", "--config", "bad.json", "--runtime", CLAUDE, "--yes", "-v")
    for script in ("contractd | head -0; exit ${PIPESTATUS[0]}", "contractd | true; exit ${PIPESTATUS[0]}"):
        done = shell.through(script, *args)
        assert done.code == 1, done.err
        assert "Traceback" not in done.err
        assert "Exception" not in done.err


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("contractd >&-", "stdout is closed"),
        ("contractd >/dev/full", "No space left on device"),
    ],
)
def test_a_result_that_can_t_be_written_is_an_error_in_one_line(shell: Shell, script: str, why: str) -> None:
    shell.write("bad.json", servers(git=stub(tools=30)))
    done = shell.through(script, "preflight", "--config", "bad.json", "--runtime", CLAUDE, "--yes", "-q")
    assert done.code == 2
    assert done.err == f"error: the result could not be written: {why}\n"


def test_nobody_reading_stderr_changes_nothing(shell: Shell) -> None:
    shell.write("ok.json", servers(git=stub()))
    args = ("preflight", "--config", "ok.json", "--runtime", CLAUDE, "--yes")
    for script in ("contractd 2>&-", "contractd 2>/dev/full", "contractd >&- 2>&- <&-; exit 0"):
        assert shell.through(script, *args).code == 0, script


def test_a_working_directory_that_is_gone_is_a_usage_error(shell: Shell) -> None:
    done = shell.through("mkdir gone && cd gone && rmdir ../gone && contractd", *offline())
    assert done.code == 2
    assert done.err.startswith("error: the working directory can't be used")
    assert os.path.isdir(shell.work)
