"""Answers for one peer, in the peer's own environment: ``python adapter.py PEER``.

A case a line on standard input: ``{"old", "new", "direction", "draft"}``; an answer a line on standard output:
``{"verdict": "compatible" | "breaking" | "gave up" | "crash", "seconds", "why"}``. Nothing but the standard library and
the peer is imported. A peer ``gave up`` if it says so itself, by its answer or by its own exception for what it does
not support; any other exception is a ``crash``. ``seconds`` are the process's own, so they do not hang on how busy the
machine is; what only turns a case into the peer's shape is not counted.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import socket
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

MEMORY = 4 * 2**30
SAFE, BREAK, GAVE_UP, CRASH = "compatible", "breaking", "gave up", "crash"
Asked = Callable[[], str]  # one question, ready to be timed
Prepare = Callable[[dict[str, Any]], Asked]

WARM_UP = {
    "old": {"type": "object", "properties": {"a": {"type": "string"}}},
    "new": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}},
    "draft": "draft-07",
}


class Refused(Exception):  # noqa: N818 - it is an answer
    """The peer says that it can't tell."""


def verdict(safe: bool) -> str:
    return SAFE if safe else BREAK


# A tool takes and gives objects: what is no object stands as its one required argument.


def rooted(schema: Any) -> Any:
    """The schema with its references re-aimed, for where it is not the root any more."""
    if isinstance(schema, dict):
        moved = {key: rooted(value) for key, value in schema.items()}
        target = moved.get("$ref")
        if isinstance(target, str) and (target == "#" or target.startswith("#/")):
            moved["$ref"] = "#/properties/value" + target[1:]
        return moved
    return [rooted(item) for item in schema] if isinstance(schema, list) else schema


def wrapped(schema: Any) -> dict[str, Any]:
    inner = rooted(schema)
    named = {"$schema": inner.pop("$schema")} if isinstance(inner, dict) and "$schema" in inner else {}
    return {**named, "type": "object", "properties": {"value": inner}, "required": ["value"]}


