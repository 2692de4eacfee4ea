"""Install one pinned runtime by its package name, outside of the repository, with no install script run."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from running import run

NODE = "22.23.3"
MINUTES = 60.0


class CaptureError(Exception):
    """The runtime could not be brought to the point where its tools can be read."""


class MissingProgramError(CaptureError):
    """This machine lacks something that an installation needs."""


def npm_package(folder: Path, spec: str) -> Path:
    """Install ``name@version`` into ``folder`` (once) and return its ``node_modules``."""
    modules = folder / "node_modules"
    if not (folder / ".installed").exists():
        if not shutil.which("npm"):
            raise MissingProgramError("npm is not on PATH")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}\n")
        command(
            ["npm", "install", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", spec],
            folder,
        )
        (folder / ".installed").write_text(spec + "\n")
    return modules


def node_for(package: Path, work: Path) -> Path:
    """A Node that satisfies the ``engines`` of ``package``: the one on PATH, else one from npm."""
    engines = json.loads((package / "package.json").read_text()).get("engines", {}).get("node", ">=0")
    least = int(engines.strip(" >=^~v").split(".")[0] or 0)
    here = shutil.which("node")
    if here and int(output([here, "--version"]).strip("v\n ").split(".")[0]) >= least:
        return Path(here)
    name = f"node-{platform.system().lower()}-{processor()}"
    modules = npm_package(work / f"node-{NODE}", f"{name}@{NODE}")
    return modules / name / "bin" / "node"


def processor() -> str:
    """This machine's processor as npm packages name it."""
    return {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def python_package(folder: Path, specs: Sequence[str], version: str) -> Path:
    """A virtual environment with ``specs`` under the Python ``version`` (say 3.12); returns its ``bin``."""
    if not (folder / ".installed").exists():
        python = find_python(version)
        shutil.rmtree(folder, ignore_errors=True)
        command([str(python), "-m", "venv", str(folder)], folder.parent)
        if uv := shutil.which("uv"):
            command([uv, "pip", "install", "--quiet", "--python", str(folder / "bin/python"), *specs], folder)
        else:
            pip = [
                str(folder / "bin/python"),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]
            command([*pip, *specs], folder)
        (folder / ".installed").write_text(" ".join(specs) + "\n")
    return folder / "bin"


def find_python(version: str) -> Path:
    """Exactly that minor version: this interpreter, one on PATH, one of pyenv's, one uv knows."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [Path(sys.executable)]
    candidates += [Path(found) for found in [shutil.which(f"python{version}")] if found]
    candidates += sorted(root.glob(f"versions/{version}*/bin/python{version}"))
    if uv := shutil.which("uv"):
        found = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False)
        candidates += [Path(found.stdout.strip())] if found.returncode == 0 and found.stdout.strip() else []
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    for candidate in candidates:
        if candidate.exists() and output([str(candidate), "-c", ask]).strip() == version:
            return candidate
    raise MissingProgramError(f"Python {version} is needed and was not found (PATH, pyenv, uv)")


def output(argv: Sequence[str]) -> str:
    done = subprocess.run(list(argv), capture_output=True, text=True, check=False, timeout=MINUTES)
    return done.stdout if done.returncode == 0 else ""


def command(argv: Sequence[str], where: Path) -> None:
    where.mkdir(parents=True, exist_ok=True)
    done = run(argv, cwd=where, env=dict(os.environ), seconds=15 * MINUTES)
    if done.code is None:
        raise CaptureError(f"did not end by itself: {' '.join(argv[:3])} …")
    if done.code:
        raise CaptureError(f"exit code {done.code}: {' '.join(argv)}\n{done.stderr[-1500:]}")
