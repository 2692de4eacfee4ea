"""The rules of preflight, one file per family. Each takes the ``View`` and yields findings; none does I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from contractd.preflight.model import Finding
from contractd.preflight.rules.collisions import check as collisions
from contractd.preflight.rules.configuration import check as configuration
from contractd.preflight.rules.contracts import check as contracts
from contractd.preflight.rules.drift import check as drift
from contractd.preflight.rules.gates import check as gates
from contractd.preflight.rules.look_alikes import check as look_alikes
from contractd.preflight.rules.names import check as names
from contractd.preflight.rules.reachability import check as reachability
from contractd.preflight.rules.shadowing import check as shadowing
from contractd.preflight.view import View

Family = Callable[[View], Iterator[Finding]]

FAMILIES: tuple[Family, ...] = (
    configuration,
    gates,
    reachability,
    names,
    look_alikes,
    shadowing,
    collisions,
    contracts,
    drift,
)


def check_all(view: View) -> tuple[Finding, ...]:
    """Every finding of every family."""
    return tuple(finding for family in FAMILIES for finding in family(view))
