"""How Gemini CLI writes its servers: keys, types, variables in two rounds, and what it keeps from servers.

Facts: docs/reference/runtimes.md#gemini-cli.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from contractd.providers.base import Inherit
from contractd.runtimes.base import Context
from contractd.runtimes.secrets import holds_token
from contractd.runtimes.shapes import FILLED_TEXT, NUMBER, TEXT, TEXT_TABLE, TEXTS, or_null
from contractd.runtimes.style import NO_TARGET, Chosen, Ignored, Reading, Role, Wrong
from contractd.runtimes.variables import MAX_EXPANDED, MAX_NAMED, SecondRound, Syntax

# httpUrl first: it is the one used where both stand.
_KEYS: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "cwd": "cwd", "httpUrl": "url", "url": "url",
    "headers": "headers", "tcp": "known", "type": "type", "timeout": "budget-ms", "trust": "known",
    "description": "known", "includeTools": "include", "excludeTools": "exclude", "extension": "known",
    "oauth": "known", "authProviderType": "known", "targetAudience": "known", "targetServiceAccount": "known",
}  # fmt: skip
_TOP_LEVEL = frozenset(
    ["$schema", "mcpServers", "general", "output", "ui", "ide", "privacy", "telemetry", "billing", "model",
     "modelConfigs", "agents", "context", "tools", "mcp", "useWriteTodos", "security", "advanced", "experimental",
     "extensions", "skills", "hooksConfig", "hooks", "contextManagement", "admin"]
)  # fmt: skip
_STARTED = Ignored("the server is started all the same", "name the server in mcp.excluded at the top level")
_IGNORED = {
    "disabled": _STARTED,
    "enabled": _STARTED,
    "alwaysLoadTools": Ignored("its tools are never deferred anyway", "remove it"),
}

# Variables it keeps from servers unless an entry asks for them (its environment redaction).
_NAME_HIDDEN = re.compile(r"(?i)TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT")
_HIDDEN = frozenset(
    ["CLIENT_ID", "DB_URI", "CONNECTION_STRING", "AWS_DEFAULT_REGION", "AZURE_CLIENT_ID", "AZURE_TENANT_ID",
     "SLACK_WEBHOOK_URL", "TWILIO_ACCOUNT_SID", "DATABASE_URL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT",
     "FIREBASE_PROJECT_ID"]
)  # fmt: skip
_VALUE_HIDDEN = re.compile(r"(?i)-----BEGIN CERTIFICATE-----|(?:https?|ftp|smtp)://[^:]{1,256}:[^@]{1,256}@")
_NEVER_HIDDEN = re.compile(r"(?i)(?:GEMINI_CLI_|GIT_CONFIG_).*|PATH|HOME|LANG|SHELL|USER|LOGNAME|TMPDIR|TMP|TEMP")
# What an entry may set, and no server gets all the same; it says so on stderr.
_BLOCKED = frozenset({"LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "BASH_ENV"})

_ENV_FILES = "~/.gemini/.env and the folder's .env"
_FIRST = re.compile(r"\$(?:(?P<bare>\w+)|\{(?P<name>[^}]+?)(?::-(?P<default>[^}]*))?\})", re.ASCII)
_FIRST_BARE = re.compile(r"\$(?P<bare>\w+)", re.ASCII)
_LATER = re.compile(r"(?<!\\)\$(?:\{(?P<inside>[^{}]+)\}|(?P<bare>[A-Za-z_][A-Za-z0-9_]*))")
_LATER_BARE = re.compile(r"(?<!\\)\$(?P<bare>[A-Za-z_][A-Za-z0-9_]*)")
_OPERATOR = re.compile(r":\+|\+|:-|-")
_MOST_ROUNDS = 200


def reading() -> Reading:
    """How it writes its servers, but for what its servers inherit."""
    return Reading(
        container=("mcpServers",),
        keys=_KEYS,
        transport=_transport,
        syntax={
            **dict.fromkeys(("command", "args", "cwd", "url"), Syntax(_FIRST, "${NAME}", "literal", _FIRST_BARE)),
            **dict.fromkeys(
                ("env", "headers"), Syntax(_FIRST, "${NAME}", "literal", _FIRST_BARE, again=second_round, gone="empty")
            ),
        },
        budgets=dict.fromkeys(("stdio", "http", "sse"), 600.0),
        comments=True,
        trailing_commas=False,
        bom=False,
        top_level=_TOP_LEVEL,
        shapes={
            "command": or_null(FILLED_TEXT), "args": or_null(TEXTS), "env": or_null(TEXT_TABLE),
            "headers": or_null(TEXT_TABLE), "httpUrl": or_null(TEXT), "url": or_null(TEXT), "timeout": or_null(NUMBER),
        },
        over_shape="loses the server over it, or hangs",
        withheld=_BLOCKED,
        env_files=_ENV_FILES,
        slips={"environment": "env", "serverUrl": "httpUrl", "transport": "type"},
        ignored=_IGNORED,
    )  # fmt: skip


def _transport(raw: Mapping[str, Any]) -> Chosen:
    if raw.get("httpUrl"):
        return "http", False
    if raw.get("url"):
        kind = raw.get("type")
        return ("sse", False) if kind == "sse" else ("http", kind is None)
    if raw.get("command"):
        return "stdio", False
    return Wrong(f"{NO_TARGET}; Gemini CLI passes over it in silence", "give it a command, an httpUrl or a url")


def hidden(name: str, value: str) -> bool:
    """Whether a variable is kept from servers."""
    if _NEVER_HIDDEN.fullmatch(name):
        return False
    if name.upper() in _HIDDEN or _NAME_HIDDEN.search(name):
        return True
    return holds_token(value) or _VALUE_HIDDEN.search(value[:8192]) is not None


def inherited(context: Context, settings_allow: frozenset[str] = frozenset()) -> Inherit:
    """What a stdio server gets of the environment. In GitHub's actions only what is always allowed passes."""
    environ = context.environ
    strict = bool(environ.get("GITHUB_SHA")) or environ.get("SURFACE") == "Github"
    passed = {
        name
        for name, value in environ.items()
        if name.upper() in settings_allow
        or (_NEVER_HIDDEN.fullmatch(name) is not None if strict else not hidden(name, value))
    }
    return frozenset(passed)


