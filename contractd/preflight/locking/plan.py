"""Which differences become part of the lock: those that were named, and those that the policy accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from contractd.contracts.compat.changes import UNLISTED
from contractd.preflight.locking.compare import Comparing, Offered
from contractd.preflight.model import Finding
from contractd.registry.lock import Lock, LockedProvider, LockedTool
from contractd.text import visible

Became = Literal["new", "changed", "removed"]
How = Literal["first", "named", "policy"]

# What a policy may accept without a person: nothing of it breaks a call or allows more harm than before.
ACCEPTABLE = ("compatible-drift", "description-drift", "annotation-drift", "tool-not-locked")

# Every call that was valid is, and means something else; or nobody knows what else there is.
_FOR_A_PERSON = frozenset(("default-changed", "format-changed", "content-changed", "access-changed", UNLISTED))
# What is accepted of a server that is started otherwise stands beside what the old one had: neither lists just that.
_MIXED = "part of it was accepted when it was started or reached otherwise"


@dataclass(frozen=True)
class Live:
    """A configured server now. ``taken`` None: it was not reached, for the reason in ``trouble``."""

    id: str
    offered: Offered
    taken: LockedProvider | None
    trouble: str | None = None


@dataclass(frozen=True)
class Step:
    """One tool that becomes, or ceases to be, part of the lock. ``rules``: the names of what was found about it."""

    reference: str
    became: Became
    how: How
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The lock as it should be, and how it got there. ``pending``: differences nobody accepted; the lock keeps to the
    old contract for them. ``unreached``: why a server could not be compared, by id; its blocks stay. ``moved``: what is
    another about a server itself, in sentences. ``doubts``: what of a server can't be locked, by id."""

    lock: Lock
    steps: tuple[Step, ...] = ()
    pending: tuple[Finding, ...] = ()
    unreached: Mapping[str, str] = field(default_factory=dict)
    unchanged: int = 0
    moved: tuple[str, ...] = ()
    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def plan(old: Comparing, live: Iterable[Live], *, named: frozenset[str], accept: frozenset[str]) -> Plan:
    """``named``: references that were named to be accepted as they are; ``accept``: names of rules that the policy
    accepts. With no lock there yet, everything that is listed is accepted: the file itself is what a person reads."""
    made = _Maker(old, named, accept)
    for one in live:
        made.provider(one)
    made.left_over()
    return Plan(
        Lock(made.providers),
        tuple(sorted(made.steps, key=lambda step: step.reference)),
        tuple(made.pending),
        made.unreached,
        made.unchanged,
        tuple(made.moved),
        made.doubts,
    )


