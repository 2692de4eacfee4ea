"""Qwen Code. Facts: docs/reference/runtimes.md#qwen-code (0.21.10 and 0.24.4, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contractd.contracts import Contract
from contractd.documents import Document, pointer_join
from contractd.providers.base import Inherit
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings, Source, Visible
from contractd.runtimes.cleaning import hash_unless_plain
from contractd.runtimes.gemini_family import TRUSTED_FOLDERS, GeminiFamily, folder_trust
from contractd.runtimes.profile import Profile
from contractd.runtimes.qwen_format import HTTP_TYPES, SHARED, as_read, reading, reading_of
from contractd.runtimes.reading import EntryReader, Reading
from contractd.runtimes.runtime import certain_gate
from contractd.runtimes.style import entries_of, is_file, project_folder, wildcard_matches
from contractd.text import visible

_APPROVALS = "mcpApprovals.json"
_USER_SETTINGS = ".qwen/settings.json"
# Properties of every JavaScript object: a server so called is never read.
_RESERVED = frozenset({"__proto__", "constructor", "prototype"})
# Its own credentials, which no server inherits.
_OWN_TOKENS = frozenset({"QWEN_SERVER_TOKEN", "QWEN_DAEMON_TOKEN", "QWEN_CODE_EXTERNAL_TOOL_GUARD_TOKEN"})
_NOT_YOLO = ("plan", "default", "auto-edit", "auto")
_JOINED = ("tools.exclude", "tools.disabled", "tools.visible", "permissions.deny", "mcp.allowed", "mcp.excluded")


class QwenCode(GeminiFamily):
    name = "qwen-code"
    title = "Qwen Code"
    program = "qwen"
    file_name = "settings.json"
    empty_allows_all = False
    joined = frozenset(_JOINED)

    def reading(self, context: Context) -> Reading:
        return reading()

    def reading_of(self, source: Source, context: Context) -> Reading:
        kept = set(context.environ) - _OWN_TOKENS
        passed: Inherit = "all" if len(kept) == len(context.environ) else frozenset(kept)
        return replace(reading_of(source), inherit=passed)

    def as_read(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        return as_read(value)

    # ---- files

    def locations(self, context: Context) -> list[Location]:
        environ = context.environ
        lowest = environ.get("QWEN_CODE_SYSTEM_DEFAULTS_PATH") or "/etc/qwen-code/system-defaults.json"
        highest = environ.get("QWEN_CODE_SYSTEM_SETTINGS_PATH") or "/etc/qwen-code/settings.json"
        return [
            *self.beside_locations(context),
            Location(lowest, "system"),
            Location(posixpath.join(_own_folder(context), "settings.json"), "user"),
            Location(posixpath.join(context.cwd, SHARED), "project"),
            Location(posixpath.join(context.cwd, _USER_SETTINGS), "project"),
            Location(highest, "system"),
        ]

    def beside(self, context: Context) -> dict[str, str]:
        folder, environ = _own_folder(context), context.environ
        return {
            TRUSTED_FOLDERS: environ.get("QWEN_CODE_TRUSTED_FOLDERS_PATH") or posixpath.join(folder, TRUSTED_FOLDERS),
            _APPROVALS: environ.get("QWEN_CODE_MCP_APPROVALS_PATH") or posixpath.join(folder, _APPROVALS),
        }

    def env_files(self, context: Context) -> list[tuple[str, ...]]:
        project = (posixpath.join(context.cwd, ".qwen/.env"), posixpath.join(context.cwd, ".env"))
        own = [_own_folder(context), posixpath.join(context.home, ".qwen"), context.home]
        return [project, *((posixpath.join(folder, ".env"),) for folder in dict.fromkeys(own))]

    def companions(self, path: str, context: Context) -> list[Location]:
        """The settings of the user and the system hold for every file of servers; a project's for its .mcp.json."""
        shared = posixpath.basename(path) == SHARED
        own = posixpath.join(posixpath.dirname(path), _USER_SETTINGS) if shared else ""
        found = [
            replace(location, servers=False)
            for location in self.locations(context)
            if location.path != path and (location.scope != "project" or location.path == own)
        ]
        return found if path not in {location.path for location in self.beside_locations(context)} else []

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        if known[0] != "user" or path.startswith(_own_folder(context) + "/"):
            return known
        if path.endswith(f"/{_USER_SETTINGS}") and not path.startswith(posixpath.join(context.home, ".qwen/")):
            return "project", "its folder is called .qwen, outside the home directory"
        return ("project", f"the file is called {SHARED}") if path.endswith(f"/{SHARED}") else known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if is_file(document, _USER_SETTINGS):
            yield 10, f"it is {_USER_SETTINGS}"
        name = posixpath.basename(document.path)
        if "qwen" in name.lower():
            yield 5, f"the file name {visible(name, 60)} says qwen"
        if document.get("/security/auth/selectedType") in ("openai", "qwen-oauth"):
            yield 5, "it signs in as Qwen Code does"
        if any({"discoveryTimeoutMs", "alwaysLoadTools"} & set(raw) for raw in entries_of(document)):
            yield 5, "its entries have keys that only Qwen Code reads"
        if name == SHARED:
            yield 3, f"the file is called {SHARED}"
        yield from self.family_signs(document)

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        return super().settings_of([one for one in sources if not is_file(one.document, SHARED)], context)

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """An array of servers is a table to JavaScript: they are called 0, 1 and so on."""
        if isinstance(table, list):
            table = {str(index): raw for index, raw in enumerate(table)}
        for entry in super().entries(reader, pointer, table):
            kind = entry.raw.get("type")
            read_so = entry.spec is not None and entry.spec.transport == "sse"
            if read_so and kind in HTTP_TYPES:
                shared = is_file(reader.source.document, SHARED)
                reader.problem(
                    "transport-mismatch",
                    "high",
                    f"{visible(entry.name)}: Qwen Code reads url as the legacy HTTP+SSE transport and ignores "
                    f'"type": {json.dumps(kind)}; a live streamable HTTP server fails to start',
                    pointer_join(entry.pointer, "url"),
                    server=entry.name,
                    action='write "type": "http"' if shared else "rename url to httpUrl",
                )
            yield entry

    # ---- gates

    def shut_out(self, source: Source, settings: Settings, context: Context) -> Gate | None:
        if source.scope != "project" or is_file(source.document, SHARED):
            return None
        if _trust_is_on(settings) and folder_trust(settings, project_folder(source, context), by_rule=False) is False:
            return _distrusted()
        return None

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        gate = self._gate(entry, settings, context)
        return replace(entry, let_through=settings.names("tools.visible"), gate=gate)

    def names_server(self, pattern: str, server: str) -> bool:
        return wildcard_matches(pattern, server, single="?")

    def _gate(self, entry: Entry, settings: Settings, context: Context) -> Gate | None:
        if entry.name in _RESERVED:
            return certain_gate(
                f"Qwen Code never reads a server called {entry.name}, and nothing is said", "rename the server"
            )
        listed = self.listed_gate(entry, settings)
        if listed is not None:
            return listed
        trusted = folder_trust(settings, context.cwd, by_rule=False) if _trust_is_on(settings) else True
        if trusted is False:
            return _distrusted()
        if trusted is None:
            return Gate(
                "folder trust is on and says nothing of this folder: headless, 0.24.4 starts no server in it and "
                "0.21.10 all; an interactive session asks",
                False,
                f"trust the folder in ~/.qwen/{TRUSTED_FOLDERS}",
            )
        return _unapproved() if entry.source.scope == "project" and not _approved(entry, settings, context) else None

    # ---- what the model sees

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        disabled = {written.strip() for written in settings.names("tools.disabled")}
        if {f"mcp__{entry.name}__{tool}", _runtime_name(entry, tool)} & disabled:
            return "tools.disabled names it"
        return super().excludes(entry, tool, settings)

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        known = super().visibility(entry, profile, likely)
        return _shown(known, likely) if entry.always_visible else known

    def shows(
        self, entry: Entry, tool: Contract, profile: Profile, likely: Mapping[str, str], name: str | None = None
    ) -> Visible:
        known = self.visibility(entry, profile, likely)
        return _shown(known, likely) if name in entry.let_through else known

    # ---- what to write, and waiting

    def disable_builtins(self, names: list[str]) -> Fix | None:
        return Fix(self.file_name, json.dumps({"tools": {"disabled": names}}))

    def reveal(self, entry: Entry) -> Fix | None:
        return Fix(f"the entry of {visible(entry.name, 60)}", '"alwaysLoadTools": true')

    def awaits(self, entry: Entry) -> Fix | None:
        return Fix("the environment", "QWEN_CODE_LEGACY_MCP_BLOCKING=1", "sh")

    def wait_before_first_request(
        self, entry: Entry, settings: Settings, context: Context, likely: Mapping[str, str] | None = None
    ) -> float | None:
        """Headless it waits for all; an interactive session for none, unless it is told to find them first."""
        known = likely or {}
        return 0.0 if known.get("mode") == "interactive" and known.get("mcp-blocking") != "on" else None


