"""What is imported when, and what an error that nobody foresaw looks like."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.harness import Shell, offline, servers, stub

HEAVY = {
    *("aiohttp", "asyncio", "jsonschema", "jsonschema_rs", "opentelemetry", "platformdirs", "pybreaker", "pydantic"),
    "yaml",
}


def imported(shell: Shell, *args: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "contractd", *args],
        env=shell.env, cwd=shell.work, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("args", [("--version",), ("--help",), ("preflght",)])
def test_the_version_and_the_help_import_no_more_than_click(shell: Shell, args: tuple[str, ...]) -> None:
    found = imported(shell, *args)
    assert "click" in found
    assert not HEAVY & found
    if args == ("--version",):
        ours = {name for name in found if name.startswith("contractd")}
        assert ours == {
            "contractd", "contractd._version", "contractd.cli", "contractd.cli.exit_codes", "contractd.cli.main",
            "contractd.cli.output", "contractd.errors",
        }  # fmt: skip


def test_a_rule_s_page_needs_neither_models_nor_the_network(shell: Shell) -> None:
    assert not HEAVY & imported(shell, "explain", "CTD301")


def test_an_offline_run_loads_nothing_that_contacts(shell: Shell) -> None:
    shell.write("a.json", servers(mail={"command": "sh"}))
    found = imported(shell, *offline("--config", "a.json", "--runtime", "claude-code"))
    assert "contractd.preflight.engine" in found
    assert not {"aiohttp", "asyncio", "ssl", "jsonschema_rs", "pybreaker", "yaml"} & found
    assert "contractd.registry.bootstrap" not in found


BROKEN_INSIDE = """
import contractd.preflight.rules as rules
def check(view):
    raise RuntimeError("nobody foresaw\\x1b[2J this")
rules.FAMILIES = (check,)
"""


@pytest.fixture
def broken(shell: Shell) -> Shell:
    """contractd with a fault in one of its rules: a module that Python loads first puts it in."""
    shell.write("fault/sitecustomize.py", BROKEN_INSIDE)
    shell.env["PYTHONPATH"] = str(shell.work / "fault")
    shell.write("a.json", servers(mail=stub()))
    return shell


ARGS = ("preflight", "--config", "a.json", "--runtime", "claude-code@2.1.332", "--yes", "-q")


def test_an_error_that_nobody_foresaw_is_one_line_and_says_where_to_report(broken: Shell) -> None:
    done = broken.run(*ARGS)
    assert (done.code, done.out) == (2, "")
    first, _, hint = done.err.partition("\n")
    assert first == r"error: contractd itself failed: RuntimeError: nobody foresaw\x1b[2J this"
    assert hint.startswith("\nhint: this is a fault of contractd")
    assert "CONTRACTD_DEBUG=1 (or -vv)" in hint
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("more", "env"), [(("-vv",), {}), ((), {"CONTRACTD_DEBUG": "1"})])
def test_the_traceback_is_there_for_who_asks_for_it(broken: Shell, more: tuple[str, ...], env: dict[str, str]) -> None:
    done = broken.run(*ARGS, *more, env=env)
    assert done.code == 2
    assert "Traceback (most recent call last)" in done.err
    assert "RuntimeError" in done.err
    assert "hint: this is a fault of contractd" in done.err


@pytest.mark.parametrize(("more", "env"), [(("-v",), {}), ((), {"CONTRACTD_DEBUG": "0"})])
def test_nobody_else_gets_one(broken: Shell, more: tuple[str, ...], env: dict[str, str]) -> None:
    assert "Traceback" not in broken.run(*ARGS, *more, env=env).err
