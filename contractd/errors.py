"""Every exception contractd raises on purpose, on one screen.

Each carries a stable ``code``, a message a person can act on, and a ``hint`` with the next step. Secrets and
payload bodies never appear in messages. ``asyncio.CancelledError`` is never wrapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands. Lines and columns count from 1; ``pointer`` is an RFC 6901 pointer."""

    file: str
    line: int | None = None
    column: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


class ContractdError(Exception):
    """Base of all errors a user can meet."""

    code = "contractd"

    def __init__(self, message: str, *, hint: str | None = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class UsageError(ContractdError):
    """The command or the call was put wrongly; nothing was started."""

    code = "usage"


class ConfigError(ContractdError):
    """A configuration file can't be read as what it should be; nothing was started."""

    code = "config"


class DataError(ContractdError):
    """A data file shipped with contractd (manifests/builtin) is broken: a bug of ours."""

    code = "data"


class TooComplexError(ContractdError):
    """A JSON document or schema exceeds the bounds within which contractd looks at it."""

    code = "bounds"


class SchemaError(ContractdError):
    """No value can be checked against a JSON Schema: broken, endless, too large, or it leads outside itself."""

    code = "schema"


class StateError(ContractdError):
    """What was kept of an earlier run can't be read; nothing of it was taken over."""

    code = "state"


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with a provider, as a value.

    ``signal`` is a stable id (``stdio-02``, ``http-03``, …: the ids of docs/reference/signals.md). ``retryable``
    is None where it can't be known. ``details`` holds what the carrier saw (status, retry_after, …), never a body.
    """

    signal: str
    message: str
    retryable: bool | None = None
    details: dict[str, object] = field(default_factory=dict)


class ProviderError(ContractdError):
    """A provider could not be asked, or answered what can't be used. ``failure`` decides what follows."""

    code = "provider"

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure
