"""How Claude Code writes its servers: keys, types, variables. Facts: docs/reference/runtimes.md#claude-code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from contractd.runtimes.base import Context
from contractd.runtimes.shapes import FILLED_TEXT, FLAG, POSITIVE_WHOLE, TEXT, TEXT_TABLE, TEXTS, Shape
from contractd.runtimes.style import (
    NO_COMMAND,
    Chosen,
    Ignored,
    Reading,
    Role,
    Unspoken,
    Wrong,
    milliseconds,
    unknown_type,
)
from contractd.runtimes.variables import BRACES_DEFAULT

_STDIO: dict[str, Role] = {"command": "command", "args": "args", "env": "env"}
_REMOTE: dict[str, Role] = {
    "url": "url", "headers": "headers", "headersHelper": "known", "oauth": "known", "request_timeout_ms": "known",
    "tools": "known", "displayName": "known", "discoveryCache": "known", "toolPermissions": "known",
}  # fmt: skip
_BOTH: dict[str, Role] = {
    "type": "type", "timeout": "known", "alwaysLoad": "always-visible", "role": "known",
    "bareElicitationCapability": "known",
}  # fmt: skip
_SLIPS = {
    "httpUrl": "url with type http", "serverUrl": "url with type http", "transport": "type", "environment": "env",
    "alwaysLoadTools": "alwaysLoad",
}  # fmt: skip
_STARTED = Ignored(
    "the server is started all the same",
    "name a server of .mcp.json in disabledMcpjsonServers of .claude/settings.json, or take the entry out",
)
_OFFERED = Ignored("every tool of the server is offered", "deny the tools in permissions.deny of .claude/settings.json")
_IGNORED = {
    "cwd": Ignored(
        "the server runs in the directory of the session", "write absolute paths, or change the directory in a script"
    ),
    "disabled": _STARTED, "enabled": _STARTED, "includeTools": _OFFERED, "excludeTools": _OFFERED,
}  # fmt: skip
_SHAPES: dict[str, Shape] = {
    "command": FILLED_TEXT, "args": TEXTS, "env": TEXT_TABLE, "url": TEXT, "headers": TEXT_TABLE,
    "timeout": POSITIVE_WHOLE, "alwaysLoad": FLAG,
}  # fmt: skip

# Expanded to nothing, so that no server gets the session's own credentials: these everywhere, …
_OWN = r"CLAUDE_CODE_OAUTH_TOKEN|OTEL_EXPORTER_OTLP_HEADERS"
# … and these in the address and headers of a remote server. The last two lines were read, not tried.
_REMOTE_TOO = (
    r"ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|AWS_SECRET_ACCESS_KEY|AWS_BEARER_TOKEN_BEDROCK|NPM_TOKEN|"
    r"GOOGLE_APPLICATION_CREDENTIALS|AZURE_CLIENT_SECRET|HTTP_PROXY|"
    r"(?:HTTPS|ALL|NO)_PROXY|(?:http|https|all|no)_proxy|PYPI_TOKEN|GIT_CONFIG_.*|CARGO_REGISTRIES_.*_TOKEN|"
    r"(?:PIP|UV)_(?:EXTRA_)?INDEX_URL"
)
_EVERYWHERE_BLANK = re.compile(_OWN)
_REMOTE_BLANK = re.compile(rf"(?:INPUT_)?(?:{_OWN}|{_REMOTE_TOO})")
_DEFAULT_BUDGET = 30.0
_DROPS = "Claude Code drops the entry in silence"
_NO_COMMAND = Wrong(f"{NO_COMMAND}; {_DROPS}", NO_COMMAND.action)


def reading(context: Context) -> Reading:
    """How it writes its servers; MCP_TIMEOUT is what it gives each to connect."""
    budget = milliseconds(context, "MCP_TIMEOUT") or _DEFAULT_BUDGET
    return Reading(
        container=("mcpServers",),
        keys={**_STDIO, **_REMOTE, **_BOTH},
        transport=_transport,
        syntax=dict.fromkeys(("command", "args", "env", "url", "headers"), BRACES_DEFAULT),
        blanked={
            **dict.fromkeys(("command", "args", "env"), _EVERYWHERE_BLANK),
            **dict.fromkeys(("url", "headers"), _REMOTE_BLANK),
        },
        budgets={"stdio": budget, "http": budget, "sse": budget},
        comments=False,
        trailing_commas=False,
        shapes=_SHAPES,
        over_shape="drops the entry in silence",
        slips=_SLIPS,
        ignored=_IGNORED,
    )


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "stdio" or ("type" not in raw and "command" in raw):
        return ("stdio", False) if "command" in raw else _NO_COMMAND
    if "type" not in raw:
        if any(key in raw for key in ("url", "httpUrl", "serverUrl")):
            return Wrong(
                'a remote server needs a url and "type": "http" (or "sse"); Claude Code drops the entry in silence',
                'give its address under url and add "type": "http"',
            )
        return _NO_COMMAND
    if kind in ("http", "streamable-http"):
        return "http", False
    if kind == "sse":
        return "sse", False
    if kind == "ws":
        return Unspoken("it speaks WebSocket, which contractd does not: nothing can be said of its tools")
    return unknown_type(kind, '"type": "stdio", "http" or "sse"', f"; {_DROPS}")
