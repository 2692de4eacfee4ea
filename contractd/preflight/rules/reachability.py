"""CTD2xx: did its process start, did it answer, are its tools there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from contractd.contracts import Contract
from contractd.errors import Failure, Place
from contractd.preflight.catalogue import rule
from contractd.preflight.likeness import folded, nearest
from contractd.preflight.model import Finding
from contractd.preflight.names import never_started
from contractd.preflight.rules.configuration import missing_program, unknown_provider
from contractd.preflight.stated import element_place
from contractd.preflight.view import View
from contractd.runtimes.base import Entry
from contractd.text import listed, plural, visible

if TYPE_CHECKING:
    from contractd.providers.base import Fetched
    from contractd.registry import Row

# Headers that carry a credential, whatever the server calls it.
_CREDENTIAL = re.compile(r"(?i)auth|key|token|secret|cookie")
_REFUSED = ("http-03", "http-05")  # 401 and 403
_SEE = "run it by hand and read its stderr"


def check(view: View) -> Iterator[Finding]:
    """One look at each row, then the tools that must be there."""
    for entry in view.setup.entries:
        row = view.rows.get(entry.id)
        if row is not None and row.status == "failed":
            if not (row.failure and row.failure.signal == "stdio-spawn" and missing_program(view, entry)):
                yield _failed(view, entry, row)  # else CTD105 says it, with the line to mend
        elif row is not None:
            yield from _ready(view, entry, row)
        elif entry.id in view.skipped:
            yield _not_contacted(view, entry)
    expected = view.policy.policy.preflight.expect
    places = {name: element_place(view.policy, ("preflight", "expect"), at) for at, name in enumerate(expected)}
    for reference in dict.fromkeys((*view.request.expect, *expected)):
        yield from _expected(view, reference, places.get(reference))


def _not_contacted(view: View, entry: Entry) -> Finding:
    return Finding(
        rule("not-contacted"),
        "info",
        f"{visible(entry.name)} was not contacted: {view.skipped[entry.id]}",
        "run it without --offline to know its tools"
        if view.request.offline
        else f"agree to it to know its tools: --yes, or --allow {visible(entry.id, 80)}",
        entry.place,
        provider=entry.name,
        retryable=True,
        undetermined=True,
    )


def _failed(view: View, entry: Entry, row: Row) -> Finding:
    failure = row.failure
    assert failure is not None
    if failure.signal in _REFUSED:
        return _unauthorized(entry, row)
    name, action = _cause(view, entry, row, failure)
    return Finding(
        rule(name),
        "high",
        f"{visible(entry.name)}: {failure.message}",
        action,
        entry.place,
        provider=entry.name,
        retryable=failure.retryable,
        details={"signal": failure.signal, **failure.details},
    )


def _cause(view: View, entry: Entry, row: Row, failure: Failure) -> tuple[str, str]:
    """The rule that a failure comes under, and what to do."""
    transport = row.spec.transport
    if row.timed_out:
        return "provider-timeout", "find out what it waits for, or give it more time"
    if failure.signal == "mcp-14":
        return "unsupported-protocol", "use a version of the server that speaks one of them"
    if failure.signal == "manifest-version":
        return "unsupported-schema-version", "serve the manifest in a format version that is read"
    if failure.signal == "manifest-format":
        return "list-failed", "write it as contractd schema manifest says; one that can't be read is not an empty one"
    if failure.signal in ("mcp-list", "mcp-unusable", "mcp-empty") and row.evidence.started:
        return "list-failed", "mend the server: a list that can't be read is not an empty one"
    if failure.signal == "local":
        return "provider-failed", "this is a fault of contractd: please report it with the server's name and version"
    if transport == "manifest-file":
        return "provider-failed", "correct the path of the manifest"
    if transport != "stdio":
        return "provider-failed", _about_http(failure)
    return "provider-failed", f"{_SEE}: {view.runtime.title} will have none of its tools"


def _about_http(failure: Failure) -> str:
    """What to do about an HTTP server, by what it answered; without an answer it is not there."""
    status = failure.details.get("status")
    if not isinstance(status, int):
        return "check the URL, and that the server runs"
    if 300 <= status < 400:
        return "put the address it names into the configuration: headers are not sent to another place"
    if failure.retryable:
        return "try again later" if status in (429, 503) else "look into the server's log, or try again later"
    if status == 407:
        return "have the proxy let it through"
    return "check the URL: it is answered, though not as an MCP server would"


def _unauthorized(entry: Entry, row: Row) -> Finding:
    """Where the configuration holds no credential, the runtime may bring a token of its own: nobody can know here."""
    assert row.failure is not None and entry.spec is not None
    own = any(_CREDENTIAL.search(name) for name in entry.spec.headers)
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
    if entry.spec is not None and row.seconds > entry.spec.budget:
        yield Finding(
            rule("provider-timeout"),
            "high",
            f"{name} listed its tools after {row.seconds:.1f} s; the runtime gives it {entry.spec.budget:g} s",
            "find out what it waits for, or give it more time in the runtime's own configuration",
            entry.place,
            provider=entry.name,
            retryable=True,
        )
    if row.evidence.foreign_count:
        first = visible(row.evidence.foreign[0], 80) if row.evidence.foreign else ""
        count = row.evidence.foreign_count
        stdio = row.spec.transport == "stdio"
        kind = f"{plural(count, 'line')} to stdout" if stdio else f"{plural(count, 'event')} in its stream"
        yield Finding(
            rule("foreign-output"),
            "low",
            f"{name} wrote {kind} that {'is no message' if count == 1 else 'are no messages'}, the first: {first}",
            f"{'have it log to stderr' if stdio else 'mend it'}: a strict client drops the connection over this",
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
    yield from _without_tools(view, entry, row.fetched)
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


def _without_tools(view: View, entry: Entry, fetched: Fetched) -> Iterator[Finding]:
    """It lists none; or none is left, which only matters where the runtime counts that as a failure to start."""
    name, tools = visible(entry.name), view.table.of(entry)
    counts = view.profile is not None and view.profile.mcp.no_tools == "server-failed" and not fetched.declares_more
    counts = counts and never_started(entry, view.table.conditions) is None
    if not tools:
        message = (
            f"{name} is up and offers no tool{'' if fetched.declares_tools else '; it does not claim to have any'}"
        )
        action = "look into what it needs (a login, a project, a flag) before it offers its tools"
    elif counts and all(tool.excluded or tool.dropped for tool in tools):
        message = f"{name} is up, and no tool of it is left: {tools[0].excluded or tools[0].dropped}"
        action = "leave one of its tools in, or switch the server off"
    else:
        return
    yield Finding(
        rule("no-tools"),
        "medium" if counts else "low",
        message + (f"; {view.runtime.title} counts such a server as failed" if counts else ""),
        action,
        entry.place,
        provider=entry.name,
        retryable=None,
    )


def _expected(view: View, reference: str, written: Place | None) -> Iterator[Finding]:
    provider, _, tool = reference.partition(".")
    entry = view.entry(provider)
    shown = visible(reference, 200)
    if entry is None:
        hint = unknown_provider(view, provider)
        message = f"{shown} is expected, but no server {visible(provider)} is configured{hint}"
        yield _missing(message, written or view.file, reference)
        return
    place = written or entry.place
    row = view.rows.get(entry.id)
    if row is None or row.fetched is None:
        if entry.id in view.skipped:
            unseen = f"{shown} is expected, and its server was not contacted"
            finding = _missing(unseen, place, reference, entry, action="contact its server to know", retryable=True)
            yield replace(finding, undetermined=True)
            return
        failure = row.failure if row else None
        if row and failure and failure.signal in _REFUSED and _unauthorized(entry, row).undetermined:
            return  # CTD206 leaves it open
        why = entry.disabled or (failure.message if failure else "its entry can't be used")
        message = f"{shown} is expected, but its server is not there: {why}"
        retryable = failure.retryable if failure else False
        yield _missing(message, place, reference, entry, action="have its server come up", retryable=retryable)
        return
    named = next((known for known in view.table.of(entry) if known.raw == tool), None)
    if named is None:
        hint = _suggest(tool, row.fetched.manifest.tools)
        yield _missing(f"{shown} is expected, but the server does not offer it{hint}", place, reference, entry)
    elif named.excluded:
        message = f"{shown} is offered, but left out: {named.excluded}"
        yield _missing(message, place, reference, entry, action="no longer leave it out")
    elif named.dropped:
        message = f"{shown} is offered, but {view.runtime.title} drops it: {named.dropped}"
        yield _missing(message, place, reference, entry, action="give it a name that is kept")
    elif named.contract is None:
        message = f"{shown} is offered, but its definition is not valid"
        yield _missing(message, place, reference, entry, action="mend its definition in the server")


def _suggest(tool: str, contracts: tuple[Contract, ...]) -> str:
    names = [contract.name for contract in contracts]
    close = nearest(tool, names)
    if close is None:
        return f"; it offers {listed(names)}" if names else "; it offers nothing"
    same = " (the same but for case, - and _)" if folded(close) == folded(tool) else ""
    return f"; the nearest it has is {visible(close)}{same}"


def _missing(
    message: str,
    place: Place,
    reference: str,
    entry: Entry | None = None,
    *,
    action: str = "correct the name, or have the tool offered",
    retryable: bool | None = False,
) -> Finding:
    return Finding(
        rule("expected-tool-missing"),
        "high",
        message,
        f"{action}; it must not be replaced by one of a similar name",
        place,
        provider=entry.name if entry else None,
        tool=reference.partition(".")[2],
        subject=reference,
        retryable=retryable,
    )
