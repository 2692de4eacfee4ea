"""Find and read the files: which runtime, which documents, which policy. The only file access of preflight's front."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from contractd.documents import MAX_BYTES, Document, parse
from contractd.errors import ConfigError, Place, UsageError
from contractd.policy import Loaded, load_policy
from contractd.preflight.request import Request
from contractd.runtimes.base import Context, Location, Scope, Setup, Source
from contractd.runtimes.catalogue import CONTRACTD, RUNTIMES, Recognition, recognise, runtime_named
from contractd.runtimes.runtime import Runtime
from contractd.text import listed

POLICY_FILE = "contractd.toml"
STDIN = "-"


@dataclass(frozen=True)
class Gathered:
    """What the files say. ``stated`` is the version the user named, ``reason`` why it is this runtime."""

    runtime: Runtime
    stated: str | None
    reason: str
    named: bool
    context: Context
    setup: Setup
    policy: Loaded
    notes: tuple[str, ...] = ()


def gather(request: Request) -> Gathered:
    """Read everything. Raises UsageError or ConfigError; nothing is started."""
    context = Context(request.environ, request.home, str(Path(request.cwd).resolve()))
    documents = [_read_named(name, request) for name in request.configs]
    own = [document for document in documents if Path(document.path).name == POLICY_FILE]
    policy = _policy(request, context, own)
    wanted = request.runtime or policy.policy.runtime
    if documents:
        return _from_documents(documents, wanted, context, policy)
    return _from_here(wanted, context, policy, searched=request.use_policy)


def _from_documents(documents: list[Document], wanted: str | None, context: Context, policy: Loaded) -> Gathered:
    notes: tuple[str, ...] = ()
    if wanted:
        runtime, stated = runtime_named(wanted)
        reason = "it was named"
    else:
        recognition = recognise(documents[0])
        runtime, stated, reason = recognition.runtime, None, recognition.reason
        notes = _rivals(recognition)
    sources: list[Source] = []
    for document in documents:
        sources += _companions(runtime, document, context)
    for document in documents:
        scope, why = _scope(runtime, document.path, context)
        sources.append(Source(document, scope, why))
    setup = runtime.read(sources, context)
    return Gathered(runtime, stated, reason, bool(wanted), context, setup, policy, notes)


def _from_here(wanted: str | None, context: Context, policy: Loaded, *, searched: bool) -> Gathered:
    """No file was named: what the named, or the installed, runtime would read."""
    if wanted:
        runtime, stated = runtime_named(wanted)
        reason = "it was named"
    else:
        runtime, reason = _installed(context, policy)
        stated = None
    if runtime.name == CONTRACTD:
        sources = [Source(document, "project", "contractd reads this file itself") for document in policy.documents]
    else:
        sources = _present(runtime, runtime.locations(context))
    if not any(source.servers for source in sources):
        places = [location.path for location in runtime.locations(context) if location.servers]
        where = listed(places, 6) if runtime.name != CONTRACTD else POLICY_FILE
        raise UsageError(
            f"there is no configuration of {runtime.title} to read from here",
            hint=f"looked for {where}" if searched else "name one: contractd preflight --config FILE",
        )
    setup = runtime.read(sources, context)
    return Gathered(runtime, stated, reason, bool(wanted), context, setup, policy)


def _installed(context: Context, policy: Loaded) -> tuple[Runtime, str]:
    """The one runtime that is installed and has servers configured here; contractd's own file if there is none."""
    search = context.environ.get("PATH")
    found = [runtime for runtime in RUNTIMES.values() if runtime.program and shutil.which(runtime.program, path=search)]
    with_files = [runtime for runtime in found if _has_files(runtime, context)]
    if len(with_files) == 1:
        return with_files[0], f"{with_files[0].program} is on PATH, and it has a configuration here"
    if len(with_files) > 1:
        raise UsageError(
            f"several agent runtimes are installed and configured here: {listed([r.name for r in with_files])}",
            hint=f"say which: contractd preflight --runtime {with_files[0].name}",
        )
    if policy.policy.providers:
        return RUNTIMES[CONTRACTD], f"{POLICY_FILE} names providers of its own"
    if len(found) == 1:
        return found[0], f"{found[0].program} is on PATH"
    raise UsageError(
        "nothing to check: no configuration was named, and no installed agent runtime has one here",
        hint="name one: contractd preflight --config FILE, or --runtime NAME",
    )


def _has_files(runtime: Runtime, context: Context) -> bool:
    return any(location.servers and Path(location.path).is_file() for location in runtime.locations(context))


def _present(runtime: Runtime, locations: Iterable[Location]) -> list[Source]:
    return [
        Source(
            read_document(location.path),
            location.scope,
            f"{runtime.title} reads it in {location.scope} scope",
            location.servers,
        )
        for location in locations
        if Path(location.path).is_file()
    ]


def _companions(runtime: Runtime, document: Document, context: Context) -> list[Source]:
    if document.path == "<stdin>":
        return []
    absolute = str((Path(context.cwd) / document.path).resolve())
    return _present(runtime, runtime.companions(absolute, context))


def _scope(runtime: Runtime, path: str, context: Context) -> tuple[Scope, str]:
    if path == "<stdin>":
        return "user", "read from standard input: taken as if it stood in user scope"
    return runtime.scope_of(str((Path(context.cwd) / path).resolve()), context)


def _rivals(recognition: Recognition) -> tuple[str, ...]:
    if recognition.runtime.name != CONTRACTD and recognition.rivals:
        return (f"it could also be for {listed(recognition.rivals, last='or')}; --runtime NAME settles it",)
    return ()


def _read_named(name: str, request: Request) -> Document:
    if name == STDIN:
        return parse("<stdin>", request.stdin)
    path = Path(request.cwd) / name
    return read_document(str(path), shown=name)


def read_document(path: str, shown: str | None = None) -> Document:
    """Read and parse one file. Raises ConfigError."""
    name = shown or path
    try:
        if not Path(path).is_file():
            what = "it is a folder" if Path(path).is_dir() else "there is no such file"
            raise ConfigError(f"can't be read: {what}", place=Place(name))
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"can't be read: {error.strerror}", place=Place(name)) from None
    return parse(name, data)


def own_settings(request: Request) -> Loaded:
    """contractd's own settings alone. Raises ConfigError."""
    return _policy(request, Context(request.environ, request.home, str(Path(request.cwd).resolve())), [])


def _policy(request: Request, context: Context, own: list[Document]) -> Loaded:
    """contractd's own settings: the user's, then the project's; or the file that was named, alone."""
    if own:
        return load_policy(own)
    if request.policy:
        return load_policy([_read_named(request.policy, request)])
    if not request.use_policy:
        return load_policy([])
    documents: list[Document] = []
    user = Path(user_config_path("contractd")) / POLICY_FILE
    if user.is_file():
        documents.append(read_document(str(user)))
    project = project_policy(Path(context.cwd))
    if project is not None:
        documents.append(project)
    return load_policy(documents)


def project_policy(folder: Path) -> Document | None:
    """The nearest contractd.toml, or pyproject.toml with a [tool.contractd], up to the repository's root."""
    for here in (folder, *folder.parents):
        named = here / POLICY_FILE
        if named.is_file():
            return read_document(str(named))
        project = here / "pyproject.toml"
        if project.is_file() and b"contractd" in project.read_bytes():
            document = read_document(str(project))
            if document.get("/tool/contractd") is not None:
                return document
        if (here / ".git").exists():
            break
    return None
