"""For people at a terminal: the runtime, a table per provider, the findings with their source lines, one last line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contractd.errors import Place
from contractd.preflight.model import ProviderView, ToolView
from contractd.preflight.report.cells import Paint, cells, cut, finished, table, wrap
from contractd.preflight.report.text_findings import findings_lines
from contractd.preflight.report.words import (
    SYMBOLS,
    Page,
    compared,
    conditions,
    groups,
    one_line,
    place_line,
    protocol,
    questions,
    runtime_line,
    summary,
)
from contractd.text import plural, visible_lines

LONG_LIST = 12  # tools; past that the bound ones are counted
_NOT_BOUND_AT_MOST = 40
_TITLES = ["tool", "runtime name", "the model sees", "status"]
_LABEL = 9  # columns of "runtime  "

_COLORS = {
    "ready": "green", "locked": "green", "failed": "red", "skipped": "yellow", "disabled": "dim",
    "not_ready": "red", "undetermined": "yellow",
    "bound": "green", "shadowed": "red", "refused": "red", "quarantined": "yellow", "excluded": "dim",
    "yes": "green", "deferred": "yellow", "no": "dim", "unknown": "yellow",
}  # fmt: skip


def render(page: Page) -> str:
    """The whole text."""
    paint = Paint(page.color)
    blocks = [_head(page, paint), *_providers(page, paint)]
    blocks += findings_lines(page, paint)
    verdict, _, rest = summary(page.report).partition(": ")
    last = f"{SYMBOLS[verdict]} {verdict}"
    blocks.append([f"{paint(last, 'bold', _COLORS[verdict])}: {rest}"])
    return finished("\n\n".join("\n".join(block) for block in blocks if block)) + "\n"


def _head(page: Page, paint: Paint) -> list[str]:
    runtime, report = page.report.runtime, page.report
    facts: list[tuple[str, str]] = [("runtime", runtime_line(runtime)), ("", one_line(runtime.reason, 400))]
    facts += [("", one_line(runtime.note, 400))] if runtime.note else []
    about = compared(report, page.base)
    facts = about or facts
    for number, file in enumerate(() if about else report.files):
        text = f"{place_line(Place(file.path), page.base)} ({one_line(file.scope, 60)}): {one_line(file.why, 200)}"
        facts.append(("" if number else "files", text))
    for label, items in zip(("known", "assumed"), conditions(runtime), strict=True):
        if items:
            facts.append((label, "; ".join(items) if page.verbose else _within(items, page.width - _LABEL)))
    facts += [("" if number else "note", one_line(note, 600)) for number, note in enumerate(report.notes)]
    lines = []
    for label, text in facts:
        if text:
            shown = wrap(text, page.width, first=_LABEL, indent=" " * _LABEL)
            lines += [paint(f"{label:<{_LABEL}}", "dim") + shown[0], *shown[1:]]
    return lines


def _within(items: list[str], width: int) -> str:
    """As many of them as go on one line."""
    for count in range(len(items), 0, -1):
        left = len(items) - count
        text = "; ".join(items[:count]) + (f"; and {left} more" if left else "")
        if cells(text) <= width:
            return text
    return cut(items[0], width - 16) + (f"; and {len(items) - 1} more" if len(items) > 1 else "")


def _providers(page: Page, paint: Paint) -> Iterator[list[str]]:
    *providers, strays = groups(page.report)
    for row in providers:
        if row.provider:
            yield [*_provider(row.provider, page, paint), *_tools(row.tools, page, paint)]
    for name in dict.fromkeys(tool.provider for tool in strays.tools):
        tools = tuple(tool for tool in strays.tools if tool.provider == name)
        yield [paint(one_line(name, 80), "bold"), *_tools(tools, page, paint)]


def _provider(provider: ProviderView, page: Page, paint: Paint) -> Iterator[str]:
    mark, color = SYMBOLS[provider.status], _COLORS[provider.status]
    facts = [provider.transport, protocol(provider)]
    facts += [plural(provider.tools, "tool")] if provider.tools is not None else []
    facts += [f"{provider.seconds:.2f} s"] if provider.seconds is not None else []
    facts += [f"exit code {provider.exit_code}"] if provider.exit_code is not None else []
    facts += [f"in references: {one_line(provider.id, 80)}"] if provider.id != provider.name else []
    name = paint(one_line(provider.name, 80), "bold")
    yield f"{paint(mark, color)} {name} {paint(provider.status, color)} · {' · '.join(fact for fact in facts if fact)}"
    if provider.status != "ready" or page.verbose:
        yield from _troubles(provider, page, paint)
    if page.verbose:
        budget = f"; {provider.budget:g} s allowed" if provider.budget is not None else ""
        where = f"{place_line(provider.place, page.base)} ({one_line(provider.scope, 60)}){budget}"
        facts = [f"target: {one_line(provider.target, 400)}", f"where: {where}"]
        facts += [f"manifest: {one_line(provider.manifest_digest, 100)}"] if provider.manifest_digest else []
        facts += [f"signal: {one_line(provider.signal, 60)}"] if provider.signal else []
        yield from (paint(line, "dim") for fact in facts for line in _hung(fact, page.width))
        yield from _quoted("stdout", provider.foreign, page, paint)


def _troubles(provider: ProviderView, page: Page, paint: Paint) -> Iterator[str]:
    if provider.reason:
        yield from _hung(one_line(provider.reason), page.width)
    if provider.status == "failed" or page.verbose:
        asked = [f"{name.replace('_', ' ')} {says['by_contractd']}" for name, says in questions(provider).items()]
        yield from _hung(f"asked by contractd: {', '.join(asked)}; by the runtime: undetermined", page.width)
    tail = visible_lines(provider.stderr_tail, lines=20 if page.verbose else 5)
    yield from _quoted("stderr", tail, page, paint)


def _quoted(stream: str, lines: Sequence[str], page: Page, paint: Paint) -> Iterator[str]:
    yield from (f"    {paint(stream, 'dim')} │ {cut(one_line(line), page.width - 13)}" for line in lines)


def _hung(text: str, width: int) -> list[str]:
    lines = wrap(text, width, first=4, indent="    ")
    return ["    " + lines[0], *lines[1:]]


def _tools(tools: tuple[ToolView, ...], page: Page, paint: Paint) -> Iterator[str]:
    if not tools:
        return
    shown, left = _chosen(tools, page)
    rows = [_row(tool, page) for tool in shown]
    # Names too long for a table stand below each other, and don't take it from the rest.
    narrow = [row for row in rows if table([_TITLES, row], page.width - 4)]
    fitting = table([_TITLES, *narrow], page.width - 4) or [_TITLES]
    if len(fitting) > 1:
        yield "    " + paint("  ".join(fitting[0]), "dim")
    cells_of = {id(row): cells for row, cells in zip(narrow, fitting[1:], strict=False)}
    for tool, row in zip(shown, rows, strict=True):
        if id(row) in cells_of:
            name, runtime_name, sees, status = cells_of[id(row)]
            painted = (paint(sees, _COLORS[tool.visible]), paint(status, _COLORS[tool.status]))
            yield "    " + "  ".join((name, runtime_name, *painted))
        else:
            yield from _stacked(tool, row, page, paint)
    yield from (paint(f"    … {line}", "dim") for line in left)


def _stacked(tool: ToolView, row: Sequence[str], page: Page, paint: Paint) -> Iterator[str]:
    """One tool over several lines, where a table does not fit the terminal: no name is cut."""
    name, runtime_name, sees, status = row
    yield from _hung(f"{name} → {runtime_name}", page.width)
    lines = wrap(f"{sees} · {status}", page.width, first=8, indent=" " * 8)
    yield from (paint(line, _COLORS[tool.status]) for line in ["        " + lines[0], *lines[1:]])


def _row(tool: ToolView, page: Page) -> list[str]:
    status = f"{SYMBOLS[tool.status]} {tool.status}"
    if page.verbose and tool.digest:
        status += f" [{one_line(tool.digest.removeprefix('sha256:')[:12])}]"
    status += f": {one_line(tool.note, 200)}" if tool.note else ""
    runtime_name = one_line(tool.runtime_name, 400) if tool.runtime_name is not None else "–"
    return [one_line(tool.name, 400), runtime_name, tool.visible, status]


def _chosen(tools: tuple[ToolView, ...], page: Page) -> tuple[Sequence[ToolView], list[str]]:
    """The rows to show, and what is said of the others. In a long list what has trouble comes first, and last what
    was left out on purpose."""
    if page.verbose or len(tools) <= LONG_LIST:
        return tools, []
    bound = [tool for tool in tools if tool.status == "bound"]
    others = [tool for tool in tools if tool.status not in ("bound", "excluded")]
    excluded = [tool for tool in tools if tool.status == "excluded"]
    room = max(LONG_LIST - len(others), 0)
    rest = max(room - len(bound), 0)
    left = [f"{len(others) - _NOT_BOUND_AT_MOST} more, not bound"] if len(others) > _NOT_BOUND_AT_MOST else []
    left += [f"{len(bound) - room} more bound"] if len(bound) > room else []
    left += [f"{len(excluded) - rest} more excluded"] if len(excluded) > rest else []
    return others[:_NOT_BOUND_AT_MOST] + bound[:room] + excluded[:rest], left
