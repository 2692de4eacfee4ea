"""YAML with a mark for every key and value, as plain JSON data.

PyYAML composes the nodes, which carry positions; the values are read from the nodes under YAML 1.2's core schema
(only ``true`` and ``false`` are booleans), which is what the programs that own these files use.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from contractd.documents.document import Document, Mark, Quirk, pointer_join
from contractd.errors import ConfigError, Place

MAX_NODES = 100_000
MAX_DEPTH = 64
MAX_TEXT = 1024 * 1024  # PyYAML reads some 100 kB a second

_INT = re.compile(r"[-+]?[0-9]{1,400}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def parse_yaml(path: str, text: str) -> Document:
    """Parse ``text``. Raises ConfigError with line and column; aliases are followed within bounds."""
    if len(text) > MAX_TEXT:
        message = f"the YAML has {len(text):,} characters; more than {MAX_TEXT:,} are not read"
        raise ConfigError(message, place=Place(path))
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path)
        raise ConfigError(f"not valid YAML: {error.problem or error.context}", place=place) from None
    except Exception as error:  # PyYAML lets ValueError and others out of its scanner
        raise ConfigError(f"not valid YAML: {type(error).__name__}", place=Place(path)) from None
    reader = _Reader(path)
    value = reader.read(node, "", 0) if node is not None else {}
    return Document(path, text, "yaml", value, reader.values, reader.keys, tuple(reader.quirks))


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.count = 0
        self.values: dict[str, Mark] = {}
        self.keys: dict[str, Mark] = {}
        self.quirks: list[Quirk] = []

    def read(self, node: yaml.Node, pointer: str, depth: int) -> Any:
        self.count += 1
        if depth > MAX_DEPTH or self.count > MAX_NODES:
            raise ConfigError("the YAML is nested too deeply or expands to too much", place=self.place(node))
        self.values[pointer] = _mark(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(inner, pointer_join(pointer, index), depth + 1) for index, inner in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, pointer, depth)
        return _scalar(node)

    def mapping(self, node: yaml.MappingNode, pointer: str, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError("a key must be plain text", place=self.place(key_node))
            key = str(key_node.value)
            inner = pointer_join(pointer, key)
            if key in result:
                self.quirks.append(Quirk("duplicate-key", _mark(key_node), key, inner))
            self.keys[inner] = _mark(key_node)
            result[key] = self.read(value_node, inner, depth + 1)
        return result

    def place(self, node: yaml.Node) -> Place:
        mark = _mark(node)
        return Place(self.path, mark.line, mark.column)


def _mark(node: yaml.Node) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if getattr(node, "style", None) is not None:  # quoted or block text is text, whatever it looks like
        return text
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
