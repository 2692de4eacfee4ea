"""A server's own words may hold the secrets it was given; they are hidden before anything is reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from contractd.errors import Failure
from contractd.providers.base import ProviderSpec
from contractd.runtimes.secrets import is_secret, redact, secret_spans

if TYPE_CHECKING:
    from contractd.registry import Row

_SHORTEST = 8  # characters; shorter values are words that a text holds anyway
_MASK = "***"


class Hider:
    """Hides what one server was given: secret variables, header values, arguments after ``--token`` and the like."""

    def __init__(self, spec: ProviderSpec, environ: Mapping[str, str]) -> None:
        given = {text for value in _secrets(spec, environ) for text in (value, _bare(value)) if len(text) >= _SHORTEST}
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
    yield from spec.headers.values()
    for name, value in (*environ.items(), *spec.env.items()):
        if is_secret(name, value):
            yield value
    for argument, spans in zip(spec.argv, secret_spans(spec.argv), strict=True):
        yield from (argument[start:end] for start, end in spans)


def _bare(value: str) -> str:
    """A header's value without its scheme."""
    scheme, _, rest = value.partition(" ")
    return rest.strip() if scheme.lower() in ("bearer", "basic", "token") else value
