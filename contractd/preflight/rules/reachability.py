"""CTD2xx: did its process start, did it answer, are its tools there."""

from __future__ import annotations

from collections.abc import Iterator

from contractd.contracts import Contract
from contractd.errors import Place
from contractd.preflight.catalogue import rule
from contractd.preflight.likeness import folded, nearest
from contractd.preflight.model import Finding
from contractd.preflight.rules.configuration import unknown_provider
from contractd.preflight.view import View
from contractd.registry import Row
from contractd.runtimes.base import Entry
from contractd.text import listed, plural, visible

_SEE = "run it by hand and read its stderr"


def check(view: View) -> Iterator[Finding]:
    """One look at each row, then the tools that must be there."""
    for entry in view.setup.entries:
        row = view.rows.get(entry.id)
        if row is not None and row.status == "failed":
            yield from _failed(view, entry, row)
        elif row is not None:
            yield from _ready(view, entry, row)
        elif entry.id in view.skipped:
            yield Finding(
                rule("not-contacted"),
                "info",
                f"{visible(entry.name)} was not contacted: {view.skipped[entry.id]}",
                "let it be contacted to know its tools",
                entry.place,
                provider=entry.name,
                retryable=True,
                undetermined=True,
            )
    for reference in dict.fromkeys((*view.request.expect, *view.policy.policy.preflight.expect)):
        yield from _expected(view, reference)


def _failed(view: View, entry: Entry, row: Row) -> Iterator[Finding]:
    failure = row.failure
    assert failure is not None
    if failure.signal == "stdio-spawn" and "was not found" in failure.message:
        return  # CTD105 says it, with the line to mend
    name = "provider-failed"
    action = f"{_SEE}: {view.runtime.title} will have none of its tools"
    if row.timed_out:
        name, action = "provider-timeout", "find out what it waits for, or give it more time"
    elif failure.signal in ("http-03", "http-05"):
        yield _unauthorized(entry, row)
        return
    elif failure.signal == "mcp-14":
        name, action = "unsupported-protocol", "use a version of the server that speaks one of them"
    elif failure.signal == "manifest-version":
        name, action = "unsupported-schema-version", "serve the manifest in a format version that is read"
    elif failure.signal in ("mcp-list", "mcp-unusable", "mcp-empty", "manifest-format") and row.evidence.started:
        name, action = "list-failed", "mend the server: a list that can't be read is not an empty one"
    elif entry.spec is not None and entry.spec.transport != "stdio":
        action = "check the URL, and that the server runs"
    yield Finding(
        rule(name),
        "high",
        f"{visible(entry.name)}: {failure.message}",
        action,
        entry.place,
        provider=entry.name,
        retryable=failure.retryable,
        details={"signal": failure.signal, **failure.details},
    )


def _unauthorized(entry: Entry, row: Row) -> Finding:
    """Where the configuration holds no credential, the runtime may bring a token of its own: nobody can know here."""
    assert row.failure is not None and entry.spec is not None
    own = any(name.lower() in ("authorization", "x-api-key", "api-key") for name in entry.spec.headers)
    challenge = row.failure.details.get("www_authenticate")
    said = f"; it asks for {visible(str(challenge), 160)}" if challenge else ""
    return Finding(
        rule("unauthorized"),
        "high" if own else "medium",
        f"{visible(entry.name)}: {row.failure.message}{said}",
        "renew the credential in its headers"
        if own
        else "sign in through the runtime, which brings its own token; contractd has none and can't tell",
        entry.place,
        provider=entry.name,
        retryable=False,
        undetermined=not own,
        details=row.failure.details,
    )


def _ready(view: View, entry: Entry, row: Row) -> Iterator[Finding]:
    assert row.fetched is not None
    name = visible(entry.name)
    if row.evidence.foreign_count:
        first = visible(row.evidence.foreign[0], 80) if row.evidence.foreign else ""
        yield Finding(
            rule("foreign-output"),
            "low",
            f"{name} wrote {plural(row.evidence.foreign_count, 'line')} to stdout that are no messages, "
            f"the first: {first}",
            "have it log to stderr: a strict client drops the connection over this",
            entry.place,
            provider=entry.name,
            retryable=False,
        )
    if row.fetched.cursor_loop:
        yield Finding(
            rule("endless-list"),
            "medium",
            f"{name}: its list of tools offers another page for ever; contractd stopped where nothing new came",
            "mend the server: on the last page nextCursor must be absent; clients hang, or list tools many times",
            entry.place,
            provider=entry.name,
            retryable=False,
        )
    if not row.fetched.manifest.tools and not row.fetched.manifest.flawed:
        declared = "" if row.fetched.declares_tools else "; it does not claim to have any"
        yield Finding(
            rule("no-tools"),
            "low",
            f"{name} is up and offers no tool{declared}",
            "look into what it needs (a login, a project, a flag) before it offers its tools",
            entry.place,
            provider=entry.name,
            retryable=None,
        )
    if row.evidence.ended == "killed":
        yield Finding(
            rule("hard-to-stop"),
            "info",
            f"{name} went on after its stdin was closed and after SIGTERM, and had to be killed",
            "end it by hand if a session leaves it behind",
            entry.place,
            provider=entry.name,
            retryable=False,
        )


def _expected(view: View, reference: str) -> Iterator[Finding]:
    provider, _, tool = reference.partition(".")
    entry = view.entry(provider)
    shown = visible(reference, 200)
    place = view.policy.place("preflight", "expect") or view.file
    if entry is None:
        hint = unknown_provider(view, provider)
        yield _missing(f"{shown} is expected, but no server {visible(provider)} is configured{hint}", place, reference)
        return
    row = view.rows.get(entry.id)
    if row is None or row.fetched is None:
        if row is None and entry.id in view.skipped:
            return  # CTD207 leaves it open
        why = entry.disabled or (row.failure.message if row and row.failure else "its entry can't be used")
        yield _missing(f"{shown} is expected, but its server is not there: {why}", entry.place, reference, entry)
        return
    manifest = row.fetched.manifest
    named = next((known for known in view.table.tools if known.entry is entry and known.raw == tool), None)
    if named is not None and named.contract is not None and not named.excluded and not named.dropped:
        return
    if named is not None and named.excluded:
        yield _missing(f"{shown} is offered, but left out: {named.excluded}", entry.place, reference, entry)
    elif named is not None and named.dropped:
        yield _missing(
            f"{shown} is offered, but {view.runtime.title} drops it: {named.dropped}", entry.place, reference, entry
        )
    elif named is not None:
        yield _missing(f"{shown} is offered, but its definition is not valid", entry.place, reference, entry)
    else:
        hint = _suggest(tool, manifest.tools)
        yield _missing(f"{shown} is expected, but the server does not offer it{hint}", entry.place, reference, entry)


def _suggest(tool: str, contracts: tuple[Contract, ...]) -> str:
    names = [contract.name for contract in contracts]
    close = nearest(tool, names)
    if close is None:
        return f"; it offers {listed(names)}" if names else "; it offers nothing"
    same = " (the same but for case, - and _)" if folded(close) == folded(tool) else ""
    return f"; the nearest it has is {visible(close)}{same}"


def _missing(message: str, place: Place, reference: str, entry: Entry | None = None) -> Finding:
    return Finding(
        rule("expected-tool-missing"),
        "high",
        message,
        "correct the name, or have the tool offered; it must not be replaced by one of a similar name",
        place,
        provider=entry.name if entry else None,
        tool=reference.partition(".")[2],
        subject=reference,
        retryable=False,
    )