def as_objects(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    old, new = case["old"], case["new"]
    if all(isinstance(side, dict) and side.get("type") == "object" for side in (old, new)):
        return old, new
    return wrapped(old), wrapped(new)


def as_tools(case: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two lists of the one tool that the case is about."""
    key = "inputSchema" if case["direction"] == "arguments" else "outputSchema"
    old, new = ([{"name": "tool", "description": "", "inputSchema": {}, key: side}] for side in as_objects(case))
    return old, new


def jsonsubschema() -> Prepare:
    peer = import_module("jsonsubschema")
    unread = (import_module("jsonschema").SchemaError, import_module("jsonref").JsonRefError)
    refusals = (peer.exceptions._UnsupportedCase, *unread)

    def prepare(case: dict[str, Any]) -> Asked:
        sides = (case["old"], case["new"])
        narrow, wide = sides if case["direction"] == "arguments" else sides[::-1]

        def ask() -> str:
            try:
                return verdict(peer.isSubschema(narrow, wide))
            except refusals as error:
                raise Refused(type(error).__name__) from error

        return ask

    return prepare


def jsoncompat() -> Prepare:
    peer = import_module("jsoncompat")
    analyze = getattr(peer, "analyze_compat", None)  # from 0.5 on: with "unknown"
    answers = {"compatible": SAFE, "incompatible": BREAK}

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = json.dumps(case["old"]), json.dumps(case["new"])
        role: Any = "deserializer" if case["direction"] == "arguments" else "serializer"

        def ask() -> str:
            try:
                if analyze is None:
                    return verdict(peer.check_compat(old, new, role))
                found = analyze(old, new, role)
            except ValueError as error:
                raise Refused(str(error)) from error
            if found["status"] == "unknown":
                raise Refused(found["reason"])
            return answers[found["status"]]

        return ask

    return prepare


def mcp_diff() -> Prepare:
    peer = import_module("mcp_diff.diff")

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = as_tools(case)
        return lambda: verdict(not peer.has_breaking(peer.classify_changes(old, new)))

    return prepare


def mcp_compat() -> Prepare:
    peer = import_module("mcp_compat.compat")

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = as_tools(case)
        return lambda: verdict(not peer.compare_schemas(old, new).has_breaking())

    return prepare


def mujin_mcpdrift() -> Prepare:
    peer = import_module("mcpdrift.diff")

    def diff(old: Any, new: Any) -> Any:
        return peer.diff(peer.normalize_tools(old), peer.normalize_tools(new))

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = as_tools(case)
        return lambda: verdict(not peer.has_breaking(diff(old, new)))

    return prepare


def mcpact() -> Prepare:
    peer = import_module("mcpact.snapshot")

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = (
            peer.Snapshot(1, "", None, {"tool": {"description": "", "input_schema": tool["inputSchema"]}})
            for (tool,) in as_tools(case)
        )
        return lambda: verdict(not peer.diff_snapshots(old, new).has_breaking)

    return prepare


def covenant_mcp() -> Prepare:
    diff_tools = import_module("covenant.diff").diff_tools
    exit_code = import_module("covenant.report").exit_code

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = as_tools(case)
        return lambda: verdict(exit_code(diff_tools(old, new), strict=True) == 0)

    return prepare


def mcp_contract() -> Prepare:
    compare = import_module("mcp_contract.compare").compare
    contract_of = import_module("mcp_contract.model").Contract
    surface = import_module("mcp_contract.probe").surface_from_schema

    def contract(tool: dict[str, Any]) -> Any:
        return contract_of(tools=[surface(tool["name"], "", tool["inputSchema"], tool.get("outputSchema"))])

    def prepare(case: dict[str, Any]) -> Asked:
        (old,), (new,) = as_tools(case)
        return lambda: verdict(compare(contract(old), contract(new)).ok)

    return prepare


def argwitness() -> Prepare:
    peer = import_module("argwitness")
    refusal = import_module("argwitness.contracts").InputError

    answers = {"unchanged": SAFE, "breaking": BREAK}

    def prepare(case: dict[str, Any]) -> Asked:
        old, new = as_tools(case)

        def ask() -> str:
            try:
                found = peer.compare(old, new)
            except refusal as error:
                raise Refused(str(error)) from error
            if found["status"] not in answers:
                raise Refused(found["status"])
            return answers[found["status"]]

        return ask

    return prepare


def digest() -> Prepare:
    """What a pin on first use does: any other text is a break."""

    def pin(schema: Any) -> str:
        return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()

    return lambda case: lambda: verdict(pin(case["old"]) == pin(case["new"]))


PEERS: dict[str, Callable[[], Prepare]] = {
    "argwitness": argwitness,
    "covenant-mcp": covenant_mcp,
    "digest": digest,
    "jsoncompat": jsoncompat,
    "jsonsubschema": jsonsubschema,
    "mcp-compat": mcp_compat,
    "mcp-contract": mcp_contract,
    "mcp-diff": mcp_diff,
    "mcpact": mcpact,
    "mujin-mcpdrift": mujin_mcpdrift,
}


def answer(prepare: Prepare, case: dict[str, Any]) -> dict[str, Any]:
    why, start = "", time.process_time()
    try:
        ask = prepare(case)
        start = time.process_time()
        found = ask()
    except Refused as error:
        found, why = GAVE_UP, str(error)
    except Exception as error:
        found, why = CRASH, f"{type(error).__name__}: {error}"
    return {"verdict": found, "seconds": time.process_time() - start, "why": why[:300]}


def no_network(*_: Any, **__: Any) -> NoReturn:
    raise OSError("a reference is not fetched: there is no network here")


def main(peer: str) -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the peer prints is no answer
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    socket.getaddrinfo = no_network
    prepare = PEERS[peer]()
    answer(prepare, {**WARM_UP, "direction": "arguments"})
    out.write("ready\n")
    out.flush()
    for line in sys.stdin:
        out.write(json.dumps(answer(prepare, json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
