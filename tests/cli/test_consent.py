"""Nothing is started that nobody agreed to; what was agreed to once is not asked for again until it changes."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import subprocess
import termios
from pathlib import Path

import pytest

from tests.cli.harness import HANG, Ran, Shell, servers, stub
from tests.servers.processes import settled

RUNTIME = "claude-code@2.1.332"


def count(path: Path) -> int:
    """How often the stub was started."""
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture
def spawns(shell: Shell) -> Path:
    """The file that gets a line for each start of the server in servers.json."""
    path = shell.folder / "spawns"
    shell.write("servers.json", servers(mail=stub(tools=1, spawns=str(path))))
    return path


ARGS = ("preflight", "--config", "servers.json", "--runtime", RUNTIME, "--format", "json")


def test_without_a_terminal_and_without_yes_nothing_is_started_and_the_digest_is_shown(
    shell: Shell, spawns: Path
) -> None:
    done = shell.run(*ARGS)
    assert (done.code, done.report["verdict"], count(spawns)) == (3, "undetermined", 0)
    assert re.search(r"its digest is sha256:[0-9a-f]{64}", done.report["providers"][0]["reason"])
    assert done.rules() == ["CTD207"]
    text = shell.run(*ARGS[:-2])
    assert (text.code, count(spawns)) == (3, 0)
    assert "nobody agreed to it (no terminal to ask on; --yes agrees to all)" in " ".join(text.out.split())


def test_yes_starts_what_is_configured(shell: Shell, spawns: Path) -> None:
    assert (shell.run(*ARGS, "--yes").code, count(spawns)) == (0, 1)
    assert not (shell.home / ".local/state/contractd").exists(), "an option's yes is not remembered"


def test_a_name_or_a_digest_allows_one_server(shell: Shell, spawns: Path) -> None:
    both = json.loads((shell.work / "servers.json").read_text())["mcpServers"]
    shell.write("servers.json", servers(**both, other=stub("dies-in-list")))
    done = shell.run(*ARGS, "--allow", "mail")
    assert [row["status"] for row in done.report["providers"]] == ["ready", "skipped"]
    reasons = shell.run(*ARGS).report["providers"]
    digest = re.search(r"sha256:[0-9a-f]{64}", reasons[0]["reason"])
    assert digest is not None
    done = shell.run(*ARGS, "--allow", digest.group())
    assert [row["status"] for row in done.report["providers"]] == ["ready", "skipped"]
    assert count(spawns) == 2
    wrong = shell.run(*ARGS, "--allow", "mall")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.endswith("hint: did you mean mail?\n")


def test_settings_that_are_named_agree_and_settings_that_lie_there_do_not(shell: Shell, spawns: Path) -> None:
    digest = re.search(r"sha256:[0-9a-f]{64}", shell.run(*ARGS).report["providers"][0]["reason"])
    assert digest is not None
    shell.write("contractd.toml", f'[consent]\nallow = ["{digest.group()}"]\n')
    found = shell.run(*ARGS)
    assert (found.code, count(spawns)) == (3, 0)
    assert "which counts only if you name the file with --policy" in found.report["providers"][0]["reason"]
    assert (shell.run(*ARGS, "--policy", "contractd.toml").code, count(spawns)) == (0, 1)
    (shell.work / "contractd.toml").rename(shell.work / "mine.toml")
    shell.write("~/.config/contractd/contractd.toml", (shell.work / "mine.toml").read_bytes())
    assert (shell.run(*ARGS).code, count(spawns)) == (0, 2)


# ---- at a terminal


def own_it() -> None:
    """Make stdin the controlling terminal, so that ctrl-c in it interrupts."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def at_terminal(shell: Shell, answer: str | None, *args: str) -> Ran:
    """Run with a terminal as stdin and stderr, and answer the question; None: end its input."""
    ours, theirs = pty.openpty()
    process = shell.popen(
        *(args or ARGS), stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, start_new_session=True, preexec_fn=own_it
    )
    os.close(theirs)
    said = b""
    try:
        answered = False
        while True:
            ready = select.select([ours], [], [], HANG)[0]
            assert ready, said
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other side is closed
                data = b""
            if not data:
                break
            said += data
            if b"[y/N]" in said and not answered:
                os.write(ours, b"\x04" if answer is None else answer.encode())
                answered = True
        assert process.stdout is not None
        out = process.stdout.read()
        assert process.wait(HANG) is not None
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        os.close(ours)
    return Ran(process.returncode, out.decode(), said.decode().replace("\r\n", "\n"))


