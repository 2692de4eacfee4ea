"""Claude Code. Facts: docs/reference/runtimes.md#claude-code (the published 2.1.332, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document, pointer_join
from contractd.providers.base import Transport
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings, Source, Visible
from contractd.runtimes.claude_format import reading
from contractd.runtimes.cleaning import part
from contractd.runtimes.layers import merged_settings
from contractd.runtimes.profile import Profile, Removal
from contractd.runtimes.reading import Reading
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.style import is_file, milliseconds, wildcard_matches
from contractd.text import visible

# Names the program keeps for itself: a server so called is never loaded, and nothing says so.
_RESERVED = frozenset({"workspace", "claude-in-chrome", "computer-use", "remote-devices", "claude_ai", "hearthbot"})
_HEADLESS_WAIT = 2.0  # seconds it gives the servers of files
_ALWAYS_LOADED_WAIT = 5.0  # seconds more for one with alwaysLoad
_BATCH = 3  # stdio servers started at a time
_REMOTE_BATCH = 20

_USER_FILE = ".claude.json"
_MANAGED = "managed-mcp.json"
_SETTINGS_FILES = ("settings.json", "settings.local.json", "managed-settings.json")
_USER_SETTINGS = "~/.claude/settings.json"
_EITHER_SETTINGS = "~/.claude/settings.json or .claude/settings.json"
_JOINED = (
    "permissions.deny",
    "permissions.allow",
    "disabledMcpjsonServers",
    "enabledMcpjsonServers",
    "deniedMcpServers",
)
# Lists of servers: off in .mcp.json, denied in any file, and the only ones allowed.
_OFF, _DENIED, _ALLOWED = "disabledMcpjsonServers", "deniedMcpServers", "allowedMcpServers"
_PART = {"allowed": "A-Za-z0-9_-", "replacement": "_", "unit": "utf16"}


class ClaudeCode(Runtime):
    name = "claude-code"
    title = "Claude Code"
    program = "claude"
    file_name = ".mcp.json"
    joined = frozenset(_JOINED)
    # Anthropic's own rule; the program itself drops what is longer.
    provider_pattern = re.compile(r"[A-Za-z0-9_-]{1,128}")

    def reading(self, context: Context) -> Reading:
        return reading(context)

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("CLAUDE_CONFIG_DIR") or context.home
        found = [Location(posixpath.join(config, _USER_FILE), "user")]
        parents = [context.cwd]
        while parents[-1] != posixpath.dirname(parents[-1]):
            parents.append(posixpath.dirname(parents[-1]))
        found += [Location(posixpath.join(parent, ".mcp.json"), "project") for parent in reversed(parents)]
        return [*self._settings(context), *found, Location(f"/etc/claude-code/{_MANAGED}", "system")]

    def companions(self, path: str, context: Context) -> list[Location]:
        folder = posixpath.dirname(path) or "/"
        return [location for location in self._settings(replace(context, cwd=folder)) if location.path != path]

    def _settings(self, context: Context) -> list[Location]:
        config = context.environ.get("CLAUDE_CONFIG_DIR") or posixpath.join(context.home, ".claude")
        project = posixpath.join(context.cwd, ".claude")
        return [
            Location(posixpath.join(config, "settings.json"), "user", servers=False),
            Location(posixpath.join(project, "settings.json"), "project", servers=False),
            Location(posixpath.join(project, "settings.local.json"), "local", servers=False),
            Location("/etc/claude-code/managed-settings.json", "system", servers=False),
        ]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        for location in self.locations(context):
            if location.path == path:
                return location.scope, f"{self.title} reads this file in {location.scope} scope"
        name = posixpath.basename(path)
        if name == ".mcp.json":
            return "project", "the file is called .mcp.json"
        if name == _USER_FILE:
            return "user", f"the file is called {_USER_FILE}"
        return "stated", "not a place this runtime reads: taken as if it were given with --mcp-config"

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if name == ".mcp.json":
            yield 6, "the file is called .mcp.json"
        elif name == _USER_FILE:
            yield 10, f"the file is called {_USER_FILE}"
        elif "claude" in name.lower() and "desktop" not in name.lower():
            yield 5, f"the file name {name} says claude"
        if is_file(document, *(f".claude/{settings}" for settings in _SETTINGS_FILES)):
            yield 10, "it is one of Claude Code's settings files"
        servers = document.get("/mcpServers")
        entries = [raw for raw in servers.values() if isinstance(raw, Mapping)] if isinstance(servers, Mapping) else []
        if any("alwaysLoad" in raw or "headersHelper" in raw for raw in entries):
            yield 5, "its entries have keys that only Claude Code reads"
        elif any(raw.get("type") in ("http", "sse", "stdio") for raw in entries):
            yield 2, 'its entries have a "type"'

    def containers(self, source: Source, context: Context) -> list[str]:
        if _holds_settings(source):
            return []
        pointers = ["/mcpServers"]
        if posixpath.basename(source.document.path) == _USER_FILE:
            pointers.append(_of_project(context, "mcpServers"))
        return pointers

    def tables(self, sources: Sequence[Source], context: Context) -> list[tuple[Source, str]]:
        """A managed file is the only one; else user, project (the nearer stronger), local, what is stated."""
        managed = [source for source in sources if posixpath.basename(source.document.path) == _MANAGED]
        found = super().tables(managed or sources, context)
        local = _of_project(context, "mcpServers")
        found = [(replace(source, scope="local") if pointer == local else source, pointer) for source, pointer in found]
        return sorted(found, key=lambda table: {"local": 1, "stated": 2}.get(table[0].scope, 0))

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        """From the settings files; of the user's file, what it keeps about this project."""
        settings = merged_settings([source for source in sources if _holds_settings(source)], self.joined)
        kept = [source for source in sources if posixpath.basename(source.document.path) == _USER_FILE]
        project = {
            key: value for source in kept for key, value in _table(source.document, _of_project(context)).items()
        }
        return Settings({**settings.value, "(project)": project}, settings.sources)

    def switched_off(self, entry: Entry, settings: Settings, context: Context) -> str | None:
        if entry.name in _texts(settings.get("(project).disabledMcpServers")):
            return "switched off for this project in ~/.claude.json"
        found = _refused(entry, settings)
        return found[1] if found and not _by_system(found[0], entry, settings) else None

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        gate = _gate(entry, settings, context)
        return entry if gate is None else replace(entry, gate=gate)

    def disable_builtins(self, names: list[str]) -> Fix | None:
        return Fix(_EITHER_SETTINGS, json.dumps({"permissions": {"deny": names}}, indent=2))

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        denied = [_runtime_name(entry.name, tool) for tool in tools]
        return Fix(_EITHER_SETTINGS, json.dumps({"permissions": {"deny": denied}}, indent=2))

    def reveal(self, entry: Entry) -> Fix | None:
        return Fix(f"the entry of {visible(entry.name, 60)}", '"alwaysLoad": true')

    def awaits(self, entry: Entry) -> Fix | None:
        return Fix("the environment", "MCP_CONNECTION_NONBLOCKING=false", "sh")

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        name = _runtime_name(entry.name, tool)
        server = _runtime_name(entry.name, "").removesuffix("__")
        if any(_denies(rule, name) or rule == server for rule in settings.names("permissions.deny")):
            return "permissions.deny names it"
        return super().excludes(entry, tool, settings)

    def removal_matches(self, removal: Removal, written: str, name: str) -> bool:
        return _denies(written, name)

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        stated = {"bare": "off"} if entry.source.scope == "stated" else {}
        known = super().visibility(entry, profile, {**likely, **stated})
        return "yes" if entry.always_visible and known != "no" else known

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms

    def wait_before_first_request(
        self, entry: Entry, settings: Settings, context: Context, likely: Mapping[str, str] | None = None
    ) -> float | None:
        if entry.source.scope == "stated" or context.environ.get("MCP_CONNECTION_NONBLOCKING", "") in ("0", "false"):
            return None
        stated = milliseconds(context, "CLAUDE_CODE_MCP_STARTUP_WAIT_MS")
        wait = _HEADLESS_WAIT if stated is None else stated
        if entry.always_visible:
            limit = milliseconds(context, "MCP_CONNECT_TIMEOUT_MS")
            wait += _ALWAYS_LOADED_WAIT if limit is None else limit
        return wait

    def starts_at_once(self, transport: Transport, context: Context) -> int | None:
        if transport != "stdio":
            return _REMOTE_BATCH
        text = context.environ.get("MCP_SERVER_CONNECTION_BATCH_SIZE", "")
        return int(text) if re.fullmatch(r"[1-9][0-9]{0,5}", text) else _BATCH


