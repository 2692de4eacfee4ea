"""Which runtime, which of its files, which policy: what a request is about, read and nothing started."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from contractd.documents import Document, parse
from contractd.errors import ConfigError, UsageError
from contractd.policy import Loaded
from contractd.preflight.files import (
    POLICY_FILE,
    STDIN_SHOWN,
    is_file,
    is_policy,
    read_bytes,
    read_document,
    read_named,
)
from contractd.preflight.model import FileView
from contractd.preflight.own import Own, own_settings
from contractd.preflight.request import Request
from contractd.preflight.surroundings import surroundings
from contractd.runtimes.base import Context, Location, Scope, Setup, Source
from contractd.runtimes.catalogue import CONTRACTD, RUNTIMES, Recognition, recognise, runtime_named
from contractd.runtimes.runtime import Runtime
from contractd.text import listed, plural, visible

_MOST_TEXTS, _MOST_TEXT = 100, 256 * 1024  # files, and bytes of each


@dataclass(frozen=True)
class Wanted:
    """A runtime, the version the user named, why it is this one, and whether somebody said so."""

    runtime: Runtime
    stated: str | None
    reason: str
    named: bool = True


@dataclass(frozen=True)
class Gathered:
    """What the files say. ``agreed``: digests of what may be started; ``not_counted``: those that a file which nobody
    named agrees to, each with that file. ``rivals``: the runtimes that the files may be for, where none was recognised;
    ``program``: where the runtime is installed."""

    runtime: Runtime
    stated: str | None
    reason: str
    named: bool
    context: Context
    setup: Setup
    policy: Loaded
    notes: tuple[str, ...] = ()
    policy_scopes: Mapping[str, Scope] = field(default_factory=dict)
    agreed: frozenset[str] = frozenset()
    not_counted: Mapping[str, str] = field(default_factory=dict)
    env_files: tuple[FileView, ...] = ()
    rivals: tuple[str, ...] = ()
    program: str | None = None


def gather(request: Request) -> Gathered:
    """Read everything. Raises UsageError or ConfigError; nothing is started."""
    cwd = Path(request.cwd).resolve()
    context = Context(request.environ, request.home, str(cwd), repository=_repository(cwd))
    documents = [_named(name, request, context) for name in request.configs]
    own = own_settings(request, documents)
    wanted = _wanted(request, own)
    if wanted and wanted.runtime.name != CONTRACTD:
        documents = [document for document in documents if not is_policy(document)]  # settings, no servers of its own
    notes, rivals = tuple[str, ...](), tuple[str, ...]()
    if documents:
        if wanted is None:
            found = [recognise(document) for document in documents]
            recognition = next((one for one in found if one.runtime.name != CONTRACTD), found[0])
            wanted = Wanted(recognition.runtime, None, recognition.reason, named=False)
            if recognition.runtime.name == CONTRACTD:
                rivals = recognition.rivals
            else:
                notes = _rivals(recognition)
        sources = _named_sources(wanted.runtime, documents, context)
    else:
        wanted = wanted or _installed(context, own)
        sources = _found_sources(wanted.runtime, context, own)
    context = replace(context, texts=_texts(wanted.runtime, sources, context))
    around = surroundings(wanted.runtime, context)
    setup = around.given_to(wanted.runtime.read(sources, around.context))
    return Gathered(
        wanted.runtime, wanted.stated, wanted.reason, wanted.named, around.context, setup, own.loaded,
        notes + _left_out(wanted.runtime, own), own.scopes, own.agreed, own.not_counted, around.files, rivals,
        _program(wanted.runtime, context),
    )  # fmt: skip


def _wanted(request: Request, own: Own) -> Wanted | None:
    """The runtime that was named, if one was. Raises UsageError, or ConfigError with the place in contractd.toml."""
    if request.runtime:
        return Wanted(*runtime_named(request.runtime), "--runtime names it")
    written = own.loaded.policy.runtime
    if written is None:
        return None
    place = own.loaded.place("runtime")
    try:
        runtime, stated = runtime_named(written)
    except UsageError as error:
        raise ConfigError(error.message, place=place, hint=error.hint) from None
    return Wanted(runtime, stated, f"{place.file if place else POLICY_FILE} names it")


def _named_sources(runtime: Runtime, documents: list[Document], context: Context) -> list[Source]:
    """The files that were named, weakest first, after the files of settings that belong to them."""
    sources: list[Source] = []
    for document in documents:
        if document.path != STDIN_SHOWN:
            sources += _present(runtime, runtime.companions(_full(document.path, runtime, context), context), context)
    for document in documents:
        if document.path == STDIN_SHOWN:
            sources.append(Source(document, "user", "read from standard input: taken as if it stood in user scope"))
        else:
            sources.append(Source(document, *runtime.scope_of(_full(document.path, runtime, context), context)))
    return sources


def _full(path: str, runtime: Runtime, context: Context) -> str:
    """The whole path: as it is written, or without symbolic links where only that is a place the runtime reads."""
    written = os.path.normpath(os.path.join(context.cwd, path))  # noqa: PTH118 - text only
    places = {location.path for location in runtime.locations(context)}
    real = os.path.realpath(written)
    return real if written not in places and real in places else written


def _found_sources(runtime: Runtime, context: Context, own: Own) -> list[Source]:
    """No file was named: what this runtime would read from here. Raises UsageError if there is nothing."""
    if runtime.name == CONTRACTD:
        documents = own.loaded.documents
        sources = [Source(doc, own.scopes.get(doc.path, "stated"), "contractd reads it itself") for doc in documents]
        places = [POLICY_FILE]
    else:
        sources = _present(runtime, runtime.locations(context), context)
        places = [location.path for location in runtime.locations(context) if location.servers]
    if not any(source.servers for source in sources):
        raise UsageError(
            f"there is no configuration of {runtime.title} to read from here",
            hint=f"looked for {', '.join(visible(place, 400) for place in places[:8])}; "
            "name another with --config FILE",
        )
    return sources


def _installed(context: Context, own: Own) -> Wanted:
    """The one runtime that is installed and has servers configured here; contractd's own file if there is none."""
    search = context.environ.get("PATH")
    found = [runtime for runtime in RUNTIMES.values() if runtime.program and shutil.which(runtime.program, path=search)]
    with_files = [runtime for runtime in found if _files_of(runtime, context)]
    if len(with_files) == 1:
        return _because(with_files[0], f"{with_files[0].program} is on PATH, and it has a configuration here")
    if len(with_files) > 1:
        raise UsageError(
            f"several agent runtimes are installed and configured here: {listed([r.name for r in with_files])}",
            hint=f"say which: contractd preflight --runtime {with_files[0].name}",
        )
    if own.loaded.policy.providers:
        return _because(RUNTIMES[CONTRACTD], f"{POLICY_FILE} names providers of its own")
    if len(found) == 1:
        return _because(found[0], f"{found[0].program} is on PATH")
    there = [(runtime, file) for runtime in RUNTIMES.values() for file in _files_of(runtime, context)]
    shown = [f"{visible(file, 200)} ({runtime.title}: --runtime {runtime.name})" for runtime, file in there[:4]]
    raise UsageError(
        "nothing to check: no configuration was named, and no installed agent runtime has one here",
        hint="name one: contractd preflight --config FILE, or --runtime NAME"
        + (f"; there is {listed(shown, 4)}" if shown else ""),
    )


