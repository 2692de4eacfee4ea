"""Recorded calls, tried against contracts. Nothing is called: each call's arguments, and each result, are asked about.

Calls that fail for one reason are one finding however many there are, so what is kept does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from contractd.contracts.contract import Contract, FlawedTool
from contractd.contracts.drift.names import plain_name
from contractd.contracts.drift.refusal import Asked
from contractd.contracts.drift.renames import probable_renames
from contractd.contracts.drift.result import Refusal
from contractd.contracts.manifest import Manifest
from contractd.contracts.uses.calls import ABSENT, Call
from contractd.contracts.uses.model import split_reference
from contractd.errors import UsageError
from contractd.text import visible

MAX_LINES: Final = 100  # line numbers that are kept of one kind
MAX_GONE: Final = 1_000  # tools that are not there, each kept by itself

What = Literal["arguments", "result", "gone", "invalid", "unknown"]


@dataclass(frozen=True)
class Target:
    """A manifest that calls are tried against, and the one they were made under, where that is at hand."""

    new: Manifest
    old: Manifest | None = None
    provider: str | None = None

    @cached_property
    def tools(self) -> Mapping[str, Contract]:
        """The tools that are there now."""
        return {tool.name: tool for tool in self.new.tools}

    @cached_property
    def before(self) -> Mapping[str, Contract]:
        """The tools that were."""
        return {tool.name: tool for tool in self.old.tools} if self.old else {}

    @cached_property
    def flawed(self) -> Mapping[str, FlawedTool]:
        """The tools that are listed now in a form that is no contract."""
        return {tool.name: tool for tool in self.new.flawed if tool.name is not None and tool.name not in self.tools}

    @cached_property
    def renamed(self) -> Mapping[str, tuple[Contract, str]]:
        """What the tools that are gone are probably called now, and why."""
        gone = [tool for name, tool in self.before.items() if name not in self.tools and name not in self.flawed]
        fresh = [tool for name, tool in self.tools.items() if name not in self.before]
        pairs = probable_renames(gone, fresh, [*self.before, *self.tools])
        return {old.name: (new, reason) for old, new, reason in pairs}

    def knows(self, tool: str) -> bool:
        """Whether a tool of that name is there, or was."""
        return tool in self.tools or tool in self.before or tool in self.flawed


@dataclass
class Found:
    """What is the matter with some of the calls, and with how many. ``lines``: of the first of them. ``before``: they
    were refused by the old contract as well. ``now``: the name the tool probably has."""

    what: What
    tool: str
    provider: str | None
    refusal: Refusal | None = None
    before: bool = False
    now: str | None = None
    reason: str | None = None
    count: int = 0
    fitting: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        """One more."""
        self.count += 1
        if len(self.lines) < MAX_LINES:
            self.lines.append(line)


class Replay:
    """Takes calls, one after the other; ``found`` and ``counts`` are what came of them. ``only``: the targets were
    chosen, and calls of other providers are passed over; else what became of those is not known."""

    def __init__(self, targets: Iterable[Target], *, only: bool = False) -> None:
        self.targets = tuple(targets)
        self._only = only
        self.counts = dict.fromkeys(
            ("calls", "accepted", "refused", "gone", "undetermined", "elsewhere", "results", "unfit"), 0
        )
        self._found: dict[tuple[Any, ...], Found] = {}
        self._asked: dict[int, Asked] = {}
        self._provider: str | None = None

    @property
    def found(self) -> tuple[Found, ...]:
        """In the order of the calls."""
        return tuple(sorted(self._found.values(), key=lambda one: one.lines[0]))

    def see(self, call: Call) -> None:
        """Try one call. Raises UsageError where it is of another provider than the earlier ones, and nobody said whose
        manifest it is."""
        self.counts["calls"] += 1
        places = self._places(call.tool)
        if not places and self._only:
            self.counts["elsewhere"] += 1
        elif not places:
            self.counts["undetermined"] += 1
            provider, tool = split_reference(call.tool) or (None, call.tool)
            reason = "nothing is known of that provider"
            self._at("unknown", Target(_NOWHERE.new, provider=provider), tool, reason=reason).add(call.line)
        for target, tool in places:
            self._try(target, tool, call)

    def _places(self, reference: str) -> list[tuple[Target, str]]:
        """What a reference may mean."""
        own = [(target, reference) for target in self.targets if target.knows(reference)]
        split = split_reference(reference)
        if own or split is None:
            return own or ([(self.targets[0], reference)] if len(self.targets) == 1 else [(_NOWHERE, reference)])
        provider, tool = split
        nameless = [target for target in self.targets if target.provider is None]
        if nameless:
            if self._provider not in (None, provider):
                raise UsageError(
                    f"the calls are of several providers ({visible(str(self._provider), 80)}, {visible(provider, 80)}) "
                    "and the manifest does not say whose it is",
                    hint="say it with --provider; the calls of the others are passed over",
                )
            self._provider = provider
            return [(target, tool) for target in nameless]
        return [(target, tool) for target in self.targets if target.provider == provider]

    def _try(self, target: Target, tool: str, call: Call) -> None:
        contract = target.tools.get(tool)
        if contract is None:
            self._missing(target, tool, call)
            return
        before = target.before.get(tool)
        answer = self._ask(contract.input_schema).accepts(call.arguments)
        if answer:
            self.counts["accepted"] += 1
        elif answer is None:
            self.counts["undetermined"] += 1
            self._unknown(target, tool, call, self._ask(contract.input_schema))
        else:
            self.counts["refused"] += 1
            known = before is not None and self._ask(before.input_schema).accepts(call.arguments) is False
            self._refused("arguments", target, tool, call, self._ask(contract.input_schema), known, call.arguments)
        if call.result is not ABSENT and contract.output_schema is not None:
            self._result(target, contract, before, call)

    def _result(self, target: Target, contract: Contract, before: Contract | None, call: Call) -> None:
        asked = self._ask(contract.output_schema)
        answer = asked.accepts(call.result)
        self.counts["results"] += 1
        if answer is None:
            self._unknown(target, contract.name, call, asked)
        elif not answer:
            self.counts["unfit"] += 1
            known = (
                before is not None
                and before.output_schema is not None
                and self._ask(before.output_schema).accepts(call.result) is False
            )
            self._refused("result", target, contract.name, call, asked, known, call.result)

    def _missing(self, target: Target, tool: str, call: Call) -> None:
        self.counts["gone"] += 1
        flawed = target.flawed.get(tool)
        if flawed is not None:
            self._at("invalid", target, tool, reason=flawed.flaws[0].kind).add(call.line)
            return
        found = self._found.get(("gone", target.provider, tool, None, None))
        if found is None:
            if len(self._found) >= MAX_GONE:
                tool = ""  # one for all that are too many
            now, reason = self._now(target, tool)
            found = self._at("gone", target, tool, now=now, reason=reason)
        found.add(call.line)
        if found.now is not None and self._ask(target.tools[found.now].input_schema).accepts(call.arguments):
            found.fitting += 1

    def _now(self, target: Target, tool: str) -> tuple[str | None, str | None]:
        if tool in target.renamed:
            contract, reason = target.renamed[tool]
            return contract.name, reason
        same = [name for name in target.tools if plain_name(name) == plain_name(tool)]
        if len(same) == 1 and same[0] not in target.before:
            return same[0], "the names differ in case and separators only"
        return None, None

    def _refused(
        self, what: What, target: Target, tool: str, call: Call, asked: Asked, before: bool, value: Any
    ) -> None:
        refusal = asked.refusal(value)
        missing = refusal.property if refusal is not None and refusal.keyword == "required" else None
        rule = (refusal.schema_pointer, missing, before) if refusal is not None else ("", None, before)
        found = self._at(what, target, tool, *rule)
        found.refusal, found.before = found.refusal or refusal, before
        found.add(call.line)

    def _unknown(self, target: Target, tool: str, call: Call, asked: Asked) -> None:
        found = self._at("unknown", target, tool, reason=asked.flaw or "the validator gives no answer")
        found.add(call.line)

    def _at(
        self, what: What, target: Target, tool: str, *rule: Any, now: str | None = None, reason: str | None = None
    ) -> Found:
        key = (what, target.provider, tool, *(rule or (None, None)))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = Found(what, tool, target.provider, now=now, reason=reason)
        return found

    def _ask(self, schema: Any) -> Asked:
        if id(schema) not in self._asked:
            self._asked[id(schema)] = Asked(schema)
        return self._asked[id(schema)]


_NOWHERE = Target(Manifest(()))
