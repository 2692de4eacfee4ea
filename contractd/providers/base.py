"""What a configuration says of one provider, and what asking it yields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from contractd.contracts import Manifest
from contractd.wire import Era

Transport = Literal["stdio", "http", "sse", "manifest-url", "manifest-file"]

# Which of the parent's environment variables a stdio server gets: all of them, or the named ones.
Inherit = Literal["all"] | frozenset[str]


@dataclass(frozen=True)
class ProviderSpec:
    """One server as a runtime's configuration names it, variables already expanded.

    ``id`` is the slug used in tool references; ``budget`` is in seconds, for everything from start to the last page.
    ``fallback_sse``: the runtime tries streamable HTTP first and HTTP+SSE after it.
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


@dataclass(frozen=True)
class Fetched:
    """A manifest and how it was got. ``transport`` is the one that worked."""

    manifest: Manifest
    transport: Transport
    era: Era | None = None
    protocol_version: str | None = None
    server: Mapping[str, str] = field(default_factory=dict)
    declares_tools: bool = True
    pages: int = 1
    cursor_loop: bool = False
