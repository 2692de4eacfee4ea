"""The paragraph for an agent's own rule document (AGENTS.md, QWEN.md, …): its tools, and what to do without one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from contractd.preflight.model import Report, ToolView
from contractd.text import visible

_MOST = 60  # tools; a longer list would be noise in a prompt


@dataclass(frozen=True)
class Wanted:
    """The tools that the paragraph names, and the references of those that should be there and are not."""

    tools: tuple[ToolView, ...]
    missing: tuple[str, ...] = ()


def wanted_tools(report: Report, expected: Iterable[str] = ()) -> Wanted:
    """``expected`` (``provider.tool``, by name or id) narrows it to what must be there; empty: all sound tools."""
    names = {provider.id: provider.name for provider in report.providers}
    sound = {(tool.provider, tool.name): tool for tool in report.tools if tool.status in ("bound", "shadowed")}
    references = {reference: _key(reference, names) for reference in expected}
    if not references:
        return Wanted(tuple(sound.values()))
    found = dict.fromkeys(key for key in references.values() if key in sound)
    missing = tuple(visible(reference, 200) for reference, key in references.items() if key not in sound)
    return Wanted(tuple(sound[key] for key in found), missing)


def _key(reference: str, names: Mapping[str, str]) -> tuple[str, str]:
    provider, _, tool = reference.partition(".")
    return (provider if provider in names.values() else names.get(provider, provider)), tool


def agent_rules(report: Report, wanted: Wanted) -> str:
    """Markdown. Names come from servers: made visible and set in code spans, so that none of them can give an order."""
    tools = wanted.tools
    lines = ["## Tools of this session", ""]
    lines += ["This session must have these tools. Call them by exactly these names:", ""]
    lines += [_line(tool) for tool in tools[:_MOST]]
    if len(tools) > _MOST:
        lines.append(f"- and {len(tools) - _MOST} more of the same servers")
    builtins = _builtins(report, {(tool.provider, tool.name) for tool in tools})
    if builtins:
        names = ", ".join(_code(name) for name in builtins)
        one = len(builtins) == 1
        lines += [
            "",
            f"{names} {'is a built-in tool' if one else 'are built-in tools'} of this program and "
            f"{'reaches' if one else 'reach'} none of these servers. Never call {'it' if one else 'them'} instead.",
        ]
    if any(tool.visible == "deferred" for tool in tools):
        lines += ["", "Tools marked *search first* are not in your list at the start: search for them by name."]
    lines += [
        "",
        "If one of them is missing, report that it is missing and stop. Never replace it by a tool with a similar "
        "name, by a shell command, or by your own account of what it would have done.",
        "",
        "A step is done when the tool's own result says so: an explicit status or an id that it returns. An empty "
        "answer, a missing status, an exit code of 0 or your own message is not a result. If you can't tell, say "
        "that you can't tell.",
    ]
    return "\n".join(lines) + "\n"


def _builtins(report: Report, tools: set[tuple[str, str]]) -> list[str]:
    """The built-ins that could be taken for one of these tools."""
    names = [
        str(finding.details.get("builtin"))
        for finding in report.findings
        if finding.rule.name == "builtin-shadowing"
        and (not finding.settled or "overrides_builtin" in finding.settled)  # meant or not, the built-in answers
        and (finding.provider, finding.tool) in tools
        and finding.severity != "low"
    ]
    return list(dict.fromkeys(names))


def _line(tool: ToolView) -> str:
    name = _code(tool.runtime_name or tool.name)
    hint = " (search first)" if tool.visible == "deferred" else ""
    return f"- {name}: {_code(tool.name)} of the server {_code(tool.provider)}{hint}"


def _code(text: str) -> str:
    return "`" + visible(text, 130).replace("`", "'") + "`"