def second_round(text: str, environ: Mapping[str, str]) -> SecondRound:
    """Values of env and headers are expanded once more, against what servers inherit: what is not there becomes empty,
    and a $ inside a value that the first round put in is expanded too."""
    unset: dict[str, None] = {}
    touched: dict[str, None] = {}
    at, rounds = 0, 0
    while rounds < _MOST_ROUNDS and len(text) <= MAX_EXPANDED:
        pattern = _LATER if "}" in text[at:] else _LATER_BARE
        match = pattern.search(text, at)
        if match is None:
            break
        name, value = _later(match, environ)
        if len(touched) < MAX_NAMED:
            touched[name] = None
        if value is None and len(unset) < MAX_NAMED:
            unset[name] = None
        text = text[: match.start()] + (value or "") + text[match.end() :]
        at, rounds = match.start(), rounds + 1
    return SecondRound(text.replace("\\$", "$"), tuple(unset), tuple(touched))


def _later(match: re.Match[str], environ: Mapping[str, str]) -> tuple[str, str | None]:
    """The name, and its value or the default written beside it; None where there is neither."""
    groups = match.groupdict()
    expression = groups.get("inside") or groups.get("bare") or ""
    operator = _OPERATOR.search(expression)
    name = expression[: operator.start()] if operator else expression
    other = expression[operator.end() :] if operator else None
    found = environ.get(name)
    if found is not None and hidden(name, found):
        found = None
    if operator and operator.group().endswith("+"):
        return name, other if found else ""
    return name, found or other
