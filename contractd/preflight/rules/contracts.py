"""CTD4xx: tools whose definition can't be accepted, and what that does in this runtime."""

from __future__ import annotations

from collections.abc import Iterator

from contractd.contracts import Flaw, FlawedTool
from contractd.preflight.catalogue import rule
from contractd.preflight.model import Finding
from contractd.preflight.names import NamedTool
from contractd.preflight.view import View
from contractd.runtimes.base import Entry
from contractd.text import plural, visible

_RULES = {
    "invalid-schema": ("invalid-schema", "mend the tool's definition in the server, or leave the tool out"),
    "unsupported-dialect": ("unsupported-dialect", "have the server write its schemas in a published dialect"),
    "parameters-lost": (
        "parameters-lost",
        "pin the server's dependencies: such lists come from zod 4 where zod-to-json-schema wants zod 3",
    ),
}


def check(view: View) -> Iterator[Finding]:
    """Each quarantined tool, then each server that loses its whole list over one."""
    for entry in view.setup.entries:
        flawed = [tool for tool in view.table.of(entry) if tool.flawed is not None]
        for tool in flawed:
            assert tool.flawed is not None
            yield _quarantined(entry, tool, tool.flawed)
        yield from _list_lost(view, entry, flawed)


def _quarantined(entry: Entry, tool: NamedTool, flawed: FlawedTool) -> Finding:
    flaw = _worst(flawed.flaws)
    name, action = _RULES[flaw.kind]
    about = rule(name)
    assert about.severity is not None
    more = f" (and {plural(len(flawed.flaws) - 1, 'more flaw')})" if len(flawed.flaws) > 1 else ""
    return Finding(
        about,
        about.severity,
        f"{visible(tool.raw, 80)} of {visible(entry.name, 60)} is quarantined: {flaw.message}{more}",
        action,
        entry.place,
        provider=entry.name,
        tool=tool.raw,
        subject=flaw.pointer,
        retryable=False,
        settled=f"the tool is left out: {tool.excluded}" if tool.excluded else None,
        details={"schema_pointer": flaw.pointer},
    )


def _worst(flaws: tuple[Flaw, ...]) -> Flaw:
    order = ("parameters-lost", "unsupported-dialect", "invalid-schema")
    return min(flaws, key=lambda flaw: order.index(flaw.kind))


def _list_lost(view: View, entry: Entry, flawed: list[NamedTool]) -> Iterator[Finding]:
    fatal = [tool for tool in flawed if tool.flawed is not None and view.runtime.loses_list(tool.flawed)]
    sound = [tool for tool in view.table.of(entry) if tool.contract is not None]
    if fatal and sound:
        yield Finding(
            rule("list-lost"),
            "high",
            f"{view.runtime.title} drops the whole list of {visible(entry.name)} over "
            f"{visible(fatal[0].raw, 80)}: its {plural(len(sound), 'sound tool')} would be missing too, without a word",
            "mend that tool in the server; leaving it out in this runtime's configuration comes too late",
            entry.place,
            provider=entry.name,
            subject=fatal[0].raw,
            retryable=False,
        )
