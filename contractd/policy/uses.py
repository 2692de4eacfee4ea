"""The uses file: what one agent sends to its tools and reads of their results, as a person or a recording says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contractd.contracts.uses.model import ToolUse, Uses
from contractd.contracts.uses.paths import Path, Tree, parse_path, tree_of
from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError, Place
from contractd.text import visible

VERSION: Final = 1
_HINT = "contractd schema uses prints what the file may hold"

PathText = Annotated[
    str,
    Field(
        min_length=1,
        description="A name, or a JSON pointer in which * stands for every item of an array: to, /options/limit, "
        "/items/*/name. A name that is * is written ~2. One with longer ones beside it stands for these only.",
    ),
]
ToolName = Annotated[
    str, Field(min_length=1, description="A tool's own name, in any provider; or provider.tool, in that one only.")
]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class UsedTool(_Model):
    """What is used of one tool. A list that is not there: not known, so everything counts."""

    sends: list[PathText] | None = Field(None, description="The arguments that are ever sent; [] for none.")
    always: list[PathText] = Field(
        default_factory=list,
        description="Those of them that every call sends; further down: that every object which may hold them does.",
    )
    reads: list[PathText] | None = Field(None, description="The fields of results that are read; [] for none.")


class UsesFile(_Model):
    """The whole file."""

    version: Literal[1] = Field(VERSION, description="The format of this file.")
    complete: bool = Field(False, description="This agent uses no other tool than these.")
    tools: dict[ToolName, UsedTool] = Field(default_factory=dict)


@dataclass(frozen=True)
class LoadedUses:
    """The uses, and the document they were written in."""

    uses: Uses
    document: Document

    def place(self, reference: str) -> Place:
        """Where a tool is written."""
        return self.document.place(pointer_join("/tools", reference))


def load_uses(document: Document) -> LoadedUses:
    """Read a uses file. Raises ConfigError naming the file, the line and the key."""
    value = document.value
    if not isinstance(value, dict):
        raise ConfigError("it is no table, so no uses file", place=document.place(), hint=_HINT)
    version = value.get("version", VERSION)
    if version is not True and isinstance(version, int) and version > VERSION:
        raise ConfigError(
            f"the file says version {version}; this contractd reads {VERSION}",
            place=document.place("/version"),
            hint="use a newer contractd",
        )
    try:
        read = UsesFile.model_validate(value)
    except ValidationError as error:
        raise _explain(error, document) from None
    tools = {name: _use(document, name, tool) for name, tool in read.tools.items()}
    return LoadedUses(Uses(tools, read.complete), document)


def uses_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a uses file."""
    schema = UsesFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "contractd uses file"}


def _use(document: Document, name: str, tool: UsedTool) -> ToolUse:
    at = pointer_join("/tools", name)
    if tool.always and tool.sends is None:
        message = f"tools.{visible(name, 120)}.always: what is always sent needs sends beside it"
        raise ConfigError(message, place=document.place(f"{at}/always"), hint=_HINT)
    sends = None if tool.sends is None else _paths(document, f"{at}/sends", tool.sends)
    for index, path in enumerate(sends or ()):
        if path[0] is None:
            raise _wrong(document, f"{at}/sends", index, "arguments are an object, and * is an item of an array")
    reads = None if tool.reads is None else tree_of(_paths(document, f"{at}/reads", tool.reads))
    return ToolUse(None if sends is None else _sent(document, at, sends, tool.always), reads)


def _sent(document: Document, at: str, sends: list[Path], always: Iterable[str]) -> Tree:
    paths = _paths(document, f"{at}/always", always)
    for index, path in enumerate(paths):
        try:
            tree_of(sends, [path])
        except ValueError as error:
            raise _wrong(document, f"{at}/always", index, str(error)) from None
    return tree_of(sends, paths)


def _paths(document: Document, at: str, texts: Iterable[str]) -> list[Path]:
    found = []
    for index, text in enumerate(texts):
        try:
            found.append(parse_path(text))
        except ValueError as error:
            raise _wrong(document, at, index, str(error)) from None
    return found


def _wrong(document: Document, at: str, index: int, why: str) -> ConfigError:
    pointer = f"{at}/{index}"
    shown = visible(str(document.get(pointer)), 120)
    return ConfigError(f"{shown!r} is no path here: {why}", place=document.place(pointer), hint=_HINT)


def _explain(error: ValidationError, document: Document) -> ConfigError:
    problems = error.errors()
    first = problems[0]
    tokens = [token for token in first["loc"] if token != "[key]"]  # noqa: S105 - pydantic's mark for a bad key
    name = visible(".".join(map(str, tokens)), 200)
    if first["type"] == "extra_forbidden":
        message = f"{name} is no part of a uses file"
    else:
        message = f"{name}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    if len(problems) > 1:
        message += f" (and {len(problems) - 1} more)"
    return ConfigError(message, place=document.place(pointer_join("", *tokens)), hint=_HINT)
