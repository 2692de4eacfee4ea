"""What a runtime's client library refuses of a server's answers is told from the data, and nothing passes untried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from contractd.contracts.deviations import Deviation, DeviationKind
from contractd.runtimes import clients
from contractd.runtimes.catalogue import RUNTIMES, nearest_profile, profiles
from contractd.runtimes.clients import judged, libraries
from contractd.runtimes.profile import Mcp

PYTHON, TYPESCRIPT, OLDER, RUST = "openhands@1.16.0", "qwen-code@0.24.4", "qwen-code@0.21.10", "codex-cli@0.171.0"
OPENCODE, CLAUDE, GEMINI = "opencode@1.18.18", "claude-code@2.1.332", "gemini-cli@0.61.0"


def mcp(runtime: str) -> Mcp:
    name, _, version = runtime.partition("@")
    profile = nearest_profile(name, version)
    assert profile is not None
    return profile.mcp


def outcome(key: str, runtime: str, servers: int = 2) -> str:
    kind, _, place = key.partition(" ")
    told = judged([Deviation(kind, place, "x")], mcp(runtime), servers)  # type: ignore[arg-type]
    return "aborts" if told.aborts else "refused" if told.refused else "taken" if told.taken else "unknown"


# Each row was seen: a server with this deviation alone, in the program itself; for OpenHands mostly in its library.
@pytest.mark.parametrize(
    ("key", "refusing", "taking"),
    [
        ("null tools/list.nextCursor", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI], [PYTHON, RUST]),
        ("null tool.description", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI], [PYTHON, RUST]),
        ("null tool.outputSchema", [TYPESCRIPT, OLDER, CLAUDE, GEMINI], [PYTHON, RUST, OPENCODE]),
        ("wrong-type tool.outputSchema", [TYPESCRIPT, OLDER, CLAUDE, GEMINI, RUST], [OPENCODE]),
        ("boolean-property tool.inputSchema.properties", [OLDER, OPENCODE, GEMINI], [TYPESCRIPT, CLAUDE, PYTHON, RUST]),
        ("loose-boolean tool.annotations.readOnlyHint", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST], [PYTHON]),
        ("wrong-type tool.icons", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST, PYTHON], []),
        ("wrong-type tool.execution.taskSupport", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, PYTHON], [GEMINI, RUST]),
        ("missing initialize.serverInfo.version", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST, PYTHON], []),
        ("wrong-type initialize.capabilities.tools", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST, PYTHON], []),
        ("undeclared initialize.capabilities.tools", [OPENCODE, CLAUDE, GEMINI], [TYPESCRIPT, OLDER, RUST, PYTHON]),
        ("error-null tools/list", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST], [PYTHON]),
        ("extra-member tools/list", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI], [PYTHON, RUST]),
        ("jsonrpc-version tools/list", [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST], []),
        ("id-text tools/list", [], [TYPESCRIPT, OLDER, OPENCODE, CLAUDE, GEMINI, RUST, PYTHON]),
    ],
)  # fmt: skip
def test_what_each_runtime_was_seen_to_refuse(key: str, refusing: list[str], taking: list[str]) -> None:
    assert {runtime: outcome(key, runtime) for runtime in refusing} == dict.fromkeys(refusing, "refused")
    assert {runtime: outcome(key, runtime) for runtime in taking} == dict.fromkeys(taking, "taken")


@pytest.mark.parametrize(
    ("key", "servers", "expected"),
    [
        ("wrong-type tool.icons", 1, "aborts"),
        ("wrong-type tool.icons", 2, "refused"),
        ("batch tools/list", 1, "aborts"),
        ("batch tools/list", 2, "aborts"),
        ("null tool.icons", 1, "taken"),
    ],
)
def test_openhands_does_not_start_over_its_only_server_or_over_one_it_waits_for_in_vain(
    key: str, servers: int, expected: str
) -> None:
    assert outcome(key, PYTHON, servers) == expected


def test_no_library_says_anything_of_a_kind_that_there_is_not() -> None:
    assert set(libraries()) == {"typescript-sdk-1", "typescript-sdk-2", "python-sdk", "rmcp"}
    for library in libraries().values():
        assert {key.partition(" ")[0] for key in library.outcomes} == set(get_args(DeviationKind))
        assert "Tried" in library.source


@pytest.mark.parametrize("runtime", [name for name in RUNTIMES if profiles(name)])
def test_every_profile_names_a_library_that_is_there_or_leaves_all_open(runtime: str) -> None:
    for profile in profiles(runtime):
        known = profile.mcp.client is not None
        assert profile.mcp.client in {None, *libraries()}
        told = judged([Deviation("null", "tool.title", "x")], profile.mcp, 1)
        assert bool(told.unknown) is not known and (told.library is not None) is known


@pytest.mark.parametrize(
    "text", ["[", "[]", '{"a": {}}', '{"a": {"title": "", "source": "", "outcomes": {"odd": "taken"}}}']
)
def test_a_broken_table_is_an_error_that_names_it(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "_manifests" / "builtin"
    folder.mkdir(parents=True)
    (folder / "clients.json").write_text(text)
    monkeypatch.setattr(clients, "files", lambda _: tmp_path)
    libraries.cache_clear()
    try:
        with pytest.raises(clients.DataError, match=r"clients\.json is not a table of client libraries"):
            libraries()
    finally:
        libraries.cache_clear()


def test_the_table_is_written_as_the_builtin_manifests_are() -> None:
    """Indented, and not a character escaped: a difference is to be read by people."""
    path = Path(__file__).parents[2] / "manifests" / "builtin" / "clients.json"
    table: dict[str, Any] = json.loads(path.read_text("utf-8"))
    assert path.read_text("utf-8") == json.dumps(table, indent=1, ensure_ascii=False) + "\n"