class _Maker:
    def __init__(self, old: Comparing, named: frozenset[str], accept: frozenset[str]) -> None:
        self._old = old
        self._first = old.file.document is None
        self._named = named
        self._accept = accept
        self._seen: set[str] = set()
        self.providers: dict[str, LockedProvider] = dict(old.file.lock.providers)
        self.steps: list[Step] = []
        self.pending: list[Finding] = []
        self.unreached: dict[str, str] = {}
        self.unchanged = 0
        self.moved: list[str] = []
        self.doubts: dict[str, tuple[str, ...]] = {}

    def provider(self, live: Live) -> None:
        self._seen.add(live.id)
        if live.taken is None:
            self.unreached[live.id] = live.trouble or "it was not contacted"
            return
        if live.taken.doubts:
            self.doubts[live.id] = live.taken.doubts
        locked = self._old.file.lock.providers.get(live.id)
        if locked is None:
            self._unknown(live, live.taken)
        else:
            self._known(live, live.taken, locked)

    def left_over(self) -> None:
        """Servers that are not configured any more go if they were named."""
        for name in sorted(set(self.providers) - self._seen):
            if name in self._named:
                gone = self.providers.pop(name)
                self.steps += [Step(f"{name}.{tool}", "removed", "named") for tool in sorted(gone.tools)]

    def _unknown(self, live: Live, taken: LockedProvider) -> None:
        """A server that the lock has nothing of."""
        how = {name: self._how_new(live.id, name) for name in taken.tools}
        kept = {name: tool for name, tool in taken.tools.items() if how[name]}
        self.steps += [Step(f"{live.id}.{name}", "new", way) for name in kept if (way := how[name])]
        left = [name for name in taken.tools if name not in kept]
        if kept or self._first:
            self.providers[live.id] = replace(taken, tools=kept)
            self.pending += [self._old.not_locked(live.id, live.offered, name) for name in left]
        elif left:
            self.pending.append(self._old.not_locked(live.id, live.offered))
        self.pending += [self._old.not_locked(live.id, live.offered, name) for name in live.offered.unfit]

    def _known(self, live: Live, taken: LockedProvider, locked: LockedProvider) -> None:
        tools = dict(locked.tools)
        before = len(self.steps)
        pending: list[Finding] = []
        by_tool: dict[str, list[Finding]] = {}
        found = self._old.differences(locked, live.offered)
        was = {one.subject: one.tool for one in found if one.rule.name == "tool-renamed"}
        for finding in found:
            by_tool.setdefault(was.get(finding.tool or "") or finding.tool or "", []).append(finding)
        for name, findings in by_tool.items():
            renamed = next((one.subject for one in findings if one.rule.name == "tool-renamed"), None)
            both = self._how(live.id, renamed, findings) if renamed else None
            how = both or self._how(live.id, name, findings)
            if how is None or name in live.offered.unfit or (name not in tools and name not in taken.tools):
                pending += findings
                continue
            rules = tuple(dict.fromkeys(one.rule.name for one in findings))
            self._take(tools, taken.tools, live.id, name, how, rules)
            if renamed and both:
                self._take(tools, taken.tools, live.id, renamed, both, rules)
            elif renamed:  # naming what is gone accepts nothing that is new
                pending += [one for one in findings if one.tool == renamed]
                pending.append(self._old.not_locked(live.id, live.offered, renamed))
        for name, fresh in taken.tools.items():
            # Nothing that anybody could notice, such as the order of required: written anew only if it was named.
            known = locked.tools.get(name)
            stale = known is not None and known.contract.digests != fresh.contract.digests
            if stale and name not in by_tool and self._how(live.id, name, ()):
                self._take(tools, taken.tools, live.id, name, "named", ())
        self.unchanged += sum(name in taken.tools and name not in by_tool for name in locked.tools)
        self.pending += pending
        other = (locked.source, locked.launch, locked.doubts) != (taken.source, taken.launch, taken.doubts)
        # What is not accepted is the old server's still, so the block must not claim the new one for it. And which
        # protocol is spoken hangs on the runtime that asks: by itself it is no reason to write.
        if not pending and (other or len(self.steps) > before or live.id in self._named):
            self.providers[live.id] = replace(taken, tools=tools)
            self.moved += _moved(locked, taken)
        else:
            mixed = len(self.steps) > before and (locked.source, locked.launch) != (taken.source, taken.launch)
            doubts = tuple(dict.fromkeys((*locked.doubts, _MIXED))) if mixed else locked.doubts
            self.providers[live.id] = replace(locked, tools=tools, doubts=doubts)

    def _take(
        self,
        tools: dict[str, LockedTool],
        now: Mapping[str, LockedTool],
        provider: str,
        name: str,
        how: How,
        rules: tuple[str, ...],
    ) -> None:
        became: Became = "removed" if name not in now else "changed" if name in tools else "new"
        if became == "removed":
            tools.pop(name, None)
        else:
            tools[name] = now[name]
        self.steps.append(Step(f"{provider}.{name}", became, how, rules))

    def _how(self, provider: str, name: str, findings: Iterable[Finding]) -> How | None:
        """Who accepts what was found about a tool; None: nobody does."""
        if provider in self._named or f"{provider}.{name}" in self._named:
            return "named"
        found = list(findings)
        return "policy" if found and all(self._harmless(one) for one in found) else None

    def _how_new(self, provider: str, name: str) -> How | None:
        """The same of a tool of a server that the lock does not know."""
        if self._first:
            return "first"
        if provider in self._named or f"{provider}.{name}" in self._named:
            return "named"
        return "policy" if "tool-not-locked" in self._accept else None

    def _harmless(self, finding: Finding) -> bool:
        name = finding.rule.name
        mild = finding.severity in ("info", "low") or name == "tool-not-locked"
        changes = finding.details.get("changes")
        kinds = {change.get("kind") for change in changes} if isinstance(changes, list) else set()
        mild = mild and kinds.isdisjoint(_FOR_A_PERSON)
        return name in self._accept and name in ACCEPTABLE and mild and not finding.undetermined


def _moved(old: LockedProvider, new: LockedProvider) -> Iterator[str]:
    pairs = (
        ("comes from", old.source, new.source),
        ("is reached over", old.transport, new.transport),
        ("speaks", old.protocol, new.protocol),
        ("calls itself", old.announced, new.announced),
    )
    if old.launch != new.launch and old.source == new.source:
        yield f"{visible(old.id, 80)} is started with other arguments, variables or headers, or in another folder"
    for verb, was, now in pairs:
        if was != now and was and now:
            yield f"{visible(old.id, 80)} {verb} {visible(now, 300)}; it was {visible(was, 300)}"
