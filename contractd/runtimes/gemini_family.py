"""What Gemini CLI and Qwen Code, which grew out of it, do alike: files beside the settings, trust, filters."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Settings, Source
from contractd.runtimes.layers import merged_settings
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.text import visible

TRUSTED_FOLDERS = "trustedFolders.json"


class GeminiFamily(Runtime):
    """Subclasses say where the files beside the settings are, and how lists of servers are read."""

    # Whether an empty mcp.allowed allows every server.
    empty_allows_all = True

    def beside(self, context: Context) -> dict[str, str]:
        """Files beside the settings: the path of each by its usual name, under which it is kept among the settings."""
        return {}

    def beside_locations(self, context: Context) -> list[Location]:
        """The same as places to look at."""
        return [Location(path, "user", servers=False) for path in self.beside(context).values()]

    def containers(self, source: Source, context: Context) -> list[str]:
        return [] if self._beside_name(source, context) else super().containers(source, context)

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        """From the settings files; what stands beside them is kept apart, under names that no setting has."""
        named = [(source, self._beside_name(source, context)) for source in sources]
        settings = merged_settings([source for source, name in named if name is None], self.joined, self.as_read)
        kept = {f"({name})": source.document.value for source, name in named if name is not None}
        absent = {f"({name})": None for name in self.beside(context)}
        return Settings({**settings.value, **absent, **kept}, settings.sources)

    def as_read(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """What it makes of one settings file before it merges."""
        return value

    def _beside_name(self, source: Source, context: Context) -> str | None:
        path = source.document.path
        for name, place in self.beside(context).items():
            if path == place or posixpath.basename(path) == name:
                return name
        return None

    def names_server(self, pattern: str, server: str) -> bool:
        """Whether an entry of mcp.allowed or mcp.excluded means a server."""
        return pattern == server

    def listed_gate(self, entry: Entry, settings: Settings) -> Gate | None:
        """Whether mcp.excluded or mcp.allowed keeps a server from starting."""
        name = visible(entry.name, 60)
        if any(self.names_server(pattern, entry.name) for pattern in settings.names("mcp.excluded")):
            return certain_gate("mcp.excluded names it", f"take {name} out of mcp.excluded")
        allowed = settings.get("mcp.allowed")
        if not isinstance(allowed, list) or (self.empty_allows_all and not allowed):
            return None
        if any(self.names_server(pattern, entry.name) for pattern in settings.names("mcp.allowed")):
            return None
        return certain_gate("mcp.allowed does not name it", f"add {name} to mcp.allowed")

    def filter_matches(self, pattern: str, tools: Sequence[str]) -> bool:
        return pattern.partition("(")[0] in tools

    def exclude_matches(self, pattern: str, tool: str) -> bool:
        return pattern == tool

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        return Fix(f"the entry of {visible(entry.name, 60)}", f'"excludeTools": {json.dumps(tools)}')


def folder_trust(settings: Settings, folder: str, *, by_rule: bool) -> bool | None:
    """What trustedFolders.json says of a folder: its rule with the longest path (``by_rule``), or about the innermost
    folder, that holds it; None where no rule does."""
    rules = settings.value.get(f"({TRUSTED_FOLDERS})")
    best, trusted = (-1, False), None
    for path, level in rules.items() if isinstance(rules, Mapping) else ():
        base = posixpath.dirname(path) if level == "TRUST_PARENT" else path
        rank = (len(path if by_rule else base), level == "DO_NOT_TRUST")
        if rank > best and (folder + "/").startswith(base.rstrip("/") + "/"):
            known = {"TRUST_FOLDER": True, "TRUST_PARENT": True, "DO_NOT_TRUST": False}
            best, trusted = rank, known.get(level) if isinstance(level, str) else None
    return trusted
