"""The README's commands do what the README shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VOLATILE = (
    (re.compile(r"\d+\.\d+ s\b"), "N s"),  # seconds
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


def blocks() -> list[tuple[str, str]]:
    """(command, output) of each console block of the README."""
    text = (ROOT / "README.md").read_text("utf-8")
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        command, _, output = block.removeprefix("$ ").partition("\n")
        found.append((command, output))
    return found


def normalised(text: str) -> str:
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    return text.strip()


def fresh_copy(folder: Path) -> Path:
    """The files that a clone would hold, without anything that was built or installed."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout, so what a clone would hold is not known")
    target = folder / "contractd"
    for name in filter(None, listed.stdout.decode().split("\0")):
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    return target


def test_the_first_command_sets_everything_up_and_prints_what_the_readme_shows(tmp_path: Path) -> None:
    command, shown = blocks()[0]
    clone = fresh_copy(tmp_path)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("CONTRACTD_", "VIRTUAL_ENV"))}
    env["PATH"] = os.pathsep.join(part for part in env["PATH"].split(os.pathsep) if ".venv" not in part)
    env |= {"HOME": str(tmp_path / "home"), "NO_COLOR": "1"}
    (tmp_path / "home").mkdir()
    done = subprocess.run(
        ["bash", "-c", command], cwd=clone, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1, done.stderr
    assert normalised(done.stdout) == normalised(shown)


def test_a_comparison_prints_what_the_readme_shows() -> None:
    (shown,) = [(command, output) for command, output in blocks() if command.startswith("contractd diff ")]
    env = {name: value for name, value in os.environ.items() if not name.startswith("CONTRACTD_")}
    done = subprocess.run(
        [sys.executable, "-m", "contractd", *shown[0].split()[1:]],
        cwd=ROOT,
        env={**env, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == shown[1]


def test_a_lock_is_written_and_checked_as_the_readme_shows(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    programs = str(Path(sys.executable).parent)
    env = {name: value for name, value in os.environ.items() if not name.startswith("CONTRACTD_")}
    env |= {"NO_COLOR": "1", "PATH": os.pathsep.join((programs, env["PATH"])), "PYTHONPATH": str(ROOT)}
    steps = [step for step in blocks() if step[0].startswith("contractd lock ")]
    assert len(steps) == 2
    for command, shown in steps:
        done = subprocess.run(
            [sys.executable, "-m", "contractd", *command.split()[1:]],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr, done.stdout) == (0, "", shown)


def test_the_second_command_is_the_one_that_ci_runs() -> None:
    commands = [command for command, _ in blocks()]
    assert "bash tests/run" in commands
    assert "\nbash tests/run\n" in (ROOT / ".ci/run").read_text("utf-8")


def test_the_first_command_of_the_contributing_page_is_the_readmes() -> None:
    assert f"$ {blocks()[0][0]}\n" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_the_python_example_of_the_readme_runs() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    code = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert code is not None
    offline = code.group(1).replace("consented=True", "offline=True")
    # As in the environment that the first command activates.
    env = {**os.environ, "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))}
    done = subprocess.run(
        [sys.executable, "-c", offline], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("undetermined\n")
