"""What must not be shown of a configuration's own lines: the values of headers, tokens, passwords.

A source line is there to show where something stands; the secret beside it would go into a CI log. What looks like a
secret is masked, at the price of now and then masking what is none: more is masked here than ``runtimes.secrets``
reports. References such as ``${TOKEN}`` stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from contractd.documents import Document
from contractd.runtimes.secrets import is_secret

MASK = "***"

_SECRET_NAME = re.compile(
    r"token|secret|passw|passphrase|pwd|credential|authori[sz]ation|bearer|cookie|signature"
    r"|(?:api|access|private|auth|account|client)[_-]?key|^-*key$",
    re.IGNORECASE,
)
_ENVIRONMENTS = frozenset({"env", "envs", "environment"})
_HEADERS = frozenset({"headers", "http_headers", "httpheaders"})
_VARIABLES = "env_http_headers"  # Codex: each of its values is a variable's name
_GROUPS = _ENVIRONMENTS | _HEADERS | {_VARIABLES}
_NAMES_SOMETHING = re.compile(r"_(?:env|env_var|var|file|path|dir|name|id|type)$", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:(?i:bearer|basic|token)\s+)?(?:\$\{(?:env:|input:)?\w+\}|\$[A-Z_][A-Z0-9_]*|\{(?:env|file):[^{}]*\}|%\w+%)"
)
_HARMLESS = re.compile(r"[A-Za-z_ ./:~,@-]*|[0-9]{1,6}|[0-9.:]{1,15}")  # an environment's paths, words, ports
# A long word of letters and digits, the known beginnings, and what a URL carries.
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*[0-9])(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{24,}"
    r"|(?<![A-Za-z0-9])(?:sk-|pk-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|eyJ)[A-Za-z0-9_.-]{8,}"
    r"|(?<=://)[^/@\s\"']+(?=@)"
    r"|(?<=[?&])[^=&\s\"'#]+=[^&\s\"'#]+"
    r"|(?<=[Bb]earer )[^\s\"'$]{8,}"
)
_SHORTEST = 4


class Masker:
    """The secrets of one document, looked for once."""

    def __init__(self, document: Document) -> None:
        found = {text for value in _secrets(document.value, "", "") for text in _spellings(value)}
        longest_first = sorted(found, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def spans(self, line: str, also: str | None = None) -> list[tuple[int, int]]:
        """The parts of ``line`` to mask, ``also`` among them; in order, none overlapping another."""
        hits = [match.span() for text in _spellings(also or "") for match in re.finditer(re.escape(text), line)]
        hits += [match.span() for match in _TOKEN.finditer(line)]
        if self._known:
            hits += [match.span() for match in self._known.finditer(line)]
        merged: list[tuple[int, int]] = []
        for start, end in sorted(hits):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


def _secrets(value: Any, key: str, within: str, depth: int = 0) -> Iterator[str]:
    """Every string under ``key`` that may be a secret. ``within``: the nearest environment or headers above it."""
    if isinstance(value, str):
        if _is_secret(value, key, within):
            yield value
    elif isinstance(value, dict) and depth < 50:
        for name, inner in value.items():
            group = name.lower() if name.lower() in _GROUPS else within
            yield from _secrets(inner, name, group, depth + 1)
    elif isinstance(value, list) and depth < 50:
        before = key
        for inner in value:
            yield from _secrets(inner, before, within, depth + 1)
            if isinstance(inner, str):
                yield from _after_equals(inner)
                # "--token" says what the next element is.
                before = inner if inner.startswith("-") and "=" not in inner else ""


def _is_secret(value: str, key: str, within: str) -> bool:
    if within == _VARIABLES or _REFERENCE.fullmatch(value.strip()):
        return False
    if (within not in _ENVIRONMENTS | _HEADERS) and _NAMES_SOMETHING.search(key):
        return False  # bearer_token_env_var names a variable; the same name within an environment may hold anything
    if _SECRET_NAME.search(key) or within in _HEADERS:
        return True
    if "://" not in value and is_secret(key, value):  # of a URL only the secret part is masked, by _TOKEN
        return True
    return within in _ENVIRONMENTS and not _HARMLESS.fullmatch(value)


def _after_equals(argument: str) -> Iterator[str]:
    name, equals, value = argument.partition("=")
    if equals and _SECRET_NAME.search(name) and not _REFERENCE.fullmatch(value):
        yield value


def _spellings(value: str) -> Iterator[str]:
    """As it may stand in the file: plain, in JSON's escapes, and line by line."""
    for text in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
        yield from (line.strip() for line in text.splitlines() if len(line.strip()) >= _SHORTEST)
