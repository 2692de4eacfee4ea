"""Every pattern of the captured schemas is understood, and means what jsonschema_rs makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from contractd.contracts.compat.regular import Budget, Language, NotRegular

CASES = Path(__file__).resolve().parents[5] / "shared" / "cases"
EXPLAINED: dict[str, str] = {}  # patterns an engine compiles and we do not understand: why


def _patterns(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        if isinstance(value.get("patternProperties"), dict):
            yield from value["patternProperties"]
        for inner in value.values():
            yield from _patterns(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _patterns(inner)


def _collect() -> list[str]:
    found: set[str] = set()
    cases = CASES / "compat_cases.jsonl"
    if cases.exists():
        for line in cases.read_text(encoding="utf-8").splitlines():
            found.update(_patterns(json.loads(line)))
    for file in sorted((CASES / "manifests").rglob("*.json")):
        found.update(_patterns(json.loads(file.read_text(encoding="utf-8"))))
    return sorted(found)


PATTERNS = _collect()
needs_cases = pytest.mark.skipif(not PATTERNS, reason=f"{CASES} is not on this machine")


def _compiles(pattern: str) -> bool:
    try:
        jsonschema_rs.validator_for({"pattern": pattern})
    except Exception:  # whatever it says, it does not take the pattern
        try:
            re.compile(pattern)
        except re.error:
            return False
    return True


@needs_cases
def test_real_patterns_are_understood() -> None:
    unknown: list[str] = []
    for pattern in PATTERNS:
        try:
            language = Language.pattern(pattern, Budget())
            language.is_empty()
        except NotRegular:
            if _compiles(pattern) and pattern not in EXPLAINED:
                unknown.append(pattern)
    assert unknown == []


@needs_cases
def test_real_patterns_mean_what_an_independent_engine_makes_of_them() -> None:
    compared = 0
    for pattern in PATTERNS:
        try:
            validator = jsonschema_rs.validator_for({"pattern": pattern})
            language = Language.pattern(pattern, Budget(200_000))
        except (NotRegular, jsonschema_rs.ValidationError):
            continue
        members = list(language.samples(60))
        others = list((~language).samples(60))
        # Members changed by a character are where an error would show.
        changed = [
            text[:at] + char + text[at + 1 :] for text in members[:5] for at in range(len(text)) for char in "A_- "
        ]
        for text in (*members, *others, *changed, "", "\n", "a\n", "é", "ABC-12-3"):
            assert language.accepts(text) == validator.is_valid(text), (pattern, text)
            compared += 1
    assert compared > 1_000


@needs_cases
def test_real_patterns_are_subsets_of_themselves_and_comparable() -> None:
    for pattern in PATTERNS:
        try:
            one = Language.pattern(pattern, Budget())
            other = Language.pattern(f"(?:{pattern})", Budget())
        except NotRegular:
            continue
        assert one.is_subset(other) and other.is_subset(one), pattern
