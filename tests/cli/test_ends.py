"""However a run ends, nothing it started is left behind, and the exit status says how."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.harness import HANG, Shell, servers, stub
from tests.servers.processes import carrying, settled

RUNTIME = "claude-code@2.1.332"
ARGS = ("preflight", "--config", "servers.json", "--runtime", RUNTIME, "--yes")


@pytest.fixture
def hanging(shell: Shell) -> Path:
    """servers.json with servers that never answer; the file that gets a line for each start."""
    spawns = shell.folder / "spawns"
    options = {"spawns": str(spawns)}
    shell.write(
        "servers.json",
        servers(
            silent=stub("silent", **options), deaf=stub("ignores-sigterm", **options), held=stub("held", **options)
        ),
    )
    return spawns


def all_started(spawns: Path) -> bool:
    return spawns.exists() and len(spawns.read_text().splitlines()) >= 3


def finish(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=HANG)
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_an_interrupted_run_is_130_for_each_of_the_signals_and_leaves_no_process(
    shell: Shell, hanging: Path, number: signal.Signals
) -> None:
    process = shell.popen(*ARGS)
    assert settled(lambda: all_started(hanging), HANG)
    process.send_signal(number)
    code, out, err = finish(process)
    assert (code, out) == (130, "")
    assert err.rstrip().endswith("interrupted: every process that was started has been ended")
    assert "Traceback" not in err
    assert not carrying(shell.mark)


def test_a_second_interrupt_does_not_cut_the_cleaning_up_short(shell: Shell, hanging: Path) -> None:
    process = shell.popen(*ARGS)
    assert settled(lambda: all_started(hanging), HANG)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    code, _, err = finish(process)
    assert code == 130
    assert "Traceback" not in err
    assert not carrying(shell.mark)


def test_killed_outright_the_guard_ends_what_was_started(shell: Shell, hanging: Path) -> None:
    process = shell.popen(*ARGS)
    assert settled(lambda: all_started(hanging), HANG)
    process.kill()
    finish(process)
    assert settled(lambda: not carrying(shell.mark), 20)


def test_an_interrupt_while_the_runtime_s_own_program_hangs_ends_that_too(shell: Shell, hanging: Path) -> None:
    asked = shell.folder / "asked"
    shell.program("claude", f"echo x > {asked}; exec sleep 1000")
    process = shell.popen("preflight", "--config", "servers.json", "--runtime", "claude-code", "--yes")
    assert settled(lambda: asked.exists() and all_started(hanging), HANG)
    process.send_signal(signal.SIGINT)
    assert finish(process)[0] == 130
    assert not carrying(shell.mark)


def test_an_interrupt_leaves_an_output_file_as_it_was(shell: Shell, hanging: Path) -> None:
    shell.write("out.txt", "old")
    process = shell.popen(*ARGS, "-o", "out.txt")
    assert settled(lambda: all_started(hanging), HANG)
    process.send_signal(signal.SIGINT)
    assert finish(process)[0] == 130
    assert (shell.work / "out.txt").read_text() == "old"
    assert sorted(path.name for path in shell.work.iterdir()) == ["out.txt", "servers.json"]


def test_a_timeout_costs_a_server_its_row_and_ends_its_processes(shell: Shell, hanging: Path) -> None:
    done = shell.run(*ARGS, "--timeout", "3", "--format", "json", "-q")
    assert (done.code, done.err) == (1, "")
    assert [row["status"] for row in done.report["providers"]] == ["failed", "ready", "failed"]
    assert done.rules().count("CTD202") == 2
    assert "CTD210" in done.rules(), "the deaf one had to be killed"
    assert not carrying(shell.mark)


def test_a_closed_stdout_leaves_no_process(shell: Shell) -> None:
    shell.write("servers.json", servers(a=stub(), b=stub("grandchild"), c=stub("bare-grandchild")))
    done = shell.through("contractd >&-", *ARGS, "-q")
    assert done.code == 2
    assert done.err == "error: the result could not be written: stdout is closed\n"
    assert not carrying(shell.mark)


def test_a_terminal_that_goes_away_ends_the_run(shell: Shell, hanging: Path) -> None:
    reader, writer = os.pipe()
    process = shell.popen(*ARGS, stdout=writer, stderr=writer)
    os.close(writer)
    assert settled(lambda: all_started(hanging), HANG)
    os.close(reader)
    process.send_signal(signal.SIGHUP)
    assert process.wait(HANG) == 130
    assert process.stdin is not None
    process.stdin.close()
    assert not carrying(shell.mark)
