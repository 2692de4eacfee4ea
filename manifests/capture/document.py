"""The document of one runtime's version: what was measured, laid into the parts that a person wrote.

Measured: which tools there are, under which conditions, deferred or not, their parameters. Written by a
person and kept: what the conditions mean and what decides them, what a tool does (``effect``, ``acts_on``),
which settings take a tool away, how MCP tools are named, and tools known from the source only
(``"obtained": "read"``).
"""

from __future__ import annotations

import datetime
import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from inference import Alternative, Example, matches, rule_for
from installing import CaptureError
from observing import Json, Runtime, Seen

JUDGED = ("effect", "acts_on", "namespace", "answers_to")


def path_of(folder: Path, runtime: str, version: str) -> Path:
    return folder / runtime / f"{version}.json"


def load(path: Path) -> Json:
    loaded: Json = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def nearest(folder: Path, runtime: str, version: str) -> Json | None:
    """The document of that version, else of the closest other one."""
    wanted = numbers(version)
    known = sorted(
        (folder / runtime).glob("*.json"),
        key=lambda path: [abs(a - b) for a, b in zip(numbers(path.stem), wanted, strict=False)],
    )
    return load(known[0]) if known else None


def numbers(version: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]


def build(runtime: Runtime, version: str, seen: Sequence[Seen], before: Json | None) -> Json:
    """The new document; ``before`` gives the parts that a person wrote."""
    before = before or {}
    base = runtime.conditions(version)
    old = {tool["name"]: tool for tool in before.get("tools", [])}
    rules = Rules(base, seen, runtime.deferring)
    tools = {name: measured(name, rules, old.get(name, {})) for name in sorted(names(seen))}
    tools |= {name: tool for name, tool in old.items() if tool.get("obtained") == "read" and name not in tools}
    document = {
        "schema_version": 1,
        "runtime": runtime.name,
        "version": version,
        "source": {"registry": runtime.registry, "package": runtime.package},
        "obtained": before.get("obtained", {"note": ""}),
        "conditions": before.get("conditions")
        or {name: {"values": [value], "default": None, "about": ""} for name, value in base.items()},
        "tools": [tools[name] for name in sorted(tools)],
        "removal": before.get("removal", []),
        "mcp": before.get("mcp", {}),
    }
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    same = {**document, "obtained": None} == {**before, "obtained": None}
    document["obtained"] = {
        "on": before.get("obtained", {}).get("on", today) if same else today,
        "note": document["obtained"].get("note", ""),
    }
    return document


def names(seen: Iterable[Seen]) -> set[str]:
    """Every built-in name that any run showed; the stub server's own tools are not the runtime's."""
    found: set[str] = set()
    for one in seen:
        found |= one.offered.keys() | one.deferred
    return {name for name in found if "stub_tool" not in name}


class Rules:
    """The rules of all tools; tools that were there in the same runs have the same rule."""

    def __init__(self, base: Mapping[str, str], seen: Sequence[Seen], deferring: Sequence[str]) -> None:
        self.runs = [({**base, **one.case.holds}, one) for one in seen]
        self._conditions, self._deferring = list(base), [name for name in deferring if name in base]
        self._known: dict[tuple[bool | None, ...], list[Alternative] | None] = {}

    def presence(self, name: str) -> list[Alternative] | None:
        return self._rule([name in one.offered or name in one.deferred for _, one in self.runs], self._conditions)

    def deferral(self, name: str) -> bool | list[Alternative] | None:
        late = [name in one.deferred if name in one.offered or name in one.deferred else None for _, one in self.runs]
        if True not in late:
            return False
        rule = self._rule(late, self._deferring)
        return True if rule == [] else rule

    def _rule(self, there: Sequence[bool | None], among: Sequence[str]) -> list[Alternative] | None:
        key = (*there, among is self._deferring)
        if key not in self._known:
            pairs = zip(self.runs, there, strict=True)
            self._known[key] = rule_for([Example(holds, one) for (holds, _), one in pairs if one is not None], among)
        return self._known[key]


