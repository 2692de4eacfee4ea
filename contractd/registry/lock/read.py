"""A lock read from its text, and refused where it is not what was written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from contractd.contracts import Contract, parse_tool
from contractd.contracts.bounds import Allowance
from contractd.documents import Document, pointer_join
from contractd.errors import ConfigError
from contractd.registry.lock.model import FORMAT, Lock, LockedProvider, LockedTool
from contractd.text import visible

LOCK_FILE = "contracts.lock"
MAX_LOCK_BYTES = 64 * 1024 * 1024

_FORMAT = re.compile(r"([0-9]{1,6})\.([0-9]{1,6})")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{5,20}(?:Z|[+-][0-9]{2}:[0-9]{2})")
_ID = re.compile(r"[a-z0-9_-]{1,1000}")
_TOP = frozenset({"format", "provider", "tool"})
_REMEDY = "write the block anew: contractd lock, as before, with --upgrade {}"


def is_lock(document: Document) -> bool:
    """Whether a document is a lock, of whatever version."""
    value = document.value
    return document.format == "toml" and isinstance(value, dict) and "format" in value and _TOP.issuperset(value)


def parse_lock(document: Document, anew: frozenset[str] = frozenset()) -> Lock:
    """Read a lock. Raises ConfigError, with the line, for another major version, for what is no lock, and for a
    contract that is not the one its digest says; but passes over such a block if it, or its provider, is in ``anew``.
    """
    value = document.value
    if not isinstance(value, dict) or not isinstance(value.get("format"), str):
        raise ConfigError(
            'it has no "format", so it is no lock', place=document.place(), hint="contractd lock writes one"
        )
    match = _FORMAT.fullmatch(value["format"])
    if not match or int(match[1]) != FORMAT[0]:
        raise ConfigError(
            f"the lock has format {visible(value['format'], 40)}; this contractd reads {FORMAT[0]}.x",
            place=document.place("/format"),
            hint="use the version of contractd that wrote it, or a newer one",
        )
    if int(match[2]) <= FORMAT[1]:
        _only(document, value, "", _TOP)
    reader = _Reader(document, _table(document, value, "provider"), _table(document, value, "tool"), anew)
    return reader.lock()


class _Reader:
    def __init__(
        self, document: Document, providers: Mapping[str, Any], tools: Mapping[str, Any], anew: frozenset[str]
    ) -> None:
        self._anew = anew
        self._document = document
        self._providers = providers
        self._tools = tools
        self._allowances: dict[str, Allowance] = {}

    def lock(self) -> Lock:
        tools: dict[str, dict[str, LockedTool]] = {provider: {} for provider in self._providers}
        for reference, block in self._tools.items():
            provider, dot, name = reference.partition(".")
            if not dot or provider not in tools:
                why = f"has no [provider.{visible(provider, 80)}]" if dot else "is not provider.tool"
                raise self._wrong(f"[tool.{visible(reference, 120)!r}] {why}", "tool", reference)
            try:
                tools[provider][name] = self._tool(reference, provider, name, block)
            except ConfigError:
                if self._anew.isdisjoint((reference, provider)):
                    raise
        return Lock({name: self._provider(name, block, tools[name]) for name, block in self._providers.items()})

    def _provider(self, name: str, block: Any, tools: Mapping[str, LockedTool]) -> LockedProvider:
        if not _ID.fullmatch(name) or not isinstance(block, dict):
            raise self._wrong(f"{visible(name, 80)} is no provider", "provider", name)
        doubts = block.get("doubts", [])
        if not isinstance(doubts, list) or not all(isinstance(doubt, str) for doubt in doubts):
            raise self._wrong("doubts is no list of texts", "provider", name, "doubts")
        texts = {key: block.get(key) for key in ("from", "transport", "protocol", "announced", "launch")}
        for key, text in texts.items():
            if not isinstance(text, str) and (text is not None or key in ("from", "transport")):
                raise self._wrong(f"{key} of {visible(name, 80)} is no text", "provider", name, key)
        return LockedProvider(
            name,
            str(texts["from"]),
            str(texts["transport"]),
            texts["protocol"],
            tools,
            tuple(doubts),
            texts["announced"],
            texts["launch"],
            self._document.place(pointer_join("/provider", name)),
        )

    def _tool(self, reference: str, provider: str, name: str, block: Any) -> LockedTool:
        shown = visible(reference, 120)
        again = _REMEDY.format(shown)
        keys = ("digest", "description", "accepted", "contract")
        if not isinstance(block, dict) or any(not isinstance(block.get(key), str) for key in keys):
            raise self._wrong(f"the block of {shown} lacks one of {', '.join(keys)}", "tool", reference, hint=again)
        contract = self._contract(reference, provider, block["contract"])
        if name != contract.name:
            raise self._wrong(f"the contract in {shown} is of another name", "tool", reference, hint=again)
        for key, digest in (("digest", contract.digest), ("description", contract.description_digest)):
            if block[key] != digest:
                raise self._wrong(
                    f"the contract of {shown} is not the one that was accepted: its {key} is another",
                    "tool", reference, key, hint=f"it was edited, or merged by hand; {again}",
                )  # fmt: skip
        if not _is_time(block["accepted"]):
            raise self._wrong(f"accepted of {shown} is no time", "tool", reference, "accepted", hint=again)
        place = self._document.place(pointer_join("/tool", reference))
        return LockedTool(contract, _utc(block["accepted"]), place)

    def _contract(self, reference: str, provider: str, text: str) -> Contract:
        shown = visible(reference, 120)
        try:
            raw = json.loads(text)
        except (ValueError, RecursionError):
            raise self._wrong(
                f"the contract of {shown} is not JSON", "tool", reference, "contract", hint=_REMEDY.format(shown)
            ) from None
        tool = parse_tool(raw, allowance=self._allowances.setdefault(provider, Allowance()))
        if not isinstance(tool, Contract):
            message = f"the contract of {shown} is not valid: {tool.flaws[0].message}"
            raise self._wrong(message, "tool", reference, "contract", hint=_REMEDY.format(shown))
        return tool

    def _wrong(self, message: str, *tokens: str, hint: str | None = None) -> ConfigError:
        return ConfigError(message, place=self._document.place(pointer_join("", *tokens)), hint=hint)


def _table(document: Document, value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = value.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{key} is no table", place=document.place(f"/{key}"))
    return table


def _only(document: Document, value: Mapping[str, Any], base: str, known: frozenset[str]) -> None:
    for key in value:
        if key not in known:
            place = document.place(pointer_join(base, key))
            raise ConfigError(f"{visible(key, 80)} is no part of a lock", place=place)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return _TIME.fullmatch(text) is not None


def _utc(text: str) -> str:
    """As it is written: TOML's own parser gives it with a blank and an offset."""
    return text.replace(" ", "T").replace("+00:00", "Z")
