"""What a configuration says of one provider, and what asking it yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from contractd.contracts import Manifest
from contractd.contracts.deviations import Deviation
from contractd.wire import Era

Transport = Literal["stdio", "http", "sse", "manifest-url", "manifest-file"]

# Which of the parent's environment variables a stdio server gets: all of them, or the named ones.
Inherit = Literal["all"] | frozenset[str]

TIMEOUT_SIGNAL = "stdio-12"  # it was given up for want of time, whatever the transport


@dataclass(frozen=True)
class ProviderSpec:
    """One server as a runtime's configuration names it, variables already expanded.

    ``id`` is the slug used in tool references; ``budget`` is in seconds, for everything from start to the last page.
    ``fallback_sse``: the runtime tries streamable HTTP first and HTTP+SSE after it. ``eras``: those its client speaks,
    empty where that is not known; where it is the legacy one alone, the server is asked as that client would ask.
    """

    name: str
    id: str
    transport: Transport
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    inherit: Inherit = "all"
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    fallback_sse: bool = False
    path: str | None = None
    budget: float = 30.0
    eras: tuple[Era, ...] = ()


@dataclass(frozen=True)
class Fetched:
    """A manifest and how it was got. ``transport`` is the one that worked.

    ``declares_more``: prompts or resources. ``refusal``: what it said to ``initialize`` where only the modern era was
    left. ``deviations``: what of its answers, but for the tools, is not as MCP's schema says.
    """

    manifest: Manifest
    transport: Transport
    era: Era | None = None
    protocol_version: str | None = None
    server: Mapping[str, str] = field(default_factory=dict)
    declares_tools: bool = True
    declares_more: bool = False
    pages: int = 1
    cursor_loop: bool = False
    refusal: str | None = None
    deviations: tuple[Deviation, ...] = ()

    @property
    def departures(self) -> tuple[Deviation, ...]:
        """The same with its tools; none of a provider that speaks no MCP."""
        if self.era is None:
            return ()
        # A property's schema may be a boolean since 2026-07-28, which takes all of JSON Schema (SEP-2106).
        kept = [one for one in self.manifest.deviations if self.era == "legacy" or one.kind != "boolean-property"]
        return (*self.deviations, *kept)
