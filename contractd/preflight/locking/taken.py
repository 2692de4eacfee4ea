"""What a server listed, as a lock would hold it; and what a lock holds, as if the server had just listed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from contractd.contracts import Contract, canonical_json
from contractd.preflight.consent import target
from contractd.providers.base import Fetched, ProviderSpec
from contractd.registry import Row
from contractd.registry.lock import LockedProvider, LockedTool
from contractd.runtimes.secrets import is_secret, secret_spans, tokens_in
from contractd.text import plural, visible
from contractd.wire import era_of

_LONG_ENOUGH = 8  # characters of a credential; shorter ones are words that a text holds anyway
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUERY = re.compile(r"[?&]([^=&#]+)=([^&#]+)")


@dataclass(frozen=True)
class Taken:
    """What can be locked of a server. ``unfit``: why a tool of it can't stand in a file that is committed."""

    provider: LockedProvider
    unfit: Mapping[str, str] = field(default_factory=dict)


def taken(row: Row, now: str, folder: str, home: str) -> Taken:
    """Everything that can be locked of a server that listed its tools. ``now``: RFC 3339; ``folder``: the lock's."""
    fetched = row.fetched
    assert fetched is not None
    unfit = unfit_tools(row)
    tools = {tool.name: LockedTool(tool, now) for tool in fetched.manifest.tools if tool.name not in unfit}
    provider = LockedProvider(
        row.spec.id,
        source(row.spec, folder, home),
        fetched.transport,
        fetched.protocol_version,
        tools,
        (*_doubts(fetched), *(f"{visible(name, 80)}: {why}" for name, why in unfit.items())),
        announced=fetched.server.get("title") or fetched.server.get("name") or None,
    )
    return Taken(provider, unfit)


def unfit_tools(row: Row) -> dict[str, str]:
    """The tools that can't stand in a file that is committed, and why."""
    held = list(_held(row.spec))
    tools = row.fetched.manifest.tools if row.fetched else ()
    return {tool.name: why for tool in tools if (why := _unfit(tool, held))}


def source(spec: ProviderSpec, folder: str, home: str) -> str:
    """Where a server comes from, the same on every machine that has the project: as in reports, the lock's folder as
    ``.`` and the home directory as ``~``."""
    text = target(spec)
    for path, short in ((folder, "."), (home, "~")):
        if len(path) > 1:
            text = re.sub(rf"(?<![\w.~/-]){re.escape(path.rstrip('/'))}(?=/|\s|$)", short, text)
    return text


def as_listed(locked: LockedProvider, spec: ProviderSpec) -> Row:
    """The row of a server that lists just what was accepted of it."""
    fetched = Fetched(
        locked.manifest,
        spec.transport,
        era_of(locked.protocol),
        locked.protocol,
        {"name": locked.announced} if locked.announced else {},
    )
    return Row(spec, "ready", 0.0, fetched)


def not_for(locked: LockedProvider | None, spec: ProviderSpec, folder: str, home: str) -> str | None:
    """Why a lock can't stand in for a server; None where it can."""
    if locked is None:
        return "the lock has nothing of it"
    now = source(spec, folder, home)
    if locked.source != now:
        return f"the lock was taken from another command or address: {visible(locked.source, 200)}"
    if locked.doubts:
        return f"only the server itself can tell: {visible(locked.doubts[0], 200)}"
    return None


def _doubts(fetched: Fetched) -> Iterator[str]:
    """What rules look at in a live list and a lock does not hold."""
    manifest = fetched.manifest
    for flawed in manifest.flawed[:20]:
        yield f"{visible(flawed.name or f'tool #{flawed.index}', 80)} is no valid tool"
    if len(manifest.flawed) > 20:
        yield f"{len(manifest.flawed) - 20} more are no valid tools"
    for name in manifest.duplicates[:20]:
        yield f"{visible(name, 80)} is listed twice"
    for departure in fetched.departures:
        yield visible(departure.text, 200)
    if fetched.cursor_loop:
        yield "its list has no end"
    if not manifest.tools:
        yield "it offers no tool"


def _held(spec: ProviderSpec) -> Iterator[str]:
    """The credentials that a server was given: variables, headers, arguments, what stands in its URL."""
    given: list[tuple[str, Any]] = [*spec.env.items(), *spec.headers.items()]
    given += [(name, unquote(value)) for name, value in _QUERY.findall(spec.url or "")]
    found = [value for name, value in given if is_secret(name, value)]
    found += [text.partition(" ")[2] for text in found if " " in text]  # a header's, without its scheme
    for argument, spans in zip(spec.argv, secret_spans(spec.argv), strict=True):
        found += [argument[start:end] for start, end in spans] + tokens_in(argument)
    try:
        password = urlsplit(spec.url or "").password
    except ValueError:
        password = None
    found += [unquote(password)] if password else []
    yield from (value for value in found if len(value) >= _LONG_ENOUGH)


def _unfit(tool: Contract, held: list[str]) -> str | None:
    if _SURROGATE.search(tool.name):
        return "its name can't be written to a file"
    if held:
        texts = (tool.input_schema, tool.output_schema, tool.title, tool.description)
        text = canonical_json([tool.name, *texts]).decode("utf-8", "surrogatepass")
        found = sum(value in text for value in set(held))
        if found:
            return f"its definition holds {plural(found, 'credential')} that the server was given"
    return None
