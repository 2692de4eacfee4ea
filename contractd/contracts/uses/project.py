"""An output schema, loosened to what this agent reads: it accepts a result if some result that the schema accepts looks
the same to a reader of these fields.

Fields can be looked at apart from one another only where no keyword couples them. Where one does (oneOf, not, if,
dependencies, counts of properties…), that part of the schema stays as it is, which is said: a break there may be one
that this agent does not notice, but nothing that it would notice is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from contractd.contracts.compat.dialects import Dialect, declared_dialect
from contractd.contracts.compat.document import subschemas
from contractd.contracts.compat.verdict import compare_schemas
from contractd.contracts.references import at_pointer
from contractd.contracts.uses.paths import Path, Tree, path_text

_NOTES: Final = frozenset(
    ("title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$schema", "$id",
     "$defs", "definitions", "format", "contentEncoding", "contentMediaType", "contentSchema")
)  # fmt: skip
_OBJECT: Final = frozenset(("type", "properties", "required", "additionalProperties"))
_ARRAY: Final = frozenset(("type", "items", "minItems", "maxItems"))
_PLAIN: Final = _NOTES | _OBJECT | _ARRAY
_LOCAL: Final = ("#/$defs/", "#/definitions/")
_MOST: Final = 5_000  # parts that are looked at: alternatives multiply with the depth
_DEEPEST: Final = 100
_SECONDS: Final = 0.1


@dataclass
class Projected:
    """The loosened schema. ``kept``: the places that stayed as they were, and the keyword that is the reason."""

    schema: Any
    kept: dict[str, str] = field(default_factory=dict)


def projected(schema: Any, tree: Tree) -> Projected:
    """``schema`` for a reader of ``tree``."""
    if tree.names is not None and not tree.names and tree.items is None:
        return Projected(True)  # nothing is read, not even whether there is a result
    found = Projected(schema)
    dialect = declared_dialect(schema)
    if not isinstance(schema, dict) or dialect is None:
        return found
    obstacle = _obstacle(schema, dialect)
    if obstacle:
        found.kept[""] = obstacle
        return found
    loosened = _Loosening(schema, found.kept).of(schema, tree, ())
    carried = {key: schema[key] for key in ("$schema", "$id", "$defs", "definitions") if key in schema}
    found.schema = {**loosened, **carried} if isinstance(loosened, dict) else loosened
    return found


def _obstacle(schema: dict[str, Any], dialect: Dialect) -> str | None:
    """Why references would not lead where they led, once the schema is another: they may only lead to definitions."""
    stack: list[Any] = [schema]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        reference = node.get("$ref", "#/$defs/")
        if not isinstance(reference, str) or not reference.startswith(_LOCAL):
            return "$ref"
        for keyword in (dialect.identifier, "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$schema"):
            if keyword in node and not (node is schema and keyword in ("$id", "$schema")):
                return keyword
        if dialect.lone_reference and "$ref" in node and node is schema:
            return "$ref"
        stack += subschemas(node)
    return None


class _Loosening:
    def __init__(self, root: dict[str, Any], kept: dict[str, str]) -> None:
        self._root = root
        self._kept = kept
        self._left = _MOST

    def of(self, schema: Any, tree: Tree, path: Path, depth: int = 0) -> Any:
        if tree.whole or not isinstance(schema, dict):
            return schema
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return self._as_it_is(schema, path, "its size")
        constraints = [key for key in schema if key not in _NOTES and not key.startswith("x-")]
        if constraints == ["$ref"]:
            target = at_pointer(self._root, unquote(schema["$ref"][1:]))
            return self.of(target, tree, path, depth + 1)
        if constraints == ["anyOf"]:  # what looks like one of the alternatives looks like the whole
            return {"anyOf": [self.of(inner, tree, path, depth + 1) for inner in schema["anyOf"]]}
        if constraints == ["allOf"] and len(schema["allOf"]) == 1:
            return self.of(schema["allOf"][0], tree, path, depth + 1)
        coupling = next((key for key in constraints if key not in _PLAIN), None)
        if coupling is not None:
            return self._as_it_is(schema, path, coupling)
        return self._plain(schema, tree, path, depth + 1)

    def _plain(self, schema: dict[str, Any], tree: Tree, path: Path, depth: int) -> Any:
        result = {key: inner for key, inner in schema.items() if key == "type"}
        if tree.items is None:
            result |= {key: inner for key, inner in schema.items() if key in _ARRAY}
        elif isinstance(schema.get("items"), list):
            return self._as_it_is(schema, path, "items")
        else:
            result |= {key: schema[key] for key in ("minItems", "maxItems") if key in schema}
            if "items" in schema:
                result["items"] = self.of(schema["items"], tree.items, (*path, None), depth)
        if tree.names is None:
            return result | {key: inner for key, inner in schema.items() if key in _OBJECT}
        stuck = self._never_complete(schema, tree)
        if stuck is not None:
            return self._as_it_is(schema, path, stuck)
        return result | self._object(schema, tree.names, path, depth)

    def _object(self, schema: dict[str, Any], names: Mapping[str, Tree], path: Path, depth: int) -> dict[str, Any]:
        declared, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        others = {True: {}, False: {"not": {}}}[others] if isinstance(others, bool) else others  # draft-04 has no other
        properties = {
            name: self.of(declared.get(name, others), inner, (*path, name), depth) for name, inner in names.items()
        }
        required = [name for name in schema.get("required", ()) if name in names]
        return {"properties": properties, **({"required": required} if required else {})}

    def _never_complete(self, schema: dict[str, Any], tree: Tree) -> str | None:
        """Whether a field that is not read, and must be there, may have no value: then no object fits at all."""
        declared, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name in schema.get("required", ()):
            if tree.names is not None and name not in tree.names and not self._has_a_value(declared.get(name, others)):
                return "required"
        return None

    def _has_a_value(self, schema: Any) -> bool:
        """Is there provably a value that the schema accepts."""
        if isinstance(schema, bool):
            return schema
        if all(key in _NOTES or key == "type" for key in schema):
            return bool(schema.get("type") != [])
        carried = {key: self._root[key] for key in ("$schema", "$defs", "definitions") if key in self._root}
        return compare_schemas({**schema, **carried}, {"not": {}}, seconds=_SECONDS).verdict == "breaking"

    def _as_it_is(self, schema: Any, path: Path, keyword: str) -> Any:
        self._kept[path_text(path) if path else ""] = keyword
        return schema


def kept_words(kept: Mapping[str, str]) -> Iterator[str]:
    """For people: what is judged by all of it, and why."""
    for place, keyword in kept.items():
        yield f"{place or 'the result'} (because of {keyword})"