def _program(runtime: Runtime, context: Context) -> str | None:
    return shutil.which(runtime.program, path=context.environ.get("PATH")) if runtime.program else None


def _left_out(runtime: Runtime, own: Own) -> tuple[str, ...]:
    """Providers of contractd's own file are not the runtime's: no session of it would have them."""
    count = len(own.loaded.policy.providers)
    if runtime.name == CONTRACTD or not count:
        return ()
    them = plural(count, "provider")
    return (f"{them} of contractd.toml not looked at: {runtime.title} does not read them; --runtime contractd does",)


def _because(runtime: Runtime, reason: str) -> Wanted:
    return Wanted(runtime, None, reason, named=False)


def _files_of(runtime: Runtime, context: Context) -> list[str]:
    """The files with servers that it would read from here."""
    return [
        location.path
        for location in runtime.locations(context)
        if location.servers and (location.text is not None or is_file(location.path))
    ]


def _present(runtime: Runtime, locations: Iterable[Location], context: Context) -> list[Source]:
    """The files that are there. Started from home, a runtime has one file for user and project: the user's."""
    present: dict[str, Location] = {}
    for location in locations:
        if location.text is not None or is_file(location.path):
            present.setdefault(location.path, location)
    return [
        Source(
            _read(location, runtime, context),
            location.scope,
            f"{runtime.title} reads it in {location.scope} scope",
            location.servers,
        )
        for location in present.values()
    ]


def _read(location: Location, runtime: Runtime, context: Context) -> Document:
    if location.text is not None:
        return parse(location.path, location.text.encode("utf-8", "surrogateescape"))
    try:
        return read_document(location.path)
    except ConfigError as error:
        raise _with_consequence(error, runtime, location.path, context) from None


def _named(name: str, request: Request, context: Context) -> Document:
    """A file that the user named. Raises ConfigError, with what its runtime does over such a file."""
    try:
        return read_named(name, request)
    except ConfigError as error:
        by_name = recognise(Document(name, "", "json", {})).runtime
        runtime = runtime_named(request.runtime)[0] if request.runtime else by_name
        raise _with_consequence(error, runtime, name, context) from None


def _with_consequence(error: ConfigError, runtime: Runtime, path: str, context: Context) -> ConfigError:
    """Some runtimes do worse than passing over a file that can't be parsed: the hint says so."""
    parsed = error.place is not None and error.place.line is not None
    source = Source(Document(path, "", "json", {}), "user", "it could not be parsed")
    follows = runtime.reading_of(source, context).over_syntax if parsed else ""
    hint = "; ".join(filter(None, (error.hint, follows)))
    return ConfigError(error.message, place=error.place, hint=hint) if follows else error


def _texts(runtime: Runtime, sources: list[Source], context: Context) -> dict[str, str]:
    """What the files hold that the configuration takes texts from; one that can't be read is the runtime's to judge."""
    paths = [path for path in runtime.text_files(sources, context)[:_MOST_TEXTS] if is_file(path)]
    texts: dict[str, str] = {}
    for path in paths:
        with contextlib.suppress(ConfigError):
            texts[path] = read_bytes(path, path)[:_MOST_TEXT].decode("utf-8", "replace")
    return texts


def _repository(folder: Path) -> str | None:
    """The root of the git repository that a folder lies in."""
    above = (folder, *folder.parents)
    return next((str(one) for one in above if os.path.exists(one / ".git")), None)  # noqa: PTH110 - never raises


def _rivals(recognition: Recognition) -> tuple[str, ...]:
    if recognition.rivals:
        names = [visible(name, 60) for name in recognition.rivals]
        return (f"it could also be for {listed(names, last='or')}; --runtime NAME settles it",)
    return ()
