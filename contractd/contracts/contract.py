"""One tool's promise, and the examination a listed tool must pass to become one.

A tool is judged alone: MCP 2026-07-28 (server/tools, ``x-mcp-header``) sets the precedent that a client drops the bad
tool only and keeps the rest of the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from contractd.contracts.bounds import Allowance, excess
from contractd.contracts.deviations import Noted, tool_deviations
from contractd.contracts.digest import digest_of
from contractd.contracts.schema import Flaw, check_schema

MAX_NAME = 512  # characters; MCP says SHOULD be at most 128: longer ones are listed, but no model's provider takes them

Effect = Literal["read", "write", "destructive"]


@dataclass(frozen=True, slots=True)
class Annotations:
    """MCP tool annotations with the documented defaults filled in (spec 2026-07-28, schema ``ToolAnnotations``).

    They are hints of an untrusted server. ``declared`` names the ones the server really gave.
    """

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True
    declared: frozenset[str] = frozenset()

    @property
    def effect(self) -> Effect | None:
        """What the server says a call does; None where it says nothing."""
        if "readOnlyHint" in self.declared and self.read_only:
            return "read"
        if "destructiveHint" in self.declared:
            return "destructive" if self.destructive else "write"
        return "write" if "readOnlyHint" in self.declared else None

    def stricter(self, other: Annotations) -> Annotations:
        """Of each hint the one that promises less: what is to be believed while a change is not accepted."""
        return Annotations(
            self.read_only and other.read_only,
            self.destructive or other.destructive,
            self.idempotent and other.idempotent,
            self.open_world or other.open_world,
            self.declared | other.declared,
        )

    def as_given(self) -> dict[str, bool]:
        """The hints that the server gave, by MCP's names."""
        return {hint: getattr(self, _HINTS[hint]) for hint in sorted(self.declared)}

    def resolved(self) -> dict[str, bool]:
        """The four hints as they stand, for the digest."""
        return {
            "destructiveHint": self.destructive and not self.read_only,  # meaningful only if not read-only
            "idempotentHint": self.idempotent or self.read_only,  # likewise
            "openWorldHint": self.open_world,
            "readOnlyHint": self.read_only,
        }


@dataclass(frozen=True)
class Contract:
    """One tool at one version. ``digest`` is its identity; ``description_digest`` covers what the model reads."""

    name: str
    input_schema: Mapping[str, Any] = field(repr=False)
    output_schema: Any = field(default=None, repr=False)
    annotations: Annotations = Annotations()
    title: str | None = field(default=None, repr=False)
    description: str | None = field(default=None, repr=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over name, both schemas and the annotations with their defaults resolved."""
        return digest_of(
            {
                "name": self.name,
                "inputSchema": self.input_schema,
                "outputSchema": self.output_schema,
                "annotations": self.annotations.resolved(),
            }
        )

    @cached_property
    def description_digest(self) -> str:
        """SHA-256 over title and description: they route the model, and change more often than the contract."""
        return digest_of({"title": self.title, "description": self.description})

    @property
    def digests(self) -> tuple[str, str]:
        """Both: equal where nothing at all differs."""
        return self.digest, self.description_digest

    @property
    def parameters(self) -> dict[str, Any]:
        """The top-level properties of the input schema, by name."""
        properties = self.input_schema.get("properties")
        return dict(properties) if isinstance(properties, dict) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """The names the input schema requires at the top level."""
        required = self.input_schema.get("required")
        return tuple(name for name in required if isinstance(name, str)) if isinstance(required, list) else ()


@dataclass(frozen=True, slots=True)
class FlawedTool:
    """A listed tool that is no contract: quarantined alone. ``name`` is None where even that is missing.

    ``conforms``: it has the shape MCP gives a tool all the same; the official SDKs refuse a whole list for one that
    has not.
    """

    name: str | None
    index: int
    flaws: tuple[Flaw, ...]
    conforms: bool = False


def parse_tools(
    listed: Iterable[object], noted: Noted | None = None
) -> tuple[tuple[Contract, ...], tuple[FlawedTool, ...]]:
    """Split what a server listed into contracts and quarantined tools, in the order they came. ``noted`` takes what is
    not as MCP's schema says."""
    contracts: list[Contract] = []
    flawed: list[FlawedTool] = []
    allowance = Allowance()
    for index, raw in enumerate(listed):
        tool = parse_tool(raw, index, allowance)
        if noted is not None and isinstance(raw, dict):
            noted.add(*tool_deviations(raw, tool.name))
        if isinstance(tool, Contract):
            contracts.append(tool)
        else:
            flawed.append(tool)
    return tuple(contracts), tuple(flawed)


def parse_tool(raw: object, index: int = 0, allowance: Allowance | None = None) -> Contract | FlawedTool:
    """Examine one entry of a ``tools/list`` result (MCP's ``Tool``); ``allowance`` is what its list may still cost."""
    if not isinstance(raw, dict):
        return FlawedTool(None, index, (Flaw("invalid-schema", "", "the entry is not an object"),))
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        return FlawedTool(None, index, (Flaw("invalid-schema", "/name", "the tool has no name"),))
    if len(name) > MAX_NAME:
        flaw = Flaw("invalid-schema", "/name", f"the name has {len(name):,} characters")
        return FlawedTool(name[:MAX_NAME], index, (flaw,), _conforms(raw))
    flaws = list(_examine(raw, allowance))
    if flaws:
        return FlawedTool(name, index, tuple(flaws), _conforms(raw))
    return Contract(
        name=name,
        input_schema=raw["inputSchema"],
        output_schema=raw.get("outputSchema"),
        annotations=_annotations(raw.get("annotations")),
        title=_text(raw.get("title")) or _text((raw.get("annotations") or {}).get("title")),
        description=_text(raw.get("description")),
    )


def _examine(raw: dict[str, Any], allowance: Allowance | None) -> Iterable[Flaw]:
    too_much = excess(raw, allowance)
    if too_much:
        yield Flaw("invalid-schema", "", f"the tool is not examined: {too_much}")
        return
    for key, types in (("title", str), ("description", str), ("annotations", dict)):
        if raw.get(key) is not None and not isinstance(raw[key], types):
            yield Flaw("invalid-schema", f"/{key}", f"{key} is not {'text' if types is str else 'an object'}")
    if "inputSchema" not in raw:
        yield Flaw("invalid-schema", "/inputSchema", "the tool has no inputSchema, which MCP requires")
    else:
        yield from check_schema(raw["inputSchema"], "/inputSchema", role="input")
    if raw.get("outputSchema") is not None:
        yield from check_schema(raw["outputSchema"], "/outputSchema", role="output")


def _conforms(raw: dict[str, Any]) -> bool:
    """As far as the SDKs look (MCP's ``Tool``): types at the top, ``type: object`` at the root of the input schema."""
    schema, output = raw.get("inputSchema"), raw.get("outputSchema")
    if not isinstance(schema, dict) or schema.get("type") != "object" or not isinstance(output, dict | None):
        return False
    if not isinstance(schema.get("properties", {}), dict) or not isinstance(schema.get("required", []), list):
        return False
    texts = all(isinstance(raw.get(key), str | None) for key in ("title", "description"))
    return texts and isinstance(raw.get("annotations"), dict | None)


def _annotations(raw: Any) -> Annotations:
    hints = raw if isinstance(raw, dict) else {}
    given = {key: hints[key] for key in _HINTS if isinstance(hints.get(key), bool)}
    return Annotations(**{_HINTS[key]: value for key, value in given.items()}, declared=frozenset(given))


_HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
