"""The small operations that naming rules are made of."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any


def part(text: str, rule: Mapping[str, Any]) -> str:
    """One part of a name, cleaned: every unit outside the allowed class replaced."""
    for step in rule.get("before", ()):
        text = _BEFORE[step](text)
    if rule.get("lower"):
        text = text.lower()
    if rule.get("drop_white_space"):
        text = "".join(char for char in text if not char.isspace())
    allowed = rule.get("allowed")
    if allowed is None:
        return text
    replacement, utf16 = str(rule.get("replacement", "_")), rule.get("unit") == "utf16"
    if rule.get("runs"):
        return re.sub(f"[^{allowed}]+", replacement, text)
    cleaned = _outside(allowed).sub(
        lambda match: replacement * (2 if utf16 and ord(match.group()) > 0xFFFF else 1), text
    )
    return cleaned or str(rule.get("empty", ""))


def _without_hidden(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Co", "Cn"))


_BEFORE: dict[str, Callable[[str], str]] = {
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "drop-hidden": _without_hidden,
}


@lru_cache(maxsize=64)
def _outside(allowed: str) -> re.Pattern[str]:
    return re.compile(f"[^{allowed}]")


def short_hash(rule: Mapping[str, Any], text: str) -> str:
    """The hash that a rule puts behind a changed name: ``digits`` of hex SHA-1, or of base-36 FNV-1a."""
    if rule["algorithm"] == "sha1":
        # SHA-1 because the program uses it: a name, not a protection.
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.sha1(data, usedforsecurity=False).hexdigest()[: rule["digits"]]
    return base36(fnv1a32(utf16_units(text)), rule["digits"])


def hash_unless_plain(rule: Mapping[str, Any], text: str) -> str:
    """As it is where it is plain and short; else cleaned, cut, and ending in a hash of what was written."""
    if len(utf16_units(text)) <= rule["max_length"] and re.fullmatch(rule["must_match"].strip("^$"), text):
        return text
    cleaned = part(text, {**rule["otherwise"], "unit": rule["unit"]})
    suffix = "_" + short_hash(rule["otherwise"]["hash"], text)
    return cleaned[: rule["max_length"] - len(suffix)] + suffix


def utf16_units(text: str) -> list[int]:
    """The UTF-16 code units of ``text``, as JavaScript sees it."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[index : index + 2], "little") for index in range(0, len(data), 2)]


def fnv1a32(steps: Iterable[int]) -> int:
    """The 32-bit FNV-1a hash (Fowler, Noll, Vo); each step is one byte or, as some programs do, one UTF-16 unit."""
    value = 0x811C9DC5
    for step in steps:
        value = ((value ^ step) * 0x01000193) & 0xFFFFFFFF
    return value


def base36(value: int, digits: int) -> str:
    """``value`` in base 36, padded with zeros on the left."""
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while value:
        value, digit = divmod(value, 36)
        text = alphabet[digit] + text
    return text.rjust(digits, "0")
