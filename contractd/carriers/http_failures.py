"""HTTP statuses and aiohttp's exceptions as failures. The order of the checks matters: aiohttp's classes nest."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping

import aiohttp

from contractd.errors import Failure, ProviderError
from contractd.text import visible

KEPT_HEADERS = ("Retry-After", "WWW-Authenticate", "Location", "Content-Type", "Server")

_STATUS: dict[int, tuple[str, str, bool | None]] = {
    202: ("mcp-27", "it answered a request with 202 and no result", False),
    204: ("mcp-27", "it answered a request with 204 and no result", False),
    400: ("http-01", "it refused the request as malformed (400)", False),
    401: ("http-03", "it wants authorization (401)", False),
    403: ("http-05", "it refuses these credentials (403)", False),
    404: ("http-06", "there is nothing at this URL (404)", False),
    405: ("http-09", "it takes no POST at this URL (405)", False),
    406: ("http-10", "it can't answer in JSON or an event stream (406)", False),
    407: ("http-32", "a proxy on the way wants authorization (407)", False),
    410: ("http-13", "it is gone for good (410)", False),
    413: ("http-15", "the request is too large for it (413)", False),
    415: ("http-10", "it does not take JSON (415)", False),
    429: ("http-21", "it is asked too often (429)", True),
    501: ("http-27", "it has not implemented this (501)", False),
    503: ("http-29", "it is unavailable for now (503)", True),
    504: ("http-31", "a gateway before it got no answer in time (504)", True),
}


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The response headers that explain a failure, bounded. ``headers`` is aiohttp's: it knows no upper case."""
    return {name: headers[name][:1000] for name in KEPT_HEADERS if name in headers}


def status_failure(status: int, headers: Mapping[str, str]) -> Failure:
    """What an HTTP status that is no success means, with the headers that say more."""
    retry_after = headers.get("Retry-After")
    details: dict[str, object] = {"status": status}
    if retry_after is not None:
        details["retry_after"] = retry_after[:100]
    if "WWW-Authenticate" in headers:
        details["www_authenticate"] = headers["WWW-Authenticate"]
    if 300 <= status < 400:
        details["location"] = headers.get("Location", "")
        return Failure("http-34", f"it redirects to another place ({status})", False, details)
    if status in _STATUS:
        signal, message, retryable = _STATUS[status]
    elif status >= 500:
        signal, message, retryable = "http-25", f"it failed ({status})", True
    else:
        signal, message, retryable = "http-01", f"it refused the request ({status})", False
    if retry_after is not None and retry_after.strip() and status in (429, 503):
        signal = "http-20" if status == 429 else "http-30"
        when = f"in {retry_after} s" if re.fullmatch("[0-9]{1,9}", retry_after) else f"after {visible(retry_after, 60)}"
        message += f"; it says to come back {when}"
    return Failure(signal, message, retryable, details)


def connection_failure(error: Exception) -> Failure:
    """What one of aiohttp's exceptions means."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError | ssl.SSLCertVerificationError):
        return Failure("aiohttp-03", "its certificate can't be verified", False)
    if isinstance(error, aiohttp.ClientSSLError):
        return Failure("aiohttp-04", "no TLS connection could be made with it", False)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return Failure("aiohttp-02", "its host name is not known", True)
    if isinstance(error, aiohttp.ClientConnectorError):
        why = error.os_error.strerror or "refused"
        return Failure("aiohttp-01", f"no connection: {visible(why, 120)}", True)
    if isinstance(error, aiohttp.InvalidURL | ValueError):
        return Failure("aiohttp-22", "its URL can't be used", False)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return Failure("aiohttp-13", "it closed the connection without an answer", True)
    if isinstance(error, aiohttp.ClientPayloadError):
        return Failure("aiohttp-17", "its answer broke off or can't be decoded", None)
    if isinstance(error, aiohttp.ClientResponseError):
        return Failure("aiohttp-16", "its answer is not HTTP as it should be", False)
    if isinstance(error, OSError):
        return Failure("aiohttp-14", f"the connection broke: {visible(error.strerror or 'reset', 120)}", True)
    return Failure("aiohttp-14", f"the connection broke: {type(error).__name__}", True)


def unusable(message: str, signal: str = "mcp-unusable") -> ProviderError:
    """The server answered, and the answer can't be used: never an empty list."""
    return ProviderError(Failure(signal, message, retryable=False))