def test_a_yes_is_asked_for_once_remembered_and_asked_for_again_when_an_argument_changes(
    shell: Shell, spawns: Path
) -> None:
    first = at_terminal(shell, "y\n")
    assert (first.code, count(spawns)) == (0, 1)
    assert "This configuration would start or contact:" in first.err
    assert "mail: " in first.err
    assert "variables: none of its own" in first.err
    assert json.loads(first.out)["verdict"] == "ready"
    assert first.out.startswith("{"), "the question leaves nothing on stdout"
    again = at_terminal(shell, "n\n")
    assert (again.code, count(spawns)) == (0, 2)
    assert "[y/N]" not in again.err
    without_terminal = shell.run(*ARGS)
    assert (without_terminal.code, count(spawns)) == (0, 3), "it is remembered for scripts too"
    shell.write("servers.json", servers(mail=stub(tools=2, spawns=str(spawns))))
    changed = at_terminal(shell, "n\n")
    assert (changed.code, count(spawns)) == (3, 3)
    assert "[y/N]" in changed.err
    store = shell.home / ".local/state/contractd/consent.json"
    assert store.stat().st_mode & 0o777 == 0o600
    assert json.loads(store.read_text())["version"] == 1


def test_a_no_starts_nothing_and_is_not_remembered(shell: Shell, spawns: Path) -> None:
    for _ in range(2):
        done = at_terminal(shell, "n\n")
        assert (done.code, count(spawns)) == (3, 0)
        assert "it was declined" in json.loads(done.out)["providers"][0]["reason"]
        assert "[y/N]" in done.err


def test_just_enter_is_a_no(shell: Shell, spawns: Path) -> None:
    assert (at_terminal(shell, "\n").code, count(spawns)) == (3, 0)


@pytest.mark.parametrize("answer", [None, "\x03"], ids=["end of input", "ctrl-c"])
def test_an_interrupt_at_the_question_ends_the_run_at_once(shell: Shell, spawns: Path, answer: str | None) -> None:
    done = at_terminal(shell, answer)
    assert (done.code, done.out, count(spawns)) == (130, "", 0)
    assert "interrupted" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("option", ["--no-input", "--offline"])
def test_who_wants_no_question_gets_none(shell: Shell, spawns: Path, option: str) -> None:
    done = at_terminal(shell, "y\n", *ARGS, option)
    assert (done.code, count(spawns)) == (3, 0)
    assert "[y/N]" not in done.err


def test_progress_at_a_terminal_is_one_line_that_goes_away(shell: Shell, spawns: Path) -> None:
    done = at_terminal(shell, None, *ARGS, "--yes")
    assert "waiting for mail …" in done.err
    assert done.err.rpartition("\x1b[2K")[2] == ""


def test_offline_starts_nothing_at_all_not_even_the_runtime_s_own_program(shell: Shell, spawns: Path) -> None:
    asked = shell.folder / "asked"
    shell.program("claude", f"echo x >> {asked}; echo 2.1.332")
    args = ("preflight", "--config", "servers.json", "--runtime", "claude-code", "--format", "json")
    done = shell.run(*args, "--offline", "--yes", "--allow", "mail")
    assert (done.code, count(spawns), count(asked)) == (3, 0, 0)
    assert done.report["offline"] is True
    assert done.report["runtime"]["version_source"] == "assumed"
    assert shell.run(*args, "--yes").report["runtime"]["version_source"] == "program"
    assert settled(lambda: count(asked) == 1)
