#!/usr/bin/env python3
"""Install the published servers of ``published.py`` into ``.servers/``: npm packages in a folder each, PyPI ones in a
virtual environment each. What is there already is skipped. What can't be installed is said, and its tests are skipped
with that reason; the exit code is 0 all the same. ``install.py ID …`` installs only those. Standard library only.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor

from published import SERVERS, Published

TIMEOUT = 600


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SERVERS]
    if unknown:
        print(f"install.py: no such server: {', '.join(unknown)}; there are {', '.join(SERVERS)}", file=sys.stderr)
        return 2
    wanted = [SERVERS[name] for name in names or SERVERS]
    absent = [server for server in wanted if server.missing]
    print(f"published servers: {len(wanted) - len(absent)} of {len(wanted)} installed already", flush=True)
    # Two at a time: unpacking keeps a core busy, downloading does not.
    with ThreadPoolExecutor(max_workers=2) as pool:
        errors = [error for error in pool.map(install, absent) if error]
    if errors:
        print(f"published servers: {len(errors)} could not be installed; their tests will be skipped")
    return 0


def install(server: Published) -> str | None:
    """Why it could not be installed, or None."""
    start = time.monotonic()
    shutil.rmtree(server.home, ignore_errors=True)
    server.home.mkdir(parents=True)
    try:
        error = npm(server) if server.kind == "npm" else pypi(server)
    except (OSError, subprocess.SubprocessError) as problem:
        error = f"{type(problem).__name__}: {problem}"
    said = f"{server.packages[0]} could not be installed: {error}" if error else None
    if said is None:
        server.record.write_text(json.dumps({"packages": server.packages}))
    else:
        # Kept so that the skipped tests can say why; absence of "installed" makes the next run try again.
        server.record.write_text(json.dumps({"packages": server.packages, "error": said}))
    word = "failed   " if error else "installed"
    print(f"  {word}  {' '.join(server.packages)}  ({time.monotonic() - start:.1f} s)", flush=True)
    if error:
        print(f"             {error}", flush=True)
    return said


def npm(server: Published) -> str | None:
    program = shutil.which("npm")
    if program is None:
        return "npm is not on PATH"
    (server.home / "package.json").write_text('{"private": true}')
    quiet = ("--no-audit", "--no-fund", "--no-progress", "--loglevel=error", "--ignore-scripts")
    return run([program, "install", *quiet, *server.packages], server)


def pypi(server: Published) -> str | None:
    home = server.home / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    pip = (sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "--disable-pip-version-check")
    return run([*pip, "install", "-qq", "--no-input", *server.packages], server)


def run(command: list[str], server: Published) -> str | None:
    done = subprocess.run(
        command,
        cwd=server.home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, "CI": "1"},
        check=False,
    )
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        return f"exit code {done.returncode}: {' / '.join(lines[-4:])[:600]}"
    if not os.path.exists(server.command[0]):
        return f"it brought no program {server.program}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
