"""The rules of preflight, one file per family. Each takes the ``View`` and yields findings; none does I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from contractd.preflight.model import Finding
from contractd.preflight.rules import collisions, configuration, contracts, gates, names, reachability
from contractd.preflight.view import View

Family = Callable[[View], Iterator[Finding]]

FAMILIES: tuple[Family, ...] = (
    configuration.check,
    gates.check,
    reachability.check,
    names.check,
    collisions.check,
    contracts.check,
)


def check_all(view: View) -> tuple[Finding, ...]:
    """Every finding of every family."""
    return tuple(finding for family in FAMILIES for finding in family(view))
