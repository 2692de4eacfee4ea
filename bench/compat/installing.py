"""Each peer in an environment of its own, in a cache: ``.bench`` in the checkout, or ``$CONTRACTD_BENCH_CACHE``.

An environment counts once its installation has run to its end; why one failed is kept beside it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.common import ROOT
from bench.compat.peers import Peer

HERE = Path(__file__).parent
DONE, WHY = "installed", "not-installed"
SECONDS = 600.0


def cache() -> Path:
    return Path(os.environ.get("CONTRACTD_BENCH_CACHE") or ROOT / ".bench") / "peers"


def command(peer: Peer) -> list[str] | str:
    """What starts the peer's adapter, or why it can't be started."""
    home = cache() / peer.folder
    if peer.source == "none":
        return [sys.executable, "-I", str(HERE / "adapter.py"), peer.adapter]
    if (home / DONE).exists():
        if peer.source == "npm":
            return ["node", str(HERE / "adapter.cjs"), peer.adapter, str(home)]
        return [str(_python_of(home)), "-I", str(HERE / "adapter.py"), peer.adapter]
    if (home / WHY).exists():
        return (home / WHY).read_text("utf-8")
    return "not tried yet; --install does"


def install(peer: Peer) -> None:
    """Make the environment, if there is none yet; what goes wrong is written down, not raised."""
    home = cache() / peer.folder
    if peer.source == "none" or (home / DONE).exists():
        return
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        for argv in _npm(peer, home) if peer.source == "npm" else _pip(peer, home):
            _run(argv)
    except _FailedError as failed:
        (home / WHY).write_text(str(failed), "utf-8")
    else:
        (home / DONE).touch()


class _FailedError(Exception):
    """Why there is no environment."""


def _pip(peer: Peer, home: Path) -> Iterator[list[str]]:
    python = _interpreter(peer.needs)
    if python is None:
        raise _FailedError(f"it needs Python {'.'.join(map(str, peer.needs))}, and none was found")
    yield [python, "-m", "venv", str(home)]
    pip = [str(_python_of(home)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    yield [*pip, f"{peer.name}=={peer.version}", *peer.beside]


def _npm(peer: Peer, home: Path) -> Iterator[list[str]]:
    if not (shutil.which("node") and shutil.which("npm")):
        raise _FailedError("it needs Node.js and npm, and they were not found")
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save")
    yield ["npm", "install", *quiet, "--prefix", str(home), f"{peer.name}@{peer.version}"]


def _python_of(home: Path) -> Path:
    return home / "bin" / "python"


def _interpreter(needs: tuple[int, int]) -> str | None:
    """This Python where it is new enough, else another one that runs: from the path, or one of pyenv's."""
    if sys.version_info[:2] >= needs:
        return sys.executable
    names = [f"python{needs[0]}.{minor}" for minor in range(needs[1], needs[1] + 4)]
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [path for path in map(shutil.which, names) if path]
    found += [str(path) for name in names for path in sorted(versions.glob(f"*/bin/{name}"))]
    return next((path for path in found if _runs(path)), None)


def _runs(python: str) -> bool:
    """A shim may stand on the path for a version that is not chosen."""
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def _run(argv: list[str]) -> None:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise _FailedError(f"{Path(argv[0]).name} did not end within {SECONDS:.0f} s") from None
    if done.returncode:
        raise _FailedError(_reason(done.stderr) or f"{Path(argv[0]).name} ended with {done.returncode}")


def _reason(said: str) -> str:
    """The first line of an error that is a sentence; where packages come from is nobody's business."""
    errors = (line.strip() for line in said.splitlines() if re.match(r"(npm )?error\b", line.strip(), re.IGNORECASE))
    sentences = (line for line in errors if not re.fullmatch(r"npm error code \w+", line))
    return re.sub(r"\S+://\S+", "…", next(sentences, ""))[:200]
