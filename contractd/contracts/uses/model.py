"""What one agent uses of its tools: the arguments it sends, the fields of results it reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce

from contractd.contracts.uses.paths import Tree

_SHOWN = re.compile(r"mcp__([A-Za-z0-9_-]+?)__(.+)", re.DOTALL)
_QUALIFIED = re.compile(r"([^.]+)\.(.+)", re.DOTALL)


@dataclass(frozen=True)
class ToolUse:
    """One tool. ``sends`` and ``reads`` None: not known, so anything may be sent or read."""

    sends: Tree | None = None
    reads: Tree | None = None

    def joined(self, other: ToolUse) -> ToolUse:
        """What either uses."""
        return ToolUse(_joined(self.sends, other.sends), _joined(self.reads, other.reads))


def _joined(one: Tree | None, other: Tree | None) -> Tree | None:
    return one.joined(other) if one is not None and other is not None else None


@dataclass(frozen=True)
class Uses:
    """By tool reference. A tool's own name means the tool of that name in any provider, ``provider.tool`` that
    provider's only. ``complete``: this agent uses no other tool."""

    tools: Mapping[str, ToolUse] = field(default_factory=dict)
    complete: bool = False

    def of(self, tool: str, provider: str | None = None) -> ToolUse | None:
        """What is used of a tool, by all references that may mean it; None where none does. Without ``provider``
        every qualified reference to a tool of that name may."""
        found = [self.tools[reference] for reference in self.references(tool, provider)]
        return reduce(ToolUse.joined, found) if found else None

    def references(self, tool: str, provider: str | None = None) -> list[str]:
        """The references that may mean a tool."""
        qualified = self._by_tool.get(tool, ()) if provider is None else (f"{provider}.{tool}",)
        return [reference for reference in dict.fromkeys((tool, *qualified)) if reference in self.tools]

    def called(self, name: str, provider: str) -> Uses:
        """The same with references that start with ``name`` starting with ``provider``; what both mean is joined."""
        tools: dict[str, ToolUse] = {}
        for reference, use in self.tools.items():
            other = provider + reference.removeprefix(name) if reference.startswith(name) else reference
            tools[other] = use.joined(tools[other]) if other in tools else use
        return Uses(tools, self.complete)

    def unmatched(self, tools: Iterable[tuple[str | None, str]]) -> list[str]:
        """The references that mean none of these (provider, tool); without those to providers that are not looked
        at, where the provider is known."""
        looked_at = list(tools)
        matched = {reference for provider, tool in looked_at for reference in self.references(tool, provider)}
        providers = {provider for provider, _ in looked_at}
        return [
            reference
            for reference in self.tools
            if reference not in matched and (None in providers or _provider(reference) in (None, *providers))
        ]

    @cached_property
    def _by_tool(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for reference in self.tools:
            split = split_reference(reference)
            if split:
                found.setdefault(split[1], []).append(reference)
        return found


def plain_reference(name: str) -> str:
    """``provider.tool`` of a name as agent runtimes show it to a model, ``mcp__provider__tool``; others stay."""
    match = _SHOWN.fullmatch(name)
    return f"{match[1]}.{match[2]}" if match else name


def split_reference(reference: str) -> tuple[str, str] | None:
    """Provider and tool of ``provider.tool``; None for a plain name."""
    match = _QUALIFIED.fullmatch(reference)
    return (match[1], match[2]) if match else None


def _provider(reference: str) -> str | None:
    split = split_reference(reference)
    return split[0] if split else None
