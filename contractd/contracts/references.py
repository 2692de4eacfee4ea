"""Do the references of a schema lead somewhere, and does following them end. Nothing is ever fetched.

Plain pointers (``#``, ``#/$defs/x``) are followed here. Identifiers and anchors are left to ``referencing``, which is
slow on large documents, so their number is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from contractd.text import visible

MAX_IDENTIFIED = 2_000  # subschemas in a schema that uses identifiers or anchors; real ones have a handful
MAX_EXPANSION = 100_000  # schemas that one value would be tried against
MAX_FLAWS = 5

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_IDENTIFIERS = ("$id", "$anchor", "$dynamicAnchor", "id")
_ONE = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_MANY = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_NAMED = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")

# Keywords that apply a schema to the very value at hand, not to a part of it: only these can go round for ever.
_SAME_ONE = ("else", "if", "not", "then")
_SAME_MANY = ("allOf", "anyOf", "oneOf")
_SAME_NAMED = ("dependencies", "dependentSchemas")


def reference_problems(schema: dict[str, Any], dialect: str) -> list[str]:
    """A sentence for each reference that leads nowhere or back to itself; at most a handful."""
    nodes = _reachable(schema, {})
    references = [(node, keyword) for node in nodes for keyword in _REFERENCES if isinstance(node.get(keyword), str)]
    if not references:
        return []
    targets: dict[tuple[int, str], Any] = {}
    if any(isinstance(node.get(keyword), str) for node in nodes for keyword in _IDENTIFIERS):
        if len(nodes) > MAX_IDENTIFIED:
            return [
                f"it has more than {MAX_IDENTIFIED:,} subschemas besides identifiers: its references aren't followed"
            ]
        problems = _resolve_identified(schema, dialect, targets)
    else:
        problems = _resolve_plain(schema, targets)
    return problems or _endless(schema, dialect, targets)


def _resolve_plain(schema: dict[str, Any], targets: dict[tuple[int, str], Any]) -> list[str]:
    """Fill ``targets``; a reference may lead where no keyword does, and what stands there is looked at too."""
    problems: dict[str, None] = {}
    seen: dict[int, dict[str, Any]] = {}
    stack: list[Any] = [schema]
    while stack and len(problems) < MAX_FLAWS:
        for node in _reachable(stack.pop(), seen):
            for keyword in _REFERENCES:
                reference = node.get(keyword)
                if not isinstance(reference, str):
                    continue
                target = _at(schema, reference)
                if isinstance(target, dict | bool):
                    targets[id(node), keyword] = target
                    stack.append(target)
                else:
                    problems[_unresolved(keyword, reference)] = None
    return list(problems)[:MAX_FLAWS]


def _resolve_identified(schema: dict[str, Any], dialect: str, targets: dict[tuple[int, str], Any]) -> list[str]:
    import referencing.jsonschema as specifications  # noqa: PLC0415 - needed for few schemas only
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415
    from referencing import Resource  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    problems: dict[str, None] = {}
    specification = specifications.specification_with(dialect, default=specifications.DRAFT202012)
    try:
        resource: Resource[Any] = Resource.from_contents(schema, default_specification=specification)
        root = resource.id() or "urn:contractd:schema"
        resolver = REGISTRY.with_resource(root, resource).crawl().resolver(base_uri=root)
    except Exception as error:
        return [f"its identifiers can't be read: {type(error).__name__}"]
    stack = [(resource, resolver)]
    while stack and len(problems) < MAX_FLAWS:
        here, at = stack.pop()
        contents = here.contents
        for keyword in _REFERENCES if isinstance(contents, dict) else ():
            target = contents.get(keyword)
            if isinstance(target, str):
                try:
                    targets[id(contents), keyword] = at.lookup(target).contents
                except (Unresolvable, ValueError, TypeError, LookupError):
                    problems[_unresolved(keyword, target)] = None
        for inner in here.subresources():
            try:
                stack.append((inner, at.in_subresource(inner)))
            except (ValueError, TypeError, LookupError):
                problems["an identifier inside it can't be read"] = None
    return list(problems)


def _endless(schema: dict[str, Any], dialect: str, targets: dict[tuple[int, str], Any]) -> list[str]:
    """Walk the edges that stay at the same value, depth first: a circle never ends, a doubling ladder nearly so."""
    alone = "draft-0" in dialect  # up to draft-07 a $ref replaces everything beside it
    weight: dict[int, int] = {}
    for start in [schema, *(target for target in targets.values() if isinstance(target, dict))]:
        path: set[int] = set()
        stack: list[tuple[dict[str, Any], bool]] = [(start, False)]
        while stack:
            node, left = stack.pop()
            key = id(node)
            if left:
                path.discard(key)
                weight[key] = 1 + sum(weight.get(id(inner), 1) for inner in _same_value(node, targets, alone))
                if weight[key] > MAX_EXPANSION:
                    return [f"its references expand to more than {MAX_EXPANSION:,} schemas for one value"]
            elif key not in weight:
                path.add(key)
                stack.append((node, True))
                for inner in _same_value(node, targets, alone):
                    if id(inner) in path:
                        return [f"{_first_reference(node)} leads back to itself"]
                    stack.append((inner, False))
    return []


def _same_value(node: dict[str, Any], targets: dict[tuple[int, str], Any], alone: bool) -> list[dict[str, Any]]:
    found: list[Any] = [targets[id(node), keyword] for keyword in _REFERENCES if (id(node), keyword) in targets]
    if not (alone and "$ref" in node):
        found += [node.get(keyword) for keyword in _SAME_ONE]
        found += _listed(node, _SAME_MANY)
        found += _named(node, _SAME_NAMED)
    return [inner for inner in found if isinstance(inner, dict)]


def _first_reference(node: dict[str, Any]) -> str:
    for keyword in _REFERENCES:
        if isinstance(node.get(keyword), str):
            return f"{keyword} {visible(node[keyword], 120)}"
    return "a reference"


def _reachable(schema: Any, seen: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """The subschemas from ``schema`` down that are objects, as keywords lead to them; those in ``seen`` left out."""
    fresh: list[dict[str, Any]] = []
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict) and id(node) not in seen:
            seen[id(node)] = node
            fresh.append(node)
            stack += [node[keyword] for keyword in _ONE if keyword in node]
            stack += _listed(node, _MANY)
            stack += _named(node, _NAMED)
    return fresh


def _listed(node: dict[str, Any], keywords: tuple[str, ...]) -> Iterator[Any]:
    for keyword in keywords:
        inner = node.get(keyword)
        if isinstance(inner, list):
            yield from inner


def _named(node: dict[str, Any], keywords: tuple[str, ...]) -> Iterator[Any]:
    for keyword in keywords:
        inner = node.get(keyword)
        if isinstance(inner, dict):
            yield from inner.values()


def _at(schema: Any, reference: str) -> Any:
    """What a plain pointer reference leads to, or None."""
    if reference in ("", "#"):
        return schema
    if not reference.startswith("#/"):
        return None
    return at_pointer(schema, unquote(reference[1:]))


def at_pointer(schema: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) that is not empty leads to, or None."""
    here = schema
    for token in pointer[1:].split("/"):
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and name in here:
            here = here[name]
        elif isinstance(here, list) and name.isascii() and name.isdigit() and len(name) < 8 and int(name) < len(here):
            here = here[int(name)]
        else:
            return None
    return here


def _unresolved(keyword: str, target: str) -> str:
    shown = visible(target, 120)
    if target.startswith("#"):
        return f"{keyword} {shown} points to nothing in this schema"
    return f"{keyword} {shown} leads outside the schema; contractd never fetches a reference"
