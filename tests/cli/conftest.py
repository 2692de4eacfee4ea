"""A shell for each test; nothing it starts may outlive the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import Shell


@pytest.fixture
def shell(tmp_path: Path, mark: str) -> Shell:
    """contractd in a home and a folder of its own."""
    return Shell(tmp_path, mark)
