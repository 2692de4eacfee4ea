"""A configuration is a list of command lines. Nothing is started that nobody agreed to.

What was agreed to is remembered by digest: the command and its arguments, the program it resolves to, the working
directory and the *names* of the variables it gets; for a remote server its URL and the names of the headers.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from contractd.contracts.digest import digest_of
from contractd.errors import UsageError
from contractd.preflight.hiding import Hider
from contractd.preflight.likeness import nearest
from contractd.providers.base import ProviderSpec
from contractd.runtimes.secrets import redact, redact_argv
from contractd.text import listed, visible

if TYPE_CHECKING:
    from contractd.preflight.gather import Gathered
    from contractd.preflight.request import Request

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_MOST_SHOWN = 60  # arguments; a line that scrolls away hides what stands above it
_LONGEST_SHOWN = 1000  # characters of one


@dataclass(frozen=True)
class Asked:
    """One thing that would be started or contacted, as a person is shown it."""

    spec: ProviderSpec = field(repr=False)
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
        names = ", ".join(visible(name, 60) for name in sorted(spec.env)) or "none of its own"
        detail = f"program {visible(path or 'not found', 300)}; in {visible(spec.cwd or '.', 300)}; variables: {names}"
        identity: dict[str, object] = {"argv": list(spec.argv), "path": path, "cwd": spec.cwd, "env": sorted(spec.env)}
        return Asked(spec, digest_of(identity), _line(spec), detail)
    headers = ", ".join(visible(name, 60) for name in sorted(spec.headers)) or "none of its own"
    identity = {"url": spec.url, "headers": sorted(name.lower() for name in spec.headers)}
    return Asked(spec, digest_of(identity), _line(spec), f"headers: {headers}")


def target(spec: ProviderSpec, environ: Mapping[str, str] | None = None) -> str:
    """The command line, URL or file in one line, for reports: safe to show, and without what the server is given.
    ``environ``: its secrets are hidden too, where a configuration's variables brought them in."""
    hider = Hider(spec, environ or {})
    return _line(replace(spec, argv=tuple(hider.text(part) for part in redact_argv(spec.argv))))


def _line(spec: ProviderSpec) -> str:
    """The same for the person who is asked: a single word under a secret's name is hidden and nothing else, since a
    configuration that says what is secret in it could hide what it does."""
    if spec.transport == "stdio":
        argv = redact_argv(spec.argv)
        more = f" … (+{len(argv) - _MOST_SHOWN} arguments)" if len(argv) > _MOST_SHOWN else ""
        return " ".join(visible(part, _LONGEST_SHOWN) for part in argv[:_MOST_SHOWN]) + more
    if spec.transport == "manifest-file":
        return visible(spec.path or "", 300)
    return visible(redact(spec.url or ""), 300)


def resolved(spec: ProviderSpec, environ: Mapping[str, str]) -> str | None:
    """The program that would run: looked up on the PATH the server gets, relative paths from its cwd."""
    command, cwd = spec.argv[0] if spec.argv else "", spec.cwd or "."
    if os.sep in command:
        path = Path(cwd, command)
        return str(path) if _is_file(path) else None
    search = spec.env.get("PATH")
    if search is None and (spec.inherit == "all" or "PATH" in spec.inherit):
        search = environ.get("PATH")
    folders = (os.defpath if search is None else search).split(os.pathsep)
    return shutil.which(command, path=os.pathsep.join(str(Path(cwd, folder)) for folder in folders))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def agreed(
    request: Request, gathered: Gathered, ask: Callable[[list[Asked]], frozenset[str]] | None
) -> tuple[list[ProviderSpec], dict[str, str]]:
    """The providers that may be contacted, and why the others may not. Raises UsageError for an unknown ``allow``."""
    _check_allowed(request, gathered)
    wanted = [entry.spec for entry in gathered.setup.entries if entry.spec and entry.disabled is None]
    if request.budget:
        wanted = [replace(spec, budget=request.budget) for spec in wanted]
    # A manifest file is only read: reading needs nobody's consent, and happens offline too.
    files = [spec for spec in wanted if spec.transport == "manifest-file"]
    others = [spec for spec in wanted if spec.transport != "manifest-file"]
    if request.offline:
        return files, {spec.id: "nothing is started or contacted with --offline" for spec in others}
    if request.consented or not others:
        return wanted, {}
    allowed = gathered.agreed | frozenset(request.allow)
    left = [
        question
        for question in (asked(spec, request.environ) for spec in others)
        if allowed.isdisjoint((question.digest, question.spec.name, question.spec.id))
    ]
    if left and ask is not None:
        allowed |= ask(left)
    skipped = {
        question.spec.id: _why(question, gathered, could_ask=ask is not None)
        for question in left
        if question.digest not in allowed
    }
    return [spec for spec in wanted if spec.id not in skipped], skipped


def _why(question: Asked, gathered: Gathered, *, could_ask: bool) -> str:
    if question.digest in gathered.not_counted:
        file = visible(gathered.not_counted[question.digest], 300)
        why = f"{file} agrees to it, which counts only if you name the file with --policy"
    elif could_ask:
        why = "it was declined"
    else:
        why = "nobody agreed to it (no terminal to ask on; --yes agrees to all)"
    return f"{why}; its digest is {question.digest}"


def _check_allowed(request: Request, gathered: Gathered) -> None:
    """A name that is nobody's is a slip, and would be noticed only by what is missing."""
    entries = gathered.setup.entries
    known = {name for entry in entries for name in (entry.name, entry.id)}
    for name in request.allow:
        if name not in known and not DIGEST.fullmatch(name):
            names = [entry.name for entry in entries]
            close = nearest(name, names)
            hint = f"did you mean {visible(close, 80)}?" if close else f"there are {listed(names)}" if names else None
            raise UsageError(f"--allow {visible(name, 80)}: no server is called so, and it is no digest", hint=hint)


class ConsentStore:
    """Digests a person agreed to, in one JSON file of the user's state directory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> frozenset[str]:
        """What was agreed to; a missing or broken file means nothing was."""
        try:
            value = json.loads(self.path.read_bytes())
            return frozenset(text for text in value["agreed"] if isinstance(text, str) and DIGEST.fullmatch(text))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return frozenset()

    def add(self, digests: Iterable[str]) -> None:
        """Remember more; written to a new file and moved into place, mode 600. A full disk costs only the memory."""
        scratch: str | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            agreed_to = sorted(self.load() | set(digests))
            descriptor, scratch = tempfile.mkstemp(dir=self.path.parent, prefix=".consent-")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"version": 1, "agreed": agreed_to}, file, indent=1)
            Path(scratch).replace(self.path)
        except OSError:
            if scratch:
                with contextlib.suppress(OSError):
                    Path(scratch).unlink()
