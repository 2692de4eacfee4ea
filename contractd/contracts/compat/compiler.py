"""A schema becomes a formula: combinators, references, and the keywords on any value, numbers and strings.

Arrays and objects are in ``compile_parts``; ``unevaluated*`` in ``evaluated``. What is not modelled becomes an opaque
atom, so that a proof can still do without it, or raises Undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any, Final

from contractd.contracts.compat.compile_parts import (
    ARRAY_KEYWORDS,
    OBJECT_KEYWORDS,
    array_keywords,
    object_keywords,
)
from contractd.contracts.compat.dialects import Dialect
from contractd.contracts.compat.document import Document, Schema, Undecided
from contractd.contracts.compat.evaluated import Evaluation
from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import (
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    POINTED,
    STRING,
    WHOLE,
    exact,
)
from contractd.contracts.compat.one_of import exactly_one
from contractd.contracts.compat.terms import Terms

MAX_OPEN = 50  # schemas inside one another before one is put off, so that chains of references don't recurse

_TYPES: Final = {
    "null": NULL,
    "boolean": BOOLEAN,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}
_NUMERIC: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_TEXTUAL: Final = ("minLength", "maxLength", "pattern")
_COMBINING: Final = ("allOf", "anyOf", "oneOf", "not", "if")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


class Compiler:
    """Compiles the schemas of one document, each once. References into what is in progress stay references."""

    def __init__(self, document: Document, terms: Terms) -> None:
        self.document = document
        self.terms = terms
        self.chain = 1
        self.referred: set[int] = set()  # what references lead to
        self._done: dict[int, Formula] = {}
        self._open: set[int] = set()
        self._targets: dict[int, Schema] = {}
        self._same_value: dict[int, list[int]] = {}  # schema -> those it applies to the very same value
        self._evaluation = Evaluation(self)

    @property
    def dialect(self) -> Dialect:
        return self.document.dialect

    def compile(self) -> Formula:
        """The formula of the whole document."""
        node = self.schema(self.document.root)
        while self._targets:
            key, schema = self._targets.popitem()
            if key not in self._done:
                self.schema(schema)
        self._refuse_circles()
        return node

    def schema(self, schema: Any, within: Schema | None = None) -> Formula:
        """The formula of a schema; ``within``: the schema that applies it to the same value."""
        if isinstance(schema, bool):
            return self.terms.true if schema else self.terms.false
        if not isinstance(schema, dict):
            raise Undecided("a schema is neither an object nor a boolean")
        key = id(schema)
        if within is not None:
            self._same_value.setdefault(id(within), []).append(key)
        if key not in self._done and (key in self._open or len(self._open) >= MAX_OPEN):
            self._targets[key] = schema
            return self.terms.reference((id(self.document), key))
        if key not in self._done:
            self._open.add(key)
            self._done[key] = self._object(schema)
            self._open.discard(key)
        return self._done[key]

    def unfolded(self, key: int) -> Formula:
        """What a reference stands for, once everything is compiled."""
        return self._done[key]

    def _object(self, schema: Schema) -> Formula:
        if self.dialect.lone_reference and isinstance(schema.get("$ref"), str):
            return self._reference(schema, "$ref")
        parts = [self._reference(schema, keyword) for keyword in _REFERENCES if self.has(schema, keyword)]
        parts += self._any_value(schema)
        given = schema.keys()
        if not given.isdisjoint(_NUMERIC):
            parts += self._numbers(schema)
        if not given.isdisjoint(_TEXTUAL):
            parts += self._strings(schema)
        if not given.isdisjoint(ARRAY_KEYWORDS):
            parts += array_keywords(self, schema)
        if not given.isdisjoint(OBJECT_KEYWORDS):
            parts += object_keywords(self, schema)
        if not given.isdisjoint(_COMBINING):
            parts += self._combined(schema)
        return self._evaluation.applied(schema, self.terms.all_of(parts))

    def has(self, schema: Schema, keyword: str) -> bool:
        """Does the schema have the keyword, and the dialect know it."""
        return keyword in schema and self.dialect.knows(keyword)

    # -- references

    def target(self, schema: Schema, keyword: str) -> Any:
        """The schema a reference leads to, where that does not depend on the way here."""
        reference = schema[keyword]
        if not isinstance(reference, str):
            raise Undecided("a reference is not text")
        document = self.document
        base = document.base_of(schema)
        if keyword == "$recursiveRef":  # 2019-09 core 8.2.4.2: dynamic only where a target says $recursiveAnchor
            if document.identified and document.recursive:
                raise Undecided("a $recursiveRef among several resources")
        elif keyword == "$dynamicRef":  # 2020-12 core 8.2.3.2: dynamic only where several share the anchor
            fragment = reference.partition("#")[2]
            if document.identified and document.dynamic.get(fragment, 0) > 1:
                raise Undecided("a $dynamicRef that depends on the way to it")
        target = document.resolve(reference, base)[0]
        self.referred.add(id(target))
        return target

    def _reference(self, schema: Schema, keyword: str) -> Formula:
        return self.schema(self.target(schema, keyword), schema)

    def _refuse_circles(self) -> None:
        """A schema that applies itself to the same value has no meaning (2020-12 core 9.4.1).

        On the way: how many schemas are at most applied to one value inside one another.
        """
        state: dict[int, int] = {}
        chain: dict[int, int] = {}
        for start in self._same_value:
            stack = [(start, False)]
            while stack:
                key, left = stack.pop()
                if left:
                    state[key] = 2
                    chain[key] = 1 + max((chain.get(inner, 1) for inner in self._same_value.get(key, ())), default=0)
                elif key not in state:
                    state[key] = 1
                    stack.append((key, True))
                    for inner in self._same_value.get(key, ()):
                        if state.get(inner) == 1:
                            raise Undecided("a reference leads back to itself")
                        stack.append((inner, False))
        self.chain = max(chain.values(), default=1)

    # -- keywords on any value

    def _any_value(self, schema: Schema) -> list[Formula]:
        terms = self.terms
        parts = []
        if "type" in schema:
            named = schema["type"]
            parts.append(terms.kinds(reduce(or_, map(self._mask, [named] if isinstance(named, str) else named), 0)))
        if "enum" in schema:
            parts.append(terms.one_of(schema["enum"]))
        if self.has(schema, "const"):
            parts.append(terms.one_of((schema["const"],)))
        return parts

    def _mask(self, name: str) -> int:
        if name == "integer":  # draft-04: no fraction part at all; later: no fraction
            return WHOLE if self.dialect.age == 4 else WHOLE | POINTED
        return _TYPES[name]

    def _numbers(self, schema: Schema) -> list[Formula]:
        atom = self.terms.atom
        parts = []
        old = self.dialect.age == 4  # exclusive* are flags on minimum and maximum (draft-04 validation 5.1.2)
        if "minimum" in schema:
            parts.append(atom("above", exact(schema["minimum"]), old and schema.get("exclusiveMinimum") is True))
        if "maximum" in schema:
            parts.append(atom("below", exact(schema["maximum"]), old and schema.get("exclusiveMaximum") is True))
        if not old and "exclusiveMinimum" in schema:
            parts.append(atom("above", exact(schema["exclusiveMinimum"]), True))
        if not old and "exclusiveMaximum" in schema:
            parts.append(atom("below", exact(schema["exclusiveMaximum"]), True))
        if "multipleOf" in schema:
            parts.append(atom("multiple", exact(schema["multipleOf"]), True))
        return parts

    def _strings(self, schema: Schema) -> list[Formula]:
        parts = []
        if "minLength" in schema:
            parts.append(self.terms.atom("length", int(schema["minLength"]), None))
        if "maxLength" in schema:
            parts.append(self.terms.atom("length", 0, int(schema["maxLength"])))
        if "pattern" in schema:
            parts.append(self.terms.atom("pattern", schema["pattern"], True))
        return parts

    # -- combinators

    def _combined(self, schema: Schema) -> list[Formula]:
        terms = self.terms

        def inner(part: Any) -> Formula:
            return self.schema(part, schema)

        parts = [inner(part) for part in schema.get("allOf", ())]
        if "anyOf" in schema:
            parts.append(terms.any_of(list(map(inner, schema["anyOf"]))))
        if "oneOf" in schema:
            parts.append(exactly_one(terms, list(map(inner, schema["oneOf"]))))
        if "not" in schema:
            parts.append(terms.negation(inner(schema["not"])))
        if self.has(schema, "if"):
            parts += self._conditional(schema, inner)
        return parts

    def _conditional(self, schema: Schema, inner: Callable[[Any], Formula]) -> list[Formula]:
        terms = self.terms
        condition = inner(schema["if"])
        parts = []
        if "then" in schema:
            parts.append(terms.any_of((terms.negation(condition), inner(schema["then"]))))
        if "else" in schema:
            parts.append(terms.any_of((condition, inner(schema["else"]))))
        return parts
