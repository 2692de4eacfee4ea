"""What a runtime does with servers and their tools once it has read them, and the lines that change it.

The answers here are those of most runtimes, or of the data; each runtime overrides what is otherwise with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from contractd.contracts import Contract, FlawedTool, Manifest
from contractd.providers.base import Transport
from contractd.runtimes.base import Context, Entry, Fix, Settings, Source, Visible
from contractd.runtimes.conditions import holds
from contractd.runtimes.malformed import Loss, loss
from contractd.runtimes.profile import Profile, Removal
from contractd.runtimes.style import Reading, Role

_BY_NAME = ("list-of-names", "list-of-rules")


class Behaviour:
    """The part of a runtime that preflight asks after reading."""

    # What the one provider of models that this runtime speaks to takes as a name; None: it may be any provider.
    provider_pattern: re.Pattern[str] | None = None
    # Seconds within which all its servers must be up together, one after the other; None: each has its own budget.
    budget_for_all: float | None = None
    # How long PROGRAM --version may take, and the variables that keep it quiet and off the network.
    version_patience = 8.0
    version_environ: Mapping[str, str] = MappingProxyType({})

    def reading_of(self, source: Source, context: Context) -> Reading:
        """How it writes its servers in this file."""
        raise NotImplementedError

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

    def rename(self, entry: Entry, tool: str) -> Fix | None:
        """Lines that give a tool of a server another name; None where the runtime has no such switch."""
        return None

    def awaits(self, entry: Entry) -> Fix | None:
        """Lines that make the runtime wait for a server before it asks the model."""
        return None

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        """Lines that pass variables of the environment on to a server."""
        return None

    # ---- what decides whether a tool is there, and under which name

    def own_name(self, entry: Entry, tool: str) -> str:
        """What the runtime takes for the server's own name of a tool: another one where its settings rename it."""
        return tool

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        """What leaves this tool out of the model's list, in words; None where nothing does."""
        if entry.include is not None and not self.filter_matches_any(entry.include, tool):
            return f"{self.key_of('include', entry)} does not name it"
        if any(self.exclude_matches(pattern, tool) for pattern in entry.exclude):
            return f"{self.key_of('exclude', entry)} names it"
        return None

    def key_of(self, role: Role, entry: Entry) -> str:
        """The key under which this entry gives a role."""
        keys = self.reading_of(entry.source, Context({}, "/", "/")).keys
        return next((key for key in entry.raw if keys.get(key) == role), role)

    def filter_matches_any(self, patterns: Iterable[str], tool: str) -> bool:
        """Whether an include or exclude list names a tool."""
        return any(self.filter_matches(pattern, [tool]) for pattern in patterns)

    def filter_matches(self, pattern: str, tools: Sequence[str]) -> bool:
        """Whether one entry of such a list names one of the tools: equal names, unless the runtime knows more."""
        return pattern in tools

    def exclude_matches(self, pattern: str, tool: str) -> bool:
        """Whether one entry of an exclude list names a tool; some runtimes read it more strictly than the other."""
        return self.filter_matches(pattern, [tool])

    def removes_builtin(self, name: str, profile: Profile, settings: Settings) -> str | None:
        """The setting that takes a built-in away, as a dotted path."""
        for removal in profile.removal:
            if removal.setting is None or removal.kind not in _BY_NAME or "builtin" not in removal.applies_to:
                continue
            written, full = settings.names(removal.setting), _with_names(removal, profile)
            if removal.effect == "removed" and any(self.removal_matches(full, text, name) for text in written):
                return removal.setting
            kept = [_meant(full, text) for text in written]
            if removal.effect == "others removed" and kept and name in removal.over and name not in kept:
                return removal.setting
        return None

    def removal_matches(self, removal: Removal, written: str, name: str) -> bool:
        """Whether an entry of a list of removed tools means a built-in."""
        meant = _meant(removal, written)
        return meant == name or name in removal.takes.get(meant, ())

    def visibility(self, entry: Entry, profile: Profile, likely: Mapping[str, str]) -> Visible:
        """Whether the model sees a server's tools at once, after searching, or never: the profile's first rule that
        holds, else its default. A rule that may hold leaves it open, unless the rest says the same."""
        told = profile.mcp.visibility
        answers: dict[Any, None] = {}
        for rule in told.rules:
            found = holds(rule.when, likely) if isinstance(rule.when, list) else "no"
            if found != "no":
                answers[rule.visible] = None
            if found == "yes":
                break
        else:
            answers[told.default] = None
        only = next(iter(answers)) if len(answers) == 1 else None
        return cast(Visible, only) if only in ("yes", "deferred", "no") else "unknown"

    def shows(
        self, entry: Entry, tool: Contract, profile: Profile, likely: Mapping[str, str], name: str | None = None
    ) -> Visible:
        """The same for one tool, where a runtime tells a server's tools apart. ``name``: as the model would see it."""
        return self.visibility(entry, profile, likely)

    def loses_list(self, flawed: FlawedTool) -> bool:
        """Whether one such tool costs every tool of its server, in a runtime whose data does not say so by cases."""
        return False

    def loss(self, manifest: Manifest, profile: Profile | None, servers: int) -> Loss | None:
        """What a server's list costs in this runtime with so many servers enabled, if anything."""
        return loss(manifest, profile, servers, self.loses_list)

    # ---- starting

    def wait_before_first_request(
        self, entry: Entry, settings: Settings, context: Context, likely: Mapping[str, str] | None = None
    ) -> float | None:
        """Seconds it waits for a server before the model is asked; None: as long as the budget, or not known."""
        return None

    def starts_at_once(self, transport: Transport, context: Context) -> int | None:
        """How many servers of a transport it starts at a time, in the order of the configuration; None: all."""
        return None

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        """What happens to the whole agent if this server does not come up; None: it goes on without it."""
        return None


def _with_names(removal: Removal, profile: Profile) -> Removal:
    """With the aliases of the removal that it is like."""
    like = next((one for one in profile.removal if removal.like and one.setting == removal.like), None)
    return removal.model_copy(update={"aliases": like.aliases, "takes": like.takes}) if like else removal


def _meant(removal: Removal, written: str) -> str:
    """The tool that an entry of such a list names."""
    return removal.aliases.get(written.strip(), written.strip())
