"""CTD1xx: what is written in the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from contractd.documents import pointer_join
from contractd.errors import Place
from contractd.preflight.catalogue import rule
from contractd.preflight.consent import resolved
from contractd.preflight.likeness import nearest
from contractd.preflight.model import Finding, Remedy
from contractd.preflight.view import View
from contractd.runtimes.base import Entry, Fix
from contractd.runtimes.reading import Role
from contractd.text import listed, visible


def check(view: View) -> Iterator[Finding]:
    """The problems the runtime's reader noted, and what only a look around can tell."""
    for problem in view.setup.problems:
        about = rule(problem.rule)
        yield Finding(
            about,
            problem.level,
            problem.message,
            problem.action,
            problem.place,
            confidence=problem.sure,
            provider=problem.server,
            subject=problem.subject,
            retryable=False,
            undetermined=problem.undetermined,
            remedies=remedies(*problem.fixes),
        )
    yield from _written_twice(view)
    yield from _nothing(view)
    yield from _unrecognised(view)
    for entry in view.setup.entries:
        yield from _command(view, entry)


def remedies(*fixes: Fix | None) -> tuple[Remedy, ...]:
    """A runtime's fixes as the report shows them."""
    return tuple(Remedy(fix.where, fix.text, fix.language) for fix in fixes if fix is not None)


def _written_twice(view: View) -> Iterator[Finding]:
    """Keys that parsers of these formats read twice and keep once; the names of servers have been told already."""
    told = {(problem.place.file, problem.place.pointer) for problem in view.setup.problems}
    holders = [(entry.source.document.path, entry.pointer) for entry in view.setup.entries]
    for source in view.setup.sources:
        path = source.document.path
        tables = {pointer.rpartition("/")[0] for file, pointer in holders if file == path}
        for quirk in source.document.quirks:
            if quirk.kind != "duplicate-key" or (path, quirk.pointer) in told:
                continue
            entry = next((one for one in view.setup.entries if one.source.document.path == path
                          and quirk.pointer.startswith(one.pointer + "/")), None)  # fmt: skip
            # A table of servers written twice: the servers in the first are gone.
            lost = any(table == quirk.pointer or table.startswith(quirk.pointer + "/") for table in tables)
            yield Finding(
                rule("duplicate-name"),
                "medium" if lost or entry else "low",
                f"{visible(quirk.detail, 80)} is written twice; the later one counts, the first is lost"
                + (" with the servers in it" if lost else ""),
                "write it once, with all that belongs to it",
                Place(path, quirk.mark.line, quirk.mark.column, quirk.pointer),
                provider=entry.name if entry else None,
                subject=quirk.pointer,
                retryable=False,
            )


def _nothing(view: View) -> Iterator[Finding]:
    if any(entry.disabled is None for entry in view.setup.entries):
        return
    count = len(view.setup.entries)
    off = "its only server is switched off" if count == 1 else f"all of its {count} servers are switched off"
    why = off if count else "no server is configured"
    yield Finding(
        rule("no-servers"),
        "info",
        f"{why}: there is nothing to check, and the session will have no MCP tool",
        f"configure the servers this session needs where {view.runtime.title} reads them",
        view.file,
        retryable=False,
        undetermined=True,
    )


def _unrecognised(view: View) -> Iterator[Finding]:
    if view.runtime.name != "contractd" or view.about.version_source == "stated":
        return
    if any(Path(source.document.path).name in ("contractd.toml", "pyproject.toml") for source in view.setup.sources):
        return
    yield Finding(
        rule("runtime-not-recognised"),
        "info",
        f"{view.about.reason}; names are shown as contractd exposes them, and no built-in tools are compared",
        f"say which agent runtime it is for: --runtime {listed(view.rivals or ['NAME'], last='or')}, or --runtime "
        "contractd if none stands between its servers and your own program",
        view.file,
        retryable=False,
        undetermined=True,
    )


def _command(view: View, entry: Entry) -> Iterator[Finding]:
    if not missing_program(view, entry):
        return
    assert entry.spec is not None
    command = entry.spec.argv[0]
    where = "in its working directory" if "/" in command else "on the PATH it gets"
    known = {"npx": "Node.js", "node": "Node.js", "uvx": "uv", "uv": "uv", "docker": "Docker", "bunx": "Bun"}
    program = known.get(command)
    action = f"install {program}, or give the full path" if program else "install it, or give the full path"
    yield Finding(
        rule("command-not-found"),
        "high",
        f"{visible(entry.name)}: the program {visible(command, 120)} was not found {where}",
        action,
        value_place(view, entry, "command", "argv"),
        provider=entry.name,
        subject=command,
        retryable=False,
    )


def missing_program(view: View, entry: Entry) -> bool:
    """Whether the server's program is not there; a missing working directory is told by the start."""
    spec = entry.spec
    if spec is None or spec.transport != "stdio" or resolved(spec, view.context.environ):
        return False
    return spec.cwd is None or Path(spec.cwd).is_dir()


def value_place(view: View, entry: Entry, *roles: Role) -> Place:
    """Where the entry says something, by the roles of the keys it may stand under; else the entry itself."""
    for role in roles:
        key = view.runtime.key_of(role, entry)
        if key in entry.raw:
            return entry.source.document.place(pointer_join(entry.pointer, key))
    return entry.place


def unknown_provider(view: View, wanted: str) -> str:
    """Who could have been meant by a provider that is not configured."""
    names = [entry.name for entry in view.setup.entries]
    close = nearest(wanted, names)
    if close:
        return f"; did you mean {visible(close)}?"
    return f"; configured: {listed(names)}" if names else "; no server is configured"
