"""Where the lock of a run is, and reading it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from contractd.documents import Document, parse
from contractd.errors import ConfigError, Place
from contractd.policy import Loaded
from contractd.preflight.files import read_bytes
from contractd.registry.lock import LOCK_FILE, MAX_LOCK_BYTES, Lock, parse_lock

_CONFLICT = re.compile(r"^(?:<<<<<<<|=======|>>>>>>>)", re.MULTILINE)


@dataclass(frozen=True)
class LockFile:
    """``path`` is absolute, ``shown`` as it was named. ``document`` None: there is no such file yet."""

    path: str
    shown: str
    lock: Lock
    document: Document | None = None

    @property
    def folder(self) -> str:
        """The folder it is in, or will be: what ``.`` stands for in it."""
        return str(Path(self.path).resolve().parent)


def lock_path(named: str, policy: Loaded, cwd: str) -> tuple[str, str]:
    """The lock's path, and how it is shown: the one that was ``named``; else ``lock.file`` of contractd.toml, from
    where that stands; else ``contracts.lock`` in ``cwd``."""
    if named:
        return os.path.normpath(Path(cwd, named)), named
    place, written = policy.place("lock", "file"), policy.policy.lock.file
    if place is not None and written is not None:
        path = Path(os.path.normpath(Path(cwd, place.file).parent / written))
        return str(path), str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
    return str(Path(cwd, LOCK_FILE)), LOCK_FILE


def read_lock(
    named: str, policy: Loaded, cwd: str, *, must_exist: bool = True, anew: frozenset[str] = frozenset()
) -> LockFile:
    """Read the lock. Raises ConfigError for one that can't be read, and where it ``must_exist`` and does not. Blocks
    that are to be written ``anew``, by reference or provider, need not be sound."""
    path, shown = lock_path(named, policy, cwd)
    if not os.path.lexists(path):
        if must_exist:
            raise ConfigError("there is no such lock", place=Place(shown), hint="contractd lock writes one")
        return LockFile(path, shown, Lock())
    document = parse_lock_document(shown, read_bytes(path, shown, limit=MAX_LOCK_BYTES))
    return LockFile(path, shown, parse_lock(document, anew), document)


def parse_lock_document(shown: str, data: bytes) -> Document:
    """The document of a lock. Raises ConfigError."""
    try:
        return parse(shown, data, "toml", limit=MAX_LOCK_BYTES)
    except ConfigError as error:
        conflict = _CONFLICT.search(data.decode("utf-8", "replace"))
        if conflict is None:
            raise
        hint = "take one side of the conflict, and run contractd lock again"
        raise ConfigError(f"it holds a merge conflict ({error.message})", place=error.place, hint=hint) from None


def check_unchanged(file: LockFile, text: str) -> None:
    """Before a lock is written: raises ConfigError where somebody else wrote it meanwhile, or where ``text`` would be
    none that can be read again."""
    now = read_bytes(file.path, file.shown, limit=MAX_LOCK_BYTES).decode("utf-8", "replace") if is_there(file) else None
    if now != (file.document.text if file.document else None):
        raise ConfigError("it was written by somebody else meanwhile", place=Place(file.shown), hint="run it again")
    parse_lock(parse_lock_document(file.shown, text.encode()))


def is_there(file: LockFile) -> bool:
    """Whether something is where the lock should be."""
    return os.path.lexists(file.path)
