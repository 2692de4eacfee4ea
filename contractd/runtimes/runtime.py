"""What an agent runtime is to contractd, and the reading that is the same for most of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError
from contractd.runtimes.base import Context, Entry, Fix, Gate, Location, Problem, Scope, Settings, Setup, Source
from contractd.runtimes.behaviour import Behaviour
from contractd.runtimes.files import check_syntax, check_top_level
from contractd.runtimes.layers import Table, counting, duplicates, merged_settings, unique_ids
from contractd.runtimes.reading import EntryReader, Reading

__all__ = ["Runtime", "certain_gate", "merged_settings"]

# What stays true of an entry that the user's settings switch off: how it would run does not matter.
_OF_THE_FILE = frozenset({"plain-text-secret", "duplicate-name"})


class Runtime(Behaviour):
    """One agent runtime. Subclasses say what differs; instances hold nothing."""

    name = ""
    title = ""
    program: str | None = None
    version_pattern = re.compile(r"(\d+\.\d+\.\d+[0-9A-Za-z.+-]*)")
    file_name = "the configuration"
    # Whether entries of one name in several files are laid over one another key by key; else the stronger replaces.
    merges_entries = False
    # Settings, as dotted paths, whose arrays are united over all files; of the others the strongest file's counts.
    joined: frozenset[str] = frozenset()

    @property
    def reader(self) -> str:
        """Who reads the file, in words."""
        return self.title

    # ---- reading

    def reading(self, context: Context) -> Reading:
        """How it writes its servers."""
        raise NotImplementedError

    def reading_of(self, source: Source, context: Context) -> Reading:
        """How it writes them in this file."""
        return self.reading(context)

    def locations(self, context: Context) -> list[Location]:
        """The files it reads from here, weakest first."""
        raise NotImplementedError

    def env_files(self, context: Context) -> list[tuple[str, ...]]:
        """Files of variables that it loads before it expands any, the strongest first; its environment beats them. Of
        each group it reads the first that is there."""
        return []

    def text_files(self, sources: Sequence[Source], context: Context) -> list[str]:
        """Files that texts of its configuration are taken from; what they hold belongs into ``context.texts``."""
        return []

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
        return [pointer_join("", *self.reading_of(source, context).container)]

    def tables(self, sources: Sequence[Source], context: Context) -> list[tuple[Source, str]]:
        """Every table of servers, weakest first."""
        return [(source, pointer) for source in sources for pointer in self.containers(source, context)]

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        """The runtime's own settings, merged over the files it reads settings from."""
        return merged_settings(sources, self.joined)

    def shut_out(self, source: Source, settings: Settings, context: Context) -> Gate | None:
        """Why the runtime does not count this file at all; its entries then replace no other's. ``settings`` are those
        of the files outside the project."""
        return None

    def read(self, sources: list[Source], context: Context) -> Setup:
        """Every server of every source, the later source winning, and what is wrong with them.

        Raises ConfigError for text that the runtime is known to refuse.
        """
        outside = self.settings_of([source for source in sources if source.scope != "project"], context)
        gates = {id(source): self.shut_out(source, outside, context) for source in sources}
        counted = [source for source in sources if gates[id(source)] is None]
        settings = self.settings_of(counted, context)
        read, problems = self._entries(counted, context)
        entries = {name: self._finished(entry, settings, context) for name, entry in read.items()}
        for source in sources:
            gate = gates[id(source)]
            if gate is not None and source.servers:
                shut, found = self._shut_entries(source, gate, counted, context)
                read = {**shut, **read}
                entries = {**{name: self._switched(one, settings, context) for name, one in shut.items()}, **entries}
                problems += found
        off = {name for name, entry in entries.items() if entry.disabled and not read[name].disabled}
        kept = [problem for problem in problems if problem.server not in off or problem.rule in _OF_THE_FILE]
        told = tuple(self._shown(source, gates[id(source)]) for source in sources)
        return Setup(tuple(unique_ids(entries.values())), tuple(kept), settings, told)

    def _shown(self, source: Source, gate: Gate | None) -> Source:
        """As the report lists it: one that the runtime finds and does not count is not one that it reads."""
        if gate is None:
            return source
        word = "does not" if gate.certain else "may not"
        return replace(source, why=f"{self.title} {word} count it, since nobody has trusted its folder")

    def _finished(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        entry = self._switched(entry, settings, context)
        return entry if entry.disabled else self.finish(entry, settings, context)

    def _switched(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        """Off where the user's own settings say so, whatever else keeps it from starting."""
        why = None if entry.disabled else self.switched_off(entry, settings, context)
        return replace(entry, spec=None, disabled=why, gate=None) if why else entry

    def _entries(
        self, sources: Sequence[Source], context: Context, below: Sequence[Source] = ()
    ) -> tuple[dict[str, Entry], list[Problem]]:
        problems: list[Problem] = []
        of_servers = [source for source in sources if source.servers]
        for source in of_servers:
            reading = self.reading_of(source, context)
            problems += self.check_syntax(source, reading)
            problems += self.check_top_level(source, reading, context)
        unread = [source for source in sources if not source.servers and self.containers(source, context)]
        tables = self.tables(of_servers, context)
        order = [name for source, pointer in tables for name in _names(source.document.get(pointer))]
        found: dict[str, Entry] = {}
        for table in counting(tables, merges=self.merges_entries, bases=[*below, *unread]):
            entries, said = self._table(table, context)
            found |= {entry.name: entry for entry in entries}
            problems += said
        for source in of_servers:
            problems += duplicates(source, [pointer for there, pointer in tables if there.document is source.document])
        return {name: found[name] for name in dict.fromkeys([*order, *found]) if name in found}, problems

    def _table(self, table: Table, context: Context) -> tuple[list[Entry], list[Problem]]:
        reading = self.reading_of(table.source, context)
        reader = EntryReader(reading, table.source, context, self.title, table.below, self.reader)
        return list(self.entries(reader, table.pointer, table.entries)), reader.problems

    def _shut_entries(
        self, source: Source, gate: Gate, counted: Sequence[Source], context: Context
    ) -> tuple[dict[str, Entry], list[Problem]]:
        """The entries of a file that does not count; a file that is wrong besides is passed over."""
        try:
            entries, problems = self._entries([source], context, counted)
        except ConfigError:
            return {}, []
        return {name: replace(entry, gate=gate) for name, entry in entries.items()}, problems

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """The entries of one table of servers."""
        if table is None:
            return
        if not isinstance(table, Mapping):
            reader.bad(pointer[1:], "it is no table of servers", pointer, "", "write a table with one entry for each")
            return
        for name, raw in table.items():
            yield reader.entry(name, raw, pointer_join(pointer, name))

    def switched_off(self, entry: Entry, settings: Settings, context: Context) -> str | None:
        """Where the user, outside of the entry, has said that this server is not to be started; None: nowhere.

        What an administrator or the runtime itself decides is a gate, and belongs to ``finish``.
        """
        return None

    def finish(self, entry: Entry, settings: Settings, context: Context) -> Entry:
        """What only the merged settings can tell of an entry that is not switched off: a gate, what it shows."""
        return entry

    def check_syntax(self, source: Source, reading: Reading) -> list[Problem]:
        """Liberties with JSON. Raises ConfigError where the runtime is known to refuse the file for one."""
        return check_syntax(source, reading, self.title, self.reader)

    def check_top_level(self, source: Source, reading: Reading, context: Context) -> list[Problem]:
        """Servers under a key that this runtime does not read, and other keys it does not know."""
        return check_top_level(source, reading, self.title, self.containers(source, context))


def _names(table: Any) -> list[str]:
    return list(table) if isinstance(table, Mapping) else []


def certain_gate(why: str, settle: str, *fixes: Fix) -> Gate:
    """A gate that holds in every run."""
    return Gate(why, True, settle, fixes)
