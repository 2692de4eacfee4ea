"""All runtimes; which one a file is for; and the profile of a version, or of the nearest one that is known."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from contractd.documents import Document
from contractd.errors import DataError, UsageError
from contractd.runtimes.claude import ClaudeCode
from contractd.runtimes.cline import Cline
from contractd.runtimes.codex import CodexCli
from contractd.runtimes.cursor import Cursor
from contractd.runtimes.gemini import GeminiCli
from contractd.runtimes.goose import Goose
from contractd.runtimes.opencode import OpenCode
from contractd.runtimes.openhands import OpenHands
from contractd.runtimes.plain import Plain
from contractd.runtimes.profile import Profile
from contractd.runtimes.qwen import QwenCode
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.vscode import VsCode
from contractd.text import listed, visible

CONTRACTD = "contractd"
RUNTIMES: dict[str, Runtime] = {
    runtime.name: runtime
    for runtime in (
        QwenCode(),
        OpenCode(),
        OpenHands(),
        ClaudeCode(),
        CodexCli(),
        GeminiCli(),
        Goose(),
        Cline(),
        Cursor(),
        VsCode(),
        Plain(),
    )
}
_ALIASES = {
    "qwen": "qwen-code", "claude": "claude-code", "codex": "codex-cli", "gemini": "gemini-cli",
    "vscode": "vscode-copilot", "copilot": "vscode-copilot", "open-code": "opencode", "open-hands": "openhands",
    "plain": CONTRACTD,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recognition:
    """Which runtime a document is for and why; ``rivals`` fit at least half as well."""

    runtime: Runtime
    reason: str
    rivals: tuple[str, ...] = ()


def runtime_named(stated: str) -> tuple[Runtime, str | None]:
    """``NAME`` or ``NAME@VERSION``. Raises UsageError with the names there are."""
    name, _, version = stated.strip().partition("@")
    key = name.lower().replace("_", "-").replace(" ", "-")
    runtime = RUNTIMES.get(_ALIASES.get(key, key))
    if runtime is None:
        raise UsageError(
            f"no runtime is called {visible(name, 60)!r}", hint="there are " + listed(sorted(RUNTIMES), 20)
        )
    if version and not re.fullmatch(r"v?\d[0-9A-Za-z.+-]{0,60}", version):
        raise UsageError(f"{visible(version, 60)!r} is no version", hint=f"write it as {runtime.name}@1.2.3")
    return runtime, version.removeprefix("v") or None


def recognise(document: Document) -> Recognition:
    """The runtime with the strongest signs. None fits, or two fit equally: contractd's own reading of a plain file."""
    scores: list[tuple[int, str, Runtime]] = []
    for runtime in RUNTIMES.values():
        signs = sorted(runtime.signs(document), reverse=True)
        if signs:
            reason = " and ".join(sign[1] for sign in signs[:2])
            scores.append((sum(sign[0] for sign in signs), reason, runtime))
    scores.sort(key=lambda row: -row[0])
    if not scores or scores[0][0] < 3:
        rivals = tuple(row[2].name for row in scores)
        whether = f"whether it is for {listed(rivals, last='or')}: {scores[0][1]}" if len(rivals) > 1 else ""
        whether = whether or "which agent runtime it is for"
        return Recognition(RUNTIMES[CONTRACTD], f"nothing in the file tells {whether}", rivals)
    best = [row for row in scores if row[0] == scores[0][0]]
    if len(best) > 1:
        names = tuple(row[2].name for row in best)
        return Recognition(RUNTIMES[CONTRACTD], f"it could be for {listed(names, last='or')}: {best[0][1]}", names)
    rivals = tuple(row[2].name for row in scores[1:] if row[0] * 2 >= scores[0][0])
    return Recognition(best[0][2], best[0][1], rivals)


@cache
def profiles(runtime: str) -> tuple[Profile, ...]:
    """Every profile of a runtime that is shipped, oldest version first."""
    folder = _data_folder() / "builtin" / runtime
    if not folder.is_dir():
        return ()
    found = [_load(path) for path in folder.glob("*.json")]
    return tuple(sorted(found, key=lambda profile: version_key(profile.version or "")))


def nearest_profile(runtime: str, version: str | None) -> Profile | None:
    """The profile of ``version``; else the closest one, of two as close the older."""
    known = profiles(runtime)
    if not known:
        return None
    unknown = next((profile for profile in known if profile.version is None), None)
    if version is None:
        return unknown or known[-1]
    wanted = version_key(version)
    # Where only some releases are known (Cline's command line, not its extension), another major says nothing.
    close = [
        profile
        for profile in known
        if profile.version is not None and (unknown is None or version_key(profile.version)[0] == wanted[0])
    ]
    return _closest(close, wanted) if close else unknown


def version_key(version: str) -> tuple[int, int, int]:
    """The three numbers of a version, for ordering."""
    numbers = [int(part) for part in re.findall(r"\d+", version)[:3]]
    return (*numbers, 0, 0, 0)[:3]  # type: ignore[return-value]


def _closest(known: Sequence[Profile], wanted: tuple[int, int, int]) -> Profile:
    """Of ``known``, oldest first: the last one not after ``wanted``, unless the next one is closer."""
    before = [profile for profile in known if version_key(profile.version or "") <= wanted]
    after = [profile for profile in known if version_key(profile.version or "") > wanted]
    if not before or not after:
        return (before or after)[-1 if before else 0]
    older, newer = before[-1], after[0]
    below, above = _apart(wanted, version_key(older.version or "")), _apart(version_key(newer.version or ""), wanted)
    return newer if above < below else older


def _apart(later: tuple[int, int, int], earlier: tuple[int, int, int]) -> tuple[int, int, int]:
    """How far two versions are apart: by the first of their numbers that differs."""
    return (later[0] - earlier[0], abs(later[1] - earlier[1]), abs(later[2] - earlier[2]))


def _load(path: Path) -> Profile:
    try:
        return Profile.model_validate(json.loads(path.read_bytes()))
    except (ValueError, ValidationError) as error:
        said = str(error).splitlines()[0][:200]
        raise DataError(f"{path.parent.name}/{path.name} is not a profile: {said}") from None


def _data_folder() -> Path:
    """``manifests`` as it is packed into the wheel, or as it stands beside the package in a checkout."""
    packed = Path(str(files("contractd") / "_manifests"))
    return packed if packed.is_dir() else Path(str(files("contractd"))).parent / "manifests"