def measured(name: str, rules: Rules, old: Json) -> Json:
    when, deferred = rules.presence(name), rules.deferral(name)
    if when is None or deferred is None:
        raise CaptureError(f"{name}: no rule of the conditions explains the runs in which it is there or deferred")
    versions = [one.offered[name] for _, one in rules.runs if name in one.offered]
    parameters: dict[str, list[str]] = {}
    for tool in versions:
        for parameter, types in tool.parameters.items():
            parameters[parameter] = list(dict.fromkeys([*parameters.get(parameter, []), *types]))
    required = [
        one for one in (versions[0].required if versions else []) if all(one in tool.required for tool in versions)
    ]
    judged = {key: old.get(key) for key in JUDGED}
    return {
        "name": name,
        "when": when,
        "deferred": deferred,
        "obtained": "captured",
        **judged,
        "parameters": {parameter: parameters[parameter] for parameter in sorted(parameters)},
        "required": sorted(required),
    }


def unjudged(document: Json) -> list[str]:
    return [tool["name"] for tool in document["tools"] if not tool.get("effect") or not tool.get("acts_on")]


def disagreements(document: Json, base: Mapping[str, str], seen: Sequence[Seen]) -> list[str]:
    """Where the document predicts something else than what the runs showed."""
    found = []
    for one in seen:
        holds = {**base, **one.case.holds}
        captured = [tool for tool in document["tools"] if tool["obtained"] == "captured"]
        expected = {tool["name"]: tool for tool in captured if applies(tool["when"], holds)}
        deferred = {
            name
            for name, tool in expected.items()
            if tool["deferred"] is True or (tool["deferred"] and applies(tool["deferred"], holds))
        }
        shown = {name for name in one.offered if "stub_tool" not in name}
        found += [
            f"{one.case.name}: {name} is offered, which the document does not expect"
            for name in sorted(shown - (expected.keys() - deferred))
        ]
        found += [
            f"{one.case.name}: {name} is not offered, against the document"
            for name in sorted(expected.keys() - deferred - shown)
        ]
        found += [
            f"{one.case.name}: {name} is not deferred, against the document" for name in sorted(deferred - one.deferred)
        ]
        for name in sorted(shown & expected.keys()):
            found += changed(one.case.name, expected[name], one.offered[name].parameters)
    return found


def changed(case: str, tool: Json, parameters: Mapping[str, Sequence[str]]) -> list[str]:
    return [
        f"{case}: {tool['name']} takes {key}, unknown to the document"
        for key in parameters
        if key not in tool["parameters"]
    ]


def applies(alternatives: Sequence[Mapping[str, Sequence[str]]], holds: Mapping[str, str]) -> bool:
    return not alternatives or any(matches(alternative, holds) for alternative in alternatives)


def text_of(document: Json) -> str:
    """JSON with one tool, condition or removal a line, so that a change is one line of a diff."""
    lines = ["{"]
    for key, value in document.items():
        comma = "" if key == list(document)[-1] else ","
        if isinstance(value, list) and value:
            inner = [" " + json.dumps(item, ensure_ascii=False) for item in value]
            lines += [f' "{key}": [', ",\n".join(inner), f" ]{comma}"]
        elif key in ("conditions", "mcp") and value:
            inner = [f" {json.dumps(name)}: {json.dumps(item, ensure_ascii=False)}" for name, item in value.items()]
            lines += [f' "{key}": {{', ",\n".join(inner), f" }}{comma}"]
        else:
            lines.append(f' "{key}": {json.dumps(value, ensure_ascii=False)}{comma}')
    return "\n".join([*lines, "}"]) + "\n"


def difference(before: Json, after: Json) -> list[str]:
    old, new = ({**document, "obtained": None} for document in (before, after))
    lines = difflib.unified_diff(
        text_of(old).splitlines(), text_of(new).splitlines(), "committed", "captured", "", "", 0, ""
    )
    return list(lines)
