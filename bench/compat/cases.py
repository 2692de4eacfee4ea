"""The case files: JSON lines with ``id``, ``old``, ``new``, ``draft``, ``flags``, ``expected.{input,output}_safe``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from bench.common import SHARED
from contractd.contracts.compat.dialects import dialect_named

CASES = SHARED / "cases" / "compat_cases.jsonl"

Row = dict[str, Any]
Direction = Literal["arguments", "results"]
SIDES: tuple[tuple[Direction, str], ...] = (("arguments", "input"), ("results", "output"))
UNSCORED = {"identical", "not_valid_against_metaschema"}


def read(paths: Iterable[Path]) -> list[Row]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]


def scored(rows: Iterable[Row], side: str) -> Iterator[tuple[Row, bool]]:
    """The rows that have a known answer, with it: is the change safe."""
    for row in rows:
        safe = row["expected"][f"{side}_safe"]
        if safe is not None and not UNSCORED & set(row["flags"]):
            yield row, safe


def dialect_of(row: Row) -> str | None:
    """The row's draft; of two, the new schema's."""
    draft = str(row.get("draft") or "").rpartition(">")[2]
    return draft if dialect_named(draft) else None


def is_object(row: Row) -> bool:
    """Are both sides schemas of objects, as those of real tools are."""
    return all(isinstance(row[side], dict) and row[side].get("type") == "object" for side in ("old", "new"))
