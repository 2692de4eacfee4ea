"""From a place in a schema to the place in the arguments, or in the result, that it speaks of."""

from __future__ import annotations

from typing import Any, Final

from contractd.contracts.drift.result import ContractChange, Difference
from contractd.contracts.uses.paths import Path, Token

_STAY: Final = ("anyOf", "allOf", "oneOf")  # the same value, by an alternative
_EVERY: Final = ("items", "prefixItems", "additionalItems", "contains")


def parameter_path(change: ContractChange, item: Difference) -> Path:
    """The path that a difference is about; as far as it can be followed."""
    if item.pointer_new is not None:
        return value_path(
            {"inputSchema": change.new.input_schema, "outputSchema": change.new.output_schema}, item.pointer_new
        )
    old = {"inputSchema": change.old.input_schema, "outputSchema": change.old.output_schema}
    return value_path(old, item.pointer_old or "")


def value_path(tool: Any, pointer: str) -> Path:
    """The path in the value of what stands at ``pointer`` in a tool; of an element of ``required`` the property that it
    names."""
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
    path: list[Token] = []
    here = tool.get(tokens[0]) if tokens else None
    tokens = tokens[1:]
    while tokens:
        token = tokens.pop(0)
        here = _step(here, token)
        if token == "properties" and tokens:  # noqa: S105
            path.append(tokens[0])
            here = _step(here, tokens.pop(0))
        elif token in _EVERY:
            path.append(None)
            if isinstance(here, list) and tokens:
                here = _step(here, tokens.pop(0))
        elif token == "required" and tokens:  # noqa: S105
            name = _step(here, tokens[0])
            return (*path, name) if isinstance(name, str) else tuple(path)
        elif token in _STAY and tokens:
            here = _step(here, tokens.pop(0))
        else:
            break
    return tuple(path)


def _step(here: Any, token: str) -> Any:
    if isinstance(here, dict):
        return here.get(token)
    if isinstance(here, list) and token.isascii() and token.isdigit() and int(token) < len(here):
        return here[int(token)]
    return None
