"""Codex CLI's names: a namespace per server and a tool in it, kept apart by hashes of what they were made from.

Two identities never share a name: where cleaning makes them meet, each gets twelve hex digits of the SHA-1 of its own
identity; where a name is too long, it is cut so that it ends in them. Reproduces 186 names that the real program gave.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contractd.runtimes.cleaning import part


@dataclass
class _Callable:
    server: str
    tool: str
    namespace: str
    name: str
    space_identity: str
    identity: str


def hashed_names(
    rule: Mapping[str, Any], servers: Sequence[tuple[str, Sequence[str]]], *, prefix: str
) -> dict[tuple[str, str], tuple[str, str] | None]:
    """(namespace, name) of each (server, tool); None where the server's name keeps it from being started."""
    allowed = re.compile(rule["server"]["must_match"])
    result: dict[tuple[str, str], tuple[str, str] | None] = {}
    callables: dict[str, _Callable] = {}
    for server, tools in servers:
        for tool in tools:
            result[server, tool] = None
            if allowed.fullmatch(server):
                found = _callable(rule, server, tool, prefix)
                callables.setdefault(found.identity, found)
    found_all = list(callables.values())
    _separate_namespaces(found_all)
    _separate_tools(found_all)
    taken: set[str] = set()
    for found in sorted(found_all, key=lambda one: one.identity.encode("utf-8", "surrogatepass")):
        result[found.server, found.tool] = _fitted(rule["whole"], found, taken)
    return result


def _callable(rule: Mapping[str, Any], server: str, tool: str, prefix: str) -> _Callable:
    namespace = part(server, rule["server"])
    if not namespace.startswith(prefix):
        namespace = prefix + namespace
    space = f"{server}\0{server}\0"
    return _Callable(server, tool, namespace, part(tool, rule["tool"]), space, f"{space}\0{tool}\0{tool}")


def _separate_namespaces(callables: list[_Callable]) -> None:
    identities: dict[str, set[str]] = defaultdict(set)
    for one in callables:
        identities[one.namespace].add(one.space_identity)
    for one in callables:
        if len(identities[one.namespace]) > 1:
            tail = "__" if one.namespace.endswith("__") else ""
            one.namespace = one.namespace.removesuffix(tail) + _suffix(one.space_identity) + tail


def _separate_tools(callables: list[_Callable]) -> None:
    identities: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in callables:
        identities[one.namespace, one.name].add(one.identity)
    meeting = [one for one in callables if len(identities[one.namespace, one.name]) > 1]
    for one in meeting:
        one.name += _suffix(one.identity)


def _fitted(whole: Mapping[str, Any], one: _Callable, taken: set[str]) -> tuple[str, str]:
    """Within the limit and not taken: as it is, else cut to end in the hash, else with a counted hash."""
    limit = whole["max_length"] - whole["reserved"]
    namespace, name, attempt = one.namespace, one.name, 0
    while len(namespace) + len(name) > limit or namespace + name in taken:
        suffix = _suffix(one.identity if attempt == 0 else f"{one.identity}\0{attempt}")
        room = limit - len(one.namespace)
        if room >= len(suffix):
            namespace, name = one.namespace, one.name[: room - len(suffix)] + suffix
        else:
            namespace, name = one.namespace[: limit - len(suffix)], suffix
        attempt += 1
    taken.add(namespace + name)
    return namespace, name


def _suffix(identity: str) -> str:
    # SHA-1 because the program uses it: a name, not a protection.
    return "_" + hashlib.sha1(identity.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:12]
