"""contractd's answers, in this process. A breaking one counts only with its witness, confirmed once more."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

from bench.compat.cases import Direction, Row, dialect_of, scored
from bench.compat.figures import Answer, Figures, figures
from contractd.contracts import compare_schemas
from contractd.contracts.compat import Comparison
from contractd.contracts.compat.confirm import Judge
from contractd.contracts.compat.dialects import DEFAULT
from contractd.contracts.compat.verdict import effective_dialect

WARM_UP = ({"type": "string"}, {"type": "string", "maxLength": 3})


def ask(rows: Iterable[Row], direction: Direction) -> list[Answer]:
    compare_schemas(*WARM_UP, direction)  # the validators are imported by the first question
    return [_answer(row, direction) for row in rows]


def measure(rows: Iterable[Row], direction: Direction, side: str) -> Figures:
    """The figures of contractd alone."""
    cases = list(scored(rows, side))
    return figures(cases, ask((row for row, _ in cases), direction))


def _answer(row: Row, direction: Direction) -> Answer:
    start = time.process_time()
    try:
        found = compare_schemas(row["old"], row["new"], direction, dialect_of(row))
    except Exception as error:
        return Answer("crash", why=f"{type(error).__name__}: {error}")
    seconds = time.process_time() - start
    if found.verdict == "unknown":
        return Answer("gave up", seconds, found.reason or "")
    if found.verdict == "compatible":
        return Answer("compatible", seconds, f"the file knows a witness: {_short(row.get('witness'))}")
    witness = f"witness {_short(found.witness and found.witness.value)}"
    return Answer("breaking", seconds, witness, _confirmed(row, direction, found))


def _confirmed(row: Row, direction: Direction, found: Comparison) -> bool:
    """Do both validators agree that the witness proves the break."""
    if found.witness is None:
        return False
    sides = [(row[name], effective_dialect(row[name], dialect_of(row))[0] or DEFAULT) for name in ("old", "new")]
    accepting, refusing = sides if direction == "arguments" else sides[::-1]
    value = found.witness.value
    return Judge(*accepting).accepts(value) is True and Judge(*refusing).accepts(value) is False


def _short(value: object) -> str:
    return json.dumps(value)[:120]
