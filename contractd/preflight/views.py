"""Rows for people, from the rows of the registry and the table of names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from contractd.preflight.consent import target
from contractd.preflight.lockfile import LockFile
from contractd.preflight.model import Finding, ProviderStatus, ProviderView, ToolStatus, ToolView, Visible
from contractd.preflight.view import View
from contractd.providers.base import Transport
from contractd.runtimes.base import Entry
from contractd.text import visible, visible_lines

if TYPE_CHECKING:
    from contractd.registry import Row


_ADDRESSES = ("url", "httpUrl", "serverUrl", "uri")  # of one runtime or another, read by this one or not


def provider_views(view: View) -> tuple[ProviderView, ...]:
    """One row for each configured server, in the order of the configuration."""
    return tuple(_provider(view, entry) for entry in view.setup.entries)


def _provider(view: View, entry: Entry) -> ProviderView:
    row = view.rows.get(entry.id)
    spec = entry.spec
    status: ProviderStatus
    reason: str | None
    if entry.disabled is not None:
        status, reason = "disabled", entry.disabled
    elif spec is None:
        status, reason = "failed", "its entry can't be used as it is written"
    elif row is None:
        status, reason = "skipped", view.skipped.get(entry.id, "it was not contacted")
    else:
        status, reason = row.status, row.failure.message if row.failure else None
    base = ProviderView(
        entry.name,
        entry.id,
        spec.transport if spec else _meant_transport(view, entry),
        status,
        target(spec) if spec else "",
        entry.place,
        entry.source.scope,
        reason,
    )
    if row is not None and entry.id in view.locked and view.lock is not None:
        return _from_lock(base, row, view.lock)
    return _with_row(base, row) if row is not None else base


def _from_lock(base: ProviderView, row: Row, lock: LockFile) -> ProviderView:
    accepted = lock.lock.providers[base.id].newest
    since = f", the last of it accepted {accepted}" if accepted else ""
    reason = f"not contacted: judged by what {lock.shown} holds of it{since}"
    return replace(_with_row(base, row), status="locked", reason=reason, seconds=None, started=None)


def _meant_transport(view: View, entry: Entry) -> Transport:
    """Of an entry that is switched off or unusable: as far as its keys tell."""
    reading = view.runtime.reading_of(entry.source, view.context)
    chosen = reading.transport(entry.raw)
    if not isinstance(chosen, str):
        return chosen[0]
    if "sse" in (entry.raw.get("type"), entry.raw.get("transport")):
        return "sse"
    return "http" if any(reading.keys.get(key) == "url" or key in _ADDRESSES for key in entry.raw) else "stdio"


def _with_row(base: ProviderView, row: Row) -> ProviderView:
    fetched, failure, evidence = row.fetched, row.failure, row.evidence
    ended_itself = evidence.ended == "itself"
    return ProviderView(
        base.name,
        base.id,
        fetched.transport if fetched else base.transport,
        base.status,
        base.target,
        base.place,
        base.scope,
        base.reason,
        signal=failure.signal if failure else None,
        retryable=failure.retryable if failure else None,
        era=fetched.era if fetched else None,
        protocol_version=fetched.protocol_version if fetched else None,
        tools=len(fetched.manifest.tools) + len(fetched.manifest.flawed) if fetched else None,
        seconds=round(row.seconds, 3),
        budget=row.spec.budget,
        exit_code=evidence.exit_code if ended_itself else None,  # an end that contractd made says nothing
        stderr_tail="\n".join(visible_lines(evidence.stderr)),
        foreign=evidence.foreign,
        manifest_digest=fetched.manifest.digest if fetched else None,
        started=evidence.started,
    )


def _lost(found: tuple[Finding, ...]) -> dict[str, str]:
    """Why the runtime has nothing of a server that listed its tools here, by the server's name."""
    lost: dict[str, str] = {}
    for finding in found:
        if finding.rule.name == "list-lost" and finding.provider is not None:
            lost[finding.provider] = f"the runtime drops the server's whole list over {visible(finding.subject, 80)}"
        elif finding.rule.name == "unsupported-protocol" and finding.provider is not None:
            lost[finding.provider] = "the runtime speaks no protocol version of its server"
    return lost


def tool_views(view: View, found: tuple[Finding, ...]) -> tuple[ToolView, ...]:
    """One row for each listed tool."""
    shadowed: dict[tuple[str, str], str] = {}
    refused: set[str] = set()
    lost = _lost(found)
    # Whether the runtime takes a server's answers, nobody has tried: so nobody knows what the model sees of it.
    doubtful = {finding.provider for finding in found if finding.rule.name == "off-schema" and finding.undetermined}
    for finding in found:
        if finding.settled or finding.provider is None or finding.tool is None:
            continue
        entry = view.entry(finding.provider)
        if finding.rule.name == "builtin-shadowing":
            shadowed[finding.provider, finding.tool] = str(finding.details.get("lands", ""))
        elif finding.rule.name in ("provider-collision", "collision-after-naming"):
            involved = finding.details.get("tools")
            refused.update(involved if isinstance(involved, list) else [])
        elif finding.rule.name == "builtin-collision" and entry is not None:
            refused.add(f"{entry.id}.{finding.tool}")
    rows = []
    for tool in view.table.tools:
        status: ToolStatus = "bound"
        note = tool.excluded or tool.dropped
        if tool.excluded:
            status = "excluded"
        elif tool.flawed is not None:
            status, note = "quarantined", tool.flawed.flaws[0].message
        elif tool.entry.name in lost:
            status, note = "refused", lost[tool.entry.name]
        elif tool.dropped or f"{tool.entry.id}.{tool.raw}" in refused:
            status = "refused"
        elif (tool.entry.name, tool.raw) in shadowed:
            status, note = "shadowed", shadowed[tool.entry.name, tool.raw]
        digest = tool.contract.digest if tool.contract else None
        seen: Visible = "no" if tool.entry.name in lost else tool.visible
        if seen in ("yes", "deferred") and tool.entry.name in doubtful:
            seen = "unknown"
        rows.append(ToolView(tool.entry.name, tool.raw, tool.name, seen, status, digest, note))
    return tuple(rows)
