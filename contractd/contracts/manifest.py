"""A manifest: what a provider says it offers at one moment; and contractd's own manifest format, version 1.

The format is for providers that speak no MCP: a JSON object with ``schema_version`` and ``tools``, each tool in the
shape of MCP's ``Tool``. Its JSON Schema is ``manifests/schema/manifest-1.schema.json``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from contractd.contracts.contract import Contract, FlawedTool, parse_tools
from contractd.contracts.deviations import Deviation, Noted
from contractd.contracts.digest import manifest_digest
from contractd.errors import Failure, ProviderError
from contractd.text import visible

SCHEMA_VERSION = 1
_VERSION = re.compile(r"([0-9]{1,6})(\.[0-9]{1,6}){0,2}")


@dataclass(frozen=True)
class Manifest:
    """Contracts and quarantined tools as one provider listed them, in its order.

    ``schema_version`` is contractd's format version for manifest files and URLs, None for MCP (which has none).
    ``deviations``: what of its tools is not as MCP's schema says.
    """

    tools: tuple[Contract, ...]
    flawed: tuple[FlawedTool, ...] = ()
    protocol_version: str | None = None
    schema_version: str | None = None
    pages: int = 1
    duplicates: tuple[str, ...] = field(default=())
    deviations: tuple[Deviation, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Over the tools sorted by name: equal for shuffled lists."""
        return manifest_digest((tool.name, tool.digest) for tool in self.tools)


def build_manifest(listed: list[object], *, again: tuple[str, ...] = (), **details: Any) -> Manifest:
    """A manifest from raw tools; a name listed twice is kept once, the later one, and named in ``duplicates``.

    So is a name that only a quarantined tool bears besides: clients count names before they look into schemas; and
    ``again``, those of tools that were listed once more word for word, which are not in ``listed``.
    """
    noted = Noted()
    contracts, flawed = parse_tools(listed, noted)
    by_name = {contract.name: contract for contract in contracts}
    names = Counter([contract.name for contract in contracts] + [tool.name for tool in flawed if tool.name is not None])
    names.update(again)
    twice = tuple(name for name, count in names.items() if count > 1)
    return Manifest(tuple(by_name.values()), flawed, duplicates=twice, deviations=noted.found, **details)


def parse_manifest(value: Any) -> Manifest:
    """Read a document in contractd's manifest format.

    Raises ProviderError: signal ``manifest-version`` for a version this contractd doesn't read, ``manifest-format``
    for what is no manifest.
    """
    if not isinstance(value, dict):
        raise _no_manifest("it is not a JSON object")
    if "schema_version" not in value:
        raise _no_manifest('it has no "schema_version"')
    version = value["schema_version"]
    text = str(version) if isinstance(version, str | int) and not isinstance(version, bool) else ""
    match = _VERSION.fullmatch(text)
    if not match or int(match.group(1)) != SCHEMA_VERSION:
        raise ProviderError(
            Failure(
                "manifest-version",
                f"the manifest says schema_version {visible(repr(version), 60)}; this contractd reads {SCHEMA_VERSION}",
                retryable=False,
                details={"schema_version": text or None},
            )
        )
    tools = value.get("tools")
    if not isinstance(tools, list):
        raise _no_manifest('"tools" is not an array')
    protocol = value.get("protocol_version")
    return build_manifest(tools, schema_version=text, protocol_version=protocol if isinstance(protocol, str) else None)


def _no_manifest(why: str) -> ProviderError:
    return ProviderError(Failure("manifest-format", f"not a contractd manifest: {why}", retryable=False))
