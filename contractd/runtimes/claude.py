"""Claude Code. Facts: docs/reference/runtimes.md#claude-code (the published 2.1.332, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document, pointer_join
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Settings, Source, Visible
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.variables import BRACES_DEFAULT

_STDIO: dict[str, Role] = {"command": "command", "args": "args", "env": "env"}
_REMOTE: dict[str, Role] = {
    "url": "url", "headers": "headers", "headersHelper": "known", "oauth": "known", "request_timeout_ms": "known",
    "tools": "known", "displayName": "known", "discoveryCache": "known", "toolPermissions": "known",
}  # fmt: skip
_BOTH: dict[str, Role] = {"type": "type", "timeout": "known", "alwaysLoad": "always-visible", "role": "known"}
_SLIPS = {"httpUrl": "url with type http", "serverUrl": "url with type http", "transport": "type", "environment": "env"}

# Names the program keeps for itself: a server so called is never loaded, and nothing says so.
_RESERVED = frozenset({"workspace", "claude-in-chrome", "computer-use", "remote-devices", "claude_ai", "hearthbot"})

# Expanded to nothing in the URL and headers of a remote server, so that no server gets them.
_BLANKED = frozenset(
    [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
        "NPM_TOKEN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "HTTP_PROXY",
        "AZURE_CLIENT_SECRET",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "OTEL_EXPORTER_OTLP_HEADERS",
    ]
)
_HEADLESS_WAIT = 2.0  # seconds


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind in (None, "stdio"):
        if "command" in raw:
            return "stdio", False
        if "url" in raw or "httpUrl" in raw:
            return 'a remote server needs "type": "http" (or "sse"); without it Claude Code drops the entry in silence'
        return "it has no command"
    if kind in ("http", "streamable-http"):
        return "http", False
    if kind == "sse":
        return "sse", False
    return f"type {json.dumps(kind)[:60]} is not known to Claude Code, which drops the entry in silence"


class ClaudeCode(Runtime):
    name = "claude-code"
    title = "Claude Code"
    program = "claude"
    file_name = ".mcp.json"

    def reading(self, context: Context) -> Reading:
        limit = context.environ.get("MCP_TIMEOUT", "")
        budget = int(limit) / 1000 if limit.isdigit() and int(limit) else 30.0
        return Reading(
            container=("mcpServers",),
            keys={**_STDIO, **_REMOTE, **_BOTH},
            transport=_transport,
            syntax=dict.fromkeys(("command", "args", "env", "url", "headers"), BRACES_DEFAULT),
            blanked=_BLANKED,
            budgets={"stdio": budget, "http": budget, "sse": budget},
            comments=False,
            trailing_commas=False,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        config = context.environ.get("CLAUDE_CONFIG_DIR") or context.home
        found = [Location(posixpath.join(config, ".claude.json"), "user")]
        parents = [context.cwd]
        while parents[-1] != posixpath.dirname(parents[-1]):
            parents.append(posixpath.dirname(parents[-1]))
        found += [Location(posixpath.join(parent, ".mcp.json"), "project") for parent in reversed(parents)]
        return self._settings(context) + found

    def companions(self, path: str, context: Context) -> list[Location]:
        return self._settings(replace(context, cwd=posixpath.dirname(path) or "/"))

    def _settings(self, context: Context) -> list[Location]:
        config = context.environ.get("CLAUDE_CONFIG_DIR") or posixpath.join(context.home, ".claude")
        project = posixpath.join(context.cwd, ".claude")
        return [
            Location(posixpath.join(config, "settings.json"), "user", servers=False),
            Location(posixpath.join(project, "settings.json"), "project", servers=False),
            Location(posixpath.join(project, "settings.local.json"), "local", servers=False),
            Location("/etc/claude-code/managed-settings.json", "system", servers=False),
        ]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path)
        if name == ".mcp.json":
            yield 6, "the file is called .mcp.json"
        if name == ".claude.json":
            yield 10, "the file is called .claude.json"
        if "claude" in name.lower() and "desktop" not in name.lower():
            yield 5, f"the file name {name} says claude"
        servers = document.get("/mcpServers")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and (raw.get("type") in ("http", "sse", "stdio") or "alwaysLoad" in raw)
            for raw in servers.values()
        ):
            yield 2, 'its entries have a "type"'

    def containers(self, source: Source, context: Context) -> list[str]:
        pointers = ["/mcpServers"]
        if posixpath.basename(source.document.path) == ".claude.json":
            pointers.append(pointer_join("", "projects", context.cwd, "mcpServers"))
        return pointers

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        gate = _gate(entry, settings)
        return entry if gate is None else replace(entry, gate=gate)

    def disable_builtins(self, names: list[str]) -> Fix | None:
        text = json.dumps({"permissions": {"deny": names}}, indent=2)
        return Fix("~/.claude/settings.json or .claude/settings.json", text)

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        denied = [f"mcp__{entry.name}__{tool}" for tool in tools]
        return Fix("~/.claude/settings.json or .claude/settings.json", json.dumps({"permissions": {"deny": denied}}))

    def reveal(self, entry: Entry) -> Fix | None:
        return Fix(f"the entry of {entry.name}", '"alwaysLoad": true')

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        searching = likely.get("tool_search") == "on" and likely.get("model") != "claude-3"
        return "deferred" if searching and not entry.always_visible else "yes"

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms

    def wait_before_first_request(self, entry: Entry, settings: Settings, context: Context) -> float | None:
        if context.environ.get("MCP_CONNECTION_NONBLOCKING", "") in ("0", "false"):
            return None
        limit = context.environ.get("CLAUDE_CODE_MCP_STARTUP_WAIT_MS", "")
        if limit.isdigit():
            return int(limit) / 1000
        return _HEADLESS_WAIT + 5.0 if entry.always_visible else _HEADLESS_WAIT


def _gate(entry: Entry, settings: Settings) -> Gate | None:
    if entry.name in _RESERVED:
        return certain_gate(
            f"Claude Code keeps the name {entry.name} for itself and never loads it", "rename the server"
        )
    if entry.source.scope == "project" and entry.name in settings.names("disabledMcpjsonServers"):
        return certain_gate("disabledMcpjsonServers names it", f"take {entry.name} out of disabledMcpjsonServers")
    if _named(settings.get("deniedMcpServers"), entry.name):
        return certain_gate("deniedMcpServers names it", f"take {entry.name} out of deniedMcpServers")
    allowed = settings.get("allowedMcpServers")
    if isinstance(allowed, list) and not _named(allowed, entry.name):
        return certain_gate("allowedMcpServers does not name it", f"add {entry.name} to allowedMcpServers")
    if entry.source.scope == "project":
        approved = settings.get("enableAllProjectMcpServers") is True or entry.name in settings.names(
            "enabledMcpjsonServers"
        )
        if not approved:
            return Gate(
                "in an interactive session a person must first trust the folder and approve servers of .mcp.json; "
                "with -p they start without asking",
                False,
                "approve it once, or set enableAllProjectMcpServers",
                (Fix("~/.claude/settings.json", '{"enableAllProjectMcpServers": true}'),),
            )
    return None


def _named(rules: Any, name: str) -> bool:
    return isinstance(rules, list) and any(
        isinstance(rule, Mapping) and rule.get("serverName") == name for rule in rules
    )
