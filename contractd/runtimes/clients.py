"""Which departures from MCP's schema the client library of a runtime refuses: ``manifests/builtin/clients.json``.

A library that is not in the table, or a kind that was not tried with it, is not known: never the same as taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from contractd.contracts.deviations import Deviation, DeviationKind
from contractd.errors import DataError
from contractd.runtimes.profile import Mcp, Outcome

_FILE = "clients.json"
_KINDS = frozenset(get_args(DeviationKind))


class Library(BaseModel):
    """``outcomes``: by kind, or by kind and place where a place differs from the rest. ``source``: how it was found.

    ``unanswered``: refused before it is known what it answers, so that the client waits until its time is up.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    source: str
    outcomes: dict[str, Outcome]

    @model_validator(mode="after")
    def _knows_its_kinds(self) -> Library:
        strange = {key.partition(" ")[0] for key in self.outcomes} - _KINDS
        if strange:
            raise ValueError(f"no such kind: {sorted(strange)}")
        return self


@dataclass(frozen=True)
class Sorted:
    """A server's deviations by what a runtime's client makes of them. ``library``: which client that is, in words;
    ``aborts``: one of the refused ones keeps the whole agent from starting."""

    refused: tuple[Deviation, ...]
    unknown: tuple[Deviation, ...]
    taken: tuple[Deviation, ...]
    library: str | None
    aborts: bool


@cache
def libraries() -> dict[str, Library]:
    """The table. Raises DataError if it is no table."""
    packed = Path(str(files("contractd") / "_manifests" / "builtin" / _FILE))
    path = packed if packed.is_file() else Path(str(files("contractd"))).parent / "manifests" / "builtin" / _FILE
    try:
        table = json.loads(path.read_bytes())
        return {name: Library.model_validate(told) for name, told in table.items()}
    except (ValueError, AttributeError, ValidationError) as error:
        raise DataError(f"{_FILE} is not a table of client libraries: {str(error)[:200]}") from None


def judged(deviations: Iterable[Deviation], mcp: Mcp, servers: int) -> Sorted:
    """What this runtime's client makes of each, with so many servers enabled."""
    library = libraries().get(mcp.client or "")
    told = {**(library.outcomes if library else {}), **mcp.client_differs}
    found: dict[str, list[Deviation]] = {"refused": [], "unanswered": [], "unknown": [], "taken": []}
    for deviation in deviations:
        found[told.get(deviation.key) or told.get(deviation.kind) or "unknown"].append(deviation)
    refused = (*found["refused"], *found["unanswered"])
    aborts = ("one-server" in mcp.client_aborts and servers == 1 and bool(refused)) or (
        "unanswered" in mcp.client_aborts and bool(found["unanswered"])
    )
    name = f"its client, {library.title}," if library else None
    return Sorted(refused, tuple(found["unknown"]), tuple(found["taken"]), name, aborts)
