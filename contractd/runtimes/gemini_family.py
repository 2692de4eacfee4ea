"""What Gemini CLI and Qwen Code, which grew out of it, do alike: files beside the settings, trust, filters."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Settings, Source
from contractd.runtimes.layers import merged_settings
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.style import entries_of, is_called
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

    def switched_off(self, entry: Entry, settings: Settings, context: Context) -> str | None:
        found = self._listed(entry, settings)
        return found[0] if found and not self._by_system(found[1], entry, settings) else None

    def listed_gate(self, entry: Entry, settings: Settings) -> Gate | None:
        """Whether a list in the system's files, which is not the user's own, keeps a server from starting."""
        found = self._listed(entry, settings)
        if found is None:
            return None
        return certain_gate(f"{found[0]}, in the system's settings", f"have an administrator {found[2]}")

    def _listed(self, entry: Entry, settings: Settings) -> tuple[str, str, str] | None:
        """Why mcp.excluded or mcp.allowed keeps a server from starting, which of them, and what settles it."""
        name = visible(entry.name, 60)
        if self._names_it(settings.get("mcp.excluded"), entry.name):
            return "mcp.excluded names it", "mcp.excluded", f"take {name} out of mcp.excluded"
        allowed = settings.get("mcp.allowed")
        if not isinstance(allowed, list) or (self.empty_allows_all and not allowed):
            return None
        if self._names_it(allowed, entry.name):
            return None
        return "mcp.allowed does not name it", "mcp.allowed", f"add {name} to mcp.allowed"

    def _by_system(self, key: str, entry: Entry, settings: Settings) -> bool:
        if key == "mcp.allowed":
            return settings.only_of_system(key)
        return settings.only_of_system(key, lambda value: self._names_it(value, entry.name))

    def _names_it(self, value: Any, server: str) -> bool:
        patterns = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
        return any(self.names_server(pattern, server) for pattern in patterns)

    def family_signs(self, document: Document) -> Iterator[tuple[int, str]]:
        """What tells the two from others, and neither from the other."""
        keys = {key for raw in entries_of(document) for key in raw}
        if "httpUrl" in keys:
            yield 3, "its entries say httpUrl"
        elif keys & {"trust", "includeTools", "excludeTools"}:
            yield 3, "its entries have keys that Qwen Code and Gemini CLI read"
        if is_called(document, "settings.json"):
            yield 2, "the file is called settings.json"

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
