"""What a stdio server is started with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from contractd.providers import ProviderSpec
from contractd.providers.contact import child_environment
from tests.servers.specs import row, signal_of

PARENT = {"PATH": "/bin", "HOME": "/root", "SECRET": "s"}


def test_all_of_the_parents_environment_is_inherited_or_the_named_part_of_it() -> None:
    assert child_environment(PARENT, "all", {"A": "1", "HOME": "/x"}) == {**PARENT, "A": "1", "HOME": "/x"}
    assert child_environment(PARENT, frozenset({"PATH", "NOT_SET"}), {"A": "1"}) == {"PATH": "/bin", "A": "1"}
    assert child_environment(PARENT, frozenset(), {}) == {}


async def test_the_environment_and_the_cwd_of_the_spec_reach_the_server(
    stub: Callable[..., Any], tmp_path: Any
) -> None:
    code = "import os, json; print(json.dumps([os.getcwd(), sorted(os.environ)]))"
    spec = ProviderSpec(
        "x", "x", "stdio", argv=(sys.executable, "-S", "-E", "-c", code), inherit=frozenset({"PATH"}),
        env={"OWN": "1"}, cwd=str(tmp_path), budget=20,
    )  # fmt: skip
    got = await row(spec, environ={"PATH": "/usr/bin:/bin", "SECRET": "s"})
    cwd, variables = json.loads(got.evidence.foreign[0])
    assert cwd == str(tmp_path)
    assert {"OWN", "PATH", "CONTRACTD_RUN"} <= set(variables) and "SECRET" not in variables


async def test_of_two_starts_the_one_that_said_why_is_the_evidence(stub: Callable[..., Any], tmp_path: Any) -> None:
    got = await row(stub("last-words", words="the port is taken", code=4, once=str(tmp_path / "said")))
    assert got.evidence.stderr == "the port is taken" and got.evidence.exit_code == 4


async def test_a_start_that_died_slowly_is_told_from_silence_although_the_second_one_meets_the_budget(
    stub: Callable[..., Any], tmp_path: Any
) -> None:
    """A server that gives up its backend after a while leaves no time for a second start: its words count."""
    got = await row(stub("last-words", words="no backend", code=4, once=str(tmp_path / "said"), hangs=True, budget=2))
    assert signal_of(got) == "stdio-02" and not got.timed_out
    assert (got.evidence.stderr, got.evidence.exit_code, got.evidence.ended) == ("no backend", 4, "itself")


def test_a_spec_shows_no_header_and_no_environment() -> None:
    spec = ProviderSpec("x", "x", "stdio", argv=("run", "--it"), env={"TOKEN": "hunter2"})
    remote = ProviderSpec("x", "x", "http", url="http://h/", headers={"Authorization": "hunter2"})
    assert "hunter2" not in repr(spec) + repr(remote)
