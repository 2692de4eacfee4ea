"""A comparison for one agent: changes judged by what it uses, and what is said of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from contractd.contracts import Manifest
from contractd.contracts.drift import ContractChange, Difference, ManifestChange
from contractd.contracts.uses import Uses, narrow_manifest, path_text
from contractd.contracts.uses.paths import Path
from contractd.contracts.uses.walk import parameter_path
from contractd.policy import LoadedUses
from contractd.preflight.drift.offers import Offer
from contractd.preflight.drift.pairing import Pair
from contractd.preflight.drift.words import compact
from contractd.preflight.model import Finding
from contractd.text import listed, plural, visible


class Judge:
    """Judges for the agent of a uses file; without one, for anyone. ``chosen``: whose the manifests are that do not say
    so themselves."""

    def __init__(self, loaded: LoadedUses | None = None, chosen: str | None = None) -> None:
        self._loaded = loaded
        self._chosen = chosen
        self._seen: list[tuple[str | None, str]] = []

    def names_both(self, old: Offer, new: Offer) -> bool:
        """Whether the name that was given is for two manifests that do not say whose they are."""
        return self._loaded is not None and None in old.sides and None in new.sides

    def of(self, pair: Pair) -> PairJudge:
        """For the tools of one provider."""
        provider = pair.name or self._chosen
        shown = next((side.provider for side in (pair.new, pair.old) if side is not None and side.provider), None)
        tools = {tool: None for side in (pair.old, pair.new) if side is not None for tool in _names(side.manifest)}
        self._seen += [(name, tool) for name in dict.fromkeys((provider, shown or provider)) for tool in tools]
        return PairJudge(self._loaded, provider, tuple(tools), shown)

    def notes(self) -> Iterator[str]:
        """What is said once: by what it is judged, and which references mean no tool there is or was."""
        if self._loaded is None:
            return
        file, uses = visible(self._loaded.document.path, 200), self._loaded.uses
        whole = ", and uses no other" if uses.complete else "; other tools are judged for anyone"
        yield f"judged for an agent that uses {plural(len(uses.tools), 'tool')} as {file} says{whole}"
        strays = uses.unmatched(self._seen)
        if strays:
            are = "is" if len(strays) == 1 else "are"
            yield f"{listed(strays)} of {file} {are} on neither side"


def _names(manifest: Manifest) -> list[str]:
    names = [*(tool.name for tool in manifest.tools), *(tool.name for tool in manifest.flawed)]
    return [name for name in names if name is not None]


@dataclass(frozen=True)
class PairJudge:
    """The same for one provider; ``tools``: all it has and had. ``shown``: what its configuration calls it, which may
    stand in a uses file as well as its id."""

    loaded: LoadedUses | None
    provider: str | None
    tools: tuple[str, ...]
    shown: str | None = None

    @property
    def uses(self) -> Uses | None:
        """What is used, with the provider by its id."""
        if self.loaded is None or self.provider is None or self.shown in (None, self.provider):
            return None if self.loaded is None else self.loaded.uses
        return self.loaded.uses.called(f"{self.shown}.", f"{self.provider}.")

    def narrowed(self, change: ManifestChange) -> ManifestChange:
        """The change with the verdicts for this agent."""
        uses = self.uses
        return change if uses is None else narrow_manifest(change, uses, self.provider)

    def unused(self, tool: str | None) -> bool:
        """Whether the file says that this agent does not use a tool; None: none of the provider's."""
        uses = self.uses
        if uses is None or not uses.complete:
            return False
        return not any(uses.references(name, self.provider) for name in (self.tools if tool is None else (tool,)))

    def settled(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings; those on tools that are not used are settled, and still told."""
        for finding in findings:
            if self.loaded is not None and self.unused(finding.tool):
                file = visible(self.loaded.document.path, 200)
                yield replace(finding, settled=f"this agent does not use it: {file} is complete and does not list it")
            else:
                yield finding

    def fate(self, fate: str, tool: str) -> str:
        """What became of a tool, with those apart that are not used."""
        return "unused" if fate not in ("added", "unchanged") and self.unused(tool) else fate

    def count(self, counted: Mapping[str, list[str]], fates: dict[str, list[str]]) -> None:
        """Add what was counted of a provider that one side only has."""
        for fate, names in counted.items():
            for name in names:
                fates.setdefault(self.fate(fate, name.removeprefix(f"{self.provider}.")), []).append(name)


def for_this_agent(change: ContractChange) -> str:
    """Why what would break others does not break this agent; empty where no other is judged differently."""
    if change.narrowed is None or change.told == _for_anyone(change):
        return ""
    parts = []
    never, always = _not_sent(change)
    if never:
        parts.append(f"never sends {listed([path_text(path) for path in never])}")
    if always:
        parts.append(f"always sends {listed([path_text(path) for path in always])}")
    unread = _not_read(change)
    if unread:
        parts.append(f"never reads {listed([path_text(path) for path in unread])}")
    return f"this agent {listed(parts)}" if parts else "this agent sends and reads only what stays as it was"


def still_valid(change: ContractChange) -> str:
    """What holds: for anyone, or for this agent, with what others may see."""
    here = for_this_agent(change)
    if not here:
        return "Calls that were valid still are"
    said = f"Nothing that this agent uses breaks: {here}"
    for found in change.for_anyone:
        if found.witness is not None:
            became = "would be refused now" if found.direction == "arguments" else "may come now"
            said += f"; {visible(compact(found.witness.value), 300)} {became}"
    return said


def passed_over(change: ContractChange) -> str:
    """Parameters that may be sent as before and mean nothing any more."""
    schema = change.new.input_schema
    described = schema.get("additionalProperties", True) not in (True, {}) or "patternProperties" in schema
    sent = change.narrowed.use.sends if change.narrowed else None
    gone = [name for name in change.old.parameters if name not in change.new.parameters]
    gone = [name for name in gone if sent is None or sent.left_out((name,)) is None]
    return "" if described else ", ".join(visible(name, 80) for name in gone[:8])


def doubts(change: ContractChange) -> str:
    """What of the uses could not be judged apart."""
    if change.narrowed is None or not change.narrowed.doubts or change.told == "compatible":
        return ""
    return f". Not judged by what is used: {listed(list(change.narrowed.doubts))}"


def used_details(change: ContractChange) -> dict[str, Any]:
    """For the details of a finding: the verdicts for this agent, beside the others."""
    if change.narrowed is None:
        return {}
    found = change.narrowed
    return {
        "used": {
            "arguments": found.arguments.verdict,
            "results": found.results.verdict,
            "not_judged_apart": list(found.doubts),
        }
    }


def _for_anyone(change: ContractChange) -> str:
    verdicts = {comparison.verdict for comparison in change.for_anyone}
    return "breaking" if "breaking" in verdicts else "unknown" if "unknown" in verdicts else "compatible"


def _not_sent(change: ContractChange) -> tuple[list[Path], list[Path]]:
    tree = change.narrowed.use.sends if change.narrowed else None
    if tree is None:
        return [], []
    never: dict[Path, None] = {}
    always: dict[Path, None] = {}
    for item in _narrowing(change, "arguments", ("narrows", "unclear")):
        path = parameter_path(change, item)
        if not path:
            continue
        left_out = tree.left_out(path)
        if left_out is not None and item.kind not in ("newly-required", "added-required", "required-added"):
            never[left_out] = None
        elif item.kind in ("newly-required", "added-required", "required-added") and tree.has_always(path):
            always[path] = None
    return list(never), list(always)


def _not_read(change: ContractChange) -> list[Path]:
    tree = change.narrowed.use.reads if change.narrowed else None
    if tree is None:
        return []
    paths = (parameter_path(change, item) for item in _narrowing(change, "results", ("widens", "unclear")))
    left_out = (tree.left_out(path) for path in paths if path)
    return list(dict.fromkeys(path for path in left_out if path is not None))


def _narrowing(change: ContractChange, direction: str, effects: tuple[str, ...]) -> Iterator[Difference]:
    return (item for item in change.changes if item.direction == direction and item.effect in effects)
