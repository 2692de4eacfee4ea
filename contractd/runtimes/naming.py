"""The names of MCP tools as a runtime's model sees them, from the naming rule in the runtime's profile.

The rule is data (``mcp.naming`` in ``manifests/builtin``), executed here over the whole set of servers at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from contractd.contracts import Contract
from contractd.runtimes.base import Entry, Visible
from contractd.runtimes.cleaning import hash_unless_plain, part, short_hash
from contractd.runtimes.conditions import holds, runs
from contractd.runtimes.exposed import exposed_name
from contractd.runtimes.naming_hashed import hashed_names
from contractd.runtimes.profile import Profile
from contractd.runtimes.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Given:
    """A tool's runtime name. ``known`` False: nobody knows the rule. ``dropped``: why the runtime leaves it out.
    ``renamed``: what the runtime's settings call it in place of the server's own name."""

    name: str | None
    known: bool = True
    dropped: str | None = None
    renamed: str | None = None


Run = Mapping[str, str]  # a value for each condition that an answer hangs on


@dataclass(frozen=True, slots=True)
class Seen:
    """Whether the model sees a tool; ``unknown`` where that hangs on the run. ``never``: the runs in which it does not,
    ``unsaid``: those of which nobody knows."""

    visible: Visible = "unknown"
    never: tuple[Run, ...] = ()
    unsaid: tuple[Run, ...] = ()


_FIELD = re.compile(r"\{(server|tool)\}")
UNKNOWN = Given(None, known=False)


Servers = Sequence[tuple[str, Sequence[str]]]


def runtime_names(rule: Mapping[str, Any], servers: Servers, likely: Mapping[str, str]) -> dict[tuple[str, str], Given]:
    """The name of each (server, tool), over the whole set: every enabled server in the order of the configuration,
    one that did not come up with no tools.

    ``likely`` are the conditions of the run. Two tools may come out with one name: who wins is the clash rule's
    business.
    """
    rows = zip(servers, _rows(rule, servers, likely), strict=True)
    return {(server, tool): given for (server, tools), row in rows for tool, given in zip(tools, row, strict=True)}


def _rows(rule: Mapping[str, Any], servers: Servers, likely: Mapping[str, str]) -> list[list[Given]]:
    """The names of each server's tools, in order: two servers may be called the same."""
    if "hash" in rule:
        return _hashed(rule, servers, likely)
    if len(servers) == 1 and rule.get("form_single_server"):
        rule = {**rule, "form": rule["form_single_server"]}
    cut = _numbered(rule, [server for server, _ in servers])
    only = rule.get("only_these_tools", {})
    return [
        [_given(rule, server, shown, tool, only.get(server)) for tool in tools]
        for (server, tools), shown in zip(servers, cut, strict=True)
    ]


def _given(rule: Mapping[str, Any], server: str, shown: str, tool: str, allowed: Sequence[str] | None) -> Given:
    if allowed is not None and tool not in allowed:
        return Given(None, dropped=f"of a server called {server} it keeps only its own tools")
    if not tool and rule.get("empty_tool_name") == "dropped":
        return Given(None, dropped="its name is empty")
    return _whole(_joined(rule, shown, tool), rule.get("whole", {}), len(server) + len(tool))


def _hashed(rule: Mapping[str, Any], servers: Servers, likely: Mapping[str, str]) -> list[list[Given]]:
    bare, flat = rule["non_prefixed"], rule["inside_exec"]
    prefix = bare["prefix"] if holds(bare["when"], likely) == "yes" else rule["prefix"]
    joint = "__" if holds(flat["when"], likely) == "yes" else "::"
    names = hashed_names(rule, servers, prefix=prefix)
    unstarted = Given(None, dropped="its server is never started, for its name")
    return [
        [Given(joint.join(name)) if (name := names[server, tool]) else unstarted for tool in tools]
        for server, tools in servers
    ]


def _joined(rule: Mapping[str, Any], server: str, tool: str) -> str:
    left = part(server, rule.get("server") or {})
    for special in rule.get("special", ()):
        if server.startswith(special["server_starts_with"]):
            left = re.sub("_+", "_", left).removeprefix("_").removesuffix("_")
    prefix = str(rule.get("prefix", ""))
    parts = {"server": left, "tool": part(tool, rule.get("tool") or {})}
    if rule.get("joined_first"):
        return _hash_if_changed(rule, str(rule["form"]).replace("{server}__{tool}", f"{server}__{tool}"))
    # One pass: a part may itself hold braces where the runtime replaces nothing.
    text = _FIELD.sub(lambda match: parts[match.group(1)], str(rule["form"]).removeprefix(prefix))
    for step in rule.get("after", ()):
        text = text.replace(step["replace"], step["with"])
    once = bool(rule.get("prefix_once")) and text.startswith(prefix)
    return text if once else prefix + text


