"""What one malformed tool, or one name too many, costs in a runtime: from ``one_bad_tool_cases`` in its data.

contractd quarantines such a tool alone. Most runtimes hand the whole list to a library that refuses it over one tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from contractd.contracts import Contract, Flaw, FlawedTool, Manifest
from contractd.runtimes.profile import Case, Cost, Profile

Worst = Literal["start-aborts", "server-lost"]
_WORST: dict[Cost, Worst] = {"start-aborts": "start-aborts", "server-lost": "server-lost"}  # the worst first


@dataclass(frozen=True)
class Loss:
    """What a server's list costs: the start of the agent, or the server's tools. ``tool``: over which one."""

    cost: Worst
    tool: str
    why: str


def loss(
    manifest: Manifest, profile: Profile | None, servers: int, loses_list: Callable[[FlawedTool], bool]
) -> Loss | None:
    """The worst that a list costs with this many servers enabled; None where every sound tool of it is there.

    ``loses_list`` answers for a flawed tool where the data has no cases.
    """
    costs = profile.mcp.costs(servers) if profile else {}
    if costs:
        cases = ((tool, _WORST.get(costs.get(case, "passed")), why) for tool, case, why in _cases(manifest))
        found = [Loss(cost, tool, why) for tool, cost, why in cases if cost is not None]
    else:
        lost = [flawed for flawed in manifest.flawed if loses_list(flawed)]
        found = [Loss("server-lost", _name(flawed), flawed.flaws[0].message) for flawed in lost]
    losing = profile.mcp.naming.get("server_lost_by_tool", ()) if profile else ()
    found += [
        Loss("server-lost", tool.name, "every JavaScript object has a property of that name")
        for tool in manifest.tools
        if tool.name in losing
    ]
    return min(found, key=lambda one: list(_WORST).index(one.cost), default=None)


def _cases(manifest: Manifest) -> Iterator[tuple[str, Case, str]]:
    """(tool, case, why) of everything in a list that some runtime stumbles over."""
    for flawed in manifest.flawed:
        for case in cases_of(flawed):
            yield _name(flawed), case, flawed.flaws[0].message
    for name in manifest.duplicates:
        yield name, "name-twice", "it is listed twice"
    for contract in manifest.tools:
        if _returns_no_object(contract):
            yield contract.name, "output-not-object", "its output schema is of another type than object"


def cases_of(flawed: FlawedTool) -> list[Case]:
    """The cases that a quarantined tool comes under. One that the official SDKs refuse for something else counts as
    one whose input schema is null: the list as a whole can't be read."""
    found = list(dict.fromkeys(case for flaw in flawed.flaws if (case := _case(flaw, flawed)) is not None))
    return found or ([] if flawed.conforms else ["input-null"])


def _case(flaw: Flaw, flawed: FlawedTool) -> Case | None:
    if flawed.name is None:
        return "name-missing"
    if flaw.kind == "parameters-lost":
        return "input-only-$schema"
    for pointer, pattern, case in _TABLE:
        if re.fullmatch(pointer, flaw.pointer) and re.search(pattern, flaw.message):
            return case
    return None


# By the place of a flaw within the tool and what is said of it.
_TABLE: tuple[tuple[str, str, Case], ...] = (
    ("/inputSchema", r"has no inputSchema", "input-missing"),
    ("/inputSchema", r"is null, not a schema", "input-null"),
    ("/inputSchema", r"is a boolean, not a schema", "input-boolean"),
    ("/inputSchema", r"not a schema object|it has type", "input-not-object"),
    ("/inputSchema", r"it has no type", "input-empty-object"),
    ("/inputSchema", r"points to nothing", "dangling-$ref"),
    ("/inputSchema", r"leads outside", "remote-$ref"),
    ("/inputSchema/properties", r"", "properties-not-object"),
    ("/inputSchema/.*/type(?:/[0-9]+)?", r"", "unknown-type"),
    ("/outputSchema", r"not a schema object", "output-not-object"),
    ("/outputSchema", r"points to nothing|leads outside", "output-dangling-$ref"),
)


def _returns_no_object(contract: Contract) -> bool:
    schema = contract.output_schema
    return isinstance(schema, bool) or (isinstance(schema, dict) and schema.get("type") != "object")


def _name(flawed: FlawedTool) -> str:
    return flawed.name or f"#{flawed.index}"
