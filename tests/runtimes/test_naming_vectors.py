"""Names that the real programs gave their models, reproduced row by row from the rules in the data.

``vectors/RUNTIME@VERSION.json``: one run each, with ``servers`` (what each offers), ``states`` (a server that is
disabled, missing or ends at once), ``options`` (settings of the run) and ``runtime_names``: (server, tool,
name or null).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from contractd.runtimes.catalogue import profiles
from contractd.runtimes.naming import Given, runtime_names
from contractd.runtimes.profile import Profile

FOLDER = Path(__file__).parent / "vectors"
Vector = dict[str, Any]


def vectors() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        for index, vector in enumerate(json.loads(path.read_text("utf-8"))):
            found.append(pytest.param(path.stem, vector, id=f"{path.stem} {index} {vector.get('note', '')[:40]}"))
    return found


def profile_of(stem: str) -> Profile:
    name, _, version = stem.partition("+")[0].partition("@")
    return next(profile for profile in profiles(name) if profile.version == version)


def likely(vector: Vector) -> dict[str, str]:
    options = vector.get("options", {})
    found = {key.removeprefix("features."): "on" for key, value in options.items() if value is True}
    if "model" in options or "exec" in vector.get("note", ""):
        found["model"] = "gpt-6.2"
    return found


def named(profile: Profile, vector: Vector) -> dict[tuple[str, str], Given]:
    states = vector.get("states", {})
    servers = [
        (server, [] if states.get(server) in ("exit", "missing") else tools)
        for server, tools in vector["servers"].items()
        if states.get(server) != "disabled"
    ]
    return runtime_names(profile.mcp.naming, servers, likely(vector))


@pytest.mark.parametrize(("stem", "vector"), vectors())
def test_every_name_is_the_one_the_program_gave(stem: str, vector: Vector) -> None:
    found = named(profile_of(stem), vector)
    wrong = {
        (server, tool): (name, found.get((server, tool)))
        for server, tool, name in vector["runtime_names"]
        if name is not None and found[server, tool].name != name
    }
    assert not wrong


@pytest.mark.parametrize(("stem", "vector"), vectors())
def test_every_tool_that_was_not_there_has_a_reason_in_the_data(stem: str, vector: Vector) -> None:
    profile = profile_of(stem)
    found = named(profile, vector)
    kept = {name for _, _, name in vector["runtime_names"] if name is not None}
    unexplained = [
        (server, tool)
        for server, tool, name in vector["runtime_names"]
        if name is None and reason(profile, vector, found, kept, server, tool) is None
    ]
    assert not unexplained


def reason(
    profile: Profile, vector: Vector, found: dict[tuple[str, str], Given], kept: set[str], server: str, tool: str
) -> str | None:
    rule = profile.mcp.naming
    given = found.get((server, tool))
    tools = vector["servers"][server]
    if vector.get("aborts"):
        return "the program did not start"
    if given is None:
        return "its server is not there"
    if given.name is None:
        return given.dropped
    if given.name in kept:
        return "another tool has the name"
    if server in rule.get("never_loaded_servers", ()):
        return "its server is never loaded"
    if set(tools) & set(rule.get("server_lost_by_tool", ())):
        return "a tool of its server costs the list"
    if rule.get("equal", {}).get("within_server") == "server-lost" and max(Counter(tools).values()) > 1:
        return "a name twice costs the list"
    if given.name in rule.get("never_shown", {}).get("names", ()):
        return "the name is never shown"
    builtins = {f"{tool.namespace}::{tool.name}" if tool.namespace else tool.name for tool in profile.tools or ()}
    return "a built-in has the name" if given.name in builtins else None


@pytest.mark.parametrize(("stem", "vector"), vectors())
def test_of_equal_names_within_one_server_the_one_that_the_rule_says_was_kept(stem: str, vector: Vector) -> None:
    profile = profile_of(stem)
    winner = str(profile.mcp.naming.get("equal", {}).get("within_server", ""))
    if winner not in ("first-wins", "last-wins") or vector.get("race"):
        return
    found = named(profile, vector)
    rows = {(server, tool): name for server, tool, name in vector["runtime_names"]}
    for server, tools in vector["servers"].items():
        by_name: dict[str | None, list[str]] = {}
        for tool in dict.fromkeys(tools):
            given = found.get((server, tool))
            if given is not None and given.name is not None:
                by_name.setdefault(given.name, []).append(tool)
        for name, equal in by_name.items():
            seen = [tool for tool in equal if rows[server, tool] is not None]
            if len(equal) > 1 and seen:
                assert seen == [equal[0] if winner == "first-wins" else equal[-1]], name


def test_there_are_vectors_for_every_program_that_was_run() -> None:
    run = ("qwen-code", "opencode", "openhands", "claude-code", "codex-cli", "gemini-cli", "cline")
    captured = {f"{name}@{profile.version}" for name in run for profile in profiles(name) if profile.version}
    assert captured <= {path.stem for path in FOLDER.glob("*.json")}
    assert len(vectors()) > 200
