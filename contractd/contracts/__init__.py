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
    from contractd.contracts.drift import compare, compare_manifests
    from contractd.contracts.validation import (
        Problem,
        Validation,
        Validator,
        check_arguments,
        check_result,
        compile_schema,
    )

__all__ = [
    "Annotations",
    "Contract",
    "Flaw",
    "FlawedTool",
    "Manifest",
    "Problem",
    "Validation",
    "Validator",
    "canonical_json",
    "check_arguments",
    "check_result",
    "compare",
    "compare_manifests",
    "compare_schemas",
    "compile_schema",
    "parse_manifest",
    "parse_tool",
    "parse_tools",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    # Imported when they are first used: two validators come with them.
    if name == "compare_schemas":
        from contractd.contracts.compat import compare_schemas  # noqa: PLC0415

        return compare_schemas
    if name in ("compare", "compare_manifests"):
        from contractd.contracts import drift  # noqa: PLC0415

        return getattr(drift, name)
    if name in ("Problem", "Validation", "Validator", "check_arguments", "check_result", "compile_schema"):
        from contractd.contracts import validation  # noqa: PLC0415

        return getattr(validation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