def _own_folder(context: Context) -> str:
    return context.environ.get("QWEN_HOME") or posixpath.join(context.home, ".qwen")


def _runtime_name(entry: Entry, tool: str) -> str:
    """As the naming rule in its data makes it."""
    return hash_unless_plain(_NAME, f"mcp__{entry.name}__{tool}")


_NAME = {
    "must_match": "[A-Za-z][A-Za-z0-9_-]*", "max_length": 63, "unit": "utf16",
    "otherwise": {
        "allowed": "A-Za-z0-9_-", "replacement": "_", "hash": {"algorithm": "fnv1a32", "digits": 7},
    },
}  # fmt: skip


def _shown(known: Visible, likely: Mapping[str, str]) -> Visible:
    """What is said to be shown at once is so, but for code mode and where no such server is started."""
    return known if known == "no" or likely.get("code-mode") == "on" else "yes"


def _trust_is_on(settings: Settings) -> bool:
    return settings.get("security.folderTrust.enabled") is True


def _distrusted() -> Gate:
    return certain_gate(
        "the folder is one not to trust: Qwen Code starts no server in it, the user's neither",
        f"trust the folder in ~/.qwen/{TRUSTED_FOLDERS}",
    )


def _unapproved() -> Gate:
    return Gate(
        "it stands in a project's file, and headless Qwen Code starts such a server in approval mode yolo only; an "
        "interactive session asks",
        False,
        "approve it once with qwen mcp approve, or move the entry to ~/.qwen/settings.json",
        (Fix("settings.json", '{"tools": {"approvalMode": "yolo"}}'),),
        [{"approval": _NOT_YOLO, "mode": ("headless", "acp")}],
    )


def _approved(entry: Entry, settings: Settings, context: Context) -> bool:
    """Whether a person approved it here. The approval is bound to the entry as it was then, which is not compared."""
    here: Any = settings.value.get(f"({_APPROVALS})")
    for key in (context.cwd, entry.name, "status"):
        here = here.get(key) if isinstance(here, Mapping) else None
    return bool(here == "approved")
