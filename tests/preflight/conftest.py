"""The bench on which situations are judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preflight.situations import Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Judges setups; the machine's own contractd.toml is out of sight."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Bench(tmp_path)
