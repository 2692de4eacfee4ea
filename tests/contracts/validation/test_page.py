"""The page's examples run, and the bounds it names are the ones in force."""

from __future__ import annotations

import re
from pathlib import Path

from contractd.contracts import bounds, references
from contractd.contracts.validation import calls, effort, patterns, second, validator, values

PAGE = (Path(__file__).resolve().parents[3] / "docs/reference/validation.md").read_text("utf-8")


def test_the_examples_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "validation.md", "exec"), {})


def test_the_bounds_are_these() -> None:
    mega = 1024 * 1024
    for told in (
        f"{bounds.MAX_DEPTH} levels, {bounds.MAX_NODES:,}, {bounds.MAX_TEXT // mega} Mi",
        f"{values.MAX_DEPTH} levels, {values.MAX_NODES:,}, {values.MAX_TEXT // mega} Mi",
        f"{effort.MAX_SUBSCHEMAS:,}; {validator.MAX_STACK} inside one another",
        f"{references.MAX_EXPANSION:,} over references; {validator.MAX_WORK // 10**6} million units",
        f"{effort.MAX_PATTERNS * patterns.UNIT // mega} MiB together",
        f"{validator.MAX_MATCHING // 10**6} million units",
        f"{second.MAX_WORK:,} units, {second.MAX_APPLIED} levels",
        f"the last {calls.MAX_KEPT}",
    ):
        assert told in PAGE, told
