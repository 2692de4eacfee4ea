"""What each of the two words of ``contractd diff`` stands for: a manifest, a lock, or a configuration to be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from contractd.contracts.digest import manifest_digest
from contractd.documents import Document, parse
from contractd.errors import ConfigError, Place, UsageError
from contractd.preflight.drift.sides import MANIFEST_HINT, Side, document_side, locked_side
from contractd.preflight.files import STDIN, STDIN_SHOWN, is_policy, read_bytes
from contractd.preflight.lockfile import parse_lock_document
from contractd.preflight.model import SideView
from contractd.preflight.prepare import Ask, Prepared, prepare
from contractd.preflight.request import Request
from contractd.registry.lock import MAX_LOCK_BYTES, is_lock, parse_lock
from contractd.runtimes.catalogue import CONTRACTD, recognise

if TYPE_CHECKING:
    from contractd.registry import Row

_HINT = f"a lock (contracts.lock), an agent runtime's configuration, or {MANIFEST_HINT}"
_SERVERS = ("mcpServers", "mcp_servers", "servers", "mcp", "providers", "extensions")


@dataclass(frozen=True)
class Offer:
    """Manifests by provider id; under None one that does not say whose it is. ``missing``: why a provider that is
    configured has none, and where it stands."""

    shown: str
    sides: Mapping[str | None, Side]
    missing: Mapping[str, tuple[str, Place]] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)

    @property
    def view(self) -> SideView:
        """What is said of it in a report."""
        sides = self.sides
        digest = sides[None].manifest.digest if None in sides else None
        if digest is None:
            pairs = [(f"{name}.{tool.name}", tool.digest) for name in sides for tool in sides[name].manifest.tools]
            digest = manifest_digest(pairs)
        return SideView(self.shown, sum(len(side.manifest.tools) for side in sides.values()), digest)

    @property
    def names(self) -> tuple[str, ...]:
        """The providers, those that are missing included."""
        return tuple(name for name in (*self.sides, *self.missing) if name is not None)


def read_offer(name: str, request: Request, ask: Ask | None) -> Offer | Prepared:
    """Read one word; ``-`` is standard input. A configuration is prepared as preflight does it, and not yet asked.

    Raises ConfigError for what is none of the three, UsageError for what ``request`` says wrongly.
    """
    if name == "":
        raise UsageError("'' names no file")
    if name == STDIN:
        shown, data = STDIN_SHOWN, request.stdin
    else:
        shown, data = name, read_bytes(str(Path(request.cwd) / name), name, pipes=True, limit=MAX_LOCK_BYTES)
    if name.endswith(".lock") or data.lstrip()[:1] == b"#" or data[:7] == b"format ":
        document = parse_lock_document(shown, data)
        if is_lock(document) or name.endswith(".lock"):
            return _locked(document)
    document = parse(shown, data)
    if is_lock(document):
        return _locked(document)
    if _is_manifest(document.value):
        side = document_side(document)
        return Offer(shown, {None: side}, documents={shown: document})
    if not _is_configuration(document):
        raise ConfigError(
            "it has no list of tools and no servers: it is no manifest, no lock and no configuration",
            place=document.place(),
            hint=_HINT,
        )
    if name != STDIN and not (Path(request.cwd) / name).is_file():
        raise UsageError(f"{name} is a pipe: a configuration is read from a file, or from standard input as -")
    return prepare(replace(request, configs=(name,)), ask=ask)


def offer_of(prepared: Prepared, rows: Mapping[str, Row]) -> Offer:
    """What the servers of a configuration answered, by provider id."""
    sides: dict[str | None, Side] = {}
    missing: dict[str, tuple[str, Place]] = {}
    for entry in prepared.gathered.setup.entries:
        row = rows.get(entry.id)
        if row is not None and row.fetched is not None:
            sides[entry.id] = Side(entry.name, row.fetched.manifest, entry.place, provider=entry.name)
        elif entry.disabled is None:
            why = row.failure.message if row is not None and row.failure else None
            why = why or prepared.skipped.get(entry.id) or "its entry can't be used as it is written"
            missing[entry.id] = (why, entry.place)
    sources = prepared.gathered.setup.sources
    shown = ", ".join(prepared.request.configs) or (sources[-1].document.path if sources else "")
    return Offer(STDIN_SHOWN if shown == STDIN else shown, sides, missing, prepared.documents)


def _locked(document: Document) -> Offer:
    lock = parse_lock(document)
    sides: dict[str | None, Side] = {name: locked_side(one, document.path) for name, one in lock.providers.items()}
    return Offer(document.path, sides, documents={document.path: document})


def _is_manifest(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    inner = value["result"] if isinstance(value.get("result"), dict) else value
    return "schema_version" in value or isinstance(inner.get("tools"), list)


def _is_configuration(document: Document) -> bool:
    if not isinstance(document.value, dict):
        return False
    found = recognise(document)
    known = found.runtime.name != CONTRACTD or bool(found.rivals) or is_policy(document)
    return known or any(isinstance(document.value.get(key), dict) for key in _SERVERS)
