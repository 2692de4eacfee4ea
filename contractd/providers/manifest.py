"""Providers that speak no MCP: a URL or a file that holds a manifest in contractd's own format."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import aiohttp

from contractd.carriers.base import Endpoint, Evidence, Limits
from contractd.carriers.http import merged, new_session, usable_url
from contractd.carriers.http_failures import connection_failure, kept_headers, status_failure, unusable
from contractd.carriers.threads import in_thread
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
            url = usable_url(self._endpoint)
            headers = merged(self._endpoint.headers, {"Accept": "application/json"})
            async with (
                new_session(self._connected) as session,
                session.get(url, headers=headers, allow_redirects=False) as response,
            ):
                kept = kept_headers(response.headers)
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
        return await in_thread(_parse, bytes(body))

    def _connected(self) -> None:
        self.evidence = Evidence(started=True)


async def read_manifest_file(path: Path, limits: Limits) -> Manifest:
    """Read a manifest file. Raises ProviderError ``manifest-file``, ``manifest-format`` or ``manifest-version``."""
    return await in_thread(lambda: _parse(_read(path, limits.message)))


def _read(path: Path, limit: int) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device has no end
            raise ProviderError(Failure("manifest-file", "the manifest file is not a regular file", False))
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        raise ProviderError(Failure("manifest-file", f"the manifest file can't be read: {why}", False)) from None
    if len(data) > limit:
        raise unusable(f"the manifest file has more than {limit:,} bytes")
    return data


def _parse(data: bytes) -> Manifest:
    return parse_manifest(_load(data))


def _load(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ProviderError(Failure("manifest-format", "not a contractd manifest: it is not JSON", False)) from None
