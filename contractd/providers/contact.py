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
from contractd.errors import Failure, ProviderError
from contractd.providers.base import TIMEOUT_SIGNAL, Fetched, Inherit, ProviderSpec, Transport
from contractd.providers.listing import fetch
from contractd.providers.manifest import ManifestUrl, read_manifest_file
from contractd.providers.mcp import Spoken, negotiate
from contractd.text import plural

PROBE_PATIENCE = 1.0  # seconds; see providers/mcp.py


class Contact:
    """Keeps the evidence whatever becomes of the attempt. ``fetch`` once, then ``close``; ``give_up`` between them."""

    def __init__(self, spec: ProviderSpec, nursery: Nursery, environ: Mapping[str, str] | None = None) -> None:
        self._spec = spec
        self._nursery = nursery
        self._environ = os.environ if environ is None else environ
        self._limits = Limits()
        self._carrier: Carrier | None = None
        self._evidence = Evidence()
        self._died: tuple[Failure, Evidence] | None = None  # of a first start, while a second one is tried
        self._told: Evidence | None = None
        self._asking = "for its manifest"

    @property
    def evidence(self) -> Evidence:
        """What the last carrier saw, or the first where that says more."""
        return self._told or (self._carrier.evidence if self._carrier else self._evidence)

    def give_up(self) -> Failure:
        """The failure when time is up: what a first start died of, if that is known, else that no answer came."""
        budget = f"{self._spec.budget:g} s"
        if self._died is not None:
            failure, self._told = self._died
            return failure
        if self._spec.transport == "stdio" and self.evidence.exit_code is not None:
            code = self.evidence.exit_code
            message = f"it exited with code {code} without an answer when it was asked {self._asking}; what it left "
            message += "behind holds its stdout open"
            return Failure("stdio-02", message, retryable=False, details={"budget": self._spec.budget})
        if not self.evidence.started:
            message = f"not reached within {budget}"
        else:
            how = "it was started" if self._spec.transport == "stdio" else "it was reached"
            message = f"no answer within {budget}: {how} and asked {self._asking}"
            if self.evidence.foreign_count:
                message += f"; {plural(self.evidence.foreign_count, 'foreign line')} on stdout came back"
        return Failure(TIMEOUT_SIGNAL, message, retryable=True, details={"budget": self._spec.budget})

    async def fetch(self) -> Fetched:
        """Raises ProviderError. No time limit of its own."""
        spec = self._spec
        if spec.transport == "manifest-file":
            manifest = await read_manifest_file(Path(spec.path or ""), self._limits)
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
            spoken = await self._speak(self._new_stdio())
        except ProviderError as error:
            if self._legacy_first or error.failure.signal not in ("stdio-02", "stdio-06", "stdio-07", "stdio-exit"):
                raise
            # It may have died of the probe alone: some servers take nothing before initialize.
            await self.close(gently=False)
            self._died = error.failure, self.evidence
            try:
                spoken = await self._speak(self._new_stdio(), legacy_only=True)
            except ProviderError:
                if not self.evidence.stderr and self._died[1].stderr:
                    self._told = self._died[1]
                    raise error from None
                raise
            self._died = None
        return await self._list(spoken, "stdio")

    async def _remote(self) -> Fetched:
        spec = self._spec
        transport: Transport = "sse" if spec.transport == "sse" else "http"
        if transport == "http":
            try:
                spoken = await self._speak(HttpCarrier(self._endpoint(), self._limits))
            except ProviderError as error:
                status = error.failure.details.get("status")
                if not (spec.fallback_sse and status in (400, 404, 405, 406, 415)):
                    raise
                await self.close()
                transport = "sse"
        if transport == "sse":
            spoken = await self._speak(LegacySseCarrier(self._endpoint(), self._limits), legacy_only=True)
        return await self._list(spoken, transport)

    @property
    def _legacy_first(self) -> bool:
        """Whether the client it is asked for knows ``initialize`` only."""
        return self._spec.eras == ("legacy",)

    async def _speak(self, carrier: Carrier, *, legacy_only: bool = False) -> Spoken:
        self._carrier = carrier
        self._asking = "which protocol version it speaks"
        await carrier.open()
        return await negotiate(
            carrier,
            __version__,
            patience=PROBE_PATIENCE,
            legacy_only=legacy_only,
            legacy_first=self._legacy_first,
        )

    async def _list(self, spoken: Spoken, transport: Transport) -> Fetched:
        assert self._carrier is not None
        self._asking = "for its tools"
        return await fetch(self._carrier, spoken, __version__, transport)

    def _new_stdio(self) -> StdioCarrier:
        env = child_environment(self._environ, self._spec.inherit, self._spec.env)
        return StdioCarrier(Launch(self._spec.argv, env, self._spec.cwd), self._nursery, self._limits)

    def _endpoint(self) -> Endpoint:
        return Endpoint(self._spec.url or "", self._spec.headers)


def child_environment(parent: Mapping[str, str], inherit: Inherit, own: Mapping[str, str]) -> dict[str, str]:
    """What a stdio server sees: the inherited part of the parent's environment, overlaid with its own."""
    inherited = dict(parent) if inherit == "all" else {name: parent[name] for name in inherit if name in parent}
    return {**inherited, **own}
