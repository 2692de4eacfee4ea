"""From a configuration to the lock it should have: read, agree, contact, compare, decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from contractd.contracts import Manifest
from contractd.errors import ConfigError, UsageError
from contractd.preflight.catalogue import BY_ID
from contractd.preflight.likeness import nearest
from contractd.preflight.lockfile import LockFile, read_lock
from contractd.preflight.locking.compare import Comparing, Offered
from contractd.preflight.locking.plan import ACCEPTABLE, Live, Plan, plan
from contractd.preflight.locking.taken import Home, taken
from contractd.preflight.model import Verdict
from contractd.preflight.prepare import Ask, Prepared, prepare
from contractd.preflight.request import Request
from contractd.preflight.stated import element_place, meant, rule_of
from contractd.registry.lock import lock_text
from contractd.text import listed, visible

if TYPE_CHECKING:
    from contractd.clock import Clock
    from contractd.events import Observer
    from contractd.registry import Row


@dataclass(frozen=True)
class LockRequest:
    """``request`` says what is contacted. ``file``: the lock, empty for the one of this folder. ``upgrade``: what is
    accepted as it is now, SERVER or SERVER.TOOL. ``check``: a lock must be there, and nothing is written."""

    request: Request
    file: str = ""
    upgrade: tuple[str, ...] = ()
    check: bool = False


@dataclass(frozen=True)
class PreparedLock:
    """Everything was read and agreed to; nothing was started."""

    asked: LockRequest
    prepared: Prepared
    file: LockFile
    accept: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Locked:
    """What became of it. ``text``: the file as it should be; ``stale``: the file that is there is another."""

    file: LockFile
    plan: Plan
    text: str
    stale: bool

    @property
    def verdict(self) -> Verdict:
        """``not_ready``: something differs that nobody accepted; ``undetermined``: a server was not reached."""
        if self.plan.pending:
            return "not_ready"
        return "undetermined" if self.plan.unreached else "ready"


def prepare_lock(asked: LockRequest, *, ask: Ask | None = None) -> PreparedLock:
    """Read everything and ask what may be started. Raises UsageError or ConfigError."""
    request = asked.request
    if request.offline:
        raise UsageError("a lock holds what servers list: nothing can be locked with --offline")
    prepared = prepare(replace(request, use_lock=False), ask=ask)  # the lock may not be there yet
    policy = prepared.gathered.policy
    accept = frozenset(_accepted(index, word, prepared) for index, word in enumerate(policy.policy.lock.accept))
    file = read_lock(asked.file, policy, request.cwd, must_exist=asked.check, anew=frozenset(asked.upgrade))
    _check_servers(asked, prepared, file)
    return PreparedLock(asked, prepared, file, accept)


async def carry_out_lock(
    ready: PreparedLock, *, observer: Observer | None = None, clock: Clock | None = None, now: str | None = None
) -> Locked:
    """Contact what was agreed to, and decide. ``now``: RFC 3339, UTC; None: the machine's. Raises UsageError for an
    ``upgrade`` that names no tool there is."""
    from contractd.preflight.contact import contact  # noqa: PLC0415 - aiohttp is needed here only

    rows, _ = await contact(ready.prepared, observer=observer, clock=clock, version=False)
    return decide(ready, {row.spec.id: row for row in rows}, now or _now())


def decide(ready: PreparedLock, rows: Mapping[str, Row], now: str) -> Locked:
    """The lock that follows from what came back; nothing is contacted or written."""
    live = [*_live(ready, rows, now)]
    named = _named(ready, live)
    result = plan(Comparing(ready.file, ready.asked.request), live, named=named, accept=ready.accept)
    old, new = ready.file.lock, result.lock
    text = lock_text(new)
    stale = ready.file.document is None or text != lock_text(old)
    return Locked(ready.file, result, text, stale)


def _live(ready: PreparedLock, rows: Mapping[str, Row], now: str) -> list[Live]:
    request, live = ready.prepared.request, []
    home = Home(ready.file.folder, request.home, request.environ)
    for entry in ready.prepared.gathered.setup.entries:
        row = rows.get(entry.id)
        if row is not None and row.fetched is not None:
            held = taken(row, now, home)
            offered = Offered(entry.name, entry.place, row.fetched.manifest, held.unfit)
            live.append(Live(entry.id, offered, held.provider))
            continue
        failure = row.failure.message if row is not None and row.failure else None
        skipped = ready.prepared.skipped.get(entry.id)
        why = entry.disabled or failure or skipped or "its entry can't be used as it is written"
        if entry.disabled is None:
            live.append(Live(entry.id, Offered(entry.name, entry.place, Manifest(())), None, why))
    return live


def _accepted(index: int, word: str, prepared: Prepared) -> str:
    """The name of a rule that a policy may accept. Raises ConfigError."""
    policy = prepared.gathered.policy
    place = element_place(policy, ("lock", "accept"), index)
    known = rule_of(word)
    if known is None:
        raise ConfigError(f"{visible(word, 60)} is no rule", place=place, hint=meant(word))
    name = BY_ID[known].name
    if name not in ACCEPTABLE:
        message = f"{name} can't be accepted by a policy: a person has to look at it"
        raise ConfigError(message, place=place, hint=f"there are {listed(ACCEPTABLE)}")
    return name


def _check_servers(asked: LockRequest, prepared: Prepared, file: LockFile) -> None:
    """A server that is nobody's is a slip, and is told before anything is started."""
    entries = prepared.gathered.setup.entries
    off = {name: entry.disabled for entry in entries if entry.disabled is not None for name in (entry.name, entry.id)}
    known = {name for entry in entries for name in (entry.name, entry.id)} | set(file.lock.providers)
    for reference in asked.upgrade:
        why = off.get(reference) or off.get(reference.partition(".")[0])
        if why is not None:
            raise UsageError(f"--upgrade {visible(reference, 120)}: the server is switched off: {visible(why, 200)}")
        if reference not in known and reference.partition(".")[0] not in known:
            close = nearest(reference.partition(".")[0], sorted(known))
            there = f"there are {listed(sorted(known))}" if known else "no server is configured"
            hint = f"did you mean {visible(close, 80)}?" if close else there
            raise UsageError(f"--upgrade {visible(reference, 120)}: no server is called so", hint=hint)


def _named(ready: PreparedLock, live: list[Live]) -> frozenset[str]:
    """References by provider id. Raises UsageError for a tool that is neither offered nor locked."""
    entries = ready.prepared.gathered.setup.entries
    known = {entry.id for entry in entries} | set(ready.file.lock.providers)
    ids = {entry.name: entry.id for entry in entries if entry.name not in known} | {one: one for one in known}
    named = set()
    for reference in ready.asked.upgrade:
        provider, dot, tool = reference.partition(".")
        if not dot or (provider not in ids and reference in ids):  # an id has no dot, a server's name may
            named.add(ids.get(reference, reference))
            continue
        provider = ids.get(provider, provider)
        locked = ready.file.lock.providers.get(provider)
        now = next((one for one in live if one.id == provider), None)
        offered = now.offered.manifest.tools if now else ()
        there = {*(locked.tools if locked else ()), *(one.name for one in offered)}
        if tool not in there and not (now and now.taken is None):
            close = nearest(tool, sorted(there))
            hint = f"did you mean {visible(provider, 80)}.{visible(close, 120)}?" if close else None
            hint = hint or (f"it has {listed(sorted(there))}" if there else None)
            raise UsageError(f"--upgrade {visible(reference, 120)}: there is no such tool", hint=hint)
        named.add(f"{provider}.{tool}")
    return frozenset(named)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
