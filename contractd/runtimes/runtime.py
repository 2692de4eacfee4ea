"""What an agent runtime is to contractd, and the reading that is the same for most of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from contractd.contracts import FlawedTool
from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError
from contractd.runtimes.base import (
    Context,
    Entry,
    Fix,
    Gate,
    Location,
    Problem,
    Scope,
    Settings,
    Setup,
    Source,
    Visible,
)
from contractd.runtimes.conditions import holds
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import EntryReader, Reading, Role
from contractd.text import listed, visible

# Top-level keys under which one runtime or another keeps its servers.
CONTAINERS = ("mcpServers", "mcp", "mcp_servers", "servers", "extensions", "context_servers")


class Runtime:
    """One agent runtime. Subclasses say what differs; instances hold nothing."""

    name = ""
    title = ""
    program: str | None = None
    version_pattern = re.compile(r"(\d+\.\d+\.\d+[0-9A-Za-z.+-]*)")
    file_name = "the configuration"

    @property
    def reader(self) -> str:
        """Who reads the file, in words."""
        return self.title

    # ---- reading

    def reading(self, context: Context) -> Reading:
        """How it writes its servers."""
        raise NotImplementedError

    def locations(self, context: Context) -> list[Location]:
        """The files it reads from here, weakest first."""
        raise NotImplementedError

    def scope_of(self, path: str, context: Context) -> tuple[Scope, str]:
        """The scope in which it reads a file that was named, and why that is assumed."""
        for location in self.locations(context):
            if location.path == path:
                return location.scope, f"{self.title} reads this file in {location.scope} scope"
        return "user", "not a place this runtime reads: taken as if it stood in user scope"

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        """Reasons to believe that a document is this runtime's, each with a weight (10: certain)."""
        yield from ()

    def companions(self, path: str, context: Context) -> list[Location]:
        """Files of settings that belong to a file of servers which was named by the user."""
        return []

    def containers(self, source: Source, context: Context) -> list[str]:
        """Pointers to the tables of servers in a document, weakest first."""
        return [pointer_join("", *self.reading(context).container)]

    def read(self, sources: list[Source], context: Context) -> Setup:
        """Every server of every source, the later source winning, and what is wrong with them.

        Raises ConfigError for text that the runtime is known to refuse.
        """
        reading = self.reading(context)
        problems: list[Problem] = []
        entries: dict[str, Entry] = {}
        for source in (source for source in sources if source.servers):
            problems += self.check_syntax(source, reading)
            problems += self.check_top_level(source, reading, context)
            reader = EntryReader(reading, source, context, self.title)
            for pointer in self.containers(source, context):
                for entry in self.entries(reader, pointer, source.document.get(pointer)):
                    entries[entry.name] = entry
            problems += reader.problems
        settings = merged_settings(sources)
        result = _unique_ids([self.finish(entry, settings, context) for entry in entries.values()])
        problems = [problem for problem in problems if self._current(problem, entries)]
        problems += _duplicates(sources, self, context)
        return Setup(tuple(result), tuple(problems), settings, tuple(sources))

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """The entries of one table of servers."""
        if table is None:
            return
        if not isinstance(table, Mapping):
            reader.problem("server-entry-invalid", "high", f"{pointer[1:]} is no table of servers", pointer)
            return
        for name, raw in table.items():
            yield reader.entry(name, raw, pointer_join(pointer, name))

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        """What only the merged settings can tell of an entry: a gate, a list of allowed servers."""
        return entry

    def check_syntax(self, source: Source, reading: Reading) -> list[Problem]:
        """Liberties with JSON. Raises ConfigError where the runtime is known to refuse the file for one."""
        problems: list[Problem] = []
        for kind, allowed, plural in (
            ("comment", reading.comments, "comments"),
            ("trailing-comma", reading.trailing_commas, "trailing commas"),
        ):
            first = next((quirk for quirk in source.document.quirks if quirk.kind == kind), None)
            if first is None or allowed is True or source.document.format != "json":
                continue
            place = source.document.place("")
            place = type(place)(place.file, first.mark.line, first.mark.column, "")
            if allowed is False:
                raise ConfigError(
                    f"{self.title} takes no {plural} in this file and reads none of it",
                    place=place,
                    hint=f"remove the {kind.replace('-', ' ')}",
                )
            problems.append(
                Problem(
                    "syntax-not-confirmed",
                    "low",
                    f"{plural} in this file: whether {self.reader} takes them is not known",
                    f"remove them, or make sure that {self.reader} sees the servers",
                    place,
                    subject=kind,
                    sure="low",
                )
            )
        return problems

    def check_top_level(self, source: Source, reading: Reading, context: Context) -> list[Problem]:
        """Servers under a key that this runtime does not read, and other keys it does not know."""
        value = source.document.value
        if not isinstance(value, dict):
            raise ConfigError(f"{self.title} expects a table at the top", place=source.document.place(""))
        own = reading.container[0]
        problems: list[Problem] = []
        for key, inner in value.items():
            pointer = pointer_join("", key)
            if key == own:
                continue
            if key in CONTAINERS and _holds_servers(inner) and pointer not in self.containers(source, context):
                problems.append(
                    Problem(
                        "wrong-top-level-key",
                        "high",
                        f"{self.title} does not read {key}: "
                        f"{listed(list(inner))} would never be started, and nothing would be said",
                        f"rename {key} to {'.'.join(reading.container)} and write the entries as {self.title} does",
                        source.document.place(pointer),
                        subject=key,
                    )
                )
            elif reading.top_level is not None and key not in reading.top_level:
                problems.append(
                    Problem(
                        "ignored-key",
                        "low",
                        f"{self.title} ignores the top-level key {visible(key, 60)}",
                        "remove it, or look for the key that was meant",
                        source.document.place(pointer),
                        subject=key,
                        sure="medium",
                    )
                )
        return problems

    def _current(self, problem: Problem, entries: Mapping[str, Entry]) -> bool:
        """A weaker file's entry that a stronger one replaced is not worth a word."""
        entry = entries.get(problem.server) if problem.server else None
        return entry is None or entry.source.document.path == problem.place.file

    # ---- telling people what to write

    def disable_builtins(self, names: list[str]) -> Fix | None:
        """Lines that take built-in tools away; None where the runtime has no such switch."""
        return None

    def reveal(self, entry: Entry) -> Fix | None:
        """Lines that put a server's tools into the model's list at once; None where there is no such switch."""
        return None

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        """Lines that leave tools of a server out."""
        return None

    def awaits(self, entry: Entry) -> Fix | None:
        """Lines that make the runtime wait for a server before it asks the model."""
        return None

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        """Lines that pass variables of the environment on to a server."""
        return None

    # ---- what else decides whether a tool is there

    # What the one provider of models that this runtime speaks to takes as a name; None: it may be any provider.
    provider_pattern: re.Pattern[str] | None = None

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        """What leaves this tool out of the model's list, in words; None where nothing does."""
        if entry.include is not None and not self.filter_matches_any(entry.include, tool):
            return f"{self.key_of('include', entry)} does not name it"
        if self.filter_matches_any(entry.exclude, tool):
            return f"{self.key_of('exclude', entry)} names it"
        return None

    def key_of(self, role: Role, entry: Entry) -> str:
        """The key under which this entry gives a role."""
        keys = self.reading(Context({}, "/", "/")).keys
        return next((key for key in entry.raw if keys.get(key) == role), role)

    def filter_matches_any(self, patterns: Iterable[str], tool: str) -> bool:
        """Whether an include or exclude list names a tool."""
        return any(self.filter_matches(pattern, [tool]) for pattern in patterns)

    def filter_matches(self, pattern: str, tools: Sequence[str]) -> bool:
        """Whether one entry of such a list names one of the tools: equal names, unless the runtime knows more."""
        return pattern in tools

    def removes_builtin(self, name: str, profile: Profile, settings: Settings) -> str | None:
        """The setting that takes a built-in away, as a dotted path."""
        for removal in profile.removal:
            dotted = removal.get("setting")
            if (
                isinstance(dotted, str)
                and removal.get("kind") == "list-of-names"
                and any(self.removal_matches(written, name) for written in settings.names(dotted))
            ):
                return dotted
        return None

    def removal_matches(self, written: str, name: str) -> bool:
        """Whether an entry of a list of removed tools means a built-in."""
        return written == name

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        """Whether the model sees a server's tools at once, after searching, or never: the profile's first rule that
        holds, else its default."""
        told = profile.mcp.visibility
        for rule in told.get("rules", ()):
            when = rule.get("when")
            if isinstance(when, list) and holds(when, likely) == "yes":
                return cast(Visible, rule["visible"])
        default = told.get("default")
        return default if default in ("yes", "deferred", "no") else "unknown"

    def loses_list(self, flawed: FlawedTool) -> bool:
        """Whether one such tool costs every tool of its server in this runtime."""
        return False

    def wait_before_first_request(self, entry: Entry, settings: Settings, context: Context) -> float | None:
        """Seconds it waits for a server before the model is asked; None: as long as the budget."""
        return None

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        """What happens to the whole agent if this server does not come up; None: it goes on without it."""
        return None


