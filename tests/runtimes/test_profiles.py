"""The data: every file loads, says what it must, and the nearest version rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contractd.errors import DataError, UsageError
from contractd.runtimes import catalogue
from contractd.runtimes.catalogue import RUNTIMES, nearest_profile, profiles, runtime_named, version_key
from contractd.runtimes.conditions import OR
from contractd.runtimes.profile import Profile
from tests.runtimes.situations import PROGRAM, read, servers

FILES = sorted((Path(catalogue._data_folder()) / "builtin").glob("*/*.json"))
EVERY = [
    pytest.param(profile, id=f"{profile.runtime}@{profile.version}")
    for name in sorted(RUNTIMES)
    for profile in profiles(name)
]
INSTALLABLE = ("qwen-code", "opencode", "openhands", "claude-code", "codex-cli", "gemini-cli", "cline")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_is_about_the_runtime_and_version_that_it_is_called_after(path: Path) -> None:
    profile = Profile.model_validate(json.loads(path.read_text("utf-8")))
    assert profile.runtime == path.parent.name and (profile.version or "unknown") == path.stem
    assert profile.runtime in RUNTIMES


def test_there_is_data_for_every_runtime_but_contractd_itself() -> None:
    assert {path.parent.name for path in FILES} == set(RUNTIMES) - {"contractd"}
    for name in INSTALLABLE:
        assert any(profile.tools for profile in profiles(name)), name


@pytest.mark.parametrize("profile", EVERY)
def test_every_built_in_says_what_it_does_or_nobody_knows_any(profile: Profile) -> None:
    if profile.tools is None:
        assert profile.version is None, "a version that was looked at has tools"
        return
    assert profile.tools
    for tool in profile.tools:
        assert tool.effect in ("read", "write", "destructive") and tool.acts_on and tool.obtained, tool.name
        assert (tool.parameters is None) is (tool.required is None), tool.name


@pytest.mark.parametrize("profile", EVERY)
def test_every_condition_that_is_used_exists_with_the_values_that_are_used(profile: Profile) -> None:
    used: list[tuple[str, dict[str, list[str]]]] = []
    for tool in profile.tools or ():
        used += [(tool.name, alternative) for alternative in tool.when]
        if isinstance(tool.deferred, list):
            used += [(tool.name, alternative) for alternative in tool.deferred]
        if isinstance(tool.inside, dict):
            used += [(tool.name, alternative) for alternative in tool.inside["when"]]
    for rule in profile.mcp.visibility.rules:
        used += [("visibility", alternative) for alternative in rule.when if not isinstance(rule.when, str)]
    for where, alternative in used:
        for condition, values in alternative.items():
            assert set(values) <= set(profile.conditions[condition].values), (where, condition, values)


@pytest.mark.parametrize("profile", EVERY)
def test_every_condition_decides_among_its_own_values(profile: Profile) -> None:
    for key, condition in profile.conditions.items():
        assert condition.values and len(set(condition.values)) == len(condition.values), key
        assert condition.default in (None, *condition.values), key
        for decider in condition.decided_by:
            results = [
                *decider.map.values(),
                *(text for text in (decider.value, decider.otherwise) if text is not None),
            ]
            assert {value for said in results for value in said.split(OR)} <= set(condition.values), (key, results)
            assert decider.condition is None or decider.condition in profile.conditions, key


@pytest.mark.parametrize("profile", EVERY)
def test_its_rules_are_of_the_kinds_that_are_executed(profile: Profile) -> None:
    naming = profile.mcp.naming
    assert "{tool}" in naming["form"] or "hash" in naming
    whole = naming.get("whole") or {}
    if whole.get("max_length") is not None and "otherwise" not in whole and "hash" not in whole:
        assert whole["overflow"] in ("dropped", "middle-dots", "cut", "hash-suffix")
    assert profile.mcp.clash.bare_name and profile.mcp.clash.builtin and profile.mcp.clash.mcp


@pytest.mark.parametrize("profile", EVERY)
def test_servers_that_are_never_loaded_for_their_name_have_a_gate(profile: Profile) -> None:
    for name in profile.mcp.naming.get("never_loaded_servers", ()):
        setup = read(profile.runtime, servers(profile.runtime, {name: PROGRAM[profile.runtime]}))
        assert [entry.gate.certain for entry in setup.entries if entry.gate] == [True], name


@pytest.mark.parametrize("profile", EVERY)
def test_a_removal_that_is_like_another_names_one_that_is_there(profile: Profile) -> None:
    with_aliases = {removal.setting for removal in profile.removal if removal.aliases}
    for removal in profile.removal:
        assert removal.like is None or removal.like in with_aliases, removal.setting


@pytest.mark.parametrize("name", sorted(RUNTIMES))
def test_versions_are_in_order(name: str) -> None:
    keys = [version_key(profile.version) for profile in profiles(name) if profile.version]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("name", "version", "nearest"),
    [
        ("qwen-code", "0.21.10", "0.21.10"),
        ("qwen-code", "0.21.13", "0.21.10"),
        ("qwen-code", "0.24.4", "0.24.4"),
        ("qwen-code", "0.24.0", "0.24.4"),
        ("qwen-code", "0.30.1", "0.24.4"),
        ("qwen-code", None, "0.24.4"),
        ("qwen-code", "1.0.0", "0.24.4"),
        ("qwen-code", "99", "0.24.4"),
        ("qwen-code", "0.1.0", "0.21.10"),
        ("qwen-code", "0.21.3", "0.21.10"),
        ("qwen-code", "0.22.0", "0.21.10"),
        ("qwen-code", "0.23.1", "0.24.4"),
        ("claude-code", "3.0.0", "2.1.332"),
        ("cline", "3.1.0", "3.0.65"),
        ("cline", "4.1.13", None),
        ("cline", None, None),
        ("cursor", "1.7.0", None),
        ("gemini-cli", "0.61.0-nightly.20261130", "0.61.0"),
    ],
)
def test_the_nearest_version_is_the_one_that_counts(name: str, version: str | None, nearest: str | None) -> None:
    profile = nearest_profile(name, version)
    assert profile is not None and profile.version == nearest


def test_contractd_itself_has_no_profile() -> None:
    assert nearest_profile("contractd", "1.0.0") is None and profiles("contractd") == ()


@pytest.mark.parametrize(
    ("version", "key"),
    [("1.2.3", (1, 2, 3)), ("v0.61.0-preview.1", (0, 61, 0)), ("1", (1, 0, 0)), ("", (0, 0, 0)), ("x", (0, 0, 0))],
)
def test_a_versions_first_three_numbers_order_it(version: str, key: tuple[int, int, int]) -> None:
    assert version_key(version) == key


@pytest.mark.parametrize(
    ("stated", "name", "version"),
    [
        ("qwen-code", "qwen-code", None),
        ("Qwen", "qwen-code", None),
        ("claude@2.1.332", "claude-code", "2.1.332"),
        ("codex", "codex-cli", None),
        ("gemini_cli@v0.61.0", "gemini-cli", "0.61.0"),
        (" VS Code ".replace("VS Code", "vscode"), "vscode-copilot", None),
        ("copilot", "vscode-copilot", None),
        ("open hands", "openhands", None),
        ("plain", "contractd", None),
        ("cursor@", "cursor", None),
    ],
)
def test_a_runtime_is_called_by_its_name_or_a_usual_one(stated: str, name: str, version: str | None) -> None:
    found, given = runtime_named(stated)
    assert (found.name, given) == (name, version)


@pytest.mark.parametrize("stated", ["emacs", "", "qwen@latest", "qwen@1\n2", "qwen@" + "1" * 80, "\x1b[31m"])
def test_a_name_or_version_that_is_none_is_a_usage_error_without_control_characters(stated: str) -> None:
    with pytest.raises(UsageError) as caught:
        runtime_named(stated)
    assert caught.value.message.isprintable() and caught.value.hint


def test_a_broken_file_is_our_own_fault_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "builtin" / "broken"
    folder.mkdir(parents=True)
    (folder / "1.0.0.json").write_text('{"schema_version": 2}')
    monkeypatch.setattr(catalogue, "_data_folder", lambda: tmp_path)
    profiles.cache_clear()
    try:
        with pytest.raises(DataError) as caught:
            profiles("broken")
        assert "broken/1.0.0.json" in caught.value.message
    finally:
        profiles.cache_clear()


def test_the_version_is_found_in_what_each_program_prints() -> None:
    printed: dict[str, Any] = {
        "claude-code": ("2.1.332 (Claude Code)\n", "2.1.332"),
        "gemini-cli": ("0.61.0\n", "0.61.0"),
        "codex-cli": ("codex-cli 0.171.0\n", "0.171.0"),
        "cline": ("3.0.65\n", "3.0.65"),
        "goose": (" 1.9.3\n", "1.9.3"),
        "vscode-copilot": ("1.139.1\n0123456789abcdef\nx64\n", "1.139.1"),
        "qwen-code": ("0.24.4\n", "0.24.4"),
        "opencode": ("1.18.18\n", "1.18.18"),
        "openhands": ("OpenHands CLI 1.16.0\n", "1.16.0"),
    }
    for name, (output, version) in printed.items():
        found = RUNTIMES[name].version_pattern.search(output)
        assert found is not None and found.group(1) == version, name
