"""One attempt to get one provider's manifest, over whichever carrier its configuration asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from contractd._version import __version__
from contractd.carriers.base import Carrier, Endpoint, Evidence, Launch, Limits
from contractd.carriers.http import HttpCarrier
from contractd.carriers.legacy_sse import LegacySseCarrier
from contractd.carriers.process import Nursery
from contractd.carriers.stdio import StdioCarrier
from contractd.errors import ProviderError
from contractd.providers.base import Fetched, Inherit, ProviderSpec, Transport
from contractd.providers.manifest import ManifestUrl, read_manifest_file
from contractd.providers.mcp import Spoken, fetch, negotiate

PROBE_PATIENCE = 1.0  # seconds; see providers/mcp.py


class Contact:
    """Keeps the evidence whatever becomes of the attempt. ``fetch`` once, then ``close``."""

    def __init__(self, spec: ProviderSpec, nursery: Nursery, environ: Mapping[str, str] | None = None) -> None:
        self._spec = spec
        self._nursery = nursery
        self._environ = os.environ if environ is None else environ
        self._limits = Limits()
        self._carrier: Carrier | None = None
        self._evidence = Evidence()

    @property
    def evidence(self) -> Evidence:
        """What the last carrier saw."""
        return self._carrier.evidence if self._carrier else self._evidence

    async def fetch(self) -> Fetched:
        """Raises ProviderError. No time limit of its own."""
        spec = self._spec
        if spec.transport == "manifest-file":
            manifest = read_manifest_file(Path(spec.path or ""), self._limits)
            self._evidence = Evidence(started=True)
            return Fetched(manifest, "manifest-file", protocol_version=manifest.protocol_version)
        if spec.transport == "manifest-url":
            source = ManifestUrl(self._endpoint(), self._limits)
            try:
                manifest = await source.fetch()
            finally:
                self._evidence = source.evidence
            return Fetched(manifest, "manifest-url", protocol_version=manifest.protocol_version)
        if spec.transport == "stdio":
            return await self._stdio()
        return await self._remote()

    async def close(self, *, gently: bool = True) -> None:
        """End whatever was opened."""
        if self._carrier is not None:
            await self._carrier.close(gently=gently)

    async def _stdio(self) -> Fetched:
        try:
            spoken = await self._speak(self._new_stdio(), legacy_only=False)
        except ProviderError as error:
            if error.failure.signal not in ("stdio-02", "stdio-06", "stdio-07"):
                raise
            # It may have died of the probe alone: some servers take nothing before initialize.
            first = self.evidence
            await self.close(gently=False)
            try:
                spoken = await self._speak(self._new_stdio(), legacy_only=True)
            except ProviderError:
                if not self.evidence.stderr and first.stderr:
                    raise error from None
                raise
        assert self._carrier is not None
        return await fetch(self._carrier, spoken, __version__, "stdio")

    async def _remote(self) -> Fetched:
        spec = self._spec
        transport: Transport = "sse" if spec.transport == "sse" else "http"
        if transport == "http":
            try:
                spoken = await self._speak(HttpCarrier(self._endpoint(), self._limits), legacy_only=False)
            except ProviderError as error:
                status = error.failure.details.get("status")
                if not (spec.fallback_sse and status in (400, 404, 405, 406, 415)):
                    raise
                await self.close()
                transport = "sse"
        if transport == "sse":
            spoken = await self._speak(LegacySseCarrier(self._endpoint(), self._limits), legacy_only=True)
        assert self._carrier is not None
        return await fetch(self._carrier, spoken, __version__, transport)

    async def _speak(self, carrier: Carrier, *, legacy_only: bool) -> Spoken:
        self._carrier = carrier
        await carrier.open()
        return await negotiate(carrier, __version__, patience=PROBE_PATIENCE, legacy_only=legacy_only)

    def _new_stdio(self) -> StdioCarrier:
        env = child_environment(self._environ, self._spec.inherit, self._spec.env)
        return StdioCarrier(Launch(self._spec.argv, env, self._spec.cwd), self._nursery, self._limits)

    def _endpoint(self) -> Endpoint:
        return Endpoint(self._spec.url or "", self._spec.headers)


def child_environment(parent: Mapping[str, str], inherit: Inherit, own: Mapping[str, str]) -> dict[str, str]:
    """What a stdio server sees: the inherited part of the parent's environment, overlaid with its own."""
    inherited = dict(parent) if inherit == "all" else {name: parent[name] for name in inherit if name in parent}
    return {**inherited, **own}
