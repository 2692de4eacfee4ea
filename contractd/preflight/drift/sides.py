"""One side of a comparison: one provider's manifest, and where each tool of it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from contractd.contracts import Manifest, parse_manifest
from contractd.contracts.manifest import build_manifest
from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError, Place, ProviderError
from contractd.registry.lock import LockedProvider
from contractd.text import listed, visible

MANIFEST_HINT = 'a manifest in contractd\'s format, or a list as MCP gives it: {"tools": […]}'


@dataclass(frozen=True)
class Side:
    """A manifest. ``shown`` names it in sentences; ``home`` is where its list stands, ``places`` where each tool does.
    ``provider``: whose it is, where that is known. ``partial``: why there may be more than is here."""

    shown: str
    manifest: Manifest
    home: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    provider: str | None = None
    partial: str | None = None

    @property
    def doubts(self) -> Iterator[str]:
        """What keeps it from being known for certain what is offered."""
        if self.partial:
            yield self.partial
        if self.manifest.duplicates:
            twice = listed(list(self.manifest.duplicates))
            yield f"{visible(self.shown, 200)} lists a name twice, of which the later tool is compared: {twice}"

    def place(self, tool: str) -> Place:
        """The line of a tool's name, with the pointer of the tool; the list where it has none."""
        return self.places.get(tool, self.home)


def document_side(document: Document) -> Side:
    """The side that a JSON document is. Raises ConfigError for what is no manifest."""
    value = document.value
    if not isinstance(value, dict):
        raise ConfigError("it is no JSON object, so no manifest", place=document.place(), hint=MANIFEST_HINT)
    if "schema_version" in value:
        try:
            return _side(document, parse_manifest(value), "/tools")
        except ProviderError as error:
            at = "/schema_version" if error.failure.signal == "manifest-version" else ""
            raise ConfigError(error.failure.message, place=document.place(at), hint=MANIFEST_HINT) from None
    at = "/result" if isinstance(value.get("result"), dict) else ""  # the whole answer to tools/list
    listed = document.get(f"{at}/tools")
    if not isinstance(listed, list):
        raise ConfigError("it has no list of tools, so it is no manifest", place=document.place(), hint=MANIFEST_HINT)
    partial = None
    if document.get(f"{at}/nextCursor") is not None:
        partial = f"{document.path} is one page of a longer list: what stands on the others counts as not offered"
    return _side(document, build_manifest(listed), f"{at}/tools", partial)


def locked_side(locked: LockedProvider, shown: str, provider: str | None = None) -> Side:
    """What a lock holds of one provider; ``shown`` names the lock."""
    places = {name: tool.place for name, tool in locked.tools.items() if tool.place is not None}
    home = locked.place or Place(shown)
    return Side(shown, locked.manifest, home, places, provider or locked.id)


def _side(document: Document, manifest: Manifest, at: str, partial: str | None = None) -> Side:
    listed = document.get(at)
    rows = enumerate(listed if isinstance(listed, list) else ())
    # Of a name that is listed twice the later one counts, as in the manifest.
    indices = {row["name"]: index for index, row in rows if isinstance(row, dict) and isinstance(row.get("name"), str)}
    places = {name: _place(document, pointer_join(at, index)) for name, index in indices.items()}
    return Side(document.path, manifest, document.place(at), places, partial=partial)


def _place(document: Document, pointer: str) -> Place:
    mark = document.mark(pointer_join(pointer, "name"))
    return Place(document.path, mark.line if mark else None, mark.column if mark else None, pointer)
