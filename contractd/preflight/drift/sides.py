"""One side of a comparison: a manifest in contractd's format or as MCP lists tools, and where each tool stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from contractd.contracts import Manifest, parse_manifest
from contractd.contracts.manifest import build_manifest
from contractd.documents import Document, parse, pointer_join
from contractd.errors import ConfigError, Place, ProviderError
from contractd.preflight.files import STDIN, STDIN_SHOWN, read_bytes
from contractd.preflight.model import SideView

_HINT = 'a manifest in contractd\'s format, or a list as MCP gives it: {"tools": […]}'


@dataclass(frozen=True)
class Side:
    """A manifest, the document it was read from, and the pointer of its list of tools."""

    document: Document
    manifest: Manifest
    tools_at: str
    notes: tuple[str, ...] = field(default=())

    @property
    def view(self) -> SideView:
        """What is said of it in a report."""
        return SideView(self.document.path, len(self.manifest.tools), self.manifest.digest)

    def place(self, tool: str) -> Place:
        """The line of a tool's name, with the pointer of the tool; the list where it has none."""
        index = self._indices.get(tool)
        if index is None:
            return self.document.place(self.tools_at)
        pointer = pointer_join(self.tools_at, index)
        mark = self.document.mark(pointer_join(pointer, "name"))
        return Place(self.document.path, mark.line if mark else None, mark.column if mark else None, pointer)

    @cached_property
    def _indices(self) -> Mapping[str, int]:
        listed = self.document.get(self.tools_at)
        rows = enumerate(listed if isinstance(listed, list) else ())
        # Of a name that is listed twice the later one counts, as in the manifest.
        return {row["name"]: index for index, row in rows if isinstance(row, dict) and isinstance(row.get("name"), str)}


def read_side(name: str, cwd: str, stdin: bytes) -> Side:
    """Read one side; ``-`` is standard input. Raises ConfigError for what is no manifest."""
    if name == STDIN:
        document = parse(STDIN_SHOWN, stdin, "json")
    else:
        document = parse(name, read_bytes(str(Path(cwd) / name), name, pipes=True), "json")
    value = document.value
    if not isinstance(value, dict):
        raise ConfigError("it is no JSON object, so no manifest", place=document.place(), hint=_HINT)
    if "schema_version" in value:
        try:
            return Side(document, parse_manifest(value), "/tools")
        except ProviderError as error:
            at = "/schema_version" if error.failure.signal == "manifest-version" else ""
            raise ConfigError(error.failure.message, place=document.place(at), hint=_HINT) from None
    at = "/result" if isinstance(value.get("result"), dict) else ""  # the whole answer to tools/list
    listed = document.get(f"{at}/tools")
    if not isinstance(listed, list):
        raise ConfigError("it has no list of tools, so it is no manifest", place=document.place(), hint=_HINT)
    notes: tuple[str, ...] = ()
    if document.get(f"{at}/nextCursor") is not None:
        notes = (f"{document.path} is one page of a longer list: what stands on the others counts as not offered",)
    return Side(document, build_manifest(listed), f"{at}/tools", notes)
