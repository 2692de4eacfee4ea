"""contractd: the runtime tool-contract registry for AI agents.

The names below are the public ones; what is heavy is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from contractd._version import __version__

if TYPE_CHECKING:
    from contractd.contracts import Contract, Manifest
    from contractd.errors import ConfigError, ContractdError, UsageError
    from contractd.preflight.engine import preflight as run_preflight
    from contractd.preflight.model import Finding, Report
    from contractd.preflight.request import Request

__all__ = [
    "ConfigError",
    "Contract",
    "ContractdError",
    "Finding",
    "Manifest",
    "Report",
    "Request",
    "UsageError",
    "__version__",
    "run_preflight",
]

_HOMES = {
    "ConfigError": "contractd.errors:ConfigError",
    "Contract": "contractd.contracts:Contract",
    "ContractdError": "contractd.errors:ContractdError",
    "Finding": "contractd.preflight.model:Finding",
    "Manifest": "contractd.contracts:Manifest",
    "Report": "contractd.preflight.model:Report",
    "Request": "contractd.preflight.request:Request",
    "UsageError": "contractd.errors:UsageError",
    "run_preflight": "contractd.preflight.engine:preflight",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
