"""The keywords of arrays and objects as formulas.

Arrays: draft-07 6.4, 2020-12 core 10.3.1 (``items`` as a list and ``additionalItems`` became ``prefixItems`` and
``items``). Objects: every keyword is a statement on a set of keys, so named properties, patterns,
``additionalProperties`` and ``propertyNames`` are one kind of atom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from contractd.contracts.compat.document import Schema
from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import STRING
from contractd.contracts.compat.terms import Terms

if TYPE_CHECKING:
    from contractd.contracts.compat.compiler import Compiler


ARRAY_KEYWORDS: Final = ("minItems", "maxItems", "uniqueItems", "items", "prefixItems", "additionalItems", "contains")
OBJECT_KEYWORDS: Final = (
    *("minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties"),
    *("propertyNames", "dependencies", "dependentRequired", "dependentSchemas"),
)


def array_keywords(compiler: Compiler, schema: Schema) -> list[Formula]:
    """The formulas of one schema's array keywords."""
    terms = compiler.terms
    parts = []
    if "minItems" in schema:
        parts.append(terms.atom("items", int(schema["minItems"]), None))
    if "maxItems" in schema:
        parts.append(terms.atom("items", 0, int(schema["maxItems"])))
    if schema.get("uniqueItems") is True:
        parts.append(terms.atom("unique", True))
    prefix, rest = item_schemas(compiler, schema)
    parts += [terms.atom("at", index, compiler.schema(inner)) for index, inner in enumerate(prefix)]
    if rest is not None:
        parts.append(terms.atom("each", len(prefix), compiler.schema(rest)))
    if compiler.has(schema, "contains"):
        inner = compiler.schema(schema["contains"])
        counted = compiler.dialect.knows("minContains")
        least = int(schema.get("minContains", 1)) if counted else 1
        parts.append(terms.atom("some", 0, least, inner))
        if counted and "maxContains" in schema:
            parts.append(terms.atom("few", 0, int(schema["maxContains"]), inner))
    return parts


def item_schemas(compiler: Compiler, schema: Schema) -> tuple[list[Any], Any]:
    """The schemas by position, and the one for what follows them (None where there is none)."""
    items = schema.get("items")
    if compiler.dialect.knows("prefixItems"):
        return schema.get("prefixItems", []), items
    if isinstance(items, list):
        return items, schema.get("additionalItems")
    return [], items


def object_keywords(compiler: Compiler, schema: Schema) -> list[Formula]:
    """The formulas of one schema's object keywords."""
    terms = compiler.terms
    parts = []
    if "minProperties" in schema:
        parts.append(terms.atom("size", int(schema["minProperties"]), None))
    if "maxProperties" in schema:
        parts.append(terms.atom("size", 0, int(schema["maxProperties"])))
    parts += [present(terms, name) for name in schema.get("required", ())]
    for name, inner in schema.get("properties", {}).items():
        parts.append(terms.atom("keys", terms.named(name), compiler.schema(inner)))
    for pattern, inner in schema.get("patternProperties", {}).items():
        parts.append(terms.atom("keys", terms.atom("pattern", pattern, True), compiler.schema(inner)))
    if "additionalProperties" in schema:
        others = terms.restricted(terms.negation(declared_keys(terms, schema)), STRING)
        parts.append(terms.atom("keys", others, compiler.schema(schema["additionalProperties"])))
    if compiler.has(schema, "propertyNames"):
        refused = terms.restricted(terms.negation(compiler.schema(schema["propertyNames"])), STRING)
        parts.append(terms.atom("keys", refused, terms.false))
    return parts + _dependencies(compiler, schema)


def declared_keys(terms: Terms, schema: Schema) -> Formula:
    """The keys that ``properties`` and ``patternProperties`` cover, which ``additionalProperties`` leaves alone."""
    patterns = [terms.atom("pattern", pattern, True) for pattern in schema.get("patternProperties", {})]
    return terms.restricted(terms.any_of([terms.one_of(schema.get("properties", {})), *patterns]), STRING)


def present(terms: Terms, name: str) -> Formula:
    """An object has the member (other types are not asked)."""
    return terms.atom("key", terms.named(name), terms.true)


def absent(terms: Terms, name: str) -> Formula:
    """The value is an object without the member, or no object."""
    return terms.atom("keys", terms.named(name), terms.false)


def _dependencies(compiler: Compiler, schema: Schema) -> list[Formula]:
    terms = compiler.terms
    parts = []
    for keyword in ("dependencies", "dependentRequired", "dependentSchemas"):
        if keyword in schema and (compiler.dialect.knows(keyword) or keyword == "dependencies"):
            found = [_dependency(compiler, schema, name, needed) for name, needed in schema[keyword].items()]
            if not compiler.dialect.knows(keyword):
                # Gone in 2019-09, yet some validators still apply it: nothing may hang on which reading is right.
                applied = terms.opaque("dependencies are applied since 2019-09")
                found = [terms.any_of((terms.negation(applied), terms.all_of(found)))]
            parts += found
    return parts


def _dependency(compiler: Compiler, schema: Schema, name: str, needed: Any) -> Formula:
    terms = compiler.terms
    if isinstance(needed, list):
        then = terms.all_of([present(terms, other) for other in needed])
    else:
        then = compiler.schema(needed, schema)
    return terms.any_of((absent(terms, name), then))
