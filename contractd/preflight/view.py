"""What every rule may look at: one frozen picture of the configuration, the servers and the names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from contractd.contracts import Contract
from contractd.errors import Place
from contractd.policy import Loaded, LoadedUses, ToolPolicy
from contractd.preflight.lockfile import LockFile
from contractd.preflight.model import RuntimeView
from contractd.preflight.names import NameTable
from contractd.preflight.request import Request
from contractd.runtimes.base import Context, Entry, Setup
from contractd.runtimes.profile import Profile
from contractd.runtimes.runtime import Runtime

if TYPE_CHECKING:
    from contractd.registry import Row


@dataclass(frozen=True)
class View:
    """``rows`` and ``skipped`` are by provider id; an entry that is in neither is disabled or unusable. ``rivals``: the
    runtimes that the files may be for, where none of them was recognised. ``locked``: the providers, by id, that were
    not contacted and are judged by what ``lock`` holds of them. ``uses``: what of the tools this agent uses.
    """

    request: Request
    policy: Loaded
    runtime: Runtime
    profile: Profile | None
    about: RuntimeView
    context: Context
    setup: Setup
    rows: Mapping[str, Row]
    skipped: Mapping[str, str]
    table: NameTable
    rivals: tuple[str, ...] = ()
    lock: LockFile | None = None
    locked: frozenset[str] = frozenset()
    uses: LoadedUses | None = None

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        entries = self.setup.entries
        return {entry.id: entry for entry in entries} | {entry.name: entry for entry in entries}

    def entry(self, provider: str) -> Entry | None:
        """The entry of this name, or provider id."""
        return self._entries.get(provider)

    def tool_policy(self, entry: Entry, tool: str) -> ToolPolicy | None:
        """What the user declares of a tool."""
        tools = self.policy.policy.tools
        return tools.get(f"{entry.id}.{tool}") or tools.get(f"{entry.name}.{tool}")

    def cautious(self, entry: Entry, tool: Contract) -> Contract:
        """A tool with its hints as far as both the server and the lock have them: what is not accepted yet can't make
        a call look safer."""
        provider = self.lock.lock.providers.get(entry.id) if self.lock else None
        known = provider.tools.get(tool.name) if provider else None
        if known is None or known.contract.annotations == tool.annotations:
            return tool
        return replace(tool, annotations=tool.annotations.stricter(known.contract.annotations))

    @property
    def file(self) -> Place:
        """Where a finding stands that has no better place: the start of the first file."""
        if self.setup.sources:
            return Place(self.setup.sources[-1].document.path, 1, 1, "")
        return Place(self.request.configs[0] if self.request.configs else self.runtime.file_name, 1, 1, "")
