"""Where an answer departs from MCP's schema though its tools can be read.

contractd reads on; many clients give up the whole server over one of these, each over others, so they are noticed.
The shapes are those of MCP 2025-11-25 and 2026-07-28 (schema.ts); what neither has is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

DeviationKind = Literal[
    "batch", "jsonrpc-version", "error-null", "extra-member", "id-null", "id-text",  # of the JSON-RPC message
    "missing", "null", "wrong-type", "loose-boolean", "boolean-property", "undeclared",  # of what it says
]  # fmt: skip

MOST = 20  # of one server; a list of a thousand tools of one make has a thousand of one kind
_MOST_ITEMS = 100
_LOOSE = frozenset({"true", "false", "t", "f", "yes", "no", "y", "n", "on", "off", "1", "0"})  # pydantic reads these


@dataclass(frozen=True, slots=True)
class Deviation:
    """``place``: the method or ``tool``, and the path in it, the same for every tool. ``tool``: the first it is in."""

    kind: DeviationKind
    place: str
    text: str
    tool: str | None = None

    @property
    def key(self) -> str:
        """As the table of a client library calls it."""
        return f"{self.kind} {self.place}"


@dataclass(frozen=True)
class Shape:
    """What a value must be. ``members`` of an object, ``others`` for any other member of it, ``items`` of an array."""

    type: type
    required: bool = False
    members: Mapping[str, Shape] = field(default_factory=dict)
    others: Shape | None = None
    items: Shape | None = None
    values: tuple[str, ...] = ()


_TEXT, _FLAG, _OBJECT = Shape(str), Shape(bool), Shape(dict)
_NEEDED = Shape(str, required=True)
_ICONS = Shape(
    list,
    items=Shape(dict, members={"src": _NEEDED, "mimeType": _TEXT, "sizes": Shape(list, items=_TEXT), "theme": _TEXT}),
)
_CHANGES = Shape(dict, members={"listChanged": _FLAG})
_CAPABILITIES = Shape(
    dict,
    required=True,
    members={
        "tools": _CHANGES,
        "prompts": _CHANGES,
        "resources": Shape(dict, members={"listChanged": _FLAG, "subscribe": _FLAG}),
        "logging": _OBJECT,
        "completions": _OBJECT,
        "tasks": _OBJECT,
        "experimental": Shape(dict, others=_OBJECT),
    },
)
_SERVER = {"name": _NEEDED, "version": _NEEDED, "title": _TEXT, "websiteUrl": _TEXT, "icons": _ICONS}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")

INITIALIZED = Shape(
    dict,
    members={
        "capabilities": _CAPABILITIES,
        "serverInfo": Shape(dict, required=True, members=_SERVER),
        "instructions": _TEXT,
        "_meta": _OBJECT,
    },
)
DISCOVERED = Shape(dict, members={"capabilities": _CAPABILITIES, "instructions": _TEXT, "_meta": _OBJECT})
PAGE = Shape(dict, members={"nextCursor": _TEXT, "_meta": _OBJECT})
TOOL = Shape(
    dict,
    members={
        "title": _TEXT,
        "description": _TEXT,
        "annotations": Shape(dict, members={"title": _TEXT, **dict.fromkeys(_HINTS, _FLAG)}),
        "icons": _ICONS,
        "execution": Shape(dict, members={"taskSupport": Shape(str, values=("required", "optional", "forbidden"))}),
        "outputSchema": _OBJECT,
        "_meta": _OBJECT,
    },
)


class Noted:
    """Collects what is noticed: one of each kind and place, and no more than ``MOST``."""

    def __init__(self) -> None:
        self._found: dict[str, Deviation] = {}

    def add(self, *deviations: Deviation) -> None:
        """Keep what is new."""
        for deviation in deviations:
            if len(self._found) < MOST:
                self._found.setdefault(deviation.key, deviation)

    @property
    def found(self) -> tuple[Deviation, ...]:
        """In the order in which they were noticed."""
        return tuple(self._found.values())


def deviations(value: Any, shape: Shape, place: str, tool: str | None = None) -> Iterator[Deviation]:
    """Everything by which ``value``, an object, departs from ``shape``."""
    for name, told in shape.members.items():
        where = f"{place}.{name}"
        if name not in value:
            if told.required:
                yield Deviation("missing", where, f"{where} is missing", tool)
        else:
            yield from _departs(value[name], told, where, tool)
    if shape.others is not None:
        for name in [name for name in value if name not in shape.members][:_MOST_ITEMS]:
            yield from _departs(value[name], shape.others, f"{place}.*", tool)


def tool_deviations(raw: Mapping[str, Any], name: str | None) -> Iterator[Deviation]:
    """Of one entry of a list of tools; also a schema of a property that is true or false, which no older MCP has."""
    yield from deviations(raw, TOOL, "tool", name)
    for role in ("inputSchema", "outputSchema"):
        schema = raw.get(role)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(properties, dict) and any(isinstance(value, bool) for value in properties.values()):
            where = f"tool.{role}.properties"
            yield Deviation("boolean-property", where, f"a property in {where} is a boolean instead of an object", name)


def _departs(value: Any, told: Shape, where: str, tool: str | None) -> Iterator[Deviation]:
    if value is None:
        kind: DeviationKind = "missing" if told.required else "null"
        yield Deviation(kind, where, f"{where} is null", tool)
    elif not isinstance(value, told.type):
        loose = told.type is bool and (value in (0, 1) if isinstance(value, int | float) else _word(value) in _LOOSE)
        yield Deviation("loose-boolean" if loose else "wrong-type", where, f"{where} is not {_NAMES[told.type]}", tool)
    elif told.values and value not in told.values:
        yield Deviation("wrong-type", where, f"{where} is none of {', '.join(told.values)}", tool)
    elif isinstance(value, dict):
        yield from deviations(value, told, where, tool)
    elif isinstance(value, list) and told.items is not None:
        for item in value[:_MOST_ITEMS]:
            yield from _departs(item, told.items, f"{where}[]", tool)


def _word(value: Any) -> str:
    return value.lower() if isinstance(value, str) else ""


_NAMES: dict[type, str] = {str: "text", bool: "a boolean", dict: "an object", list: "an array"}
