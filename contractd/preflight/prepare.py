"""The first half of a run: everything is read and agreed to, and nothing has been started.

All that is put wrongly is an error here, so that no server is started in vain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from contractd.documents import Document
from contractd.errors import UsageError
from contractd.policy import LoadedUses
from contractd.preflight.baseline import read_baseline
from contractd.preflight.consent import Asked, agreed
from contractd.preflight.gather import Gathered, gather
from contractd.preflight.lockfile import LockFile, read_lock
from contractd.preflight.request import Request
from contractd.preflight.stated import check_stated
from contractd.preflight.uses import read_uses
from contractd.providers.base import ProviderSpec
from contractd.runtimes.catalogue import nearest_profile

# Shown what would be started; answers with the digests that may be. None: nobody can be asked.
Ask = Callable[[list[Asked]], frozenset[str]]


@dataclass(frozen=True)
class Prepared:
    """What was read and agreed to. Nothing has been started. ``skipped``: why a provider is not contacted, by id."""

    request: Request
    gathered: Gathered
    specs: tuple[ProviderSpec, ...]
    skipped: Mapping[str, str]
    accepted: frozenset[str] = frozenset()
    lock: LockFile | None = None
    uses: LoadedUses | None = None

    @property
    def asks_version(self) -> bool:
        """Whether the installed runtime is to be asked for its version."""
        return self.gathered.stated is None and not self.request.offline and self.gathered.runtime.program is not None

    @property
    def contacts(self) -> bool:
        """Whether there is anything to start or contact at all."""
        return bool(self.specs) or self.asks_version

    @property
    def documents(self) -> dict[str, Document]:
        """Every file that was read, by the name that findings call it."""
        read = [source.document for source in self.gathered.setup.sources]
        read += [self.lock.document] if self.lock and self.lock.document else []
        read += [self.uses.document] if self.uses else []
        return {document.path: document for document in (*read, *self.gathered.policy.documents)}


def prepare(request: Request, *, ask: Ask | None = None) -> Prepared:
    """Read everything and ask what may be started. Raises UsageError or ConfigError."""
    gathered = gather(request)
    check_stated(request, gathered)
    accepted = read_baseline(request.baseline, request.cwd) if request.baseline else frozenset[str]()
    lock = _lock(request, gathered)
    uses = _uses(request, lock)
    specs, skipped = agreed(request, gathered, ask)
    # The installed version answers only while the servers are asked: the stated one's data, else the newest.
    profile = nearest_profile(gathered.runtime.name, gathered.stated)
    eras = profile.mcp.eras if profile else ()
    return Prepared(request, gathered, tuple(replace(spec, eras=eras) for spec in specs), skipped, accepted, lock, uses)


def _lock(request: Request, gathered: Gathered) -> LockFile | None:
    """The lock that this run is compared with: the named one, else the policy's. Raises ConfigError."""
    if not request.use_lock or (request.lock is None and gathered.policy.policy.lock.file is None):
        return None
    return read_lock(request.lock or "", gathered.policy, request.cwd)


def _uses(request: Request, lock: LockFile | None) -> LoadedUses | None:
    """What this agent uses. Raises UsageError without a lock: then there is nothing that it could narrow."""
    if request.uses is None:
        return None
    if lock is None:
        raise UsageError("--uses says what of a change matters, and without --lock nothing is compared")
    return read_uses(request.uses, request.cwd)
