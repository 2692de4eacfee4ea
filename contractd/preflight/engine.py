"""From a request to a report: read, agree, contact, name, judge.

``prepare`` reads and asks; ``carry_out`` contacts; ``assess`` judges what came back and contacts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from contractd.preflight.gather import Gathered
from contractd.preflight.locking.standing import stand_ins, started_otherwise
from contractd.preflight.model import FileView, Report, RuntimeView, VersionSource
from contractd.preflight.names import name_table
from contractd.preflight.prepare import Ask, Prepared, prepare
from contractd.preflight.request import Request
from contractd.preflight.rules import check_all
from contractd.preflight.stated import passed_over, stated_conditions
from contractd.preflight.verdict import Judged, judge
from contractd.preflight.view import View
from contractd.preflight.views import provider_views, tool_views
from contractd.runtimes.catalogue import CONTRACTD, nearest_profile, profiles
from contractd.runtimes.conditions import Seen, conditions_of
from contractd.runtimes.profile import Profile
from contractd.text import plural

if TYPE_CHECKING:  # what contacts is imported by whoever has something to contact
    from contractd.clock import Clock
    from contractd.events import Observer
    from contractd.registry import Row


async def preflight(
    request: Request, *, ask: Ask | None = None, observer: Observer | None = None, clock: Clock | None = None
) -> Report:
    """Check a configuration. Raises UsageError or ConfigError for bad input; a server's trouble is in the report."""
    return await carry_out(prepare(request, ask=ask), observer=observer, clock=clock)


async def carry_out(prepared: Prepared, *, observer: Observer | None = None, clock: Clock | None = None) -> Report:
    """Contact what was agreed to, and judge."""
    if not prepared.contacts:
        return assess(prepared)
    from contractd.preflight.contact import contact  # noqa: PLC0415 - aiohttp costs half of an offline run

    rows, version = await contact(prepared, observer=observer, clock=clock)
    return assess(prepared, rows, version)


def assess(prepared: Prepared, rows: Iterable[Row] = (), version: str | None = None) -> Report:
    """The report on what was prepared and what came back; nothing is contacted. ``version``: what the program says.

    Offline, a server that the lock can speak for is judged as if it listed what was accepted of it.
    """
    gathered = prepared.gathered
    view = _view(prepared, {row.spec.id: row for row in rows}, version)
    found = check_all(view)
    judged = judge(view, found, prepared.accepted)
    return Report(
        judged.verdict,
        view.about,
        _files(prepared),
        provider_views(view),
        tool_views(view, found),
        judged.findings,
        judged.fail_on,
        offline=prepared.request.offline,
        undetermined=judged.undetermined,
        hidden=judged.hidden,
        notes=(
            gathered.notes
            + passed_over(prepared.request, gathered, view.profile.conditions if view.profile else {})
            + started_otherwise(view)
            + _stale(judged)
        ),
    )


def _stale(judged: Judged) -> tuple[str, ...]:
    if not judged.stale:
        return ()
    return (f"{plural(judged.stale, 'finding')} of the baseline no longer there; --write-baseline FILE writes it anew",)


def _files(prepared: Prepared) -> tuple[FileView, ...]:
    """What was read: the runtime's files, then contractd's own, then the lock and what is used."""
    gathered = prepared.gathered
    files = [FileView(source.document.path, source.scope, source.why) for source in gathered.setup.sources]
    files += gathered.env_files
    known = {file.path for file in files}
    own = [document.path for document in gathered.policy.documents if document.path not in known]
    files += [FileView(path, gathered.policy_scopes.get(path, "stated"), "contractd's own settings") for path in own]
    if prepared.lock:
        files.append(FileView(prepared.lock.shown, "project", "the contracts that were accepted"))
    if prepared.uses:
        files.append(FileView(prepared.uses.document.path, "stated", "what this agent uses"))
    return tuple(files)


def _view(prepared: Prepared, contacted: Mapping[str, Row], version: str | None) -> View:
    request, gathered = prepared.request, prepared.gathered
    runtime = gathered.runtime
    profile = nearest_profile(runtime.name, gathered.stated or version)
    standing = stand_ins(prepared, profile.mcp.eras if profile else ())
    rows = {**contacted, **standing.rows}
    available = profile.conditions if profile else {}
    seen = Seen(
        gathered.setup.settings,
        gathered.context.environ,
        configured=any(entry.disabled is None for entry in gathered.setup.entries),
        connected=any(row.status == "ready" for row in rows.values()) if rows else None,
    )
    conditions = conditions_of(available, stated_conditions(request, gathered, available), seen)
    table = name_table(runtime, profile, gathered.setup, rows, conditions, gathered.policy.policy.tools)
    about = replace(
        _about(gathered, profile, version, offline=request.offline),
        conditions=dict(conditions.known),
        assumed=dict(conditions.open),
    )
    return View(
        request, gathered.policy, runtime, profile, about, gathered.context, gathered.setup, rows, standing.skipped,
        table, gathered.rivals, prepared.lock, standing.ids, prepared.uses,
    )  # fmt: skip


def _about(gathered: Gathered, profile: Profile | None, installed: str | None, *, offline: bool) -> RuntimeView:
    """Who said the version, and which version's data was used for it."""
    data = profile.version if profile else None
    version = gathered.stated or installed or data
    source: VersionSource = "stated" if gathered.stated else "program" if installed else "assumed"
    note = None
    if data is not None and version != data:
        note = f"nothing is known of {version}; built-in tools and naming are assumed from {data}"
    elif source == "assumed" and data is not None:
        known = [known.version for known in profiles(gathered.runtime.name)]
        mute = gathered.program is not None and not offline
        why = f"{gathered.runtime.program} did not say its version" if mute else "its version is not known"
        note = f"{why}; assumed from {data}" + (
            f", the newest of {len(known)} that are known" if len(known) > 1 else ", the only one that is known"
        )
    if gathered.runtime.name == CONTRACTD:
        version, note = None, None
    named = gathered.named and gathered.stated is None and source == "assumed"
    return RuntimeView(
        gathered.runtime.name,
        gathered.runtime.title,
        version,
        "stated" if named and gathered.runtime.name == CONTRACTD else source,
        gathered.reason,
        data,
        note,
    )
