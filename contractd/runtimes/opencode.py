"""OpenCode. Facts: docs/reference/runtimes.md#opencode (the published 1.18.18, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contractd.documents import Document, pointer_join
from contractd.runtimes.base import Context, Entry, Fix, Location, Scope, Settings, Setup, Source
from contractd.runtimes.cleaning import part
from contractd.runtimes.opencode_format import files_named, names_of_files, reading, refuse_broken, texts_of
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import EntryReader, Reading
from contractd.runtimes.runtime import Runtime, certain_gate
from contractd.runtimes.style import wildcard_matches
from contractd.text import visible

_NAMES = ("opencode.json", "opencode.jsonc")
_CLEAN = {"allowed": "A-Za-z0-9_-", "replacement": "_", "unit": "utf16"}
_PERMISSION = "OPENCODE_PERMISSION"
_CONTENT = "OPENCODE_CONFIG_CONTENT"
# Under which name the rules look a tool up.
_EDITS, _READS = ("edit", "write", "apply_patch"), ("list_mcp_resources", "list_mcp_resource_templates")
_LOOKED_UP = {**dict.fromkeys(_EDITS, "edit"), **dict.fromkeys((*_READS, "read_mcp_resource"), "read")}
# (where it is written, pattern of names, pattern of what the tool does, action)
Rule = tuple[str, str, str, str]
# Its own last rules of these names; any rule of the user's comes after them.
_OWN: tuple[Rule, ...] = (("", "*", "*", "allow"), ("OpenCode itself", "plan_exit", "*", "deny"))


class OpenCode(Runtime):
    name = "opencode"
    title = "OpenCode"
    program = "opencode"
    file_name = "opencode.json"
    merges_entries = True

    def reading(self, context: Context) -> Reading:
        return reading(context)

    # ---- files

    def locations(self, context: Context) -> list[Location]:
        environ = context.environ
        config = environ.get("XDG_CONFIG_HOME") or posixpath.join(context.home, ".config")
        found = [Location(posixpath.join(config, "opencode", name), "user") for name in ("config.json", *_NAMES)]
        if environ.get("OPENCODE_CONFIG"):
            found.append(Location(posixpath.join(context.cwd, environ["OPENCODE_CONFIG"]), "stated"))
        if environ.get("OPENCODE_DISABLE_PROJECT_CONFIG", "").lower() not in ("1", "true"):
            folders = _project_folders(context)
            found += _in_folders(reversed(folders), "project")
            found += _in_folders([posixpath.join(folder, ".opencode") for folder in folders], "project")
        found += _in_folders([posixpath.join(context.home, ".opencode")], "user")
        if environ.get("OPENCODE_CONFIG_DIR"):
            found += _in_folders([posixpath.join(context.cwd, environ["OPENCODE_CONFIG_DIR"])], "stated")
        if environ.get(_CONTENT):
            found.append(Location(f"${_CONTENT}", "stated", text=environ[_CONTENT]))
        return found + _in_folders(["/etc/opencode"], "system")

    def text_files(self, sources: Sequence[Source], context: Context) -> list[str]:
        return list(dict.fromkeys(path for source in sources for _, _, path in files_named(source, context)))

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        known = super().scope_of(path, context)
        name = posixpath.basename(path)
        if known[0] == "user" and name in _NAMES and path not in {one.path for one in self.locations(context)}:
            return "project", f"the file is called {name}"
        return known

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        name = posixpath.basename(document.path).lower()
        if name in _NAMES:
            yield 10, f"the file is called {name}"
        elif "opencode" in document.path.lower() and name == "config.json":
            yield 10, "it is config.json in a folder called opencode"
        elif "opencode" in name:
            yield 5, f"the file name {visible(name, 60)} says opencode"
        if "opencode.ai" in str(document.get("/$schema", "")):
            yield 10, "its $schema is OpenCode's"
        servers = document.get("/mcp")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and raw.get("type") in ("local", "remote") for raw in servers.values()
        ):
            yield 8, 'its servers under mcp have type "local" or "remote"'

    # ---- reading

    def read(self, sources: list[Source], context: Context) -> Setup:
        """Each file must be right for itself, before they are laid over one another. Raises ConfigError."""
        for source in sources:
            refuse_broken(source, context)
            table = source.document.get("/mcp")
            if source.servers and isinstance(table, Mapping):
                alone = EntryReader(self.reading(context), source, context, self.title)
                for name, raw in table.items():
                    alone.entry(name, raw, pointer_join("/mcp", name))
        return super().read(sources, context)

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        settings = super().settings_of(sources, context)
        try:
            stated = json.loads(context.environ.get(_PERMISSION, "null"))
        except ValueError:
            stated = None  # it logs a warning and goes on
        return Settings({**settings.value, f"({_PERMISSION})": stated}, settings.sources)

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        for entry in super().entries(reader, pointer, table):
            for key in ("command", "url", "cwd"):
                for where, text in texts_of(entry.raw.get(key), pointer_join(entry.pointer, key)):
                    _note_files(reader, entry, where, text)
            yield entry

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        if entry.name != "__proto__":
            return entry
        gate = certain_gate("OpenCode never reads a server called __proto__, and nothing is said", "rename the server")
        return replace(entry, gate=gate)

    # ---- what is taken away

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        where = _hidden_by(_runtime_name(entry, tool), settings)
        if where == _OWN[-1][0]:
            return "OpenCode shows no tool of that name to the usual agent"
        return f"{where} switches it off" if where else None

    def removes_builtin(self, name: str, profile: Profile, settings: Settings) -> str | None:
        where = _hidden_by(name, settings)
        return None if where == _OWN[-1][0] else where

    def disable_builtins(self, names: list[str]) -> Fix | None:
        return Fix(self.file_name, json.dumps({"tools": dict.fromkeys(_spelled(names), False)}))

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        names = [_runtime_name(entry, tool) for tool in tools]
        return Fix(self.file_name, json.dumps({"tools": dict.fromkeys(_spelled(names), False)}))


def _note_files(reader: EntryReader, entry: Entry, where: str, text: str) -> None:
    """A file's text in a command line or address would be shown to whoever is asked: it is not put in."""
    for written in names_of_files(text):
        reader.problem(
            "prompted-variable",
            "info",
            f"{visible(entry.name)}: OpenCode puts in what {visible(written, 120)} holds, which contractd does not",
            where,
            server=entry.name,
            subject=written,
            action="the server is contacted as it is written; give such a value in environment or headers",
            undetermined=True,
        )


