"""What a server listed, as a lock would hold it; and what a lock holds, as if the server had just listed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from contractd.contracts import Contract, canonical_json
from contractd.contracts.digest import digest_of
from contractd.preflight.consent import target
from contractd.preflight.hiding import Hider, spellings
from contractd.providers.base import Fetched, ProviderSpec
from contractd.registry import Row
from contractd.registry.lock import LockedProvider, LockedTool
from contractd.runtimes.secrets import is_secret, redact, redact_argv, secret_spans, tokens_in
from contractd.text import visible
from contractd.wire import era_of

_LONG_ENOUGH = 8  # characters of a credential; shorter ones are words that a text holds anyway
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUERY = re.compile(r"[?&]([^=&#]+)=([^&#]+)")


@dataclass(frozen=True)
class Taken:
    """What can be locked of a server. ``unfit``: why a tool of it can't stand in a file that is committed."""

    provider: LockedProvider
    unfit: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Home:
    """What is not the same on every machine: the lock's ``folder``, the ``home`` directory, the environment."""

    folder: str
    home: str
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def plain(self, text: str) -> str:
        """``text`` with the folder as ``.`` and the home directory as ``~``."""
        for path, short in ((self.folder, "."), (self.home, "~")):
            if len(path) > 1:
                text = re.sub(rf"(?<![\w.~/-]){re.escape(path.rstrip('/'))}(?=/|\s|$)", short, text)
        return text


def taken(row: Row, now: str, home: Home) -> Taken:
    """Everything that can be locked of a server that listed its tools. ``now``: RFC 3339."""
    fetched = row.fetched
    assert fetched is not None
    hide = Hider(row.spec, home.environ).text
    unfit = unfit_tools(row, home.environ)
    tools = {tool.name: LockedTool(tool, now) for tool in fetched.manifest.tools if tool.name not in unfit}
    announced = fetched.server.get("title") or fetched.server.get("name")
    doubts = (*_doubts(fetched), *(f"{visible(name, 80)}: {why}" for name, why in unfit.items()))
    provider = LockedProvider(
        row.spec.id,
        source(row.spec, home),
        fetched.transport,
        fetched.protocol_version,
        tools,
        tuple(hide(doubt) for doubt in doubts),
        _SURROGATE.sub("\ufffd", hide(announced)) if announced else None,
        launch(row.spec, home),
    )
    return Taken(provider, unfit)


def unfit_tools(row: Row, environ: Mapping[str, str]) -> dict[str, str]:
    """The tools that can't stand in a file that is committed, and why."""
    held = {spelt for value in _held(row.spec, environ) for spelt in spellings(value) if len(spelt) >= _LONG_ENOUGH}
    tools = row.fetched.manifest.tools if row.fetched else ()
    return {tool.name: why for tool in tools if (why := _unfit(tool, held))}


def source(spec: ProviderSpec, home: Home) -> str:
    """Where a server comes from, for people: as in reports, and the same on every machine that has the project."""
    return home.plain(target(spec, home.environ))


def launch(spec: ProviderSpec, home: Home) -> str:
    """A digest over everything by which a server is started or reached. Where a credential stands, only that one does:
    it may be renewed without the server being another."""
    hide = Hider(replace(spec, env={}, headers={}), home.environ).text

    def shown(name: str, value: str) -> str:
        return "***" if is_secret(name, value) else home.plain(hide(value))

    return digest_of(
        {
            "transport": spec.transport,
            "inherit": spec.inherit if isinstance(spec.inherit, str) else sorted(spec.inherit),
            "argv": [home.plain(hide(part)) for part in redact_argv(spec.argv)],
            "cwd": home.plain(spec.cwd) if spec.cwd else None,
            "url": hide(redact(spec.url)) if spec.url else None,
            "path": home.plain(spec.path) if spec.path else None,
            "env": {name: shown(name, value) for name, value in spec.env.items()},
            "headers": {name.lower(): shown(name, value) for name, value in spec.headers.items()},
        }
    )


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


def not_for(locked: LockedProvider | None, spec: ProviderSpec, home: Home) -> str | None:
    """Why a lock can't stand in for a server; None where it can."""
    if locked is None:
        return "the lock has nothing of it"
    if locked.source != source(spec, home):
        return f"the lock was taken from another command or address: {visible(locked.source, 200)}"
    if locked.launch != launch(spec, home):
        return "the lock was taken with other arguments, variables, headers or in another folder"
    era = era_of(locked.protocol)
    if era is not None and spec.eras and era not in spec.eras:
        return f"it was locked speaking {visible(locked.protocol or '', 40)}, which this runtime does not"
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
    if fetched.refusal:
        yield "it speaks no protocol version of the runtime it was locked for"
    if not manifest.tools:
        yield "it offers no tool"


def _held(spec: ProviderSpec, environ: Mapping[str, str]) -> Iterator[str]:
    """The credentials that a server was given: variables, its parent's too, headers, arguments, those in its URL."""
    given: list[tuple[str, Any]] = [*environ.items(), *spec.env.items(), *spec.headers.items()]
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


def _unfit(tool: Contract, held: set[str]) -> str | None:
    if _SURROGATE.search(tool.name):
        return "its name can't be written to a file"
    if held:
        texts = (tool.input_schema, tool.output_schema, tool.title, tool.description)
        text = canonical_json([tool.name, *texts]).decode("utf-8", "surrogatepass")
        if any(value in text for value in held):
            return "its definition holds a credential that the server was given"
    return None