def merged_settings(sources: list[Source]) -> Settings:
    """All sources laid over one another, tables key by key."""
    value: dict[str, Any] = {}
    for source in sources:
        if isinstance(source.document.value, dict):
            _lay_over(value, source.document.value)
    return Settings(value, tuple(sources))


def _lay_over(into: dict[str, Any], value: Mapping[str, Any]) -> None:
    for key, inner in value.items():
        if isinstance(inner, Mapping) and isinstance(into.get(key), dict):
            _lay_over(into[key], inner)
        else:
            into[key] = dict(inner) if isinstance(inner, Mapping) else inner


def _holds_servers(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    marks = {"command", "url", "httpUrl", "cmd", "uri", "serverUrl", "type"}
    return any(isinstance(inner, Mapping) and marks & set(inner) for inner in value.values())


def _duplicates(sources: list[Source], runtime: Runtime, context: Context) -> list[Problem]:
    problems: list[Problem] = []
    for source in (source for source in sources if source.servers):
        tables = runtime.containers(source, context)
        for quirk in source.document.quirks:
            if quirk.kind == "duplicate-key" and quirk.pointer.rpartition("/")[0] in tables:
                place = type(source.document.place(""))(
                    source.document.path, quirk.mark.line, quirk.mark.column, quirk.pointer
                )
                problems.append(
                    Problem(
                        "duplicate-name",
                        "medium",
                        f"the server {visible(quirk.detail)} is written twice; the later one counts, the first is lost",
                        "give each server a name of its own",
                        place,
                        server=quirk.detail,
                        subject=quirk.detail,
                    )
                )
    return problems


def _unique_ids(entries: list[Entry]) -> list[Entry]:
    """Two names with one slug keep apart by a number."""
    seen: set[str] = set()
    result: list[Entry] = []
    for entry in entries:
        unique, number = entry.id, 2
        while unique in seen:
            unique, number = f"{entry.id}-{number}", number + 1
        seen.add(unique)
        spec = replace(entry.spec, id=unique) if entry.spec else None
        result.append(replace(entry, id=unique, spec=spec))
    return result


def certain_gate(why: str, settle: str, *fixes: Fix) -> Gate:
    """A gate that holds in every run."""
    return Gate(why, True, settle, fixes)