def _gate(entry: Entry, settings: Settings, context: Context) -> Gate | None:
    name, scope = visible(entry.name, 60), entry.source.scope
    if entry.name in _RESERVED:
        return certain_gate(f"Claude Code keeps the name {name} for itself and never loads it", "rename the server")
    if context.environ.get("CLAUDE_CODE_SIMPLE", "") in ("1", "true") and scope != "stated":
        return certain_gate(
            "CLAUDE_CODE_SIMPLE is set: only servers given with --mcp-config are loaded", "unset CLAUDE_CODE_SIMPLE"
        )
    refused = _refused(entry, settings)
    if refused is not None:
        return certain_gate(f"{refused[1]}, in the managed settings", f"have an administrator {refused[2]}")
    allowed = settings.get("allowedMcpServers")
    if isinstance(allowed, list) and not _named(allowed, entry.name):
        # One of its rules names a command or an address; how those are compared is not known here.
        return Gate("allowedMcpServers does not name it", False, f"add {name} to allowedMcpServers")
    approved = [*settings.names("enabledMcpjsonServers"), *_texts(settings.get("(project).enabledMcpjsonServers"))]
    if scope == "project" and settings.get("enableAllProjectMcpServers") is not True and entry.name not in approved:
        return Gate(
            "in an interactive session a person must first trust the folder and approve servers of .mcp.json; with -p "
            "they start without asking",
            False,
            "approve it once, or set enableAllProjectMcpServers",
            (Fix(_USER_SETTINGS, '{"enableAllProjectMcpServers": true}'),),
            silent=False,
        )
    return None


