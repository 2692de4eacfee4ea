"""From documents to one policy, each value traced to the place it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError, Place
from contractd.policy.models import Policy
from contractd.text import visible


@dataclass(frozen=True)
class Loaded:
    """A policy and the origin of each value, by JSON pointer. What no file says has no origin: it is a default."""

    policy: Policy
    origins: Mapping[str, Place]
    documents: tuple[Document, ...]

    def place(self, *tokens: str | int) -> Place | None:
        """Where the value at these keys was written."""
        return self.origins.get(pointer_join("", *tokens))

    def rows(self) -> list[tuple[str, Any, str]]:
        """(dotted name, value, where it came from) of every setting, defaults included."""
        rows: list[tuple[str, Any, str]] = []
        self._rows(self.policy.model_dump(mode="json"), (), rows)
        return rows

    def _rows(self, value: Any, tokens: tuple[str, ...], rows: list[tuple[str, Any, str]]) -> None:
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                self._rows(inner, (*tokens, key), rows)
            return
        place = self.place(*tokens)
        quoted = [token if token.replace("_", "").replace("-", "").isalnum() else f'"{token}"' for token in tokens]
        rows.append((".".join(quoted), value, str(place) if place else "default"))


def load_policy(documents: list[Document]) -> Loaded:
    """Merge documents, weakest first, and check the result.

    Tables are merged key by key; any other value replaces the weaker one whole. A ``pyproject.toml`` counts with its
    ``[tool.contractd]`` only. Raises ConfigError naming the file, the line and the key.
    """
    merged: dict[str, Any] = {}
    origins: dict[str, Place] = {}
    for document in documents:
        base = "/tool/contractd" if document.path.endswith("pyproject.toml") else ""
        value = document.get(base, {})
        if not isinstance(value, dict):
            raise ConfigError("contractd's settings are not a table", place=document.place(base))
        _Layer(document, base, origins).lay_over(merged, value)
    try:
        policy = Policy.model_validate(merged)
    except ValidationError as error:
        raise _explain(error, origins, documents) from None
    return Loaded(policy, origins, tuple(documents))


def config_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of contractd.toml."""
    schema = Policy.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "contractd.toml"}


@dataclass(frozen=True)
class _Layer:
    """One document laid over the weaker ones."""

    document: Document
    base: str
    origins: dict[str, Place]

    def lay_over(self, into: dict[str, Any], value: dict[str, Any], pointer: str = "") -> None:
        for key, inner in value.items():
            here = pointer_join(pointer, key)
            if isinstance(inner, dict) and isinstance(into.get(key, {}), dict):
                self.lay_over(into.setdefault(key, {}), inner, here)
            else:
                into[key] = inner
                for old in [known for known in self.origins if known.startswith(here + "/")]:
                    del self.origins[old]
            self.origins[here] = self.document.place(self.base + here)


def _explain(error: ValidationError, origins: Mapping[str, Place], documents: list[Document]) -> ConfigError:
    problems = error.errors()
    first = problems[0]
    tokens = [token for token in first["loc"] if token != "[key]"]  # noqa: S105 - pydantic's mark for a bad key
    pointer, place = pointer_join("", *tokens), None
    whole = pointer
    while pointer and place is None:
        place = origins.get(pointer)
        pointer = pointer.rpartition("/")[0]
    document = next((document for document in documents if place and document.path == place.file), None)
    if place and place.pointer is not None and document:  # an array's elements have no origins of their own
        base = place.pointer.removesuffix(next(known for known, there in origins.items() if there == place))
        place = document.place(base + whole)
    name = visible(".".join(map(str, tokens)), 120)
    if first["type"] == "extra_forbidden":
        message = f"{name} is no setting of contractd"
    else:
        said = first["msg"].removeprefix("Value error, ")
        message = f"{name}: {said[:1].lower()}{said[1:]}"
    if len(problems) > 1:
        message += f" (and {len(problems) - 1} more)"
    if place is None and documents:
        place = Place(documents[-1].path)
    return ConfigError(message, place=place, hint="contractd config schema prints what the file may hold")