def _project_folders(context: Context) -> list[str]:
    """The working directory and those above it, to the root of the repository; outside of one, to the very top."""
    folders = [context.cwd]
    while folders[-1] not in (context.repository, posixpath.dirname(folders[-1])):
        folders.append(posixpath.dirname(folders[-1]))
    return folders


def _in_folders(folders: Any, scope: Scope) -> list[Location]:
    return [Location(posixpath.join(folder, name), scope) for folder in folders for name in _NAMES]


def _runtime_name(entry: Entry, tool: str) -> str:
    return f"{part(entry.name, _CLEAN)}_{part(tool, _CLEAN)}"


def _spelled(names: Sequence[str]) -> list[str]:
    """The names under which ``tools`` must switch them off."""
    return list(dict.fromkeys(_LOOKED_UP.get(name, name) for name in names))


def _hidden_by(name: str, settings: Settings) -> str | None:
    """Where the rule stands that keeps a tool out of the model's list: the last whose pattern matches decides."""
    looked_up = _LOOKED_UP.get(name, name)
    last: Rule = ("", "*", "*", "allow")
    for rule in (*_OWN, *_rules(settings)):
        if wildcard_matches(rule[1], looked_up, single="?"):
            last = rule
    return last[0] if last[2:] == ("*", "deny") else None


def _rules(settings: Settings) -> Iterator[Rule]:
    """What the user's configuration says: ``tools`` first, ``permission`` over it, the default agent's after both."""
    stated = {"permission": settings.get("permission"), _PERMISSION: settings.value.get(f"({_PERMISSION})")}
    yield from _in_order(settings.get("tools"), "tools", stated)
    agent = settings.get("default_agent")
    own = settings.get("agent")
    inner = own.get(agent if isinstance(agent, str) else "build") if isinstance(own, Mapping) else None
    if isinstance(inner, Mapping):
        yield from _in_order(inner.get("tools"), "agent", {"agent": inner.get("permission")})


def _in_order(tools: Any, where: str, permissions: Mapping[str, Any]) -> Iterator[Rule]:
    """A key keeps the place where it was first written, and takes the value of the strongest."""
    laid: dict[str, tuple[str, Any]] = {}
    for key, shown in tools.items() if isinstance(tools, Mapping) else ():
        laid["edit" if key in ("write", "patch") else key] = where, "allow" if shown else "deny"
    for source, permission in permissions.items():
        whole = {"*": permission} if isinstance(permission, str) else permission
        for key, value in whole.items() if isinstance(whole, Mapping) else ():
            old = laid.get(key, ("", None))[1]
            joined = {**old, **value} if isinstance(old, Mapping) and isinstance(value, Mapping) else value
            laid[key] = source, joined
    for key, (source, value) in laid.items():
        actions = value if isinstance(value, Mapping) else {"*": value}
        for pattern, action in actions.items():
            yield source, key, pattern, str(action)
