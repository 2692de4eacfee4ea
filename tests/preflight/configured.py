"""The same servers, written as each agent runtime writes them."""

from __future__ import annotations

import json
from typing import Any

from tests.preflight.situations import Listing, Setup

NEWEST = {
    "qwen-code": "0.21.10",
    "claude-code": "2.1.332",
    "gemini-cli": "0.61.0",
    "codex-cli": "0.171.0",
    "opencode": "1.18.18",
    "openhands": "1.16.0",
    "cline": "3.0.65",
}
ALL = (*NEWEST, "cursor", "goose", "vscode-copilot", "contractd")
FILES = {"codex-cli": "config.toml", "goose": "config.yaml", "opencode": "opencode.json"}


def servers(runtime: str, tools: dict[str, Listing], **more: Any) -> Setup:
    """A setup of these servers for a runtime of the version whose data there is. ``entry``: keys that each gets,
    ``top``: keys beside the servers."""
    entry, top = more.pop("entry", {}), more.pop("top", {})
    version = more.pop("version", NEWEST.get(runtime))
    text = _written(runtime, list(tools), entry, top)
    named = f"{runtime}@{version}" if version else runtime
    return Setup(text, tools, named, FILES.get(runtime, "servers.json"), **more)


def _written(runtime: str, names: list[str], entry: dict[str, Any], top: dict[str, Any]) -> str:
    if runtime == "codex-cli":
        head = "".join(f"{key} = {json.dumps(value)}\n" for key, value in top.items())
        own = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
        return head + "".join(f'[mcp_servers.{json.dumps(name)}]\ncommand = "sh"\n{own}' for name in names)
    if runtime == "goose":
        needed = {"type": "stdio", "enabled": True, "cmd": "sh", "args": []}
        rows = [
            f"  {json.dumps(name)}:\n"
            + "".join(f"    {key}: {json.dumps(value)}\n" for key, value in {**needed, "name": name, **entry}.items())
            for name in names
        ]
        return "extensions:\n" + "".join(rows)
    if runtime == "opencode":
        local = {name: {"type": "local", "command": ["sh"], **entry} for name in names}
        return json.dumps({**top, "mcp": local}, indent=1)
    container = "servers" if runtime == "vscode-copilot" else "mcpServers"
    return json.dumps({**top, container: {name: {"command": "sh", **entry} for name in names}}, indent=1)
