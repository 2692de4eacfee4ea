"""Findings accepted as they stand today, by fingerprint; only new ones count."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from contractd.errors import ConfigError, Place
from contractd.preflight.model import Finding

VERSION = 1


def read_baseline(path: str) -> frozenset[str]:
    """The fingerprints in a baseline file. Raises ConfigError."""
    try:
        value = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise ConfigError(f"the baseline can't be read: {error.strerror}", place=Place(path)) from None
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
    """The text of a baseline that accepts ``findings``; sorted, one finding a line, so that diffs read well."""
    rows = sorted(
        {
            (finding.fingerprint, finding.rule.id, finding.provider or "", finding.tool or "")
            for finding in findings
            if not finding.settled and not finding.undetermined  # what is not known is never accepted unseen
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
