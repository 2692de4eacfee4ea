"""Read one server entry, whatever the runtime: the runtime says what its keys are called and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contractd.runtimes.base import Entry
from contractd.runtimes.noting import Noter
from contractd.runtimes.remarks import plain_secrets, unknown_keys, wrong_shapes
from contractd.runtimes.spec import SpecBuilder
from contractd.runtimes.style import Chosen, Ignored, Lost, Reading, Role, Unspoken, Wrong, slug

__all__ = ["Chosen", "EntryReader", "Ignored", "Lost", "Reading", "Role", "Unspoken", "Wrong", "slug"]


class EntryReader(Noter):
    """Reads the entries of one source."""

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
        chosen = self.reading.transport(raw)
        if disabled and self.reading.whole_file and isinstance(chosen, str) and not isinstance(chosen, Lost | Unspoken):
            self.bad(name, chosen, pointer)  # what costs the whole file does so although it is switched off
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

    def _disabled(self, raw: Mapping[str, Any]) -> str | None:
        if self.value(raw, "enabled") is False:
            return f"switched off by {self.key(raw, 'enabled')}: false"
        if self.value(raw, "disabled") is True:
            return f"switched off by {self.key(raw, 'disabled')}: true"
        return None

    def _names(self, raw: Mapping[str, Any], role: Role) -> tuple[str, ...] | None:
        value = self.value(raw, role)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else None
