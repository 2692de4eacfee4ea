"""Recorded calls tried against contracts: which are refused, by which rule, and since when."""

from __future__ import annotations

import io
from typing import Any

import pytest

from contractd.contracts.manifest import Manifest, build_manifest
from contractd.contracts.uses.calls import ABSENT, Call, read_calls
from contractd.contracts.uses.replay import MAX_GONE, MAX_LINES, Found, Replay, Target
from contractd.errors import UsageError

TEXT = {"type": "string"}
TOO_NESTED = "the schema can't be used: more than 200 schemas apply inside one another"


def tool(name: str, properties: dict[str, Any] | None = None, output: Any = None, **more: Any) -> dict[str, Any]:
    listed = {"name": name, "inputSchema": {"type": "object", "properties": properties or {}, **more}}
    return listed if output is None else {**listed, "outputSchema": output}


def manifest(*tools: Any) -> Manifest:
    return build_manifest(list(tools))


def replayed(targets: Target | list[Target], *calls: tuple[Any, ...]) -> Replay:
    tried = Replay(targets if isinstance(targets, list) else [targets])
    for number, (name, arguments, *result) in enumerate(calls, 1):
        tried.see(Call(number, name, arguments, *result))
    return tried


def one(tried: Replay) -> Found:
    (found,) = tried.found
    return found


def test_a_refused_call_has_its_line_its_place_and_what_would_be_accepted() -> None:
    new = manifest(tool("send", {"to": {"type": "array"}, "n": {"maximum": 50}}))
    tried = replayed(Target(new), ("send", {"to": []}), ("send", {"to": "x"}), ("send", {"n": 51}), ("send", {"n": 99}))
    first, second = tried.found
    assert (first.what, first.lines, first.count) == ("arguments", [2], 1)
    assert first.refusal is not None
    assert (first.refusal.pointer, first.refusal.schema_pointer) == ("/to", "/properties/to/type")
    assert first.refusal.accepts == "an array"
    assert (second.lines, second.count) == ([3, 4], 2)  # one reason, one finding
    assert tried.counts["refused"] == 3
    assert tried.counts["accepted"] == 1


def test_what_is_missing_is_told_apart_by_its_name() -> None:
    new = manifest(tool("t", {"a": TEXT, "b": TEXT}, required=["a", "b"]))
    tried = replayed(Target(new), ("t", {"b": ""}), ("t", {"a": ""}), ("t", {"b": ""}))
    assert [(found.refusal.property, found.lines) for found in tried.found if found.refusal] == [
        ("a", [1, 3]),
        ("b", [2]),
    ]


def test_a_call_that_was_refused_before_is_told_apart() -> None:
    old, new = manifest(tool("t", {"a": TEXT})), manifest(tool("t", {"a": {"const": "x"}}))
    tried = replayed(Target(new, old), ("t", {"a": "y"}), ("t", {"a": 1}), ("t", {"a": "x"}))
    assert [(found.before, found.lines) for found in tried.found] == [(False, [1]), (True, [2])]
    assert replayed(Target(new), ("t", {"a": 1})).found[0].before is False


def test_a_result_that_can_not_come_any_more() -> None:
    old = manifest(tool("t", output={"type": "object"}))
    new = manifest(tool("t", output={"type": "object", "required": ["sum"]}))
    tried = replayed(Target(new, old), ("t", {}, {"total": 1}), ("t", {}, {"sum": 1}), ("t", {}), ("t", {}, "text"))
    assert [(found.what, found.before, found.lines) for found in tried.found] == [
        ("result", False, [1]),
        ("result", True, [4]),
    ]
    assert (tried.counts["results"], tried.counts["unfit"], tried.counts["accepted"]) == (3, 2, 4)
    assert not replayed(Target(manifest(tool("t"))), ("t", {}, {"total": 1})).found  # nothing is promised


def test_a_tool_that_is_gone_and_one_with_another_name() -> None:
    old = manifest(tool("find-mail", {"a": TEXT}), tool("drop"))
    new = manifest(tool("find_mail", {"a": {"type": "integer"}}))
    tried = replayed(Target(new, old), ("find-mail", {"a": "x"}), ("find-mail", {}), ("drop", {}), ("never", {}))
    rename, gone, never = tried.found
    assert (rename.what, rename.now, rename.count, rename.fitting) == ("gone", "find_mail", 2, 1)
    assert [(found.tool, found.now, found.lines) for found in (gone, never)] == [
        ("drop", None, [3]),
        ("never", None, [4]),
    ]
    assert replayed(Target(new), ("find-mail", {})).found[0].now == "find_mail"  # by the name alone


