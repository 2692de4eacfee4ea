"""Is a JSON Schema valid in its own dialect, and can it be used here without asking anyone on the network.

MCP 2026-07-28 (server/tools and SEP-2106): the root of an input schema is ``type: object``; the default dialect is
2020-12; ``$schema`` may name another; an unsupported dialect is reported; no ``$ref`` is ever fetched, and one that
can't be resolved inside the document is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from contractd.contracts.bounds import excess
from contractd.text import visible

FlawKind = Literal["invalid-schema", "unsupported-dialect", "parameters-lost"]

DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"
DIALECTS: dict[str, str] = {
    "https://json-schema.org/draft/2020-12/schema": "Draft202012Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a tool can't be accepted: the kind, the JSON pointer within the tool, and a sentence."""

    kind: FlawKind
    pointer: str
    message: str


def dialect_of(schema: Any) -> str | None:
    """The dialect's URI without a trailing ``#``; the default where ``$schema`` is absent; None where unsupported."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return DEFAULT_DIALECT
    uri = named.rstrip("#") if isinstance(named, str) else ""
    if uri.startswith("https://json-schema.org/draft-0"):
        uri = "http" + uri.removeprefix("https")  # a common slip; the document meant is beyond doubt
    return uri if uri in DIALECTS else None


def check_schema(schema: Any, pointer: str, *, role: Literal["input", "output"]) -> Iterator[Flaw]:
    """Every reason why ``schema`` can't serve as a tool's input or output schema; pointers start with ``pointer``."""
    if not isinstance(schema, dict | bool) or (role == "input" and not isinstance(schema, dict)):
        yield Flaw("invalid-schema", pointer, f"{pointer[1:]} is {_kind(schema)}, not a schema object")
        return
    if isinstance(schema, bool):
        return
    too_much = excess(schema)
    if too_much:
        yield Flaw("invalid-schema", pointer, f"the schema is not examined: {too_much}")
        return
    if role == "input" and set(schema) == {"$schema"}:
        yield Flaw(
            "parameters-lost",
            pointer,
            "the input schema is nothing but $schema: the parameters were lost when the server built its list",
        )
        return
    dialect = dialect_of(schema)
    if dialect is None:
        yield Flaw(
            "unsupported-dialect", pointer + "/$schema", f"dialect {visible(repr(schema['$schema']), 120)} is not known"
        )
        return
    if role == "input" and schema.get("type") != "object":
        found = f"type {visible(repr(schema['type']), 60)}" if "type" in schema else "no type"
        yield Flaw("invalid-schema", pointer, f'the root of an input schema must say "type": "object"; it has {found}')
    problems = list(_against_metaschema(schema, pointer, dialect))
    yield from problems
    if not problems:  # references of a broken schema can't be followed meaningfully
        yield from _references(schema, pointer, dialect)


def _kind(value: Any) -> str:
    names = {str: "text", list: "an array", type(None): "null", bool: "a boolean"}
    return names.get(type(value), "a number")


def _against_metaschema(schema: dict[str, Any], pointer: str, dialect: str) -> Iterator[Flaw]:
    import jsonschema_rs  # noqa: PLC0415 - not needed to start the command
    from jsonschema.exceptions import best_match  # noqa: PLC0415

    try:
        if jsonschema_rs.meta.is_valid({**schema, "$schema": dialect}):
            return  # compiled and some fifty times faster; jsonschema explains what it refuses
    except (ValueError, jsonschema_rs.ReferencingError):
        pass
    error = best_match(_metavalidator(dialect).iter_errors(schema))
    if error is not None:
        where = pointer + "".join("/" + str(token) for token in error.absolute_path)
        keyword = visible(str(error.validator), 40)
        yield Flaw("invalid-schema", where, f"not a valid schema of its dialect: {_explain(error, keyword)}")


def _explain(error: Any, keyword: str) -> str:
    """The rule that was broken, never the value."""
    allowed = error.validator_value
    if keyword == "type":
        return f"{allowed if isinstance(allowed, str) else ' or '.join(allowed)} is expected here"
    if keyword == "enum":
        return "one of " + ", ".join(map(str, allowed)) + " is expected here"
    return f"the dialect's rule {keyword!r} is broken here"


@lru_cache(maxsize=8)
def _metavalidator(dialect: str) -> Any:
    import jsonschema  # noqa: PLC0415

    validator = getattr(jsonschema, DIALECTS[dialect])
    return validator(validator.META_SCHEMA)


def _references(schema: dict[str, Any], pointer: str, dialect: str) -> Iterator[Flaw]:
    """Each ``$ref`` must lead somewhere inside this document or to a published metaschema; nothing is fetched."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415
    from referencing import Resource  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    resource: Resource[Any] = Resource.from_contents(schema, default_specification=_specification(dialect))
    root = resource.id() or "urn:contractd:schema"
    try:
        resolver = REGISTRY.with_resource(root, resource).resolver(base_uri=root)
    except (ValueError, TypeError, KeyError) as error:
        yield Flaw("invalid-schema", pointer, f"its identifiers can't be read: {type(error).__name__}")
        return
    stack = [(resource, resolver)]
    while stack:
        here, at = stack.pop()
        contents = here.contents
        if isinstance(contents, dict):
            for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                target = contents.get(keyword)
                if isinstance(target, str):
                    try:
                        at.lookup(target)
                    except (Unresolvable, ValueError, TypeError, LookupError):
                        yield Flaw("invalid-schema", pointer, _unresolved(keyword, target))
        for inner in here.subresources():
            try:
                stack.append((inner, at.in_subresource(inner)))
            except (ValueError, TypeError, LookupError):
                yield Flaw("invalid-schema", pointer, "an identifier inside it can't be read")
    yield from _loops(schema, pointer)


def _loops(schema: dict[str, Any], pointer: str) -> Iterator[Flaw]:
    """A chain of local ``$ref`` that returns to itself without passing a property says nothing and never ends."""
    for start in _local_refs(schema):
        seen, target = set[str](), start
        while target not in seen:
            seen.add(target)
            node = _lookup(schema, target)
            following = node.get("$ref") if isinstance(node, dict) else None
            if not (isinstance(following, str) and following.startswith("#")):
                break
            target = following
        else:
            yield Flaw("invalid-schema", pointer, f"$ref {visible(start, 120)} leads back to itself")
            return


def _local_refs(schema: Any) -> Iterator[str]:
    stack = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            ref = item.get("$ref")
            if isinstance(ref, str) and ref.startswith("#"):
                yield ref
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _lookup(schema: Any, ref: str) -> Any:
    here = schema
    for token in ref.removeprefix("#").split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict):
            here = here.get(name)
        elif isinstance(here, list) and name.isdigit() and int(name) < len(here):
            here = here[int(name)]
        else:
            return None
    return here


def _unresolved(keyword: str, target: str) -> str:
    shown = visible(target, 120)
    if target.startswith("#"):
        return f"{keyword} {shown} points to nothing in this schema"
    return f"{keyword} {shown} leads outside the schema; contractd never fetches a reference"


def _specification(dialect: str) -> Any:
    import referencing.jsonschema as specifications  # noqa: PLC0415

    return specifications.specification_with(dialect, default=specifications.DRAFT202012)
