"""What a tool promises, and how that promise is identified.

Comes in: raw tool objects as a server listed them, or a manifest file. Goes out: frozen ``Contract`` values with a
digest, a ``Manifest``, and ``Flaw`` values for what can't be accepted (one bad tool never costs the others).
Must not know: where a tool came from, or what happens to it next. Pure.
"""

from contractd.contracts.canonical import canonical_json
from contractd.contracts.compat import compare_schemas
from contractd.contracts.contract import Annotations, Contract, FlawedTool, parse_tool, parse_tools
from contractd.contracts.manifest import Manifest, parse_manifest
from contractd.contracts.schema import Flaw

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
