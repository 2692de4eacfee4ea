"""Findings accepted as they stand today, by fingerprint; only new ones count."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from contractd.errors import ConfigError, Place
from contractd.preflight.files import read_bytes
from contractd.preflight.model import Finding

VERSION = 1
ACCEPTED = "accepted by the baseline"


def read_baseline(path: str, cwd: str = ".") -> frozenset[str]:
    """The fingerprints in a baseline file, named from ``cwd``. Raises ConfigError."""
    data = read_bytes(str(Path(cwd) / path), path)
    try:
        value = json.loads(data)
    except json.JSONDecodeError as error:
        place = Place(path, error.lineno, error.colno)
        raise ConfigError(f"the baseline is not JSON: {error.msg[:1].lower()}{error.msg[1:]}", place=place) from None
    except (ValueError, RecursionError):
        raise ConfigError("the baseline is not JSON", place=Place(path)) from None
    if not isinstance(value, dict) or value.get("version") != VERSION or not isinstance(value.get("findings"), list):
        raise ConfigError(
            f"not a baseline of format version {VERSION}",
            place=Place(path),
            hint="contractd preflight --write-baseline FILE writes one",
        )
    return frozenset(
        row["fingerprint"]
        for row in value["findings"]
        if isinstance(row, dict) and isinstance(row.get("fingerprint"), str)
    )


def baseline_text(findings: Iterable[Finding]) -> str:
    """The text of a baseline that accepts ``findings``; sorted, one finding a line, so that diffs read well.

    What an older baseline accepts stays in; what contractd.toml suppresses needs no place in it.
    """
    rows = sorted(
        {
            (finding.fingerprint, finding.rule.id, finding.provider or "", finding.tool or "")
            for finding in findings
            if not finding.settled
            and finding.suppressed in (None, ACCEPTED)
            and not finding.undetermined  # what is not known is never accepted unseen
        },
        key=lambda row: (row[1:], row[0]),
    )
    lines = [
        json.dumps({"rule": rule, "provider": provider, "tool": tool, "fingerprint": fingerprint})
        for fingerprint, rule, provider, tool in rows
    ]
    body = ",\n  ".join(lines)
    return (
        f'{{"version": {VERSION}, "findings": [\n  {body}\n]}}\n'
        if lines
        else f'{{"version": {VERSION}, "findings": []}}\n'
    )
