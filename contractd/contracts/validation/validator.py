"""One schema, compiled once, and values checked against it.

jsonschema-rs says *valid* alone: it is on every call, and fails none of the official suite's cases that matter here.
What it refuses is shown to jsonschema before it counts, since no call may be refused by one program's fault. Before
either is asked, schema and value must be within bounds under which both come to an end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from contractd.contracts.compat.backtracking import Patterns
from contractd.contracts.compat.dialects import Dialect, dialect_named
from contractd.contracts.compat.document import Document, Undecided
from contractd.contracts.compat.engines import bare, fast
from contractd.contracts.schema import check_schema, dialect_of
from contractd.contracts.validation.effort import Effort
from contractd.contracts.validation.explain import Broken, OutOfBounds, from_fast, from_second, nearest
from contractd.contracts.validation.patterns import BACKTRACKING, LINEAR, MAX_BACKTRACKED, hard_patterns
from contractd.contracts.validation.result import VALID, Problem, Status, Validation
from contractd.contracts.validation.second import Second
from contractd.contracts.validation.values import Shape, plain, shape_of
from contractd.contracts.validation.words import pointer_of, problem
from contractd.errors import SchemaError, UsageError
from contractd.text import visible

MAX_WORK = 20_000_000  # some 10 ns each
MAX_MATCHING = 50_000_000  # 7 to 25 ns each
MAX_STACK = 200  # schemas inside one another: jsonschema-rs recurses, and a thread may have 128 KiB of stack
MAX_EXPLAINED = 10_000  # work: each error costs jsonschema-rs 8 to 50 µs, and it makes them all at once
MAX_PROBLEMS = 10
_MAX_ERRORS = 500  # that are put in order
_MAX_PAIRS = 200  # items that jsonschema-rs compares one by one if a number in them is wider than 64 bits
# Rules that need no pattern, and the keywords below which a rule may hang on one.
_SURE = ("const", "enum", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "required", "type")
_HANGING = (
    *("additionalProperties", "anyOf", "contains", "else", "if", "not", "oneOf", "patternProperties", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_NAMES = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")


def compile_schema(schema: Any, dialect: str | None = None) -> Validator:
    """A validator for ``schema``, a dict or a boolean. Keep it: compiling costs as much as a hundred checks.

    ``dialect`` (draft-04, draft-06, draft-07, 2019-09, 2020-12) holds for a schema that names none by ``$schema``;
    without it that is 2020-12. Raises SchemaError for what no value can be checked against: not valid in its dialect,
    a reference that leads outside or nowhere, too deep, too large, or endless. Nothing is ever fetched.
    """
    if dialect is not None and dialect not in _NAMES:
        raise UsageError(f"dialect {dialect!r} is not known; they are {', '.join(_NAMES)}")
    if not isinstance(schema, dict | bool):
        raise SchemaError(f"a schema is an object or a boolean, not {type(schema).__name__}")
    shape = shape_of(schema)
    unfit = f"it {shape.flaw}" if shape.flaw else (shape.excess or "").replace("the value", "it")
    if unfit:
        raise SchemaError(f"the schema can't be used: {unfit}")
    schema = plain(schema)
    if isinstance(schema, dict) and dialect is not None and "$schema" not in schema:
        named = dialect_named(dialect)
        schema = {**schema, "$schema": named.uri if named else dialect}
    for flaw in check_schema(schema, "", role="output"):
        where = f" at {flaw.pointer}" if flaw.pointer else ""
        raise SchemaError(f"the schema can't be used{where}: {flaw.message}")
    uri = dialect_of(schema)
    return Validator(schema, next(known for known in map(dialect_named, _NAMES) if known and known.uri == uri))


@dataclass(frozen=True, slots=True)
class Examined:
    """As ``Validation``, with the rules that are broken."""

    status: Status
    broken: tuple[Broken, ...] = ()
    reason: str | None = None


_FINE = Examined("valid")


class Validator:
    """Checks values against one schema. Made by ``compile_schema``; frozen in effect, and safe to share by threads."""

    __slots__ = ("_effort", "_fast", "_guarded", "_hard", "_schema", "_second")

    @property
    def schema(self) -> Any:
        """What it was compiled from, without ``$schema``."""
        return self._schema

    def __init__(self, schema: Any, dialect: Dialect) -> None:
        try:
            self._effort = Effort(Document(schema, dialect))
        except Undecided as error:
            raise SchemaError(f"the schema can't be used: {error}") from None
        if self._effort.chain > MAX_STACK:
            raise SchemaError(f"the schema can't be used: more than {MAX_STACK} schemas apply inside one another")
        if self._effort.work(1) > MAX_WORK:
            raise SchemaError("the schema can't be used: one value would be tried against too many schemas")
        self._schema = schema = bare(schema)
        patterns = Patterns.of(schema)
        self._hard = hard_patterns(patterns)
        self._guarded = bool(self._hard.texts or self._hard.keys)
        self._second = Second(schema, dialect, patterns, self._effort.chain)
        try:
            self._fast = fast(schema, dialect, patterns=BACKTRACKING if self._guarded else LINEAR)
        except Exception:  # a pattern in Python's own spelling, most likely
            self._fast = None

    @property
    def reads_fast(self) -> bool:
        """Can jsonschema-rs read the schema; else jsonschema alone has a say, and a pattern of it refuses nothing."""
        return self._fast is not None

    def check(self, value: Any) -> Validation:
        """Does the schema accept ``value``: never raises for a value, whatever it is, and never takes long."""
        shape = shape_of(value)
        if shape.flaw:
            return Validation("invalid", (_not_json(shape),))
        if shape.foreign and not shape.excess:
            value = plain(value)
        found = self._examined(value, shape)
        if found is _FINE:
            return VALID
        problems = dict.fromkeys(problem(one, self._schema) for one in found.broken)
        return Validation(found.status, tuple(problems), found.reason)

    def examine(self, value: Any) -> Examined:
        """The same of a value that is JSON, with the rules themselves instead of their words."""
        return self._examined(value, shape_of(value))

    def _examined(self, value: Any, shape: Shape) -> Examined:
        reason = shape.excess or self._too_much(value, shape)
        if reason:
            return Examined("unknown", reason=reason)
        first = self._first(value)
        if first and not self._guarded:
            return _FINE
        return self._consider(value, shape, first)

    def _too_much(self, value: Any, shape: Shape) -> str | None:
        """Why checking might not come to an end."""
        depth = shape.depth
        if self._effort.chain * depth > MAX_STACK:
            return "the value is nested too deeply for this schema"
        work, matching = shape.nodes * self._effort.work(depth), shape.text * self._effort.matching(depth)
        if work > MAX_WORK or matching > MAX_MATCHING:  # at first sight
            work, matching = self._effort.on(value) or (work, matching)
        if work > MAX_WORK:
            return "checking the value against this schema could take too long"
        if matching > MAX_MATCHING:
            return "matching the texts of the value could take too long"
        if shape.wide and shape.longest > _MAX_PAIRS and self._second.pairs:
            return "comparing the items of the value could take too long"
        if self._guarded and self._hard.steps(value) > MAX_BACKTRACKED:
            return "a pattern of the schema could take too long on the value"
        return None

    def _first(self, value: Any) -> bool | None:
        """What jsonschema-rs says; None where it can't."""
        try:
            return None if self._fast is None else bool(self._fast.is_valid(value))
        except Exception:  # a validator that fails in whatever way has no opinion
            return None

    def _consider(self, value: Any, shape: Shape, first: bool | None) -> Examined:
        work = shape.nodes * self._effort.work(shape.depth)
        if work > MAX_EXPLAINED:
            work = (self._effort.on(value) or (work, 0))[0]
        hesitation = self._second.hesitates(value, shape, work)
        told = first is False and work <= MAX_EXPLAINED  # by jsonschema-rs, which knows more of what it refuses
        objections = None if hesitation else self._second.objections(value, 1 if told else MAX_PROBLEMS)
        second = None if objections is None else not objections
        try:
            if told:
                broken = [from_fast(error, value) for error in islice(self._fast.iter_errors(value), _MAX_ERRORS)]
            else:
                broken = list(map(from_second, objections or ()))
        except OutOfBounds:
            return Examined("unknown", reason="a pattern of the schema could take too long on the value")
        broken = sorted(broken, key=_order)[:MAX_PROBLEMS]
        if True in (first, second) and False not in (first, second):
            return _FINE
        rules = tuple(map(nearest, broken))
        if second is False and (first is False or (first is None and any(map(_sure, broken)))):
            return Examined("invalid", rules)
        return Examined("unknown", rules, _why(first, second, hesitation or "it can't read the schema"))


def _why(first: bool | None, second: bool | None, hesitation: str) -> str:
    if first is not None and second is not None:
        return "the two validators do not agree on the value"
    if second is not None:
        return "only one validator can read a pattern of the schema"
    if first is not None:
        return f"no second validator could be asked: {hesitation}"
    return f"no validator could tell: {hesitation}"


def _order(broken: Broken) -> tuple[int, list[str], list[str]]:
    """The outermost first: a missing argument before what is wrong within another."""
    return len(broken.path), [str(token).zfill(9) for token in broken.path], list(map(str, broken.schema_path))


def _sure(broken: Broken) -> bool:
    """Does it stand by itself, whatever the patterns of the schema mean."""
    return broken.keyword in _SURE and not any(token in _HANGING for token in broken.schema_path)


def _not_json(shape: Shape) -> Problem:
    pointer = pointer_of(token if isinstance(token, str | int) else type(token).__name__ for token in shape.path)
    where = visible(pointer, 160) or "the whole value"
    return Problem(pointer, "", "json", f"{where}: json: {shape.flaw}", shape.flaw or "")
