"""The verdict on two schemas: compatible if proven, breaking with a confirmed witness, else unknown."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import jsonschema_rs

from contractd.contracts.bounds import excess
from contractd.contracts.compat.budget import SECONDS, Allowance, Exhausted
from contractd.contracts.compat.changes import changes_between
from contractd.contracts.compat.compiler import Compiler
from contractd.contracts.compat.confirm import Judge
from contractd.contracts.compat.dialects import Dialect, declared_dialect, dialect_named
from contractd.contracts.compat.document import Document, Undecided
from contractd.contracts.compat.formats import formats_in, formatted
from contractd.contracts.compat.formula import Formula, Overgrown
from contractd.contracts.compat.outcome import Empty, Found, Outcome, Unknown
from contractd.contracts.compat.result import Comparison, Direction, Witness
from contractd.contracts.compat.sampling import samples
from contractd.contracts.compat.shrink import shrunk
from contractd.contracts.compat.solver import Solver
from contractd.contracts.compat.terms import Terms
from contractd.contracts.compat.tokens import Tokens
from contractd.errors import UsageError

MAX_MODELS = 6  # models that are tried before a disagreement of the validators is left undecided
_SHRINKING = 0.03  # seconds for making a witness small


def compare_schemas(
    old: Any,
    new: Any,
    direction: Direction = "arguments",
    dialect: str | None = None,
    *,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.thread_time,
) -> Comparison:
    """May a value that was valid be refused now.

    ``arguments``: breaking if the old schema accepts a value that the new one refuses. ``results``: breaking if the
    new schema accepts a value that the old one refuses. ``dialect`` holds for both schemas; without it each one's
    ``$schema`` does, else 2020-12. ``format`` and ``content*`` are annotations. Past ``seconds`` of ``clock`` the
    answer is unknown.
    """
    if direction not in ("arguments", "results"):
        raise UsageError(f"direction is {direction!r}; it is 'arguments' or 'results'")
    if dialect is not None and dialect_named(dialect) is None:
        raise UsageError(f"dialect {dialect!r} is not known; they are draft-04, draft-06, draft-07, 2019-09, 2020-12")
    allowance = Allowance(seconds, clock)
    too_much = excess(old) or excess(new)
    if too_much:
        return Comparison("unknown", direction, reason=f"a schema is not examined: {too_much}")
    if not (_is_unicode(old) and _is_unicode(new)):
        return Comparison("unknown", direction, reason="a schema holds half a surrogate pair, which no validator reads")
    tokens = Tokens()
    if tokens.of(old) == tokens.of(new):
        return Comparison("compatible", direction)
    sides = []
    for schema in (old, new):
        read_as, flaw = effective_dialect(schema, dialect)
        if read_as is None or flaw:
            return Comparison("unknown", direction, changes=changes_between(old, new, direction), reason=flaw)
        sides.append((schema, read_as))
    if direction == "results":
        sides.reverse()
    verdict = _Comparing(sides[0], sides[1], allowance).verdict(direction)
    return replace(verdict, changes=changes_between(old, new, direction))


def effective_dialect(schema: Any, given: str | None) -> tuple[Dialect | None, str | None]:
    """The dialect a schema is read in, or why it can't be read.

    A schema that is not valid in the dialect that was given, but is in the one it names itself, is read in its own:
    a draft-04 schema with ``exclusiveMinimum: true`` has no meaning in draft-07.
    """
    own = declared_dialect(schema)
    read_as = dialect_named(given) if given else own
    if read_as is None:
        return None, "the dialect of a schema is not known"
    flaw = _flaw(schema, read_as)
    if flaw and own is not None and own != read_as and isinstance(schema, dict) and "$schema" in schema:
        return (read_as, flaw) if _flaw(schema, own) else (own, None)
    return read_as, flaw


def _is_unicode(schema: Any) -> bool:
    """Whether every text in it can be encoded; jsonschema-rs may be left in disorder by one that can't."""
    try:
        json.dumps(schema, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except (TypeError, ValueError):
        return True  # no JSON: the validators say so
    return True


def _flaw(schema: Any, dialect: Dialect) -> str | None:
    """Why the schema can't be read under its dialect."""
    if not isinstance(schema, dict | bool) or (isinstance(schema, bool) and dialect.age == 4):
        return "a schema is neither an object nor a boolean"
    if isinstance(schema, bool):
        return None
    try:
        valid = jsonschema_rs.meta.is_valid({**schema, "$schema": dialect.uri})
    except Exception:  # whatever it is that can't be examined
        valid = False
    return None if valid else f"a schema is not valid in {dialect.name}"


class _Comparing:
    """One question: is there a value that ``accepting`` takes and ``refusing`` does not."""

    def __init__(self, accepting: tuple[Any, Dialect], refusing: tuple[Any, Dialect], allowance: Allowance) -> None:
        self.accepting, self.refusing = accepting, refusing
        self.allowance = allowance
        self.judges = Judge(*accepting), Judge(*refusing)
        self._read = False  # validators may recurse for ever on a schema that was not read to its end

    def verdict(self, direction: Direction) -> Comparison:
        try:
            terms = Terms(self.allowance.spend, pointed=4 in (self.accepting[1].age, self.refusing[1].age))
            solver = Solver(terms, self.allowance)
            question = self._question(terms)
            for value in self._models(solver, question):
                if value is _NONE:
                    return Comparison("compatible", direction)
                if self.proves(value):
                    return self._breaking(value, direction)
            reason = self._reason
        except Undecided as error:
            reason = str(error)
        except Exhausted:
            reason = "the comparison costs more than it may"
        except Overgrown:
            reason = "the schemas grow too large when their alternatives are written out"
        except RecursionError:
            reason = "the schemas are nested too deeply"
        for value in samples(self.accepting[0], self.refusing[0]) if self._read else ():
            if self.allowance.late():
                break
            if self.proves(value):
                return self._breaking(value, direction)
        return Comparison("unknown", direction, reason=reason)

    def _question(self, terms: Terms) -> Formula:
        compilers = {}
        formulas = []
        for judge, (schema, dialect) in zip(self.judges, (self.accepting, self.refusing), strict=True):
            document = Document(schema, dialect)
            compilers[id(document)] = compiler = Compiler(document, terms)
            formulas.append(compiler.compile())
            judge.chain, judge.referred = compiler.chain, len(compiler.referred)
        self._read = True

        def unfold(node: Formula) -> Formula:
            (document, key), holds = node.args
            stands_for = compilers[document].unfolded(key)
            return stands_for if holds else terms.negation(stands_for)

        terms.unfold = unfold
        return terms.both(formulas[0], terms.negation(formulas[1]))

    def _models(self, solver: Solver, question: Formula) -> Iterator[Any]:
        """Values that should prove a break, one after the other; _NONE where there is provably none."""
        tried: list[Any] = []
        self._reason = "the validators do not agree on any value that was found"
        while len(tried) < MAX_MODELS:
            whole = solver.terms.both(question, solver.terms.none_of(tried))
            outcome: Outcome = solver.model(whole)
            if isinstance(outcome, Found):
                tried.append(outcome.value)
                yield outcome.value
                solver.be_cautious()
                continue
            if isinstance(outcome, Unknown):
                self._reason = outcome.reason
            elif isinstance(outcome, Empty) and not tried:
                yield _NONE
            return

    def proves(self, value: Any) -> bool:
        """Do both validators agree that one side accepts the value and the other refuses it."""
        accepting, refusing = self.judges
        if accepting.quick(value) is not True or refusing.quick(value) is not False:
            return False
        return accepting.accepts(value) is True and refusing.accepts(value) is False

    def _breaking(self, value: Any, direction: Direction) -> Comparison:
        late = self.allowance.at_least(_SHRINKING).late
        proves: Callable[[Any], bool] = self.proves
        formats = formats_in(self.accepting[0])
        if formats:
            strict = Judge(*self.accepting, formats=True)

            def keeps(candidate: Any) -> bool:
                return strict.quick(candidate) is True and self.proves(candidate)

            better = value if keeps(value) else formatted(value, formats, keeps)
            if better is not None:
                value, proves = better, keeps
        return Comparison("breaking", direction, Witness(shrunk(value, proves, late)))


_NONE = object()
