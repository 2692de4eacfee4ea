"""What a tool promises, and how that promise is identified.

Comes in: raw tool objects as a server listed them, or a manifest file. Goes out: frozen ``Contract`` values with a
digest, a ``Manifest``, and ``Flaw`` values for what can't be accepted (one bad tool never costs the others).
Must not know: where a tool came from, or what happens to it next. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contractd.contracts.canonical import canonical_json
from contractd.contracts.contract import Annotations, Contract, FlawedTool, parse_tool, parse_tools
from contractd.contracts.manifest import Manifest, parse_manifest
from contractd.contracts.schema import Flaw

if TYPE_CHECKING:
    from contractd.contracts.compat import compare_schemas

__all__ = [
    "Annotations",
    "Contract",
    "Flaw",
    "FlawedTool",
    "Manifest",
    "canonical_json",
    "compare_schemas",
    "parse_manifest",
    "parse_tool",
    "parse_tools",
]


def __getattr__(name: str) -> Any:
    if name == "compare_schemas":  # imported when it is first used: two validators come with it
        from contractd.contracts.compat import compare_schemas  # noqa: PLC0415

        return compare_schemas
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
