"""How Qwen Code writes its servers: settings files, .mcp.json, and what it does over a file that it can't parse.

Facts: docs/reference/runtimes.md#qwen-code (0.21.10 and 0.24.4, run against a scripted model).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from contractd.providers.base import Transport
from contractd.runtimes.base import Source
from contractd.runtimes.shapes import LOOSE_TABLE, Shape
from contractd.runtimes.style import NO_TARGET, Chosen, Ignored, Reading, Role, Wrong, is_file
from contractd.runtimes.variables import DOLLAR_OR_BRACES

SHARED = ".mcp.json"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# httpUrl first: it is the one used where both stand.
_KEYS: dict[str, Role] = {
    "command": "command", "args": "args", "env": "env", "cwd": "cwd", "httpUrl": "url", "url": "url",
    "headers": "headers", "tcp": "known", "type": "type", "timeout": "ceiling-ms", "discoveryTimeoutMs": "budget-ms",
    "trust": "known", "description": "known", "includeTools": "include", "excludeTools": "exclude",
    "alwaysLoadTools": "always-visible", "oauth": "known", "authProviderType": "known", "targetAudience": "known",
    "targetServiceAccount": "known", "scope": "known", "extensionName": "known", "versionNegotiation": "known",
    "agentPluginV1": "known",
}  # fmt: skip
_SLIPS = {
    "environment": "env", "serverUrl": "httpUrl", "alwaysLoad": "alwaysLoadTools", "transport": "httpUrl or url",
}  # fmt: skip
_STARTED = Ignored("the server is started all the same", "name the server in mcp.excluded at the top level")
_IGNORED = {"disabled": _STARTED, "enabled": _STARTED}
# review, advisorModel, goals and omni are 0.24.4's.
_TOP_LEVEL = _words(
    """
    $schema $version mcpServers channels serve modelProviders providerProtocol plansDirectory env proxy general output
    dualOutput ui ide privacy telemetry outboundCorrelation fastModel visionModel compactionModel imageModel
    visionBridgeTimeoutMs modelFallbacks voiceModel model modelPricing context memory review advisorModel goals omni
    slashCommands skills permissions tools policy mcp security advanced agents disableAllHooks stopHookBlockingCap hooks
    experimental artifact worktree extensions
    """
)
# Keys of the first format of the settings; a file without $version 2 or later is migrated, and rewritten on the spot.
_MIGRATED = {
    "allowMCPServers": "mcp.allowed", "excludeMCPServers": "mcp.excluded", "excludeTools": "tools.exclude",
    "coreTools": "tools.core", "allowedTools": "tools.allowed", "approvalMode": "tools.approvalMode",
    "folderTrust": "security.folderTrust.enabled", "selectedAuthType": "security.auth.selectedType",
}  # fmt: skip
_OLD_KEYS = _words(
    """
    accessibility autoAccept autoConfigureMaxOldSpaceSize bugCommand chatCompression checkpointing contextFileName
    customThemes customWittyPhrases debugKeystrokeLogging dnsResolutionOrder enforcedAuthType excludedProjectEnvVars
    fileFiltering folderTrustFeature hasSeenIdeIntegrationNudge hideWindowTitle showStatusInTitle hideTips
    showLineNumbers showCitations ideMode includeDirectories loadMemoryFromIncludeDirectories maxSessionTurns
    mcpServerCommand memoryImportFormat preferredEditor sandbox shouldUseNodePtyShell shellPager shellShowColor
    skipNextSpeakerCheck theme toolDiscoveryCommand toolCallCommand usageStatisticsEnabled useExternalAuth useRipgrep
    vimMode enableWelcomeBack sessionTokenLimit contentGenerator skipLoopDetection skipStartupContext
    enableOpenAILogging tavilyApiKey disableAutoUpdate disableUpdateNag disableLoadingPhrases disableFuzzySearch
    disableCacheControl
    """
) | frozenset(_MIGRATED)
_CORRUPTED = (
    "Qwen Code 0.21.10 copies such a file to settings.json.corrupted, overwrites it with {} and goes on without its "
    "servers; 0.24.4 stops over the user's, and overwrites a project's without a word"
)
_BOM = (
    "Qwen Code 0.24.4 takes them; 0.21.10 can't parse the file, overwrites it with {} and goes on without its servers"
)
_SHAPES: dict[str, Shape] = {"env": LOOSE_TABLE}
_TEXTS: tuple[Role, ...] = ("command", "args", "env", "cwd", "url", "headers")
_BUDGETS: dict[Transport, float] = {"stdio": 30.0, "http": 5.0, "sse": 5.0}
HTTP_TYPES = ("http", "streamable-http", "streamableHttp")


def reading() -> Reading:
    """How it writes servers in a settings file."""
    return Reading(
        container=("mcpServers",),
        keys=_KEYS,
        transport=_transport,
        syntax=dict.fromkeys(_TEXTS, DOLLAR_OR_BRACES),
        budgets=_BUDGETS,
        comments=True,
        trailing_commas=False,
        bom=None,
        doubts={"bom": _BOM},
        over_syntax=_CORRUPTED,
        shapes=_SHAPES,
        over_shape="can't start the server with it",
        env_files="~/.qwen/.env, ~/.env and the project's .qwen/.env or .env",
        slips=_SLIPS,
        ignored=_IGNORED,
        shortest_budget=0.1,
        longest_budget=300.0,
    )


def reading_of(source: Source) -> Reading:
    """The same for one file: nothing is expanded in .mcp.json, and its types are read."""
    if is_file(source.document, SHARED):
        return replace(
            reading(),
            transport=_shared_transport,
            syntax={},
            doubts={},
            over_syntax="Qwen Code warns on stderr, and goes on without its servers",
            env_files="",
        )
    old = frozenset[str]() if _is_new(source.document.value) else _OLD_KEYS
    return replace(reading(), top_level=_TOP_LEVEL | old)


def as_read(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A settings file with the keys of the first format where the program looks for them now."""
    if _is_new(value) or not any(key in value for key in _MIGRATED):
        return value
    result: dict[str, Any] = {key: inner for key, inner in value.items() if key not in _MIGRATED}
    for key, path in _MIGRATED.items():
        if key in value:
            _put(result, path.split("."), value[key])
    return result


def _is_new(value: Any) -> bool:
    version = value.get("$version") if isinstance(value, Mapping) else None
    return isinstance(version, int) and version >= 2


def _put(into: dict[str, Any], path: list[str], value: Any) -> None:
    """Lay ``value`` at ``path``; what stands there in the new format stays."""
    for name in path[:-1]:
        old = into.get(name)
        here = dict(old) if isinstance(old, Mapping) else {}
        into[name] = into = here
    into.setdefault(path[-1], value)


def _transport(raw: Mapping[str, Any]) -> Chosen:
    if raw.get("httpUrl"):
        return "http", False
    if raw.get("url"):
        return "sse", False
    if raw.get("command"):
        return "stdio", False
    if raw.get("tcp"):
        return Wrong("Qwen Code knows the key tcp and has no transport for it", "give it a command or an httpUrl")
    return NO_TARGET


def _shared_transport(raw: Mapping[str, Any]) -> Chosen:
    """In .mcp.json type http is HTTP; every other address is the legacy HTTP+SSE."""
    if raw.get("url") and not raw.get("httpUrl") and raw.get("type") == "http":
        return "http", False
    return _transport(raw)
