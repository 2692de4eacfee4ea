"""The values of a lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from contractd.contracts import Contract, Manifest
from contractd.errors import Place

FORMAT = (1, 0)  # major: a reader of another one must refuse; minor: keys that an older reader may pass over


@dataclass(frozen=True)
class LockedTool:
    """A contract, and when it was accepted (RFC 3339, UTC). ``place``: its block in the file it was read from."""

    contract: Contract
    accepted: str
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True)
class LockedProvider:
    """One provider's accepted tools, by name, and where they came from.

    ``source``: its command line or URL, shown as in reports, with the project's folder as ``.`` and the home directory
    as ``~``. ``doubts``: what of its list only a live server can tell (quarantined tools, departures from MCP), in
    words; with any, the lock can't stand in for the server. ``announced``: what it calls itself, after which some
    runtimes name its tools. ``launch``: a digest over all of how it is started or reached, credentials left out.
    """

    id: str
    source: str
    transport: str
    protocol: str | None = None
    tools: Mapping[str, LockedTool] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    announced: str | None = None
    launch: str | None = None
    place: Place | None = field(default=None, compare=False)

    @cached_property
    def manifest(self) -> Manifest:
        """Its tools as a manifest, sorted by name."""
        tools = tuple(self.tools[name].contract for name in sorted(self.tools))
        return Manifest(tools, protocol_version=self.protocol)

    @property
    def newest(self) -> str:
        """When the last of its tools was accepted; empty where there is none."""
        return max((tool.accepted for tool in self.tools.values()), default="")


@dataclass(frozen=True)
class Lock:
    """Everything accepted, by provider id."""

    providers: Mapping[str, LockedProvider] = field(default_factory=dict)

    @property
    def references(self) -> frozenset[str]:
        """``provider.tool`` of each locked tool."""
        return frozenset(f"{provider.id}.{name}" for provider in self.providers.values() for name in provider.tools)
