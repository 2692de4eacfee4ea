"""``unevaluatedProperties`` and ``unevaluatedItems``: what the other keywords have looked at, case by case.

2019-09 core 9.3, 2020-12 core 11. A subschema counts only where it holds, so the cases are the ways in which the
in-place applicators can turn out; within one case the looked-at keys and items are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contractd.contracts.compat.compile_parts import absent, declared_keys, item_schemas, present
from contractd.contracts.compat.document import Schema, Undecided
from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import OBJECT, STRING
from contractd.contracts.compat.one_of import exclusive
from contractd.contracts.compat.terms import Terms

if TYPE_CHECKING:
    from contractd.contracts.compat.compiler import Compiler

MAX_CASES = 128
MAX_DEPTH = 24


@dataclass(frozen=True, slots=True)
class Case:
    """If ``condition`` holds, ``keys`` are looked at, the first ``prefix`` items (None: all), and those matching."""

    condition: Formula
    keys: Formula
    prefix: int | None
    matching: tuple[Formula, ...] = ()


class Evaluation:
    """Adds the ``unevaluated*`` keywords of one document's schemas."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.terms: Terms = compiler.terms

    def applied(self, schema: Schema, whole: Formula) -> Formula:
        """``whole`` and, where the schema has them, its ``unevaluated*`` keywords."""
        keywords = [key for key in ("unevaluatedProperties", "unevaluatedItems") if self.compiler.has(schema, key)]
        if not keywords:
            return whole
        cases = self._cases(schema, 0, own=False)
        ways = []
        for case in cases:
            parts = [case.condition]
            if "unevaluatedProperties" in keywords:
                others = self._without(case.keys)
                parts.append(self.terms.atom("keys", others, self.compiler.schema(schema["unevaluatedProperties"])))
            if "unevaluatedItems" in keywords and case.prefix is not None:
                inner = self.compiler.schema(schema["unevaluatedItems"])
                parts.append(self.terms.atom("each", case.prefix, self.terms.any_of((inner, *case.matching))))
            ways.append(self.terms.all_of(parts))
        return self.terms.both(whole, self.terms.any_of(ways))

    def _without(self, keys: Formula) -> Formula:
        return self.terms.restricted(self.terms.negation(keys), STRING)

    def _cases(self, schema: Any, depth: int, *, own: bool = True) -> list[Case]:
        """The cases of a schema that holds; ``own``: its own ``unevaluated*`` count as well."""
        terms, compiler = self.terms, self.compiler
        nothing = Case(terms.true, terms.false, 0)
        if not isinstance(schema, dict):
            return [nothing]
        if depth > MAX_DEPTH:
            raise Undecided("unevaluated* over a schema that contains itself")
        cases = [self._local(schema, own)]
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if compiler.has(schema, keyword):
                cases = self._product(cases, self._cases(compiler.target(schema, keyword), depth + 1))
        for inner in schema.get("allOf", ()):
            cases = self._product(cases, self._cases(inner, depth + 1))
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                cases = self._branches(cases, schema, keyword, depth)
        if "if" in schema:
            cases = self._product(cases, self._conditional(schema, depth))
        for name, inner in schema.get("dependentSchemas", {}).items():
            there = terms.both(terms.kinds(OBJECT), present(terms, name))
            then = [self._when(there, case) for case in self._cases(inner, depth + 1)]
            cases = self._product(cases, [*then, Case(absent(terms, name), terms.false, 0)])
        return cases

    def _local(self, schema: Schema, own: bool) -> Case:
        terms, compiler = self.terms, self.compiler
        everything = "additionalProperties" in schema or (own and "unevaluatedProperties" in schema)
        keys = terms.true if everything else declared_keys(terms, schema)
        prefix, rest = item_schemas(compiler, schema)
        count = None if rest is not None or (own and "unevaluatedItems" in schema) else len(prefix)
        matching: tuple[Formula, ...] = ()
        if "contains" in schema:  # 2020-12 core 11.2; 2019-09 does not say so, validators do it all the same
            counts = terms.true if compiler.dialect.age >= 20 else terms.opaque("contains looks at items in 2019-09")
            matching = (terms.both(counts, compiler.schema(schema["contains"])),)
        return Case(terms.true, keys, count, matching)

    def _branches(self, cases: list[Case], schema: Schema, keyword: str, depth: int) -> list[Case]:
        """Where exactly one branch holds, a case for each; else a product of what may hold and what may not."""
        formulas = [self.compiler.schema(inner, schema) for inner in schema[keyword]]
        if keyword == "oneOf" or exclusive(self.terms, formulas):
            found: list[Case] = []
            idle: list[Formula] = []
            for inner, holds in zip(schema[keyword], formulas, strict=True):
                within = self._cases(inner, depth + 1)
                if all(map(self._idle, within)):
                    idle.append(holds)
                else:
                    found += [self._when(holds, case) for case in within]
            found.append(Case(self.terms.any_of(idle), self.terms.false, 0))
            return self._product(cases, found)
        for inner in schema[keyword]:
            cases = self._product(cases, self._optional(schema, inner, depth))
        return cases

    def _optional(self, schema: Schema, inner: Any, depth: int) -> list[Case]:
        """A branch that may or may not hold; one that looks at nothing needs no case."""
        cases = self._cases(inner, depth + 1)
        if all(self._idle(case) for case in cases):
            return [Case(self.terms.true, self.terms.false, 0)]
        holds = self.compiler.schema(inner, schema)
        failed = Case(self.terms.negation(holds), self.terms.false, 0)
        return [*(self._when(holds, case) for case in cases), failed]

    def _conditional(self, schema: Schema, depth: int) -> list[Case]:
        condition = self.compiler.schema(schema["if"], schema)
        found = self._cases(schema["if"], depth + 1)
        if "then" in schema:
            found = self._product(found, self._cases(schema["then"], depth + 1))
        other = [Case(self.terms.true, self.terms.false, 0)]
        if "else" in schema:
            other = self._cases(schema["else"], depth + 1)
        refused = self.terms.negation(condition)
        return [*(self._when(condition, case) for case in found), *(self._when(refused, case) for case in other)]

    def _idle(self, case: Case) -> bool:
        return case.keys is self.terms.false and case.prefix == 0 and not case.matching

    def _when(self, condition: Formula, case: Case) -> Case:
        return Case(self.terms.both(condition, case.condition), case.keys, case.prefix, case.matching)

    def _product(self, left: list[Case], right: list[Case]) -> list[Case]:
        if len(left) * len(right) > MAX_CASES:
            raise Undecided("unevaluated* over too many alternatives")
        found = []
        for one in left:
            for two in right:
                condition = self.terms.both(one.condition, two.condition)
                if condition is not self.terms.false:
                    prefix = None if one.prefix is None or two.prefix is None else max(one.prefix, two.prefix)
                    keys = self.terms.restricted(self.terms.any_of((one.keys, two.keys)), STRING)
                    found.append(Case(condition, keys, prefix, one.matching + two.matching))
        return found