def _refused(entry: Entry, settings: Settings) -> tuple[str, str, str] | None:
    """The list that surely keeps a server from starting, why, and what settles it."""
    name = visible(entry.name, 60)
    refused = [*settings.names(_OFF), *_texts(settings.get(f"(project).{_OFF}"))]
    if entry.source.scope == "project" and entry.name in refused:
        return _OFF, f"{_OFF} names it", f"take {name} out of {_OFF}"
    if _named(settings.get(_DENIED), entry.name):
        return _DENIED, f"{_DENIED} names it", f"take {name} out of {_DENIED}"
    allowed = settings.get(_ALLOWED)
    if not isinstance(allowed, list) or _named(allowed, entry.name):
        return None
    by_name = all(isinstance(rule, Mapping) and "serverName" in rule for rule in allowed)
    return (_ALLOWED, f"{_ALLOWED} does not name it", f"add {name} to {_ALLOWED}") if by_name else None


def _by_system(key: str, entry: Entry, settings: Settings) -> bool:
    """Whether only an administrator's file says so."""
    if key == _OFF:
        own = _texts(settings.get(f"(project).{_OFF}"))
        return entry.name not in own and settings.only_of_system(key, lambda value: entry.name in _texts(value))
    return settings.only_of_system(key, (lambda value: _named(value, entry.name)) if key == _DENIED else _is_there)


def _is_there(value: Any) -> bool:
    return value is not None


def _holds_settings(source: Source) -> bool:
    return not source.servers or is_file(source.document, *(f".claude/{name}" for name in _SETTINGS_FILES))


def _of_project(context: Context, *more: str) -> str:
    return pointer_join("", "projects", context.cwd, *more)


def _table(document: Document, pointer: str) -> Mapping[str, Any]:
    found = document.get(pointer)
    return found if isinstance(found, Mapping) else {}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _named(rules: Any, name: str) -> bool:
    return isinstance(rules, list) and any(
        isinstance(rule, Mapping) and rule.get("serverName") == name for rule in rules
    )


def _runtime_name(server: str, tool: str) -> str:
    """As the naming rule in its data makes it: permission rules are compared with this."""
    cleaned = part(tool, {**_PART, "before": ("nfkc", "drop-hidden")}) if tool else ""
    return f"mcp__{part(server, _PART)}__{cleaned}"


def _denies(rule: str, name: str) -> bool:
    """Whether a rule of permissions.deny takes a tool away: * is a wildcard; one with a parenthesis acts on calls."""
    if "(" in rule:
        return False
    return wildcard_matches(rule, name)
