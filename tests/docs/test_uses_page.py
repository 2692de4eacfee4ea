"""docs/reference/uses.md: its commands print what it shows, its files are read, its code runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from contractd.contracts.uses import read_calls
from contractd.documents import parse
from contractd.policy import load_uses

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/uses.md").read_text("utf-8")
ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith("CONTRACTD_")},
    "NO_COLOR": "1",
    "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: " ".join(block.split()[2:5]))
def test_a_command_prints_what_is_shown(block: str) -> None:
    command, _, shown = block.removeprefix("$ ").partition("\n")
    done = subprocess.run(
        [sys.executable, "-m", "contractd", *command.split()[1:]],
        cwd=ROOT, env=ENV, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == shown, done.stderr
    assert done.returncode == (1 if "not_ready" in shown else 0)


def test_the_file_and_the_call_that_are_shown_are_read() -> None:
    (written,) = blocks("toml")
    assert len(load_uses(parse("shown.toml", written.encode(), "toml")).uses.tools) == 2
    (line,) = blocks("json")
    assert json.loads(line)["tool"] == "find_messages"
    for path in (ROOT / "examples/drift").glob("*.jsonl"):
        with path.open("rb") as lines:
            assert list(read_calls(lines, path.name))


def test_the_python_example_prints_what_is_shown() -> None:
    (code,) = blocks("python")
    (shown,) = blocks("text")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=ENV, capture_output=True, text=True, check=False)
    assert done.stdout == shown, done.stderr
