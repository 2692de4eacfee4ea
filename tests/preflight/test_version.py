"""Asking an installed agent runtime for its version: whatever its program does, the run goes on and nothing is left."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from contractd.clock import SystemClock
from contractd.events import Event, ProgramAsked
from contractd.preflight import version
from contractd.runtimes.catalogue import RUNTIMES
from tests.servers.specs import HANG


class Heard:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        self.events.append(event)


@pytest.fixture
def ask(tmp_path: Path, mark: str) -> Callable[..., str | None]:
    """The version that a script called like the runtime's program gives."""

    def asked(script: str, runtime: str = "qwen-code", heard: Heard | None = None) -> str | None:
        program = tmp_path / (RUNTIMES[runtime].program or "")
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        environ = {"PATH": f"{tmp_path}:/usr/bin:/bin", "STUB_MARK": mark}

        async def go() -> str | None:
            async with asyncio.timeout(HANG):
                return await version.installed_version(
                    RUNTIMES[runtime], environ, SystemClock(), heard or Heard(), cwd=str(tmp_path)
                )

        return asyncio.run(go())

    return asked


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo 0.21.10", "0.21.10"),
        ("echo 'Qwen Code v0.24.4 (build 7)'", "0.24.4"),
        ("echo 1.2.3-beta.1+x", "1.2.3-beta.1+x"),
        ("echo Updating...; echo; echo 0.21.10", "0.21.10"),
        ("printf 0.21.10; exit 1", "0.21.10"),
        ("echo garbage", None),
        ("echo 12.5", None),
        ("exit 3", None),
        ("echo 0.21.10 >&2", None),
        (r"printf '\033[31m\377\376\000'", None),
        ("kill -9 $$", None),
        ("exec 1>&-; sleep 1000", None),
    ],
)
def test_the_version_is_what_the_program_prints_if_it_is_one(
    ask: Callable[..., str | None], script: str, found: str | None
) -> None:
    assert ask(script) == found


def test_a_program_that_floods_is_not_read_to_its_end(ask: Callable[..., str | None]) -> None:
    assert ask("yes no version here") is None
    assert ask("echo 0.21.10; yes") == "0.21.10"


def test_a_program_that_hangs_costs_its_patience_only_and_what_it_printed_counts(
    ask: Callable[..., str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(RUNTIMES["qwen-code"]), "version_patience", 0.3)
    assert ask("sleep 1000") is None
    assert ask("echo 0.21.10; exec sleep 1000") == "0.21.10"


def test_what_a_program_leaves_behind_is_ended_and_not_waited_for(ask: Callable[..., str | None]) -> None:
    assert ask("(setsid sleep 1000 &) ; echo 0.21.10") == "0.21.10"  # the mark's fixture looks for what is left


def test_a_program_waits_for_nothing_on_its_stdin(ask: Callable[..., str | None]) -> None:
    assert ask("read line; echo 0.21.10") == "0.21.10"


def test_a_runtimes_own_variables_keep_its_program_quiet(ask: Callable[..., str | None]) -> None:
    script = 'test "$LITELLM_LOCAL_MODEL_COST_MAP" = True && echo OpenHands CLI 1.16.0'
    assert ask(script, runtime="openhands") == "1.16.0" and ask(script) is None


def test_it_runs_where_the_user_would_start_it(ask: Callable[..., str | None], tmp_path: Path) -> None:
    (tmp_path / ".version").write_text("0.9.9\n")
    assert ask("cat .version") == "0.9.9"


def test_only_a_program_on_the_given_path_is_asked(tmp_path: Path) -> None:
    (tmp_path / "qwen").write_text("#!/bin/sh\necho 1.2.3\n")  # not executable

    async def go(runtime: str, path: str) -> str | None:
        return await version.installed_version(RUNTIMES[runtime], {"PATH": path}, SystemClock(), Heard())

    assert asyncio.run(go("qwen-code", str(tmp_path))) is None
    assert asyncio.run(go("contractd", os.environ["PATH"])) is None


def test_observers_hear_who_was_asked(ask: Callable[..., str | None]) -> None:
    heard = Heard()
    ask("echo 0.21.10", heard=heard)
    (event,) = heard.events
    assert isinstance(event, ProgramAsked)
    assert (event.program, event.version) == ("qwen", "0.21.10")


def test_vs_code_s_version_is_its_first_line(ask: Callable[..., str | None]) -> None:
    assert ask("printf '1.99.3\\n9f8e7d6c5b\\nx64\\n'", runtime="vscode-copilot") == "1.99.3"
