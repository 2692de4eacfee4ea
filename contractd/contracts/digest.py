"""SHA-256 over canonical JSON: the identity of a contract, of its description, and of a manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from contractd.contracts.canonical import canonical_json


def digest_of(value: Any) -> str:
    """``sha256:`` and 64 hex digits over the RFC 8785 form of ``value``."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()


def manifest_digest(tools: Iterable[tuple[str, str]]) -> str:
    """The digest of a manifest from (tool name, contract digest) pairs; the order they came in doesn't matter."""
    return digest_of([[name, digest] for name, digest in sorted(tools)])
