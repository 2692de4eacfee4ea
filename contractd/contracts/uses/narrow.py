"""An input schema, narrowed to calls that send only what this agent sends.

The narrowed schema accepts exactly the calls that the schema accepts and that keep to the tree: a value that it accepts
and the new schema refuses is a call that this agent may send.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote

from contractd.contracts.compat.dialects import declared_dialect
from contractd.contracts.compat.document import subschemas
from contractd.contracts.references import at_pointer
from contractd.contracts.uses.paths import Tree

_IDENTITY: Final = "urn:contractd:as-listed"
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_EVALUATING: Final = ("unevaluatedProperties", "unevaluatedItems")


def narrowed(schema: Any, tree: Tree) -> Any:
    """``schema`` for calls within ``tree``; None where it can't be narrowed without changing what it means."""
    if not isinstance(schema, dict):
        return None
    dialect = declared_dialect(schema)
    if dialect is None or (dialect.lone_reference and "$ref" in schema):  # a lone reference silences what is beside it
        return None
    within = closing(tree)
    nodes = list(_nodes(schema))
    if any(keyword in node for node in nodes for keyword in _EVALUATING):
        # What another branch names counts as evaluated there; nothing does through ``not``.
        within = {"not": {"not": within}}
    if not any(_leads_to_the_root(node) for node in nodes):
        every = schema.get("allOf")
        return {**schema, "allOf": [*(every if isinstance(every, list) else ()), within]}
    # Beside a reference to the root, the root must stay what it was.
    inner = {dialect.identifier: _IDENTITY, **schema}
    outer = {"$schema": schema["$schema"]} if "$schema" in schema else {}
    return {**outer, "allOf": [{key: value for key, value in inner.items() if key != "$schema"}, within]}


def closing(tree: Tree) -> dict[str, Any]:
    """What keeps to the tree, in the words of every dialect. It says nothing of what the values are."""
    found: dict[str, Any] = {}
    if tree.names is not None:
        found["properties"] = {name: closing(inner) for name, inner in tree.names.items()}
        found["additionalProperties"] = False
        if tree.always:
            found["required"] = sorted(tree.always)
    if tree.items is not None:
        found["items"] = closing(tree.items)
    return found


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack += subschemas(node)


def _leads_to_the_root(node: dict[str, Any]) -> bool:
    """Whether it has a reference that may: all but plain pointers to a part of the schema."""
    references = (node[keyword] for keyword in _REFERENCES if keyword in node)
    return any(not (isinstance(reference, str) and reference.startswith("#/")) for reference in references)


class _NotSure(Exception):  # noqa: N818 - the name says what is the case
    pass


def declaring(schema: Any, tree: Tree) -> Any:
    """The same schema, with the names of the tree declared wherever that changes nothing, so that ``told_of`` keeps
    them: what is really sent counts, declared or not. None where a name is not declared and can't be."""
    try:
        return _declaring(schema, tree, schema, top=True)
    except _NotSure:
        return None


def _declaring(schema: Any, tree: Tree, root: Any, *, top: bool = False, left: int = 32) -> Any:
    if not isinstance(schema, dict) or tree.whole:
        return schema
    if not left:
        raise _NotSure
    alternatives = list(_elsewhere(schema, root))
    for other in alternatives:
        _unchanged(other, tree, root, left)
    result = dict(schema)
    if tree.names:
        declared = schema["properties"] if isinstance(schema.get("properties"), dict) else {}
        closed_by_told = "additionalProperties" not in schema and (top or bool(declared))
        properties = dict(declared)
        for name, inner in tree.names.items():
            if name in declared:
                properties[name] = _declaring(declared[name], inner, root, left=left - 1)
            elif not closed_by_told:
                _unchanged(schema.get("additionalProperties"), inner, root, left)
            elif alternatives:
                raise _NotSure  # it may be declared there
            else:
                properties[name] = {}
        result |= {"properties": properties} if properties else {}
    if tree.items is not None and isinstance(schema.get("items"), dict):
        result["items"] = _declaring(schema["items"], tree.items, root, left=left - 1)
    elif tree.items is not None and ("items" in schema or "prefixItems" in schema):
        raise _NotSure
    return result


def _unchanged(schema: Any, tree: Tree, root: Any, left: int) -> None:
    """Raises _NotSure where something would have to be declared."""
    if _declaring(schema, tree, root, left=left - 1) != schema:
        raise _NotSure


def _elsewhere(schema: dict[str, Any], root: Any) -> Iterator[Any]:
    """The schemas beside this one that may say more of the same value."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        yield at_pointer(root, unquote(reference[1:])) if reference.startswith("#/") else {"$ref": reference}
    for keyword in ("anyOf", "allOf", "oneOf"):
        if isinstance(schema.get(keyword), list):
            yield from schema[keyword]
