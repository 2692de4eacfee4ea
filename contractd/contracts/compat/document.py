"""One schema document: its identifiers and anchors, and where a reference leads inside it. Nothing is fetched.

Base URIs and anchors: core 8.2 (2019-09, 2020-12), draft-07 core 8.2, draft-04 core 7.2. A reference is resolved
against the nearest identifier above it, then looked up among what the document itself defines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin

from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from contractd.contracts.compat.dialects import Dialect, dialect_for
from contractd.contracts.references import at_pointer

Schema = dict[str, Any]

ONE: Final = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
LISTED: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
NAMED: Final = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")


class Undecided(Exception):  # noqa: N818 - the name says what is the case
    """The schema has something that is not modelled; the message says what."""


class Document:
    """A root schema with its dialect. ``identified``: are there identifiers below the root."""

    def __init__(self, root: Any, dialect: Dialect) -> None:
        self.root = root
        self.dialect = dialect
        self.bases: dict[int, str] = {}
        self.resources: dict[str, Any] = {"": root}
        self.anchors: dict[tuple[str, str], Schema] = {}
        self.dynamic: dict[str, int] = {}
        self.recursive = 0
        self._crawl(root)

    @property
    def identified(self) -> bool:
        return len({id(resource) for resource in self.resources.values()}) > 1

    def _crawl(self, root: Any) -> None:
        stack: list[tuple[Any, str, bool]] = [(root, "", True)]
        while stack:
            node, base, top = stack.pop()
            if not isinstance(node, dict) or id(node) in self.bases:
                continue
            lone = self.dialect.lone_reference and isinstance(node.get("$ref"), str)
            if not lone:
                base = self._identify(node, base)
                if not top and isinstance(node.get("$schema"), str) and dialect_for(node["$schema"]) != self.dialect:
                    raise Undecided("a part of the schema names a dialect of its own")
            self.bases[id(node)] = base
            stack += [(inner, base, False) for inner in subschemas(node)]

    def _identify(self, node: Schema, base: str) -> str:
        name = node.get(self.dialect.identifier)
        if isinstance(name, str):
            try:
                whole, fragment = urldefrag(name)
                base = urljoin(base, whole) if whole else base
            except ValueError:
                raise Undecided("an identifier can't be read") from None
            if whole and self.resources.setdefault(base, node) is not node:
                raise Undecided("two parts of the schema have one identifier")
            if fragment and self.dialect.lone_reference:  # an identifier that is only a fragment is an anchor
                self._anchor(base, fragment, node)
        for keyword in ("$anchor", "$dynamicAnchor"):
            anchor = node.get(keyword)
            if isinstance(anchor, str) and self.dialect.knows(keyword):
                self._anchor(base, anchor, node)
                if keyword == "$dynamicAnchor":
                    self.dynamic[anchor] = self.dynamic.get(anchor, 0) + 1
        if node.get("$recursiveAnchor") is True and self.dialect.knows("$recursiveAnchor"):
            self.recursive += 1
        return base

    def _anchor(self, base: str, name: str, node: Schema) -> None:
        if self.anchors.setdefault((base, name), node) is not node:
            raise Undecided("two parts of the schema have one anchor")

    def base_of(self, node: Any) -> str:
        return self.bases.get(id(node), "")

    def resolve(self, reference: str, base: str) -> tuple[Any, str]:
        """The schema a reference leads to and the base URI there. Raises Undecided where it leads outside."""
        try:
            whole, fragment = urldefrag(reference)
            resource = urljoin(base, whole) if whole else base
        except ValueError:
            raise Undecided("a reference can't be read") from None
        if resource not in self.resources:
            self._known(resource)
        if resource not in self.resources:
            raise Undecided("a reference leads outside the schema; contractd never fetches one")
        root = self.resources[resource]
        fragment = unquote(fragment)
        if not fragment:
            target: Any = root
        elif fragment.startswith("/"):
            target = at_pointer(root, fragment)
        else:
            target = self.anchors.get((resource, fragment))
        if not isinstance(target, dict | bool):
            raise Undecided("a reference leads to nothing in the schema")
        if isinstance(target, dict) and id(target) not in self.bases:  # a place no keyword leads to, such as "#/x/y"
            self.bases[id(target)] = resource
            for inner in subschemas(target):
                self._adopt(inner, resource)
        return target, self.base_of(target) or resource

    def _known(self, resource: str) -> None:
        """The dialect's own metaschema is at hand: both validators carry it. Later ones depend on the way to them."""
        if resource == self.dialect.uri and self.dialect.lone_reference:
            self._crawl(REGISTRY.contents(resource + "#"))

    def _adopt(self, node: Any, base: str) -> None:
        stack = [node]
        while stack:
            inner = stack.pop()
            if isinstance(inner, dict) and id(inner) not in self.bases:
                if any(isinstance(inner.get(key), str) for key in (self.dialect.identifier, "$anchor")):
                    raise Undecided("an identifier stands where no keyword leads")
                self.bases[id(inner)] = base
                stack += subschemas(inner)


def subschemas(node: Schema) -> Iterator[Any]:
    """What stands below as a schema, by the keywords of any dialect."""
    for keyword in ONE:
        if keyword in node:
            yield node[keyword]
    for keyword in LISTED:
        if isinstance(node.get(keyword), list):
            yield from node[keyword]
    for keyword in NAMED:
        if isinstance(node.get(keyword), dict):
            yield from node[keyword].values()
