"""Gemini CLI. Facts: docs/reference/runtimes.md#gemini-cli (the published 0.61.0, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from contractd.contracts import Contract, FlawedTool
from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Scope, Settings, Source, Visible
from contractd.runtimes.cleaning import part
from contractd.runtimes.gemini_family import TRUSTED_FOLDERS, GeminiFamily, folder_trust
from contractd.runtimes.gemini_format import inherited, reading
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import Reading
from contractd.runtimes.style import is_file, project_folder
from contractd.text import visible

_ENABLEMENT = "mcp-server-enablement.json"
_USER_SETTINGS = ".gemini/settings.json"
_PART = {"allowed": "A-Za-z0-9_.:-", "replacement": "_", "unit": "utf16"}

# A class name in tools.exclude takes the built-in alone; the tool's own name takes every server's tool of it as well.
# ReadFileTool was tried, the others stand in the source.
_CLASSES: dict[str, tuple[str, ...]] = {
    "read_file": ("ReadFileTool",), "write_file": ("WriteFileTool",), "replace": ("EditTool",), "glob": ("GlobTool",),
    "grep_search": ("GrepTool", "RipGrepTool"), "list_directory": ("LSTool",), "run_shell_command": ("ShellTool",),
    "web_fetch": ("WebFetchTool",), "google_web_search": ("WebSearchTool",),
}  # fmt: skip
_ALL_MCP = "DiscoveredMCPTool"


class GeminiCli(GeminiFamily):
    name = "gemini-cli"
    title = "Gemini CLI"
    program = "gemini"
    file_name = "settings.json"
    joined = frozenset({"tools.exclude"})
    version_patience = 15.0
    # Gemini's functionDeclarations: a letter or _ first, then letters, digits, _ . : -, at most 64 (128 since 2025).
    provider_pattern = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")

    def reading(self, context: Context) -> Reading:
        return replace(reading(), inherit=inherited(context))

    def locations(self, context: Context) -> list[Location]:
        environ = context.environ
        lowest = environ.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH") or "/etc/gemini-cli/system-defaults.json"
        highest = environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or "/etc/gemini-cli/settings.json"
        return [
            *self.beside_locations(context),
            Location(lowest, "system"),
            Location(posixpath.join(context.home, _USER_SETTINGS), "user"),
            Location(posixpath.join(context.cwd, _USER_SETTINGS), "project"),
            Location(highest, "system"),
        ]

    def beside(self, context: Context) -> dict[str, str]:
        folder = posixpath.join(context.home, ".gemini")
        trusted = context.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH") or posixpath.join(folder, TRUSTED_FOLDERS)
        return {TRUSTED_FOLDERS: trusted, _ENABLEMENT: posixpath.join(folder, _ENABLEMENT)}

    def env_files(self, context: Context) -> list[tuple[str, ...]]:
        return [(posixpath.join(context.cwd, ".env"),), (posixpath.join(context.home, ".gemini/.env"),)]

    def companions(self, path: str, context: Context) -> list[Location]:
        """The user's settings tell whether a folder is trusted."""
        user = Location(posixpath.join(context.home, _USER_SETTINGS), "user", servers=False)
        return [*self.beside_locations(context), *([user] if path != user.path else [])]

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        if known[0] == "user" and path.endswith(f"/{_USER_SETTINGS}") and not path.startswith(context.home + "/.g"):
            return "project", "its folder is called .gemini, outside the home directory"
        return known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if is_file(document, _USER_SETTINGS):
            yield 10, "it is .gemini/settings.json"
        name = posixpath.basename(document.path).lower()
        if "gemini" in name:
            yield 5, f"the file name {name} says gemini"
        signing = document.get("/security/auth/selectedType")
        if isinstance(signing, str) and signing.startswith(("gemini", "oauth-personal", "vertex", "cloud")):
            yield 5, "it signs in as Gemini CLI does"
        yield from self.family_signs(document)

    def shut_out(self, source: Source, settings: Settings, context: Context) -> Gate | None:
        if source.scope != "project" or _trusted(settings, project_folder(source, context), context):
            return None
        return Gate(
            "it stands in a project's settings, which count in a trusted folder only; --skip-trust does not help",
            False,
            "trust the folder, or move the entry to ~/.gemini/settings.json",
            (Fix("the environment", "GEMINI_CLI_TRUST_WORKSPACE=true", "sh"),),
        )

    def switched_off(self, entry: Entry, settings: Settings, context: Context) -> str | None:
        switched = _table(settings.value.get(f"({_ENABLEMENT})")).get(entry.name)
        if isinstance(switched, Mapping) and switched.get("enabled") is False:
            return f"switched off in ~/.gemini/{_ENABLEMENT}"
        return super().switched_off(entry, settings, context)

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        asked = settings.names("security.environmentVariableRedaction.allowed")
        if asked and entry.spec is not None and entry.spec.inherit != "all":
            passed = inherited(context, frozenset(name.upper() for name in asked))
            entry = replace(entry, spec=replace(entry.spec, inherit=passed))
        through = settings.names("tools.allowed")
        shown = entry.raw.get("trust") is True or entry.name in settings.names("mcp.allowed")
        entry = replace(entry, always_visible=True if shown else None, let_through=through)
        gate = self.listed_gate(entry, settings) or _folder_gate(settings, context)
        return entry if gate is None else replace(entry, gate=gate)

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        """Headless, what would have to ask is left out: every MCP tool, unless its server is trusted."""
        mode, approval = likely.get("mode"), likely.get("approval")
        if approval == "plan":
            return "no" if mode == "headless" else "unknown"
        if entry.always_visible or approval == "yolo" or mode == "interactive":
            return "yes"
        return "no" if mode == "headless" and approval in ("default", "auto_edit") else "unknown"

    def shows(
        self, entry: Entry, tool: Contract, profile: Profile, likely: Mapping[str, str], name: str | None = None
    ) -> Visible:
        known = self.visibility(entry, profile, likely)
        named = {tool.name, name, _all_of(entry)} & set(entry.let_through)
        return "yes" if known == "no" and named and likely.get("approval") != "plan" else known

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        # A built-in's name in tools.exclude takes every MCP tool of that own name away as well.
        names = {tool, _runtime_name(entry, tool), _all_of(entry), _ALL_MCP}
        if names & set(settings.names("tools.exclude")):
            return "tools.exclude at the top level names it"
        if isinstance(settings.get("tools.core"), list) and not names & set(settings.names("tools.core")):
            return "tools.core at the top level does not name it"
        return super().excludes(entry, tool, settings)

    def removes_builtin(self, name: str, profile: Profile, settings: Settings) -> str | None:
        own = {name, *_CLASSES.get(name, ())}
        if set(_CLASSES.get(name, ())) <= set(settings.names("tools.exclude")) and name in _CLASSES:
            return "tools.exclude"
        if name in settings.names("tools.exclude"):
            return "tools.exclude"
        kept = settings.names("tools.core")
        if isinstance(settings.get("tools.core"), list) and not any(one.partition("(")[0] in own for one in kept):
            return "tools.core"
        return None

    def disable_builtins(self, names: list[str]) -> Fix | None:
        classes = [one for name in names for one in _CLASSES.get(name, ())]
        if not all(name in _CLASSES for name in names):
            return None
        return Fix("~/.gemini/settings.json", json.dumps({"tools": {"exclude": classes}}, indent=2))

    def reveal(self, entry: Entry) -> Fix | None:
        return Fix(f"the entry of {visible(entry.name, 60)}", '"trust": true')

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        pairs = json.dumps({name: f"${name}" for name in names})
        return Fix(f"the entry of {visible(entry.name, 60)}", f'"env": {pairs}')

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        if not timed_out:
            return None
        return "Gemini CLI asks no model before the server has answered or its timeout is over (10 minutes by default)"

    def loses_list(self, flawed: FlawedTool) -> bool:
        return not flawed.conforms


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _runtime_name(entry: Entry, tool: str) -> str:
    return f"mcp_{part(entry.name, _PART)}_{part(tool, _PART)}"


def _all_of(entry: Entry) -> str:
    return f"mcp_{part(entry.name, _PART)}_*"


def _folder_gate(settings: Settings, context: Context) -> Gate | None:
    if folder_trust(settings, context.cwd, by_rule=True) is not False or _trusted(settings, context.cwd, context):
        return None
    return Gate(
        "the folder is one not to trust: headless Gemini CLI stops with exit status 55 there (--skip-trust helps), and "
        "an interactive session starts no server",
        False,
        f"trust the folder in ~/.gemini/{TRUSTED_FOLDERS}",
        silent=False,
    )


def _trusted(settings: Settings, folder: str, context: Context) -> bool:
    if context.environ.get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
        return True
    return settings.get("security.folderTrust.enabled") is False or folder_trust(settings, folder, by_rule=True) is True
