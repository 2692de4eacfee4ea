"""Is a JSON Schema valid in its own dialect, and can it be used here without asking anyone on the network.

MCP 2026-07-28 (server/tools and SEP-2106): the root of an input schema is ``type: object``; the default dialect is
2020-12; ``$schema`` may name another; an unsupported dialect is reported; no ``$ref`` is ever fetched, and one that
can't be resolved inside the document is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from contractd.contracts.bounds import excess
from contractd.contracts.references import reference_problems
from contractd.text import visible

FlawKind = Literal["invalid-schema", "unsupported-dialect", "parameters-lost"]

DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"
DIALECTS = (
    DEFAULT_DIALECT,
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)


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
        yield from (Flaw("invalid-schema", pointer, message) for message in reference_problems(schema, dialect))


def _kind(value: Any) -> str:
    names = {str: "text", list: "an array", type(None): "null", bool: "a boolean"}
    return names.get(type(value), "a number")


def _against_metaschema(schema: dict[str, Any], pointer: str, dialect: str) -> Iterator[Flaw]:
    import jsonschema_rs  # noqa: PLC0415 - not needed to start the command

    try:
        # With $schema set: an unknown one at the root is the only thing that jsonschema_rs would fetch.
        jsonschema_rs.meta.validate({**schema, "$schema": dialect})
    except jsonschema_rs.ValidationError as error:
        where = pointer + "".join("/" + _escaped(str(token)) for token in error.instance_path)
        yield Flaw("invalid-schema", where, f"not a valid schema of its dialect: {_explain(error)}")
    except (ValueError, jsonschema_rs.ReferencingError):
        yield Flaw("invalid-schema", pointer, "not a schema that can be examined")


def _explain(error: Any) -> str:
    """The rule that was broken, never the value."""
    keyword = str(error.schema_path[-1]) if error.schema_path else "?"
    if keyword == "type":
        return f"{' or '.join(sorted(error.kind.types))} is expected here"
    if error.instance_path and error.instance_path[-1] == "type":
        return "a type is one of array, boolean, integer, null, number, object, string, or a list of them, each once"
    return f"the dialect's rule {visible(keyword, 40)!r} is broken here"


def _escaped(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")  # RFC 6901
