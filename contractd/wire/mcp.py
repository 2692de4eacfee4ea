"""The part of MCP that bootstrap needs, in both eras.

*legacy*: ``initialize`` (2024-11-05 to 2025-11-25). *modern*: ``server/discover``, no handshake, version and
capabilities in the ``_meta`` of each request (2026-07-28).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from contractd.contracts.deviations import DISCOVERED, INITIALIZED, PAGE, Deviation, deviations
from contractd.text import visible

Era = Literal["legacy", "modern"]

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
_PREFIX = "io.modelcontextprotocol/"


class WireViolationError(Exception):
    """The server answered with what its protocol doesn't allow. ``args[0]`` says what, without payload."""


@dataclass(frozen=True, slots=True)
class Initialized:
    """What ``initialize`` settled. ``supported`` is false for a version contractd doesn't know."""

    protocol_version: str
    supported: bool
    server: Mapping[str, str]
    has_tools: bool
    has_more: bool = False
    deviations: tuple[Deviation, ...] = ()


@dataclass(frozen=True, slots=True)
class Discovery:
    """What ``server/discover`` told. ``protocol_version`` is the newest in common, None where there is none."""

    protocol_version: str | None
    offered: tuple[str, ...]
    server: Mapping[str, str]
    has_tools: bool
    has_more: bool = False
    deviations: tuple[Deviation, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of ``tools/list``. An empty text is a valid cursor (spec, pagination); only absence ends the list."""

    tools: list[object]
    next_cursor: str | None
    deviations: tuple[Deviation, ...] = ()


def era_of(version: str | None) -> Era | None:
    """The era that a protocol version belongs to; None where there is none."""
    if version is None:
        return None
    return "modern" if version in MODERN_VERSIONS else "legacy"


def initialize_params(client_version: str, protocol_version: str = LEGACY_VERSIONS[-1]) -> dict[str, Any]:
    """Parameters of ``initialize``; a client offers its newest version (2025-11-25, lifecycle)."""
    return {"protocolVersion": protocol_version, "capabilities": {}, "clientInfo": _client(client_version)}


def discover_params(client_version: str, protocol_version: str = MODERN_VERSIONS[-1]) -> dict[str, Any]:
    """Parameters of ``server/discover``."""
    return {"_meta": _meta(client_version, protocol_version)}


def list_params(client_version: str, era: Era, protocol_version: str, cursor: str | None) -> dict[str, Any]:
    """Parameters of ``tools/list`` for one page."""
    params: dict[str, Any] = {} if era == "legacy" else {"_meta": _meta(client_version, protocol_version)}
    if cursor is not None:
        params["cursor"] = cursor
    return params


def parse_initialized(result: Any) -> Initialized:
    """Read the result of ``initialize``. Raises WireViolationError."""
    if not isinstance(result, dict):
        raise WireViolationError("the result of initialize is not an object")
    version = result.get("protocolVersion")
    if not isinstance(version, str):
        raise WireViolationError("the result of initialize has no protocolVersion")
    noticed = tuple(deviations(result, INITIALIZED, "initialize"))
    server = _server(result.get("serverInfo"))
    return Initialized(
        version,
        version in LEGACY_VERSIONS,
        server,
        _has(result, "tools"),
        _has(result, "prompts", "resources"),
        noticed,
    )


def parse_discovery(result: Any) -> Discovery:
    """Read the result of ``server/discover``. Raises WireViolationError."""
    if not isinstance(result, dict):
        raise WireViolationError("the result of server/discover is not an object")
    versions = result.get("supportedVersions")
    if not isinstance(versions, list) or not all(isinstance(version, str) for version in versions):
        raise WireViolationError("the result of server/discover has no supportedVersions")
    meta = result.get("_meta")
    server = meta.get(_PREFIX + "serverInfo") if isinstance(meta, dict) else None
    common = [version for version in MODERN_VERSIONS if version in versions]
    noticed = tuple(deviations(result, DISCOVERED, "server/discover"))
    return Discovery(
        common[-1] if common else None,
        tuple(versions[:20]),
        _server(server),
        _has(result, "tools"),
        _has(result, "prompts", "resources"),
        noticed,
    )


def parse_page(result: Any) -> Page:
    """Read the result of ``tools/list``. Raises WireViolationError: a list that can't be read is never an empty one."""
    if not isinstance(result, dict):
        raise WireViolationError("the result of tools/list is not an object")
    kind = result.get("resultType", "complete")
    if kind != "complete":
        raise WireViolationError(f"the result of tools/list has resultType {visible(repr(kind), 60)}, not 'complete'")
    tools = result.get("tools")
    if not isinstance(tools, list):
        raise WireViolationError("the result of tools/list has no tools array")
    cursor = result.get("nextCursor")
    if cursor is not None and not isinstance(cursor, str):
        raise WireViolationError("nextCursor is not text")
    return Page(tools, cursor, tuple(deviations(result, PAGE, "tools/list")))


def supported_versions(data: Any) -> tuple[str, ...]:
    """The versions that error -32022 (UnsupportedProtocolVersion) or -32602 names in ``data.supported``."""
    versions = data.get("supported") if isinstance(data, dict) else None
    if not isinstance(versions, list):
        return ()
    return tuple(version for version in versions[:20] if isinstance(version, str))


def _meta(client_version: str, protocol_version: str) -> dict[str, Any]:
    return {
        _PREFIX + "protocolVersion": protocol_version,
        _PREFIX + "clientCapabilities": {},
        _PREFIX + "clientInfo": _client(client_version),
    }


def _client(version: str) -> dict[str, str]:
    return {"name": "contractd", "version": version}


def _server(info: Any) -> dict[str, str]:
    """Display only: serverInfo must not drive behaviour (spec 2026-07-28)."""
    if not isinstance(info, dict):
        return {}
    return {key: info[key][:200] for key in ("name", "version") if isinstance(info.get(key), str)}


def _has(result: dict[str, Any], *capabilities: str) -> bool:
    declared = result.get("capabilities")
    return isinstance(declared, dict) and any(declared.get(capability) is not None for capability in capabilities)
