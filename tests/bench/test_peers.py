"""The peers of the bench are counted fairly: a hang, a death, a refusal and an absence each as what they are."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench.compat import adapter
from bench.compat.driver import Adapter, CannotStartError
from bench.compat.figures import Answer, figures, ratios
from bench.compat.installing import WHY, cache, command
from bench.compat.peers import PEERS, chosen

# A peer that does what the old schema says.
PEER = """
import json, os, signal, sys
print("ready", flush=True)
for line in sys.stdin:
    wish = json.loads(line)["old"]
    if wish == "hang":
        signal.pause()
    if wish == "die":
        os.abort()
    print(json.dumps({"verdict": wish, "seconds": 0.25, "why": ""}), flush=True)
"""


def row(old: object, *flags: str) -> dict[str, object]:
    return {"id": str(old), "old": old, "new": {}, "flags": list(flags)}


def test_a_hang_is_giving_up_and_a_death_a_crash_and_the_next_case_is_asked_all_the_same() -> None:
    with Adapter([sys.executable, "-c", PEER], limit=2.0) as peer:
        wishes = ["breaking", "hang", "compatible", "die", "breaking"]
        answers = peer.answers([row(wish) for wish in wishes], "arguments")
    assert [answer.verdict for answer in answers] == ["breaking", "gave up", "compatible", "crash", "breaking"]


def test_an_adapter_that_never_gets_ready_is_told_from_one_that_crashes_on_a_case() -> None:
    with Adapter([sys.executable, "-c", "import nothing_of_that_name"]) as peer, pytest.raises(CannotStartError):
        peer.answers([row("breaking")], "arguments")


def test_the_digest_runs_through_the_real_adapter() -> None:
    (digest,) = (peer for peer in PEERS if peer.source == "none")
    argv = command(digest)
    assert isinstance(argv, list)
    cases = [{"old": {"a": 1, "b": 2}, "new": {"b": 2, "a": 1}}, {"old": {}, "new": True}]
    with Adapter(argv) as peer:
        answers = peer.answers(cases, "results")
    assert [answer.verdict for answer in answers] == ["compatible", "breaking"]


def test_what_is_not_installed_is_said_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTRACTD_BENCH_CACHE", str(tmp_path))
    peer = PEERS[0]
    assert command(peer) == "not tried yet; --install does"
    (cache() / peer.folder).mkdir(parents=True)
    (cache() / peer.folder / WHY).write_text("no such version")
    assert command(peer) == "no such version"


def test_every_peer_has_an_adapter_and_a_line_on_what_it_is_given() -> None:
    script = Path(adapter.__file__).with_suffix(".cjs").read_text("utf-8")
    for peer in PEERS:
        assert f'"{peer.adapter}":' in script if peer.source == "npm" else peer.adapter in adapter.PEERS
        assert peer.given
    assert {peer.name for peer in chosen("jsoncompat,mcpact")} == {"jsoncompat", "mcpact"}
    with pytest.raises(ValueError, match="no peer is called oasdiff"):
        chosen("oasdiff")


def test_a_refusal_is_giving_up_and_any_other_exception_a_crash() -> None:
    def refuses(_: object) -> adapter.Asked:
        raise adapter.Refused("not this")

    def fails(_: object) -> adapter.Asked:
        raise KeyError("x")

    assert adapter.answer(refuses, {})["verdict"] == "gave up"
    assert adapter.answer(fails, {})["verdict"] == "crash"


def test_a_schema_that_is_not_of_an_object_becomes_an_argument_and_its_references_move_along() -> None:
    schema = {"$schema": "draft", "$ref": "#/definitions/a", "definitions": {"a": {"items": [{"$ref": "#"}]}}}
    ((old,), (new,)) = adapter.as_tools({"old": schema, "new": True, "direction": "results"})
    assert new["outputSchema"] == {"type": "object", "properties": {"value": True}, "required": ["value"]}
    value = old["outputSchema"]["properties"]["value"]
    assert old["outputSchema"]["$schema"] == "draft"
    assert value["$ref"] == "#/properties/value/definitions/a"
    assert value["definitions"]["a"]["items"] == [{"$ref": "#/properties/value"}]
    assert json.dumps(schema).count("properties") == 0, "the case itself is left alone"


def test_right_wrong_silent_and_unproven_answers_are_counted_apart() -> None:
    cases = [(row(number), safe) for number, safe in enumerate((False, False, False, True, True, True))]
    answers = [
        Answer("breaking", 1.0),
        Answer("breaking", 1.0, proven=False),
        Answer("compatible", 1.0),
        Answer("compatible", 1.0),
        Answer("gave up", 1.0),
        Answer("crash"),
    ]
    found = figures(cases, answers)
    assert (found.breaks, found.caught, found.missed) == (3, 1, 1)
    assert (found.safe, found.passed, found.alarms) == (3, 1, 0)
    assert (found.unknown, found.crashed) == (1, 1)
    assert sum(miss.startswith("WRONG") for miss in found.misses) == 2


def test_the_ratio_is_over_what_both_decided() -> None:
    ours = [Answer("breaking", 1.0), Answer("compatible", 2.0), Answer("gave up", 9.0)]
    theirs = [Answer("compatible", 3.0), Answer("breaking", 2.0), Answer("breaking", 1.0)]
    assert ratios(ours, theirs) == (2, 2.0, 5.0 / 3.0)
    assert ratios(ours, [Answer("crash")] * 3) is None
