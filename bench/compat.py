"""How often is the verdict on two schemas right, and what does it cost.

    python -m bench.compat [FILE…]

Each FILE is JSON lines: ``old``, ``new``, ``draft``, ``flags``, ``expected.{input,output}_safe``. Identical pairs and
schemas that are invalid in their dialect are not scored. Without a FILE the shared cases are taken: from
``$CONTRACTD_SHARED``, else from ``../shared`` beside the checkout. A breaking verdict counts only with its witness,
which is confirmed here once more.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contractd.contracts import compare_schemas
from contractd.contracts.compat import Comparison
from contractd.contracts.compat.confirm import Judge
from contractd.contracts.compat.dialects import DEFAULT, dialect_named
from contractd.contracts.compat.verdict import effective_dialect

SHARED = Path(os.environ.get("CONTRACTD_SHARED") or Path(__file__).resolve().parents[2] / "shared")
CASES = SHARED / "cases" / "compat_cases.jsonl"
SIDES = (("arguments", "input"), ("results", "output"))
UNSCORED = {"identical", "not_valid_against_metaschema"}


@dataclass
class Figures:
    """What one direction came to. ``misses``: a line for each row that was not answered as expected."""

    breaks: int = 0
    caught: int = 0
    safe: int = 0
    passed: int = 0
    unknown: int = 0
    crashed: int = 0
    milliseconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        scored = self.breaks + self.safe
        yield f"  breaks caught   {self.caught}/{self.breaks} ({share(self.caught, self.breaks)})"
        yield f"  safe passed     {self.passed}/{self.safe} ({share(self.passed, self.safe)})"
        yield f"  unknown         {self.unknown}/{scored} ({share(self.unknown, scored)}), crashed {self.crashed}"
        median, worst = statistics.median(self.milliseconds or [0]), max(self.milliseconds or [0])
        yield f"  a case          median {median:.1f} ms, slowest {worst:.0f} ms"
        yield from (f"  {miss}" for miss in self.misses)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def dialect_of(row: dict[str, Any]) -> str | None:
    """The row's draft; of two, the new schema's."""
    draft = str(row.get("draft") or "").rpartition(">")[2]
    return draft if dialect_named(draft) else None


def confirmed(row: dict[str, Any], direction: str, result: Comparison) -> bool:
    """Do both validators agree that the witness proves the break."""
    if result.witness is None:
        return False
    sides = [(row[name], effective_dialect(row[name], dialect_of(row))[0] or DEFAULT) for name in ("old", "new")]
    accepting, refusing = sides if direction == "arguments" else sides[::-1]
    value = result.witness.value
    return Judge(*accepting).accepts(value) is True and Judge(*refusing).accepts(value) is False


def measure(rows: Iterable[dict[str, Any]], direction: Any, side: str) -> Figures:
    figures = Figures()
    for row in rows:
        safe = row["expected"][f"{side}_safe"]
        if safe is None or UNSCORED & set(row["flags"]):
            continue
        figures.breaks += not safe
        figures.safe += safe
        start = time.perf_counter()
        try:
            result = compare_schemas(row["old"], row["new"], direction, dialect_of(row))
        except Exception as error:
            figures.crashed += 1
            figures.misses.append(f"CRASH    {row['id']}: {type(error).__name__}: {error}")
            continue
        figures.milliseconds.append((time.perf_counter() - start) * 1000)
        wanted = "compatible" if safe else "breaking"
        if result.verdict == "unknown":
            figures.unknown += 1
            figures.misses.append(f"unknown  {row['id']} (is {wanted}): {result.reason}")
        elif result.verdict != wanted:
            shown = json.dumps(result.witness.value if result.witness else row["witness"][side])[:120]
            figures.misses.append(f"WRONG    {row['id']} (is {wanted}): {result.verdict}; witness {shown}")
        elif safe:
            figures.passed += 1
        elif confirmed(row, direction, result):
            figures.caught += 1
        else:
            figures.misses.append(f"WRONG    {row['id']}: the witness is not confirmed")
    return figures


def read(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [CASES]
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        sys.exit(f"there is no {', '.join(missing)}")
    rows = read(paths)
    print(f"{len(rows)} cases")
    for direction, side in SIDES:
        print(direction)
        print(*measure(rows, direction, side).lines(), sep="\n")


if __name__ == "__main__":
    main()
