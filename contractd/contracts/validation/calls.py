"""The arguments and the structured result of a call, checked against its contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from contractd.contracts.contract import Contract
from contractd.contracts.validation.result import Validation
from contractd.contracts.validation.validator import Validator, compile_schema
from contractd.errors import ContractdError

MAX_KEPT = 512  # validators; the largest captured list has 98 tools


def check_arguments(contract: Contract, arguments: Any) -> Validation:
    """May the tool be called with ``arguments``. Unknown where the contract's own schema can't be used."""
    return _check(contract, "input", contract.input_schema, arguments)


def check_result(contract: Contract, structured: Any) -> Validation:
    """Is ``structured`` (MCP's ``structuredContent``) what the tool promised. Unknown where it promised nothing."""
    if contract.output_schema is None:
        return Validation("unknown", reason="the tool has no output schema")
    return _check(contract, "output", contract.output_schema, structured)


@dataclass(frozen=True, slots=True)
class _Key:
    """Two contracts of one digest are one contract, so they share a validator."""

    digest: str
    role: str
    schema: Any = field(compare=False)


def _check(contract: Contract, role: str, schema: Any, value: Any) -> Validation:
    try:
        compiled = _compiled(_Key(contract.digest, role, schema))
    except ContractdError as error:  # a contract made by hand may have no digest
        return Validation("unknown", reason=error.message)
    return compiled if isinstance(compiled, Validation) else compiled.check(value)


@lru_cache(maxsize=MAX_KEPT)
def _compiled(key: _Key) -> Validator | Validation:
    try:
        return compile_schema(key.schema)
    except ContractdError as error:  # kept as well: a schema that can't be used is not examined on every call
        return Validation("unknown", reason=error.message)
