"""Rows for people, from the rows of the registry and the table of names."""

from __future__ import annotations

from contractd.preflight.consent import asked
from contractd.preflight.model import Finding, ProviderStatus, ProviderView, ToolStatus, ToolView
from contractd.preflight.view import View
from contractd.registry import Row
from contractd.runtimes.base import Entry
from contractd.text import visible_lines


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
    target = asked(spec, view.context.environ).line if spec else ""
    base = ProviderView(
        entry.name,
        entry.id,
        spec.transport if spec else "stdio",
        status,
        target,
        entry.place,
        entry.source.scope,
        reason,
    )
    return _with_row(base, row) if row is not None else base


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


def tool_views(view: View, found: tuple[Finding, ...]) -> tuple[ToolView, ...]:
    """One row for each listed tool."""
    shadowed: dict[tuple[str, str], str] = {}
    refused: set[str] = set()
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
        elif tool.dropped or f"{tool.entry.id}.{tool.raw}" in refused:
            status = "refused"
        elif (tool.entry.name, tool.raw) in shadowed:
            status, note = "shadowed", shadowed[tool.entry.name, tool.raw]
        digest = tool.contract.digest if tool.contract else None
        rows.append(ToolView(tool.entry.name, tool.raw, tool.name, tool.visible, status, digest, note))
    return tuple(rows)
