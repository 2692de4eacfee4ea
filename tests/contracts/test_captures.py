"""Captured ``tools/list`` of published servers, replayed through the parser (../shared/cases beside the checkout)."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from contractd.contracts import Contract, parse_tools
from contractd.contracts.manifest import build_manifest
from tests.conftest import ROOT
from tests.servers.specs import row

FOLDER = ROOT.parent / "shared" / "cases"
MANIFESTS = sorted((FOLDER / "manifests").glob("*.json"))
FAILURES = sorted((FOLDER / "startup_failures").glob("*.json"))
ABSENT = "the field material (../shared/cases) is not beside this checkout"

# The "no type" column of the field notes: how many tools have an input schema of nothing but $schema.
LOST = {
    "@modelcontextprotocol/server-filesystem@0.6.2": 8,
    "@modelcontextprotocol/server-filesystem@2025.3.28": 10,
    "@modelcontextprotocol/server-filesystem@2025.8.21": 13,
    "@modelcontextprotocol/server-github@0.6.2": 9,
    "@modelcontextprotocol/server-gitlab@2025.4.25": 9,
    "@playwright/mcp@0.0.10": 20,
    "@playwright/mcp@0.0.30": 25,
}

pytestmark = pytest.mark.skipif(not MANIFESTS, reason=ABSENT)


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_every_captured_tool_is_a_contract_or_has_lost_its_parameters_exactly_where_the_notes_say(path: Path) -> None:
    capture = load(path)
    contracts, flawed = parse_tools(capture["tools"])
    assert len(flawed) == LOST.get(capture["label"], 0), [tool.flaws for tool in flawed]
    assert {flaw.kind for tool in flawed for flaw in tool.flaws} <= {"parameters-lost"}
    assert len(contracts) + len(flawed) == capture["n_tools"]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_digests_are_stable_under_the_order_of_keys_and_of_the_list(path: Path) -> None:
    listed, chance = load(path)["tools"], random.Random(path.stem)
    plain = {tool.name: tool.digest for tool in parse_tools(listed)[0]}
    mixed = [shuffled(tool, chance) for tool in listed]
    chance.shuffle(mixed)
    assert {tool.name: tool.digest for tool in parse_tools(mixed)[0]} == plain
    assert build_manifest(mixed).digest == build_manifest(listed).digest
    assert len(set(plain.values())) == len(plain)


def test_the_same_tool_of_the_same_version_has_another_digest_once_its_parameters_are_lost_or_changed() -> None:
    whole = load(FOLDER / "manifests" / "@playwright__mcp@0.0.30+zod3.json")
    lost = load(FOLDER / "manifests" / "@playwright__mcp@0.0.30.json")
    assert build_manifest(whole["tools"]).digest != build_manifest(lost["tools"]).digest
    assert not build_manifest(lost["tools"]).tools and len(build_manifest(whole["tools"]).tools) == 25


def test_one_bad_tool_put_among_captured_ones_costs_none_of_them() -> None:
    for path in MANIFESTS:
        listed = load(path)["tools"]
        before, after = parse_tools(listed), parse_tools([*listed[:1], {"name": "bad"}, *listed[1:]])
        assert after[0] == before[0] and len(after[1]) == len(before[1]) + 1


def test_annotations_of_captured_tools_are_read_with_the_documented_defaults() -> None:
    by_effect: dict[str | None, int] = {}
    for path in MANIFESTS:
        for tool in parse_tools(load(path)["tools"])[0]:
            assert isinstance(tool, Contract)
            by_effect[tool.annotations.effect] = by_effect.get(tool.annotations.effect, 0) + 1
    assert min(by_effect[effect] for effect in ("read", "write", "destructive", None)) > 10, by_effect


@pytest.mark.parametrize("path", FAILURES, ids=lambda path: path.stem)
async def test_the_last_words_of_a_server_that_did_not_start_are_kept(path: Path, stub: Any) -> None:
    """Its captured stderr and exit code, replayed by the stub: the row fails and keeps both."""
    capture = load(path)
    words, code = capture["stderr_tail"], capture["shutdown"].get("rc", 1)
    got = await row(stub("last-words", words=words, code=code))
    assert got.status == "failed" and got.failure is not None and got.failure.signal == "stdio-02"
    assert got.evidence.stderr == words and got.evidence.exit_code == code


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(inner, chance) for inner in value] if isinstance(value, list) else value
