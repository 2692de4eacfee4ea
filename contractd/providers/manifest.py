"""Providers that speak no MCP: a URL or a file that holds a manifest in contractd's own format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from contractd.carriers.base import Endpoint, Evidence, Limits
from contractd.carriers.http import new_session
from contractd.carriers.http_failures import KEPT_HEADERS, connection_failure, status_failure, unusable
from contractd.contracts import Manifest, parse_manifest
from contractd.errors import Failure, ProviderError


class ManifestUrl:
    """GET a manifest. ``evidence`` keeps the status and the headers that explain it."""

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self.evidence = Evidence()

    async def fetch(self) -> Manifest:
        """Raises ProviderError. Redirects are not followed: the configured headers are for this host."""
        try:
            async with new_session() as session:
                url = URL(self._endpoint.url)
                headers = {**self._endpoint.headers, "Accept": "application/json"}
                async with session.get(url, headers=headers, allow_redirects=False) as response:
                    kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
                    self.evidence = Evidence(started=True, status=response.status, headers=kept)
                    if response.status != 200:
                        raise ProviderError(status_failure(response.status, kept))
                    body = bytearray()
                    async for chunk in response.content.iter_any():
                        body += chunk
                        if len(body) > self._limits.message:
                            raise unusable(f"its manifest has more than {self._limits.message:,} bytes")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise ProviderError(connection_failure(error)) from error
        return parse_manifest(_load(bytes(body)))


def read_manifest_file(path: Path, limits: Limits) -> Manifest:
    """Read a manifest file. Raises ProviderError ``manifest-file`` or ``manifest-format``."""
    try:
        size = path.stat().st_size
        if size > limits.message:
            raise unusable(f"the manifest file has {size:,} bytes")
        data = path.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ProviderError(Failure("manifest-file", f"the manifest file can't be read: {why}", False)) from None
    return parse_manifest(_load(data))


def _load(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ProviderError(Failure("manifest-format", "not a contractd manifest: it is not JSON", False)) from None
