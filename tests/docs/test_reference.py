"""The pages of docs/reference: their commands, run one after the other in a copy of the examples, say what is shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["lock"]


def transcript(page: str) -> list[tuple[str, str]]:
    """Each command of the page's console blocks, and what is shown of it."""
    text = (ROOT / f"docs/reference/{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    steps = []
    for block in blocks:
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            steps.append((command, shown))
    return steps


@pytest.mark.parametrize("page", PAGES)
def test_a_page_s_commands_print_what_it_shows(page: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    program = tmp_path / "bin/contractd"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m contractd "$@"\n')
    program.chmod(0o755)
    (tmp_path / "home").mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("CONTRACTD_")}
    env |= {
        "NO_COLOR": "1",
        "HOME": str(tmp_path / "home"),
        "PATH": f"{program.parent}:{env['PATH']}",
        "PYTHONPATH": str(ROOT),
        "CONTRACTD_QUIET": "1",
    }
    steps = transcript(page)
    assert steps
    for command, shown in steps:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert (command, done.stderr) == (command, "")
        assert (command, done.stdout) == (command, shown)


def test_comparing_in_python_gives_what_the_page_says() -> None:
    text = (ROOT / "docs/reference/comparing.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(compile(code, "comparing.md", "exec"), {})
