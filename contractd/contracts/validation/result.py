"""What checking a value says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["valid", "invalid", "unknown"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One rule that refuses one place of the value; never the value itself.

    ``pointer`` leads into the value, ``schema_pointer`` to the rule (RFC 6901; within the part that has an identifier
    of its own, if the rule stands in one). Tokens beyond 200 characters are cut. ``keyword`` is the rule's, or
    ``json`` for what JSON can't hold. ``accepts`` says what would be accepted: ``takes a string``, ``needs "to"``.
    ``message`` is all of it on one line, safe to show.
    """

    pointer: str
    schema_pointer: str
    keyword: str
    message: str
    accepts: str


@dataclass(frozen=True, slots=True)
class Validation:
    """``invalid``: two validators agree on it, and ``problems`` says why, at most ten of them.

    ``unknown``: it could not be found out, and ``reason`` says why not; ``problems`` may then hold what one validator
    alone objects to.
    """

    status: Status
    problems: tuple[Problem, ...] = ()
    reason: str | None = None


VALID = Validation("valid")