def _hash_if_changed(rule: Mapping[str, Any], written: str) -> str:
    """Cleaned as a whole; once that changes it, or it is too long, it is cut and ends in a hash of what was written."""
    whole = rule["whole"]
    cleaned = part(written, rule)
    if cleaned == written and len(written) <= whole["max_length"]:
        return written
    base = cleaned[: whole["cut_to"]] or str(whole.get("empty_base", ""))
    return base + "_" + short_hash(whole["hash"], written)


def _numbered(rule: Mapping[str, Any], servers: Sequence[str]) -> list[str]:
    """Server parts that are cut short, the second and later of one cut name with a number (VS Code)."""
    if "numbering" not in rule:
        return list(servers)
    longest = rule["server"]["max_length"]
    seen: dict[str, int] = {}
    result: list[str] = []
    for server in servers:
        cut = part(server, rule["server"])[:longest]
        seen[cut] = number = seen.get(cut, 0) + 1
        result.append(cut if number == 1 else f"{cut[: longest - len(str(number)) + 1]}{number}")
    return result


def _whole(text: str, rule: Mapping[str, Any], raw_length: int) -> Given:
    limit = rule.get("max_length")
    if "otherwise" in rule:
        return Given(hash_unless_plain(rule, text))
    length = raw_length if "counts" in rule else len(text)
    if limit is None or length <= limit:
        return Given(text)
    overflow = rule.get("overflow")
    if overflow == "dropped":
        return Given(None, dropped=f"its name would have {length} characters, more than the {limit} it keeps")
    if overflow == "middle-dots":
        return Given(text[: rule["keep_head"]] + rule["dots"] + text[-rule["keep_tail"] :])
    return Given(text[:limit]) if overflow == "cut" else UNKNOWN


class Names:
    """The names and the visibility of every listed tool of one session.

    ``announced``: what each running server calls itself; VS Code names tools by it.
    """

    def __init__(
        self,
        runtime: Runtime,
        profile: Profile | None,
        servers: Sequence[tuple[Entry, Sequence[str]]],
        announced: Mapping[str, str],
        likely: Mapping[str, str],
    ) -> None:
        self._runtime = runtime
        self._profile = profile
        self._likely = likely
        rules = profile.mcp.visibility.rules if profile else []
        whens = [rule.when for rule in rules if isinstance(rule.when, list)]
        self._hangs_on = [key for when in whens for alternative in when for key in alternative]
        self._own = runtime.name == "contractd"
        self._given: dict[str, dict[str, Given]] = {}
        if profile is not None:
            rule = profile.mcp.naming
            own = [[runtime.own_name(entry, tool) for tool in tools] for entry, tools in servers]
            called = [_called(entry, rule, announced) for entry, _ in servers]
            rows = _rows(rule, list(zip(called, own, strict=True)), likely)
            for (entry, tools), names, row in zip(servers, own, rows, strict=True):
                given = zip(tools, names, row, strict=True)
                self._given[entry.id] = {
                    tool: one if name == tool else replace(one, renamed=name) for tool, name, one in given
                }

    def name(self, entry: Entry, tool: str) -> Given:
        """What the model is told this tool is called."""
        if self._own:
            return Given(exposed_name(entry.id, tool))
        return self._given.get(entry.id, {}).get(tool, UNKNOWN)

    def seen(self, entry: Entry, contract: Contract | None) -> Seen:
        """Whether the model sees a tool at once, after searching, or never; and in which runs it may be otherwise."""
        if contract is None:
            return Seen()
        if self._own:
            return Seen("yes")
        if self._profile is None:
            return Seen()
        name = self.name(entry, contract.name).name
        answers: dict[Visible, list[Run]] = {}
        for run in runs(self._likely, self._hangs_on):
            answer = self._runtime.shows(entry, contract, self._profile, {**self._likely, **run}, name)
            answers.setdefault(answer, []).append(run)
        # What is there after searching in one run and at once in another can be found in both.
        only = "deferred" if set(answers) == {"yes", "deferred"} else next(iter(answers))
        certain = len(answers) == 1 or only == "deferred"
        return Seen(only if certain else "unknown", tuple(answers.get("no", ())), tuple(answers.get("unknown", ())))


def _called(entry: Entry, rule: Mapping[str, Any], announced: Mapping[str, str]) -> str:
    """What stands for the server in a name: its key, its own field ``name``, or what it announces."""
    origin = str((rule.get("server") or {}).get("from", ""))
    if origin == "name":
        return str(entry.raw.get("name") or entry.name)
    if origin.startswith("serverInfo"):
        return announced.get(entry.id) or entry.name
    return entry.name
