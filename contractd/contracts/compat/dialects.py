"""The five dialects: how each is named, and which keywords it gives a meaning.

An unknown keyword is ignored in every dialect (core 4.3.1), and so is one that came later or was removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

DialectName = Literal["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect. ``age`` orders them; the flags are what the differences hang on."""

    name: DialectName
    uri: str
    age: int

    @property
    def identifier(self) -> str:
        """The keyword that names a schema: ``id`` in draft-04 (core 7.2), ``$id`` since draft-06."""
        return "id" if self.age == 4 else "$id"

    @property
    def lone_reference(self) -> bool:
        """Up to draft-07 everything beside ``$ref`` is ignored (draft-07 core 8.3)."""
        return self.age <= 7

    def knows(self, keyword: str) -> bool:
        """Does the dialect give the keyword a meaning."""
        first, last = _SPANS.get(keyword, (0, 99))
        return first <= self.age <= last


_SPANS: Final = {
    "const": (6, 99),
    "contains": (6, 99),
    "propertyNames": (6, 99),
    "if": (7, 99),
    "then": (7, 99),
    "else": (7, 99),
    "additionalItems": (4, 19),
    "dependencies": (4, 7),
    "dependentRequired": (19, 99),
    "dependentSchemas": (19, 99),
    "minContains": (19, 99),
    "maxContains": (19, 99),
    "unevaluatedProperties": (19, 99),
    "unevaluatedItems": (19, 99),
    "$anchor": (19, 99),
    "$recursiveRef": (19, 19),
    "$recursiveAnchor": (19, 19),
    "prefixItems": (20, 99),
    "$dynamicRef": (20, 99),
    "$dynamicAnchor": (20, 99),
    "$defs": (19, 99),
}

_DIALECTS: Final = (
    Dialect("draft-04", "http://json-schema.org/draft-04/schema", 4),
    Dialect("draft-06", "http://json-schema.org/draft-06/schema", 6),
    Dialect("draft-07", "http://json-schema.org/draft-07/schema", 7),
    Dialect("2019-09", "https://json-schema.org/draft/2019-09/schema", 19),
    Dialect("2020-12", "https://json-schema.org/draft/2020-12/schema", 20),
)
_BY_NAME: Final[dict[str, Dialect]] = {dialect.name: dialect for dialect in _DIALECTS}
DEFAULT: Final = _DIALECTS[-1]


def dialect_named(name: str) -> Dialect | None:
    """The dialect of one of the five names."""
    return _BY_NAME.get(name)


def dialect_for(uri: Any) -> Dialect | None:
    """The dialect a ``$schema`` names; a trailing ``#`` and ``https`` for ``http`` are beyond doubt and let pass."""
    if not isinstance(uri, str):
        return None
    bare = uri.rstrip("#").removeprefix("https://").removeprefix("http://")
    return next((dialect for dialect in _DIALECTS if dialect.uri.partition("://")[2] == bare), None)


def declared_dialect(schema: Any) -> Dialect | None:
    """What the schema itself says, 2020-12 where it says nothing, None where it names another dialect."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    return DEFAULT if named is None else dialect_for(named)
