"""Choose the parser, within bounds."""

from __future__ import annotations

from typing import Literal

from contractd.documents.document import Document
from contractd.documents.jsonc import parse_jsonc
from contractd.documents.toml import parse_toml
from contractd.errors import ConfigError, Place

MAX_BYTES = 8 * 1024 * 1024

Format = Literal["json", "toml", "yaml"]


def parse(
    path: str,
    data: bytes,
    format: Format | None = None,  # noqa: A002 - the field's own word
    *,
    limit: int = MAX_BYTES,
) -> Document:
    """Parse the bytes of one file. ``format`` None: by the file's name, else by its first character.

    Raises ConfigError for what can't be read: too large, not UTF-8, not the format.
    """
    if len(data) > limit:
        raise ConfigError(
            f"the file has {len(data):,} bytes; a file of this kind with more than {limit:,} is not read",
            place=Place(path),
        )
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ConfigError(
            "the file is UTF-16, which agent runtimes don't read (older PowerShells write it with >)",
            place=Place(path, 1),
            hint="save it as UTF-8",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("the file is not UTF-8 text", place=Place(path, line)) from None
    chosen = format or _guess(path, text)
    if chosen == "toml":
        return parse_toml(path, text)
    if chosen == "yaml":
        from contractd.documents.yaml import parse_yaml  # noqa: PLC0415 - PyYAML is needed for one runtime only

        return parse_yaml(path, text)
    return parse_jsonc(path, text)


def _guess(path: str, text: str) -> Format:
    name = path.lower()
    if name.endswith(".toml"):
        return "toml"
    if name.endswith((".yaml", ".yml")):
        return "yaml"
    if name.endswith((".json", ".jsonc")):
        return "json"
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "//", "/*")):
        return "json"
    first = next((line for line in start.splitlines() if line.strip() and not line.startswith("#")), "")
    if first.startswith("[") or "=" in first.split("#")[0].split(":")[0]:
        return "toml"
    return "yaml" if ":" in first else "json"