def test_a_tool_that_is_no_contract_any_more_and_a_schema_no_validator_reads() -> None:
    broken = {"name": "b", "inputSchema": {"type": "object", "properties": 1}}
    assert one(replayed(Target(manifest(broken)), ("b", {}))).reason == "invalid-schema"
    chain = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(900)} | {"d900": {}}
    long = manifest(tool("t", {"a": {"$ref": "#/$defs/d0"}}, **{"$defs": chain}))
    found = one(replayed(Target(long), ("t", {"a": 1})))
    assert (found.what, found.reason) == ("unknown", TOO_NESTED)


@pytest.mark.parametrize(
    "around", [lambda one: one, lambda one: {"anyOf": [one, {"type": "null"}]}, lambda one: {"not": one}]
)
def test_a_pattern_that_costs_too_much_is_no_answer(around: Any) -> None:
    new = manifest(tool("t", {"a": around({"type": "string", "pattern": "(x+x+)+(?!y)z"})}))
    found = one(replayed(Target(new), ("t", {"a": "x" * 4000})))
    assert (found.what, found.reason) == ("unknown", "the validator gives no answer")


def test_a_reference_may_be_qualified() -> None:
    new = manifest(tool("send", {"a": TEXT}), tool("x.y"))
    mail = Target(new, None, "mail")
    tried = replayed(mail, ("send", {}), ("mail.send", {"a": 1}), ("chat.send", {"a": 1}), ("x.y", {}))
    assert [(found.what, found.lines) for found in tried.found] == [("arguments", [2]), ("unknown", [3])]
    assert (tried.counts["undetermined"], tried.counts["accepted"]) == (1, 2)
    chosen = Replay([mail], only=True)
    chosen.see(Call(1, "chat.send", {"a": 1}))
    assert (chosen.found, chosen.counts["elsewhere"]) == ((), 1)
    nameless = replayed(Target(new), ("send", {}), ("mail.send", {"a": 1}), ("x.y", {}), ("mail.gone", {}))
    assert [(found.tool, found.lines) for found in nameless.found] == [("send", [2]), ("gone", [4])]
    with pytest.raises(UsageError, match=r"several providers \(mail, chat\)"):
        replayed(Target(new), ("mail.send", {}), ("chat.send", {}))


def test_several_providers_at_once() -> None:
    mail = Target(manifest(tool("send", {"a": TEXT}), tool("list")), None, "mail")
    chat = Target(manifest(tool("send", {"a": {"type": "integer"}})), None, "chat")
    tried = replayed(
        [mail, chat],
        ("mail.send", {"a": ""}),
        ("chat.send", {"a": ""}),
        ("send", {"a": ""}),
        ("list", {}),
        ("other.x", {}),
        ("no", {}),
    )
    assert [(found.what, found.provider, found.tool, found.lines) for found in tried.found] == [
        ("arguments", "chat", "send", [2, 3]),  # a plain name is any provider's
        ("unknown", "other", "x", [5]),  # the lock has nothing of it
        ("gone", None, "no", [6]),
    ]


def test_names_as_a_model_sees_them_are_references() -> None:
    line = b'{"tool": "mcp__git__git_status", "arguments": {}}\n'
    (call,) = read_calls(io.BytesIO(line), "calls.jsonl")
    assert call.tool == "git.git_status"


def test_what_is_kept_does_not_grow_with_the_calls() -> None:
    tried = Replay([Target(manifest(tool("t", {"a": TEXT}, additionalProperties=False)))])
    for number in range(1, 3 * MAX_LINES):
        tried.see(Call(number, "t", {f"n{number}": 1}))
        tried.see(Call(number, "t", {"a": number}))
    assert len(tried.found) == 2
    assert [(found.count, len(found.lines)) for found in tried.found] == [(3 * MAX_LINES - 1, MAX_LINES)] * 2
    for number in range(2 * MAX_GONE):
        tried.see(Call(number, f"gone{number}", {}))
    assert len(tried.found) <= MAX_GONE + 1
    assert sum(found.count for found in tried.found if found.what == "gone") == 2 * MAX_GONE


def test_nothing_of_a_call_is_in_what_is_found_but_names() -> None:
    secret = "s3cr3t"
    schema = {"a": {"type": "integer"}, "b": {"enum": ["x"]}, "c": {"pattern": "^x"}, "d": {"anyOf": [{"const": 1}]}}
    for name in schema:
        tried = replayed(Target(manifest(tool("t", schema))), ("t", {name: secret}, ABSENT))
        assert secret not in repr(tried.found)
