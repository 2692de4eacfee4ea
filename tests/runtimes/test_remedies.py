"""Lines that people are told to write are of the language they are said to be, for every runtime."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
import yaml

from contractd.runtimes.base import Fix
from contractd.runtimes.catalogue import RUNTIMES, profiles
from tests.runtimes.situations import PROGRAM, context, read, runtime, servers

TRICKY = ["send_message", 'a"b', "a\\b", "é", "🦀", "a b", "${x}", "{y}", "*"]


def parsed(fix: Fix) -> Any:
    if fix.language == "toml":
        return tomllib.loads(fix.text)
    if fix.language == "yaml":
        return yaml.safe_load(fix.text)
    if fix.language == "sh":
        assert len(fix.text.splitlines()) == 1 and "=" in fix.text
        return fix.text
    assert fix.language == "json"
    return json.loads(fix.text if fix.text.startswith("{") else "{" + fix.text + "}")


def fixes(name: str) -> list[Fix]:
    setup = read(name, servers(name, {"srv": PROGRAM[name]}))
    (entry,) = setup.entries
    asked = runtime(name)
    found: list[Fix | None] = [asked.reveal(entry), asked.awaits(entry), asked.pass_variables(entry, ["MY_KEY", "B"])]
    found += [asked.rename(entry, tool) for tool in TRICKY]
    found += [asked.exclude(entry, [tool]) for tool in TRICKY] + [asked.exclude(entry, TRICKY)]
    for profile in profiles(name):
        found += [asked.disable_builtins([tool.name]) for tool in profile.tools or ()]
    found += [fix for problem in setup.problems for fix in problem.fixes]
    found += entry.gate.fixes if entry.gate else ()
    return [fix for fix in found if fix is not None]


@pytest.mark.parametrize("name", sorted(RUNTIMES))
def test_every_line_parses_and_says_where_it_goes(name: str) -> None:
    for fix in fixes(name):
        assert parsed(fix) and fix.where and fix.where.isprintable()


def test_the_runtimes_with_a_switch_for_built_ins_offer_it() -> None:
    assert runtime("qwen-code").disable_builtins(["send_message"]) is not None
    assert runtime("claude-code").disable_builtins(["SendMessage"]) is not None
    assert runtime("opencode").disable_builtins(["bash"]) is not None
    assert runtime("codex-cli").disable_builtins(["send_message"]) is not None
    assert runtime("gemini-cli").disable_builtins(["read_file"]) is not None
    assert runtime("cursor").disable_builtins(["anything"]) is None


@pytest.mark.parametrize("name", sorted(RUNTIMES))
def test_a_key_is_to_be_renamed_only_to_a_key_that_there_is(name: str) -> None:
    asked = runtime(name)
    reading = asked.reading(context())
    found = read(name, servers(name, {"srv": {**PROGRAM[name], **dict.fromkeys(reading.slips, "x")}})).problems
    actions = [problem.action for problem in found if problem.rule == "ignored-key"]
    renamed = [action.removeprefix("rename it to ") for action in actions if action.startswith("rename it to ")]
    assert set(renamed) <= set(reading.keys)
    others = [meant for slip, meant in reading.slips.items() if meant not in reading.keys]
    assert set(others) <= {action.removeprefix("write ").removesuffix(" instead") for action in actions}
