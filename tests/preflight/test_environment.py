"""What a server is given of the environment is what its runtime would give it."""

from __future__ import annotations

import pytest

from contractd.providers.contact import child_environment
from tests.preflight.configured import ALL, servers
from tests.preflight.situations import Bench, tool

SECRETS = {
    "GITHUB_TOKEN": "x", "OPENAI_API_KEY": "x", "MY_SECRET": "x", "DATABASE_URL": "x", "QWEN_SERVER_TOKEN": "x",
}  # fmt: skip
PLAIN = {"EDITOR": "vi", "LANG": "C", "TERM": "dumb", "LOGNAME": "ann"}
GIVEN = {
    "qwen-code": {*PLAIN, *SECRETS} - {"QWEN_SERVER_TOKEN"},
    "gemini-cli": set(PLAIN),
    "codex-cli": {"LANG", "TERM", "LOGNAME"},
    "openhands": {"TERM", "LOGNAME"},
    "cline": {"TERM", "LOGNAME"},
}


@pytest.mark.parametrize("runtime", ALL)
def test_a_server_gets_of_the_environment_what_its_runtime_passes_on(bench: Bench, runtime: str) -> None:
    setup = servers(runtime, {"mail": [tool("get_x")]}, environ={**SECRETS, **PLAIN})
    prepared = bench.prepare(setup)
    (spec,) = prepared.specs
    given = child_environment(prepared.gathered.context.environ, spec.inherit, spec.env)
    assert set(given) & {*SECRETS, *PLAIN} == GIVEN.get(runtime, {*SECRETS, *PLAIN})
    assert given["PATH"] == str(bench.programs)


def test_a_variable_of_gemini_s_own_file_is_kept_from_servers_like_any_other(bench: Bench) -> None:
    setup = servers("gemini-cli", {"mail": [tool("get_x")]}, places={"~/.gemini/.env": "GITHUB_TOKEN=x\nTEAM=blue\n"})
    (spec,) = bench.prepare(setup).specs
    assert spec.env == {"TEAM": "blue"}


def test_what_an_entry_asks_for_is_passed_on(bench: Bench) -> None:
    setup = servers("gemini-cli", {"mail": [tool("get_x")]}, environ=SECRETS, entry={"env": {"T": "$GITHUB_TOKEN"}})
    (spec,) = bench.prepare(setup).specs
    assert spec.env == {"T": "x"}
    allowed = {"security": {"environmentVariableRedaction": {"allowed": ["GITHUB_TOKEN"]}}}
    (spec,) = bench.prepare(servers("gemini-cli", {"mail": []}, environ=SECRETS, top=allowed)).specs
    assert "GITHUB_TOKEN" in spec.inherit and "MY_SECRET" not in spec.inherit
