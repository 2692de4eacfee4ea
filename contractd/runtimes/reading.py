"""Read one server entry, whatever the runtime: the runtime says what its keys are called and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contractd.errors import ConfigError, Place
from contractd.runtimes.base import Context, Entry, Level, Problem, Source
from contractd.runtimes.remarks import plain_secrets, unknown_keys, wrong_shapes
from contractd.runtimes.spec import SpecBuilder
from contractd.runtimes.style import Chosen, Ignored, Lost, Reading, Role, Unspoken, Wrong, slug
from contractd.text import visible

__all__ = ["Chosen", "EntryReader", "Ignored", "Lost", "Reading", "Role", "Unspoken", "Wrong", "slug"]


class EntryReader:
    """Reads the entries of one source. Problems are collected, not raised: a bad entry costs itself only, unless the
    runtime is known to refuse the whole file over it (ConfigError).

    ``below``: weaker sources whose values show through, for a runtime that merges entries key by key.
    """

    def __init__(
        self, reading: Reading, source: Source, context: Context, title: str, below: tuple[Source, ...] = (),
        who: str | None = None,
    ) -> None:  # fmt: skip
        self.reading = reading
        self.source = source
        self.context = context
        self.title = title
        self.who = who or title
        self.below = below
        self.problems: list[Problem] = []

    def entry(self, name: str, raw: Any, pointer: str) -> Entry:
        """One server. ``pointer`` leads to it in the document."""
        if not isinstance(raw, Mapping):
            self.bad(
                name, "it is no table of settings", pointer, action="write a table with the settings of one server"
            )
            return Entry(name, slug(name), None, self.source, pointer)
        unknown_keys(self, name, raw, pointer)
        wrong = wrong_shapes(self, name, raw, pointer)
        disabled = self._disabled(raw)
        spec = None if disabled or wrong else SpecBuilder(self, name, raw, pointer).build()
        if disabled and self.reading.whole_file and _is_wrong(chosen := self.reading.transport(raw)):
            self.bad(name, str(chosen), pointer)  # what costs the whole file does so although it is switched off
        plain_secrets(self, name, raw, pointer)
        return Entry(
            name,
            slug(name),
            spec,
            self.source,
            pointer,
            raw=raw,
            disabled=disabled,
            include=self._names(raw, "include"),
            exclude=self._names(raw, "exclude") or (),
            required=self.value(raw, "required") is True,
            always_visible=True if self.value(raw, "always-visible") is True else None,
        )

    # ---- values by role

    def key(self, raw: Mapping[str, Any], role: Role) -> str | None:
        """The key under which the entry gives this role: the preferred one that says something."""
        there = [key for key, known in self.reading.keys.items() if known == role and key in raw]
        return next((key for key in there if raw[key] not in (None, "")), there[0] if there else None)

    def value(self, raw: Mapping[str, Any], role: Role) -> Any:
        """What the entry gives for this role, None where it gives nothing."""
        key = self.key(raw, role)
        return raw[key] if key is not None else None

    def _disabled(self, raw: Mapping[str, Any]) -> str | None:
        if self.value(raw, "enabled") is False:
            return f"switched off by {self.key(raw, 'enabled')}: false"
        if self.value(raw, "disabled") is True:
            return f"switched off by {self.key(raw, 'disabled')}: true"
        return None

    def _names(self, raw: Mapping[str, Any], role: Role) -> tuple[str, ...] | None:
        value = self.value(raw, role)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else None

    # ---- what is wrong

    def problem(self, rule: str, level: Level, message: str, pointer: str, **more: Any) -> None:
        """Note a problem at ``pointer``."""
        action = more.pop("action", None) or "correct the entry"
        self.problems.append(Problem(rule, level, message, action, self.place(pointer), **more))

    def bad(self, name: str, why: str, pointer: str, subject: str = "", action: str | None = None) -> None:
        """The entry is unusable. Raises ConfigError where that costs the whole file."""
        message = f"{visible(name)}: {why}"
        action = action or (why.action if isinstance(why, Wrong) else None)
        if self.reading.whole_file and not isinstance(why, Lost):
            said = f"{message}; {self.title} {self.reading.over_shape}"
            raise ConfigError(said, place=self.place(pointer), hint=action)
        action = f"{action or 'correct the entry'}; this server can't be used as it is written"
        self.problem("server-entry-invalid", "high", message, pointer, server=name, subject=subject, action=action)

    def holder(self, pointer: str) -> Source:
        """The strongest source in which ``pointer`` stands."""
        for source in (self.source, *self.below):
            if source.document.get(pointer) is not None:
                return source
        return self.source

    def place(self, pointer: str) -> Place:
        """Where ``pointer`` stands."""
        return self.holder(pointer).document.place(pointer)


def _is_wrong(chosen: Chosen) -> bool:
    return isinstance(chosen, str) and not isinstance(chosen, Lost | Unspoken)
