"""From a request to a report: gather, agree, contact, name, judge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from contractd.clock import Clock, SystemClock
from contractd.events import FanOut, Observer
from contractd.preflight.baseline import read_baseline
from contractd.preflight.consent import Asked, asked
from contractd.preflight.gather import Gathered, gather
from contractd.preflight.model import Report, RuntimeView, VersionSource
from contractd.preflight.names import name_table
from contractd.preflight.request import Request
from contractd.preflight.rules import check_all
from contractd.preflight.verdict import judge
from contractd.preflight.version import installed_version
from contractd.preflight.view import View
from contractd.preflight.views import provider_views, tool_views
from contractd.providers.base import ProviderSpec
from contractd.registry import Row, bootstrap
from contractd.runtimes.base import Entry
from contractd.runtimes.catalogue import CONTRACTD, nearest_profile, profiles
from contractd.runtimes.conditions import Seen, conditions_of
from contractd.runtimes.profile import Profile

# Shown what would be started; answers with the digests that may be. None: nobody can be asked.
Ask = Callable[[list[Asked]], frozenset[str]]


async def preflight(
    request: Request, *, ask: Ask | None = None, observer: Observer | None = None, clock: Clock | None = None
) -> Report:
    """Check a configuration. Raises UsageError or ConfigError for bad input; a server's trouble is in the report."""
    watch, time = observer or FanOut(), clock or SystemClock()
    gathered = gather(request)
    accepted = read_baseline(request.baseline) if request.baseline else frozenset[str]()
    specs, skipped = _agreed(request, gathered, ask)
    version: str | None = None
    rows: tuple[Row, ...] = ()
    async with asyncio.TaskGroup() as group:
        asking = None
        if gathered.stated is None and not request.offline:
            asking = group.create_task(installed_version(gathered.runtime, request.environ, time, watch))
        contacting = group.create_task(bootstrap(specs, clock=time, observer=watch, environ=request.environ))
    rows = contacting.result()
    version = asking.result() if asking else None
    return assess(request, gathered, {row.spec.id: row for row in rows}, skipped, version, accepted)


def assess(
    request: Request,
    gathered: Gathered,
    rows: Mapping[str, Row],
    skipped: Mapping[str, str],
    version: str | None = None,
    accepted: frozenset[str] = frozenset(),
) -> Report:
    """The report on what was read and what answered; nothing is contacted. ``rows`` and ``skipped`` by provider id."""
    view = _view(request, gathered, rows, skipped, version)
    found = check_all(view)
    judged = judge(view, found, accepted)
    return Report(
        judged.verdict,
        view.about,
        judged.files,
        provider_views(view),
        tool_views(view, found),
        judged.findings,
        judged.fail_on,
        offline=request.offline,
        undetermined=judged.undetermined,
        hidden=judged.hidden,
        notes=gathered.notes,
    )


def _agreed(request: Request, gathered: Gathered, ask: Ask | None) -> tuple[list[ProviderSpec], dict[str, str]]:
    """The providers that may be contacted, and why the others may not."""
    wanted = [_spec(entry, request) for entry in gathered.setup.entries if entry.spec and entry.disabled is None]
    # A manifest file is only read: reading needs nobody's consent, and happens offline too.
    files = [spec for spec in wanted if spec.transport == "manifest-file"]
    others = [spec for spec in wanted if spec.transport != "manifest-file"]
    if request.offline:
        return files, {spec.id: "nothing is started or contacted with --offline" for spec in others}
    if request.consented or not others:
        return wanted, {}
    questions = [asked(spec, request.environ) for spec in others]
    allowed = frozenset(gathered.policy.policy.consent.allow) | frozenset(request.allow)
    open_questions = [
        question for question in questions if question.digest not in allowed and question.spec.name not in request.allow
    ]
    if open_questions and ask is not None:
        allowed |= ask(open_questions)
    skipped = {}
    for question in open_questions:
        if question.digest not in allowed:
            why = "it was declined" if ask else "nobody agreed to it (no terminal to ask on; --yes agrees to all)"
            skipped[question.spec.id] = f"{why}; its digest is {question.digest}"
    return [spec for spec in wanted if spec.id not in skipped], skipped


def _spec(entry: Entry, request: Request) -> ProviderSpec:
    assert entry.spec is not None
    return replace(entry.spec, budget=request.budget) if request.budget else entry.spec


def _view(
    request: Request, gathered: Gathered, rows: Mapping[str, Row], skipped: Mapping[str, str], version: str | None
) -> View:
    runtime = gathered.runtime
    profile = nearest_profile(runtime.name, gathered.stated or version)
    stated = {**gathered.policy.policy.preflight.conditions, **request.conditions}
    seen = Seen(
        gathered.setup.settings,
        request.environ,
        configured=any(entry.disabled is None for entry in gathered.setup.entries),
        connected=any(row.status == "ready" for row in rows.values()) if rows else None,
    )
    conditions = conditions_of(profile.conditions if profile else {}, stated, seen)
    table = name_table(runtime, profile, gathered.setup, rows, conditions)
    about = replace(
        _about(gathered, profile, version), conditions=dict(conditions.known), assumed=dict(conditions.open)
    )
    return View(
        request, gathered.policy, runtime, profile, about, gathered.context, gathered.setup, rows, skipped, table
    )


def _about(gathered: Gathered, profile: Profile | None, installed: str | None) -> RuntimeView:
    """Who said the version, and which version's data was used for it."""
    data = profile.version if profile else None
    version = gathered.stated or installed or data
    source: VersionSource = "stated" if gathered.stated else "program" if installed else "assumed"
    note = None
    if data is not None and version != data:
        note = f"nothing is known of {version}; built-in tools and naming are assumed from {data}"
    elif source == "assumed" and data is not None:
        known = [known.version for known in profiles(gathered.runtime.name)]
        note = f"its version is not known; assumed from {data}, the newest of {len(known)} that are known"
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
