"""What a breaker or a gate is about: one provider or one tool, seen from one side.

Reachability belongs to the provider and slowness to the tool, so that one slow tool never closes its siblings; broken
contracts and broken configuration have keys of their own, since no waiting heals them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contractd.errors import UsageError

Aspect = Literal["availability", "contract", "config"]
Gate = Literal["quota", "authz"]


@dataclass(frozen=True, slots=True)
class BreakerKey:
    """Whose breaker: (provider, availability), (provider, config), (tool, availability) or (tool, contract).

    ``tool`` is the raw name; None for the provider itself.
    """

    provider: str
    aspect: Aspect
    tool: str | None = None

    def __post_init__(self) -> None:
        if self.aspect not in ("availability", "config" if self.tool is None else "contract"):
            whose = "a provider" if self.tool is None else "a tool"
            raise UsageError(f"{whose} has no breaker for {self.aspect!r}")

    def __str__(self) -> str:
        return f"{_subject(self.provider, self.tool)}/{self.aspect}"


@dataclass(frozen=True, slots=True)
class GateKey:
    """Whose gate: a principal's for a provider, or (quota only) for one tool of it. ``principal``: an id, no secret."""

    provider: str
    gate: Gate
    principal: str = ""
    tool: str | None = None

    def __str__(self) -> str:
        whose = f" of {self.principal}" if self.principal else ""
        return f"{_subject(self.provider, self.tool)}/{self.gate}{whose}"


def _subject(provider: str, tool: str | None) -> str:
    return provider if tool is None else f"{provider}.{tool}"
