"""The shared cases, 898 from five open-source suites, where they are at hand: the figures of docs/accuracy.md."""

from __future__ import annotations

import pytest

from bench.compat import CASES, SIDES, measure, read


@pytest.mark.skipif(not CASES.exists(), reason=f"needs {CASES}, which is not part of the project")
@pytest.mark.parametrize(("direction", "side"), SIDES)
def test_the_figures_hold(direction: str, side: str) -> None:
    figures = measure(read([CASES]), direction, side)
    assert figures.crashed == 0
    assert [miss for miss in figures.misses if miss.startswith("WRONG")] == []
    assert figures.caught >= 0.99 * figures.breaks
    assert figures.passed >= 0.98 * figures.safe
    assert figures.unknown <= 0.02 * (figures.breaks + figures.safe)
