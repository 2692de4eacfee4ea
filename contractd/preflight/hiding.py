"""A server's own words may hold the secrets it was given; they are hidden before anything is reported."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from contractd.errors import Failure
from contractd.providers.base import ProviderSpec
from contractd.runtimes.secrets import is_secret, redact, secret_spans

if TYPE_CHECKING:
    from contractd.registry import Row

_SHORTEST = 4  # characters; shorter values are words that a text holds anyway
_WORD_AT_MOST = 7  # characters of a header's value that may be a word
# Of a server's own variables what nobody needs to hide: words, paths, locales, ports, addresses.
_HARMLESS = re.compile(r"[A-Za-z_ ./:~,@-]*(?:[0-9][A-Za-z_ ./:~,@-]*){0,2}|[0-9]{1,6}|[0-9.:]{1,15}")
_MASK = "***"
_SECRET_NAME = re.compile(r"(?i)token|secret|passw|pwd|\bpw|pw\b|credential|auth|cookie|key|\bpin")


class Hider:
    """Hides what one server was given: the variables of its entry, header values, arguments after ``--token`` and the
    like, credentials in its URL; and what looks like a secret in the environment it inherits."""

    def __init__(self, spec: ProviderSpec, environ: Mapping[str, str]) -> None:
        given = {text for value in _secrets(spec, environ) for text in spellings(value) if len(text) >= _SHORTEST}
        self._secrets = sorted(given, key=len, reverse=True)

    def text(self, text: str) -> str:
        """``text`` without them, and without what has the shape of a published kind of token."""
        for secret in self._secrets:
            text = text.replace(secret, _MASK)
        return redact(text)

    def failure(self, failure: Failure) -> Failure:
        """Its message and details without them."""
        details = {key: self.text(value) if isinstance(value, str) else value for key, value in failure.details.items()}
        return replace(failure, message=self.text(failure.message), details=details)

    def row(self, row: Row) -> Row:
        """A row whose words are safe to report."""
        evidence = row.evidence
        return replace(
            row,
            failure=self.failure(row.failure) if row.failure else None,
            evidence=replace(
                evidence, stderr=self.text(evidence.stderr), foreign=tuple(map(self.text, evidence.foreign))
            ),
        )


def _secrets(spec: ProviderSpec, environ: Mapping[str, str]) -> Iterator[str]:
    yield from (text for text in spec.headers.values() if len(text) > _WORD_AT_MOST or not _HARMLESS.fullmatch(text))
    yield from (value for name, value in environ.items() if is_secret(name, value))
    for name, value in spec.env.items():
        if is_secret(name, value) or not _HARMLESS.fullmatch(value) or _SECRET_NAME.search(name):
            yield value
    user, password = _credentials(spec.url or "")
    if password:
        yield password
        yield base64.b64encode(f"{user}:{password}".encode()).decode()
    for argument, spans in zip(spec.argv, secret_spans(spec.argv), strict=True):
        yield from (argument[start:end] for start, end in spans)


def spellings(value: str) -> Iterator[str]:
    """As a server may print it: plain, without a header's scheme, in JSON's escapes and in Python's."""
    scheme, _, rest = value.partition(" ")
    bare = rest.strip() if scheme.lower() in ("bearer", "basic", "token") else value
    for text in (value, bare):
        yield text
        yield json.dumps(text)[1:-1]
        yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield repr(text)[1:-1]
        yield from text.splitlines()


def _credentials(url: str) -> tuple[str, str]:
    """User and password of a URL, decoded; two empty texts where it has none or is none."""
    try:
        parts = urlsplit(url)
        return unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        return "", ""
