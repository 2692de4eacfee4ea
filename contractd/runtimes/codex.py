"""Codex CLI. Facts: docs/reference/runtimes.md#codex-cli (the published 0.171.0, run against a scripted model)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contractd.contracts import FlawedTool
from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings, Source
from contractd.runtimes.layers import merged_settings
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.shapes import FLAG, LIST, NUMBER, TABLE, TEXT, TEXT_TABLE, TEXTS, WHOLE, Shape
from contractd.runtimes.style import NO_TARGET, Wrong, is_file, project_folder
from contractd.text import visible

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
_SHAPES: dict[str, Shape] = {
    "command": TEXT, "args": TEXTS, "env": TEXT_TABLE, "env_vars": LIST, "cwd": TEXT, "url": TEXT,
    "http_headers": TEXT_TABLE, "env_http_headers": TEXT_TABLE, "bearer_token_env_var": TEXT, "enabled": FLAG,
    "required": FLAG, "startup_timeout_sec": NUMBER, "startup_timeout_ms": WHOLE, "tool_timeout_sec": NUMBER,
    "enabled_tools": TEXTS, "disabled_tools": TEXTS, "scopes": TEXTS, "supports_parallel_tool_calls": FLAG,
    "tools": TABLE,
}  # fmt: skip
_SLIPS = {
    "environment": "env", "headers": "http_headers", "timeout": "startup_timeout_sec", "disabled": "enabled = false",
    "includeTools": "enabled_tools", "excludeTools": "disabled_tools", "include_tools": "enabled_tools",
    "exclude_tools": "disabled_tools", "httpUrl": "url", "serverUrl": "url",
}  # fmt: skip
# What a stdio server gets of the environment, of those that are set.
_INHERITED = frozenset(
    ["HOME", "LANG", "LC_ALL", "LOGNAME", "NODE_EXTRA_CA_CERTS", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
)
_SERVER_NAME = re.compile(r"[a-zA-Z0-9_:@/.-]+")
_OPTIONAL_WAIT = 0.9  # seconds: a server that took 0.8 was in time, one that took 1.0 was not
_OVER = "stops with exit status 1"
_REQUIREMENTS = "requirements.toml"
_USER_FILE = ".codex/config.toml"

# What takes a built-in away: the table and key, and its value.
_SWITCHES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("spawn_agent", "send_message", "followup_task", "wait_agent", "interrupt_agent", "list_agents", "send_input",
         "close_agent", "resume_agent"), ("agents", "enabled = false")),
    **dict.fromkeys(("get_goal", "create_goal", "update_goal"), ("features", "goals = false")),
    **dict.fromkeys(("exec_command", "write_stdin"), ("features", "shell_tool = false")),
    "view_image": ("features", "view_image = false"),
    "web_search": ("", 'web_search = "disabled"'),
}  # fmt: skip

# Of what a tool can lack, these make it drop the whole list; a schema without properties or of another type does not.
_LOSES_LIST = re.compile(r"has no inputSchema|, not a schema object$")


def _transport(raw: Mapping[str, Any]) -> Chosen:
    if "command" in raw and "url" in raw:
        return Wrong("it has both a command and a url", "keep the one that is meant")
    if "command" in raw:
        return "stdio", False
    return ("http", False) if "url" in raw else NO_TARGET


class CodexCli(Runtime):
    name = "codex-cli"
    title = "Codex CLI"
    program = "codex"
    file_name = "config.toml"
    merges_entries = True
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
            formats=frozenset({"toml"}),
            shapes=_SHAPES,
            over_shape=_OVER,
            whole_file=True,
            slips=_SLIPS,
        )

    def locations(self, context: Context) -> list[Location]:
        return [
            Location(f"/etc/codex/{_REQUIREMENTS}", "system", servers=False),
            Location("/etc/codex/config.toml", "system"),
            Location(_user_file(context), "user"),
            Location(posixpath.join(context.cwd, _USER_FILE), "project"),
            Location("/etc/codex/managed_config.toml", "system"),
        ]

    def companions(self, path: str, context: Context) -> list[Location]:
        """The user's file trusts projects, and its entries show through a project's."""
        user = Location(_user_file(context), "user", servers=False)
        return [self.locations(context)[0], *([user] if path != user.path else [])]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        inside = path.startswith(posixpath.dirname(_user_file(context)) + "/")
        if known[0] == "user" and path.endswith(f"/{_USER_FILE}") and not inside:
            return "project", "its folder is called .codex, outside the home directory"
        return known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path).lower()
        if is_file(document, _USER_FILE):
            yield 10, "it is .codex/config.toml"
        if "codex" in name:
            yield 5, f"the file name {name} says codex"
        if document.format == "toml" and isinstance(document.get("/mcp_servers"), Mapping):
            yield 8, "it is TOML with [mcp_servers]"
        if document.format == "toml" and document.get("/model_providers") is not None:
            yield 4, "it has [model_providers]"

    def containers(self, source: Source, context: Context) -> list[str]:
        return [] if _is_requirements(source) else super().containers(source, context)

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        """What an administrator requires is kept apart from the settings."""
        settings = merged_settings([source for source in sources if not _is_requirements(source)])
        required = [source.document.get("/mcp_servers") for source in sources if _is_requirements(source)]
        return Settings({**settings.value, "(required)": required[-1] if required else None}, settings.sources)

    def shut_out(self, source: Source, settings: Settings, context: Context) -> Gate | None:
        folder = project_folder(source, context)
        if source.scope != "project" or _trusts(settings, folder):
            return None
        # A project begins at the root of its repository, which only the program sees.
        above = any(_trusts(settings, parent) for parent in _parents(folder))
        fix = Fix("~/.codex/config.toml", f'[projects.{_text(folder)}]\ntrust_level = "trusted"', "toml")
        why = "it stands in a project's file, which counts in a trusted project only; stderr has one warning"
        return Gate(why, not above, "trust the project", (fix,), silent=False)

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        for name, raw in table.items() if isinstance(table, Mapping) else ():
            if isinstance(raw, Mapping):
                _refuse_misplaced(reader, name, raw, pointer_join(pointer, name))
        yield from super().entries(reader, pointer, table)

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        gate = None
        if not _SERVER_NAME.fullmatch(entry.name):
            gate = certain_gate("Codex CLI takes only A-Z a-z 0-9 _ : @ / . - in a server's name", "rename the server")
        required = settings.get("(required)")
        if isinstance(required, Mapping) and entry.name not in required:
            gate = certain_gate(
                f"/etc/codex/{_REQUIREMENTS} does not list it", "have an administrator add its identity there"
            )
        return entry if gate is None else replace(entry, gate=gate)

    def wait_before_first_request(
        self, entry: Entry, settings: Settings, context: Context, likely: Mapping[str, str] | None = None
    ) -> float | None:
        return None if entry.required else _OPTIONAL_WAIT

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        return "with required = true Codex CLI stops, with exit status 1" if entry.required else None

    def awaits(self, entry: Entry) -> Fix | None:
        return Fix(f"[mcp_servers.{_key(entry.name)}]", "required = true", "toml")

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        return Fix(f"[mcp_servers.{_key(entry.name)}]", f"disabled_tools = {_texts(tools)}", "toml")

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        return Fix(f"[mcp_servers.{_key(entry.name)}]", f"env_vars = {_texts(names)}", "toml")

    def disable_builtins(self, names: list[str]) -> Fix | None:
        if not all(name in _SWITCHES for name in names):
            return None
        tables: dict[str, dict[str, None]] = {"": {}}
        for table, line in (_SWITCHES[name] for name in names):
            tables.setdefault(table, {})[line] = None
        parts = ["\n".join([f"[{table}]", *lines] if table else lines) for table, lines in tables.items() if lines]
        return Fix("config.toml", "\n\n".join(parts), "toml")

    def loses_list(self, flawed: FlawedTool) -> bool:
        if flawed.conforms:
            return False
        return flawed.name is None or any(
            _LOSES_LIST.search(flaw.message) or flaw.pointer in ("/title", "/description", "/annotations")
            for flaw in flawed.flaws
        )


def _user_file(context: Context) -> str:
    home = context.environ.get("CODEX_HOME") or posixpath.join(context.home, ".codex")
    return posixpath.join(home, "config.toml")


def _is_requirements(source: Source) -> bool:
    return posixpath.basename(source.document.path) == _REQUIREMENTS


def _refuse_misplaced(reader: EntryReader, name: str, raw: Mapping[str, Any], pointer: str) -> None:
    """Raises ConfigError for a key of the other transport, or a token written out: the program stops over either."""
    kind, others = ("stdio", _REMOTE) if "command" in raw else ("HTTP", _STDIO)
    wrong = [key for key in raw if key in others] if ("command" in raw) != ("url" in raw) else []
    why = f"{wrong[0]} is not supported for {kind}" if wrong else ""
    if "bearer_token" in raw:
        wrong, why = (
            ["bearer_token"],
            "bearer_token is not supported; the token's variable goes into bearer_token_env_var",
        )
    if wrong:
        where = pointer_join(pointer, wrong[0])
        message = f"{visible(name)}: {why}; Codex CLI {_OVER}"
        raise ConfigError(message, place=reader.place(where), hint=f"remove {wrong[0]}")


def _trusts(settings: Settings, folder: str) -> bool:
    projects = settings.get("projects")
    entry = projects.get(folder) if isinstance(projects, Mapping) else None
    return isinstance(entry, Mapping) and entry.get("trust_level") == "trusted"


def _parents(folder: str) -> Iterator[str]:
    while folder != posixpath.dirname(folder):
        folder = posixpath.dirname(folder)
        yield folder


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _texts(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    """A basic string of TOML, every character that may not stand in one escaped."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return (
        '"'
        + "".join(escapes.get(char) or (char if " " <= char != "\x7f" else f"\\u{ord(char):04x}") for char in text)
        + '"'
    )
