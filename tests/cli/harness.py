"""contractd as a user's shell runs it: in a home and a folder of its own, without a terminal."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from contractd.cli.main import main
from tests.servers.specs import STUB

HANG = 90  # seconds after which a run is held to hang; never a measure of anything
CONTRACTD = (sys.executable, "-m", "contractd")
SEND = {"name": "send_message", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}


def stub(mode: str = "legacy", **options: Any) -> dict[str, Any]:
    """A configuration's entry for the stub server; ``spawns``: a file that gets a line for each start."""
    return {"command": sys.executable, "args": ["-S", "-E", str(STUB), mode, json.dumps(options)]}


def servers(**entries: Any) -> str:
    """A file of servers."""
    return json.dumps({"mcpServers": entries}, indent=1)


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """stdout as the JSON report."""
        value: dict[str, Any] = json.loads(self.out)
        return value

    def rules(self) -> list[str]:
        """The ids of the findings in it."""
        return [finding["rule"] for finding in self.report["findings"]]


@dataclass
class Shell:
    """A home, a working folder, a folder of programs in front of PATH, and the environment that goes with them."""

    folder: Path
    mark: str
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in (self.home, self.work, self.bin):
            path.mkdir()
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "STUB_MARK": self.mark,
            "PYTHONWARNINGS": "error",
            "NO_UPDATE_NOTIFIER": "1",
            **{name: os.environ[name] for name in ("PYTHONPATH", "COVERAGE_PROCESS_START") if name in os.environ},
        }

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def write(self, name: str, text: str | bytes) -> Path:
        """A file from the working folder, or from home where the name starts with ``~/``."""
        path = self.home / name[2:] if name.startswith("~/") else self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def program(self, name: str, script: str) -> Path:
        """A program on PATH, in the shell's own language unless it says otherwise."""
        path = self.bin / name
        path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def popen(self, *args: str, env: Mapping[str, str] | None = None, **more: Any) -> subprocess.Popen[bytes]:
        """Start contractd."""
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(
            (*CONTRACTD, *args), env={**self.env, **(env or {})}, cwd=more.pop("cwd", self.work), **{**streams, **more}
        )

    def run(
        self, *args: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Ran:
        """Run it to its end."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        with self.popen(*args, env=env, cwd=cwd or self.work) as process:
            try:
                out, err = process.communicate(data, timeout=HANG)
            except BaseException:
                process.kill()
                raise
        return Ran(process.returncode, out.decode(), err.decode())

    def quick(
        self, *args: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Ran:
        """The same within this process, for runs that start nothing: a fraction of the time."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        streams = [io.TextIOWrapper(io.BytesIO(given), encoding="utf-8") for given in (data, b"", b"")]
        before, code = Path.cwd(), 0
        with (
            mock.patch.dict(os.environ, {**self.env, **(env or {})}, clear=True),
            mock.patch.multiple(sys, argv=["contractd", *args], stdin=streams[0], stdout=streams[1], stderr=streams[2]),
        ):
            os.chdir(cwd or self.work)
            try:
                main()
            except SystemExit as error:
                code = int(str(error.code))
            finally:
                os.chdir(before)
        said = []
        for stream in streams[1:]:
            stream.flush()
            said.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
        return Ran(code, *said)

    def through(self, script: str, *args: str, env: Mapping[str, str] | None = None) -> Ran:
        """A line of shell script in which ``contractd`` stands for the command with ``args``."""
        quoted = " ".join(f"'{word}'" for word in (*CONTRACTD, *args))
        done = subprocess.run(
            ["/bin/bash", "-c", script.replace("contractd", quoted)],
            env={**self.env, **(env or {})},
            cwd=self.work,
            capture_output=True,
            timeout=HANG,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def offline(*args: str) -> Sequence[str]:
    """A preflight that contacts nobody."""
    return ("preflight", "--offline", *args)
