"""Codex CLI. Facts: docs/reference/runtimes.md#codex-cli (the published 0.171.0, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document
from contractd.errors import ConfigError
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime, certain_gate

_STDIO: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "env_vars": "inherit-names", "cwd": "cwd",
}  # fmt: skip
_REMOTE: dict[str, Role] = {
    "url": "url", "http_headers": "headers", "env_http_headers": "headers-env", "bearer_token_env_var": "bearer-env",
    "oauth": "known", "oauth_resource": "known", "auth": "known",
}  # fmt: skip
_BOTH: dict[str, Role] = {
    "enabled": "enabled", "required": "required", "startup_timeout_sec": "budget-s", "startup_timeout_ms": "budget-ms",
    "tool_timeout_sec": "known", "enabled_tools": "include", "disabled_tools": "exclude", "scopes": "known",
    "default_tools_approval_mode": "known", "supports_parallel_tool_calls": "known", "tools": "known",
    "environment_id": "known", "name": "known",
}  # fmt: skip
_SLIPS = {
    "environment": "env", "headers": "http_headers", "timeout": "startup_timeout_sec", "disabled": "enabled = false",
    "includeTools": "enabled_tools", "excludeTools": "disabled_tools",
}  # fmt: skip
# What a stdio server gets of the environment, of those that are set.
_INHERITED = frozenset(
    ["HOME", "LANG", "LC_ALL", "LOGNAME", "NODE_EXTRA_CA_CERTS", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
)
_SERVER_NAME = re.compile(r"[a-zA-Z0-9_:@/.-]+")
_OPTIONAL_WAIT = 1.0  # seconds it gives a server that is not required


def _transport(raw: Mapping[str, Any]) -> Chosen:
    if "command" in raw and "url" in raw:
        return "it has both a command and a url; Codex CLI stops with an error over it"
    if "command" in raw:
        return "stdio", False
    return ("http", False) if "url" in raw else "it has neither a command nor a url; Codex CLI stops with an error"


class CodexCli(Runtime):
    name = "codex-cli"
    title = "Codex CLI"
    program = "codex"
    file_name = "config.toml"
    # Namespace and tool go to the interface apart; each is cleaned to these by the program itself.
    provider_pattern = re.compile(r"[A-Za-z0-9_-]{1,128}")

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("mcp_servers",),
            keys={**_STDIO, **_REMOTE, **_BOTH},
            transport=_transport,
            syntax={},
            budgets={"stdio": 30.0, "http": 30.0},
            inherit=_INHERITED,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        home = context.environ.get("CODEX_HOME") or posixpath.join(context.home, ".codex")
        return [
            Location("/etc/codex/config.toml", "system"),
            Location(posixpath.join(home, "config.toml"), "user"),
            Location(posixpath.join(context.cwd, ".codex/config.toml"), "project"),
            Location("/etc/codex/managed_config.toml", "system"),
        ]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        if (
            known[0] == "user"
            and path.endswith("/.codex/config.toml")
            and not path.startswith(context.home + "/.codex")
        ):
            return "project", "its folder is called .codex, outside the home directory"
        return known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path).lower()
        if document.path.endswith(".codex/config.toml"):
            yield 10, "it is .codex/config.toml"
        if "codex" in name:
            yield 5, f"the file name {name} says codex"
        if document.format == "toml" and isinstance(document.get("/mcp_servers"), Mapping):
            yield 8, "it is TOML with [mcp_servers]"
        if document.format == "toml" and document.get("/model_providers") is not None:
            yield 4, "it has [model_providers]"

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        for entry in super().entries(reader, pointer, table):
            wrong = set(entry.raw) & set(_REMOTE if "command" in entry.raw else _STDIO)
            if wrong and entry.spec is not None:
                key = sorted(wrong)[0]
                kind = "stdio" if "command" in entry.raw else "HTTP"
                raise ConfigError(
                    f"{entry.name}: {key} is not supported for {kind}; Codex CLI refuses the whole file over it",
                    place=reader.place(f"{entry.pointer}/{key}"),
                    hint="remove the key",
                )
            yield entry

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        if not _SERVER_NAME.fullmatch(entry.name):
            gate = certain_gate("Codex CLI takes only A-Z a-z 0-9 _ : @ / . - in a server's name", "rename the server")
            return replace(entry, gate=gate)
        if entry.source.scope == "project" and not _trusted(settings, context):
            fix = Fix("~/.codex/config.toml", f'[projects.{json.dumps(context.cwd)}]\ntrust_level = "trusted"', "toml")
            why = "it stands in a project's file, which counts in a trusted project only (stderr has one warning)"
            return replace(entry, gate=Gate(why, True, "trust the project", (fix,)))
        return entry

    def wait_before_first_request(self, entry: Entry, settings: Settings, context: Context) -> float | None:
        return None if entry.required else _OPTIONAL_WAIT

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        return "with required = true Codex CLI stops, with exit status 1" if entry.required else None

    def awaits(self, entry: Entry) -> Fix | None:
        return Fix(f"[mcp_servers.{_key(entry.name)}]", "required = true", "toml")

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        return Fix(f"[mcp_servers.{_key(entry.name)}]", f"disabled_tools = {json.dumps(tools)}", "toml")

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        return Fix(f"[mcp_servers.{_key(entry.name)}]", f"env_vars = {json.dumps(names)}", "toml")

    def disable_builtins(self, names: list[str]) -> Fix | None:
        return Fix("config.toml", "[agents]\nenabled = false", "toml") if set(names) & _AGENT_TOOLS else None

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms


_AGENT_TOOLS = frozenset(
    [
        "spawn_agent",
        "send_message",
        "followup_task",
        "wait_agent",
        "interrupt_agent",
        "list_agents",
        "send_input",
        "close_agent",
        "resume_agent",
    ]
)


def _trusted(settings: Settings, context: Context) -> bool:
    projects = settings.get("projects")
    entry = projects.get(context.cwd) if isinstance(projects, Mapping) else None
    return isinstance(entry, Mapping) and entry.get("trust_level") == "trusted"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
