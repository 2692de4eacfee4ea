"""A number for each different JSON value, so that equal parts of two schemas are recognised at once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from contractd.contracts.compat.kinds import freeze


class Tokens:
    """Equal numbers for equal values. The values must not change or vanish while this is used."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._seen: dict[int, int] = {}

    def of(self, value: Any) -> int:
        """The number of a value; its parts are looked at once."""
        if not isinstance(value, dict | list):
            return self._number(("plain", freeze(value)))
        found = self._seen.get(id(value))
        if found is None:
            shape: Hashable
            if isinstance(value, dict):
                shape = ("object", frozenset((key, self.of(inner)) for key, inner in value.items()))
            else:
                shape = ("array", tuple(map(self.of, value)))
            found = self._seen[id(value)] = self._number(shape)
        return found

    def _number(self, shape: Hashable) -> int:
        return self._numbers.setdefault(shape, len(self._numbers))
