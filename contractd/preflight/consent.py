"""A configuration is a list of command lines. Nothing is started that nobody agreed to.

What was agreed to is remembered by digest: the command and its arguments, the program it resolves to, the working
directory and the *names* of the variables it gets; for a remote server its URL and the names of the headers.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from contractd.contracts.digest import digest_of
from contractd.providers.base import ProviderSpec
from contractd.runtimes.secrets import redact, redact_argv
from contractd.text import visible


@dataclass(frozen=True)
class Asked:
    """One thing that would be started or contacted, as a person is shown it."""

    spec: ProviderSpec
    digest: str
    line: str
    detail: str

    @property
    def name(self) -> str:
        """The server's name, safe to show."""
        return visible(self.spec.name, 80)


def asked(spec: ProviderSpec, environ: Mapping[str, str]) -> Asked:
    """How ``spec`` is shown and remembered. A manifest file is only read: it needs no consent."""
    if spec.transport == "stdio":
        path = resolved(spec, environ)
        shown = " ".join(visible(part, 300) for part in redact_argv(spec.argv))
        names = ", ".join(visible(name, 60) for name in sorted(spec.env)) or "none of its own"
        detail = f"program {visible(path or 'not found', 300)}; in {visible(spec.cwd or '.', 300)}; variables: {names}"
        identity: dict[str, object] = {"argv": list(spec.argv), "path": path, "cwd": spec.cwd, "env": sorted(spec.env)}
        return Asked(spec, digest_of(identity), shown, detail)
    headers = ", ".join(visible(name, 60) for name in sorted(spec.headers)) or "none of its own"
    identity = {"url": spec.url, "headers": sorted(name.lower() for name in spec.headers)}
    return Asked(spec, digest_of(identity), visible(redact(spec.url or ""), 300), f"headers: {headers}")


def resolved(spec: ProviderSpec, environ: Mapping[str, str]) -> str | None:
    """The program that would run: looked up on the PATH the server gets, a relative path from its cwd."""
    command = spec.argv[0] if spec.argv else ""
    if os.sep in command:
        path = Path(spec.cwd or ".", command)
        return str(path) if path.is_file() else None
    search = spec.env.get("PATH") or environ.get("PATH") or os.defpath
    return shutil.which(command, path=search)


class ConsentStore:
    """Digests a person agreed to, in one JSON file of the user's state directory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> frozenset[str]:
        """What was agreed to; a missing or broken file means nothing was."""
        try:
            value = json.loads(self.path.read_text("utf-8"))
            return frozenset(value["agreed"])
        except (OSError, ValueError, KeyError, TypeError):
            return frozenset()

    def add(self, digests: Iterable[str]) -> None:
        """Remember more; written to a new file and moved into place, mode 600. A full disk costs only the memory."""
        agreed = sorted(self.load() | set(digests))
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=".consent-")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"version": 1, "agreed": agreed}, file, indent=1)
            Path(name).replace(self.path)
