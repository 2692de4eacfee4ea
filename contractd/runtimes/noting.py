"""What is known of one source of servers: its values by role, and what was found wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contractd.errors import ConfigError, Place
from contractd.runtimes.base import Context, Level, Problem, Source
from contractd.runtimes.style import Lost, Reading, Role, Wrong
from contractd.text import visible


class Noter:
    """Looks values up and collects problems; a bad entry costs itself only, unless the runtime is known to refuse the
    whole file over it (ConfigError).

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

    # ---- values by role

    def key(self, raw: Mapping[str, Any], role: Role) -> str | None:
        """The key under which the entry gives this role: the preferred one that says something."""
        there = [key for key, known in self.reading.keys.items() if known == role and key in raw]
        return next((key for key in there if raw[key] not in (None, "")), there[0] if there else None)

    def value(self, raw: Mapping[str, Any], role: Role) -> Any:
        """What the entry gives for this role, None where it gives nothing."""
        key = self.key(raw, role)
        return raw[key] if key is not None else None

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
