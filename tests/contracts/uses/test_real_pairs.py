"""Real servers in two versions: what is used narrows what breaks, and never hides what breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contractd.contracts import compare_manifests
from contractd.contracts.compat.confirm import Judge
from contractd.contracts.compat.dialects import declared_dialect
from contractd.contracts.drift import ContractChange, ManifestChange
from contractd.contracts.manifest import Manifest, build_manifest
from contractd.contracts.uses import Call, ToolUse, Tree, Uses, narrow_change, narrow_manifest, record, tree_of
from contractd.contracts.uses.replay import Replay, Target
from tests.contracts.uses.test_paths import kept

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not (CASES / "drift_pairs.json").exists(), reason=f"needs {CASES}: captured manifests")
LONG = 5.0


def captured(label: str) -> Manifest:
    path = CASES / "manifests" / f"{label.replace('/', '__')}.json"
    return build_manifest(json.loads(path.read_text("utf-8"))["tools"])


def pairs() -> list[tuple[str, str]]:
    path = CASES / "drift_pairs.json"
    return [(pair["old"], pair["new"]) for pair in json.loads(path.read_text("utf-8"))] if path.exists() else []


def change(old: str, new: str) -> ManifestChange:
    return compare_manifests(captured(old), captured(new))


def every(found: ManifestChange) -> list[ContractChange]:
    return [*found.changed, *(rename.change for rename in found.renamed)]


def sending(*names: str, always: tuple[str, ...] = ()) -> ToolUse:
    return ToolUse(tree_of([(name,) for name in names], [(name,) for name in always]), None)


def breaking(found: ManifestChange, uses: Uses) -> set[str]:
    return {one.new.name for one in narrow_manifest(found, uses).changed if one.told != "compatible"}


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair[0]} {pair[1]}")
def test_who_uses_all_that_is_declared_is_judged_as_anyone(pair: tuple[str, str]) -> None:
    for one in every(change(*pair)):
        use = ToolUse(tree_of([(name,) for name in one.old.parameters]), None)
        assert narrow_change(one, use, seconds=LONG).told == one.told, one.new.name


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair[0]} {pair[1]}")
def test_who_uses_less_meets_no_more_and_a_break_is_one_of_its_own(pair: tuple[str, str]) -> None:
    for one in every(change(*pair)):
        for names in (one.old.required, tuple(one.old.parameters)[:1], ()):
            use = sending(*names)
            narrowed = narrow_change(one, use, seconds=LONG)
            if one.told == "compatible":
                assert narrowed.told == "compatible", one.new.name
            arguments = narrowed.judged[0]
            if arguments.verdict == "breaking":
                assert arguments.witness is not None
                assert use.sends is not None
                assert narrowed.narrowed is not None
                # Where what is listed was never a valid call, anybody's break is told.
                assert narrowed.narrowed.doubts or kept(use.sends, arguments.witness.value)
                for schema, accepted in ((one.old.input_schema, True), (one.new.input_schema, False)):
                    dialect = declared_dialect(schema)
                    assert dialect is not None
                    assert Judge(schema, dialect).accepts(arguments.witness.value) is accepted


def test_parameters_with_another_name_break_who_sends_them_only() -> None:
    found = change("@playwright/mcp@0.0.30+zod3", "@playwright/mcp@0.0.83")
    uses = Uses({"browser_take_screenshot": sending(), "browser_console_messages": sending("level", always=("level",))})
    left = breaking(found, uses)
    assert "browser_take_screenshot" in left  # type is required now
    assert "browser_console_messages" not in left
    assert "browser_click" in left  # of which nothing is listed
    uses = Uses({"browser_take_screenshot": sending("type", "scale", always=("type", "scale"))})
    assert "browser_take_screenshot" not in breaking(found, uses)


def test_a_tighter_bound_breaks_who_sends_it() -> None:
    found = change("mcp-server-git@2025.7.1", "mcp-server-git@2026.10.19")
    assert breaking(found, Uses({"git_add": sending("repo_path", "files")})) == {"git_add"}
    assert breaking(found, Uses({"git_status": sending()})) == {"git_add"}


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair[0]} {pair[1]}")
def test_the_calls_that_prove_a_break_are_refused_when_they_are_replayed(pair: tuple[str, str]) -> None:
    found = change(*pair)
    proofs = [(one, one.judged[0].witness.value) for one in found.changed if one.judged[0].witness is not None]
    calls = [Call(number, one.old.name, value) for number, (one, value) in enumerate(proofs, 1)]
    tried = Replay([Target(captured(pair[1]), captured(pair[0]))])
    for call in calls:
        tried.see(call)
    assert tried.counts["refused"] == len(calls)
    assert not any(one.before for one in tried.found)
    under_old = Replay([Target(captured(pair[0]))])
    for call in calls:
        under_old.see(call)
    assert under_old.counts["accepted"] == len(calls)
    # And an agent that makes these calls is told of each of these tools.
    uses = record(calls).uses if calls else Uses()
    assert breaking(found, uses) >= {one.new.name for one, _ in proofs}


def test_what_is_sent_undeclared_counts_on_real_schemas_too() -> None:
    """Whoever sends a name that a later version declares with another type is broken by the letter."""
    found: list[Any] = []
    for pair in pairs():
        for one in change(*pair).changed:
            for name in one.new.parameters:
                if name not in one.old.parameters and one.old.input_schema.get("additionalProperties", True) is True:
                    use = ToolUse(Tree({**{own: Tree() for own in one.old.parameters}, name: Tree()}), None)
                    found.append((one.told, narrow_change(one, use, seconds=LONG).told))
    assert ("compatible", "breaking") in found
    assert ("breaking", "compatible") not in found
