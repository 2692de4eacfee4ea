"""The name under which contractd itself shows a tool: deterministic, reversible, at most 64 characters of
``[A-Za-z0-9_-]``, which every provider of models takes.

A name depends on its own provider and tool only: adding a server never renames another's tools. The plain form is
``PROVIDER__TOOL`` and is cut at the first ``__``. Where that can't be undone (a provider id with ``__`` in it, other
characters, too long) the name is ``STEM-x-HASH`` without any ``__``, and only the table that made it can undo it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

MAX_LENGTH = 64
_PLAIN_PROVIDER = re.compile(r"[a-z0-9-]+(?:_[a-z0-9-]+)*")
_PLAIN_TOOL = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_-]*")
_MARK = "-x-"


def exposed_name(provider: str, tool: str) -> str:
    """The exposed name of one tool."""
    plain = f"{provider}__{tool}"
    if len(plain) <= MAX_LENGTH and _PLAIN_PROVIDER.fullmatch(provider) and _PLAIN_TOOL.fullmatch(tool):
        return plain
    digest = hashlib.sha256(f"{provider}\0{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    stem = re.sub(r"[^A-Za-z0-9-]+|_+", "_", f"{provider}_{tool}").strip("_")
    return f"{stem[: MAX_LENGTH - len(_MARK) - len(digest)].rstrip('_')}{_MARK}{digest}"


def split_exposed(name: str) -> tuple[str, str] | None:
    """The provider and tool of a name in plain form; None for a hashed one."""
    provider, separator, tool = name.partition("__")
    return (provider, tool) if separator else None


class ExposedNames:
    """The names of a set of tools, both ways. Raises ValueError if two tools have one name (a hash collision)."""

    def __init__(self, tools: Iterable[tuple[str, str]]) -> None:
        self._by_tool = {tool: exposed_name(*tool) for tool in tools}
        self._by_name = {name: tool for tool, name in self._by_tool.items()}
        if len(self._by_name) != len(self._by_tool):
            raise ValueError("two tools have one exposed name")

    def name(self, provider: str, tool: str) -> str:
        """The exposed name. Raises KeyError."""
        return self._by_tool[provider, tool]

    def tool(self, name: str) -> tuple[str, str]:
        """Provider and tool of an exposed name. Raises KeyError."""
        return self._by_name[name]
