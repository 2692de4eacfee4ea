"""What the runtimes' tests share: text in, setup out; where a problem stands; every runtime and its profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from contractd.documents import parse
from contractd.providers.base import ProviderSpec
from contractd.runtimes.base import Context, Entry, Problem, Scope, Setup, Source
from contractd.runtimes.catalogue import RUNTIMES
from contractd.runtimes.runtime import Runtime

HOME, CWD = "/home/ann", "/home/ann/work"
# The file each runtime reads by default, for tests to which only its entries matter.
FILES = {
    "qwen-code": ".qwen/settings.json",
    "opencode": "opencode.json",
    "openhands": ".openhands/mcp.json",
    "claude-code": ".mcp.json",
    "codex-cli": "config.toml",
    "gemini-cli": "settings.json",
    "goose": "goose/config.yaml",
    "cline": "cline_mcp_settings.json",
    "cursor": ".cursor/mcp.json",
    "vscode-copilot": ".vscode/mcp.json",
    "contractd": "servers.json",
}
# The path to its table of servers.
CONTAINER = {
    "opencode": "mcp",
    "codex-cli": "mcp_servers",
    "goose": "extensions",
    "vscode-copilot": "servers",
}
# One entry that starts a program, as each writes it.
PROGRAM: dict[str, dict[str, Any]] = {
    **{name: {"command": "mail", "args": ["--serve"]} for name in FILES},
    "opencode": {"type": "local", "command": ["mail", "--serve"]},
    "goose": {"type": "stdio", "enabled": True, "name": "mail", "cmd": "mail", "args": ["--serve"]},
    "openhands": {"transport": "stdio", "command": "mail", "args": ["--serve"]},
}


def runtime(name: str) -> Runtime:
    return RUNTIMES[name]


def context(environ: Mapping[str, str] | None = None, *, cwd: str = CWD) -> Context:
    return Context(dict(environ or {}), HOME, cwd)


def source(text: str | Mapping[str, Any], path: str, scope: Scope = "user", *, servers: bool = True) -> Source:
    written = text if isinstance(text, str) else json.dumps(text)
    kind = "toml" if path.endswith(".toml") else "json" if not isinstance(text, str) else None
    if kind == "toml" and not isinstance(text, str):
        written = toml(text)
    return Source(parse(path, written.encode("utf-8", "surrogatepass"), kind), scope, "a test says so", servers)  # type: ignore[arg-type]


def read(
    name: str,
    text: str | Mapping[str, Any],
    *,
    path: str | None = None,
    scope: Scope = "user",
    environ: Mapping[str, str] | None = None,
    others: tuple[Source, ...] = (),
    cwd: str = CWD,
) -> Setup:
    """What a runtime makes of one file, after ``others``."""
    own = source(text, path or FILES[name], scope)
    return runtime(name).read([*others, own], context(environ, cwd=cwd))


def servers(name: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """A file's content with these entries where the runtime keeps them."""
    return {CONTAINER.get(name, "mcpServers"): dict(entries)}


def one(name: str, entry: Mapping[str, Any], **more: Any) -> Entry:
    """The one entry, called srv, as the runtime reads it."""
    return read(name, servers(name, {"srv": entry}), **more).entries[0]


def spec(name: str, entry: Mapping[str, Any], **more: Any) -> ProviderSpec:
    found = one(name, entry, **more).spec
    assert found is not None
    return found


def problems(name: str, entry: Mapping[str, Any], **more: Any) -> list[Problem]:
    """What is wrong with one entry called srv."""
    return list(read(name, servers(name, {"srv": entry}), **more).problems)


def told(setup: Setup) -> list[tuple[str, str, int | None, int | None]]:
    """(rule, level, line, column) of each problem."""
    return [(problem.rule, problem.level, problem.place.line, problem.place.column) for problem in setup.problems]


def rules(found: list[Problem]) -> list[tuple[str, str]]:
    return [(problem.rule, problem.level) for problem in found]


def toml(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """Plain data as TOML: what it has no word for (null, mixed things) is left out."""
    plain = {key: inner for key, inner in value.items() if not isinstance(inner, Mapping) and _in_toml(inner)}
    lines = [f"{_key(key)} = {_toml(inner)}" for key, inner in plain.items()]
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            here = (*path, key)
            lines += [f"[{'.'.join(map(_key, here))}]", toml(inner, here)]
    return "\n".join(lines)


def _in_toml(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_in_toml, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**63
    return isinstance(value, str | bool | float | Mapping)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else "inf"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_toml(inner)}" for key, inner in value.items() if _in_toml(inner)) + "}"
    return _text(value)


def _key(key: str) -> str:
    return _text(key)


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char >= " " and char != "\x7f" else f"\\u{ord(char):04x}" for char in escaped) + '"'
