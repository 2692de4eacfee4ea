"""Gemini CLI. Facts: docs/reference/runtimes.md#gemini-cli (the published 0.61.0, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document
from contractd.providers.base import Inherit
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings, Source, Visible
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import Chosen, Reading, Role
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.variables import DOLLAR_DEFAULT, DOLLAR_DEFAULT_EMPTY, Syntax

_KEYS: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "cwd": "cwd", "url": "url", "httpUrl": "url",
    "headers": "headers", "tcp": "known", "type": "type", "timeout": "budget-ms", "trust": "known",
    "description": "known", "includeTools": "include", "excludeTools": "exclude", "extension": "known",
    "oauth": "known", "authProviderType": "known", "targetAudience": "known", "targetServiceAccount": "known",
}  # fmt: skip
_TOP_LEVEL = frozenset(
    [
        "$schema",
        "mcpServers",
        "general",
        "output",
        "ui",
        "ide",
        "privacy",
        "telemetry",
        "billing",
        "model",
        "modelConfigs",
        "agents",
        "context",
        "tools",
        "mcp",
        "useWriteTodos",
        "security",
        "advanced",
        "experimental",
        "extensions",
        "skills",
        "hooksConfig",
        "hooks",
        "contextManagement",
        "admin",
    ]
)
_SYNTAX: dict[Role, Syntax] = {
    **dict.fromkeys(("command", "args", "cwd", "url"), DOLLAR_DEFAULT),
    "env": DOLLAR_DEFAULT_EMPTY,
    "headers": DOLLAR_DEFAULT_EMPTY,
}

# Variables it keeps from servers unless an entry asks for them (its environment redaction).
_REDACTED_PART = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT", re.IGNORECASE)
_REDACTED = frozenset(
    [
        "CLIENT_ID",
        "DB_URI",
        "CONNECTION_STRING",
        "AWS_DEFAULT_REGION",
        "AZURE_CLIENT_ID",
        "AZURE_TENANT_ID",
        "SLACK_WEBHOOK_URL",
        "TWILIO_ACCOUNT_SID",
        "DATABASE_URL",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_ACCOUNT",
        "FIREBASE_PROJECT_ID",
    ]
)
_NEVER_REDACTED = re.compile(r"(GEMINI_CLI_|GIT_CONFIG_).*|PATH|HOME|LANG|SHELL|USER|LOGNAME|TERM|TMPDIR")


def _transport(raw: Mapping[str, Any]) -> Chosen:
    if raw.get("httpUrl"):
        return "http", False
    if raw.get("url"):
        kind = raw.get("type")
        return ("sse", False) if kind == "sse" else ("http", kind is None)
    if raw.get("command"):
        return "stdio", False
    return "it has neither a command nor a URL; Gemini CLI passes over it in silence"


class GeminiCli(Runtime):
    name = "gemini-cli"
    title = "Gemini CLI"
    program = "gemini"
    file_name = "settings.json"
    # Gemini's functionDeclarations: a letter or _ first, then letters, digits, _ . : -, at most 64 (128 since 2025).
    provider_pattern = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=_SYNTAX,
            budgets=dict.fromkeys(("stdio", "http", "sse"), 600.0),
            inherit=_inherited(context),
            comments=True,
            trailing_commas=False,
            top_level=_TOP_LEVEL,
            slips={"environment": "env", "serverUrl": "httpUrl", "disabled": "mcp.excluded at the top level"},
        )

    def locations(self, context: Context) -> list[Location]:
        environ = context.environ
        lowest = environ.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH") or "/etc/gemini-cli/system-defaults.json"
        highest = environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or "/etc/gemini-cli/settings.json"
        return [
            Location(posixpath.join(context.home, ".gemini/trustedFolders.json"), "user", servers=False),
            Location(lowest, "system"),
            Location(posixpath.join(context.home, ".gemini/settings.json"), "user"),
            Location(posixpath.join(context.cwd, ".gemini/settings.json"), "project"),
            Location(highest, "system"),
        ]

    def companions(self, path: str, context: Context) -> list[Location]:
        return [Location(posixpath.join(context.home, ".gemini/trustedFolders.json"), "user", servers=False)]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        if known[0] == "user" and path.endswith("/.gemini/settings.json") and not path.startswith(context.home + "/.g"):
            return "project", "its folder is called .gemini, outside the home directory"
        return known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if document.path.endswith(".gemini/settings.json"):
            yield 10, "it is .gemini/settings.json"
        name = posixpath.basename(document.path).lower()
        if "gemini" in name:
            yield 5, f"the file name {name} says gemini"
        if str(document.get("/security/auth/selectedType", "")).startswith(
            ("gemini", "oauth-personal", "vertex", "cloud")
        ):
            yield 5, "it signs in as Gemini CLI does"
        servers = document.get("/mcpServers")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and "httpUrl" in raw for raw in servers.values()
        ):
            yield 3, "its entries say httpUrl"

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        gate = _gate(entry, settings, context)
        return entry if gate is None else replace(entry, gate=gate)

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        """Headless, what would have to ask a person is left out of the list: MCP tools too, unless trusted."""
        mode, approval = likely.get("mode"), likely.get("approval")
        if mode == "headless" and approval == "plan":
            return "no"
        if entry.raw.get("trust") is True or approval == "yolo" or mode == "interactive":
            return "yes"
        if mode == "headless" and approval in ("default", "auto_edit"):
            return "no"
        return "unknown"

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        # A built-in's name in tools.exclude takes every MCP tool of that own name away as well.
        names = settings.names("tools.exclude")
        if tool in names or "DiscoveredMCPTool" in names:
            return "tools.exclude at the top level names it"
        return super().excludes(entry, tool, settings)

    def reveal(self, entry: Entry) -> Fix | None:
        return Fix(f"the entry of {entry.name}", '"trust": true')

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        return Fix(f"the entry of {entry.name}", f'"excludeTools": {json.dumps(tools)}')

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        return Fix(f"the entry of {entry.name}", f'"env": {json.dumps({name: f"${name}" for name in names})}')

    def filter_matches(self, pattern: str, tools: Sequence[str]) -> bool:
        return pattern.partition("(")[0] in tools

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms


def _inherited(context: Context) -> Inherit:
    return frozenset(
        name
        for name in context.environ
        if _NEVER_REDACTED.fullmatch(name) or not (name in _REDACTED or _REDACTED_PART.search(name))
    )


def _gate(entry: Entry, settings: Settings, context: Context) -> Gate | None:
    if entry.name in settings.names("mcp.excluded"):
        return certain_gate("mcp.excluded names it", f"take {entry.name} out of mcp.excluded")
    allowed = settings.names("mcp.allowed")
    if allowed and entry.name not in allowed:
        return certain_gate("mcp.allowed does not name it", f"add {entry.name} to mcp.allowed")
    if entry.source.scope == "project" and not _trusted(settings, context):
        return Gate(
            "it stands in a project's settings, which count in a trusted folder only; --skip-trust does not help",
            False,
            "trust the folder, or move the entry to ~/.gemini/settings.json",
            (Fix("the environment", "GEMINI_CLI_TRUST_WORKSPACE=true", "sh"),),
        )
    return None


def _trusted(settings: Settings, context: Context) -> bool:
    if context.environ.get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
        return True
    return settings.get("security.folderTrust.enabled") is False or _folder_trusted(settings.sources, context.cwd)


def _folder_trusted(sources: Sequence[Source], folder: str) -> bool:
    for source in sources:
        if posixpath.basename(source.document.path) != "trustedFolders.json":
            continue
        for path, level in source.document.value.items():
            base = posixpath.dirname(path) if level == "TRUST_PARENT" else path
            if level in ("TRUST_FOLDER", "TRUST_PARENT") and (folder + "/").startswith(base.rstrip("/") + "/"):
                return True
    return False
