"""How OpenCode writes its servers, and what it puts into the text of a file before it parses it.

Facts: docs/reference/runtimes.md#opencode (the published 1.18.18, run against a scripted model).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from contractd.documents import pointer_join
from contractd.errors import ConfigError
from contractd.runtimes.base import Context, Source
from contractd.runtimes.shapes import FLAG, POSITIVE_WHOLE, TABLE, TEXT, TEXT_TABLE, TEXTS, Shape
from contractd.runtimes.style import Chosen, Ignored, Lost, Reading, Role, Wrong, unknown_type
from contractd.runtimes.variables import MAX_EXPANDED, OPENCODE, unquoted
from contractd.text import visible

_KEYS: dict[str, Role] = {
    "type": "type", "command": "argv", "environment": "env", "cwd": "cwd", "url": "url", "headers": "headers",
    "oauth": "known", "enabled": "enabled", "timeout": "budget-ms",
}  # fmt: skip
_SLIPS = {
    "args": "command as one array", "env": "environment", "httpUrl": "url", "serverUrl": "url", "transport": "type",
    "includeTools": "tools at the top level", "excludeTools": "tools at the top level",
}  # fmt: skip
_IGNORED = {"disabled": Ignored("the server is started all the same", "write enabled: false")}
_TOP_LEVEL = frozenset(
    ["$schema", "shell", "logLevel", "server", "command", "skills", "references", "reference", "watcher", "snapshot",
     "plugin", "share", "autoshare", "autoupdate", "disabled_providers", "enabled_providers", "model", "small_model",
     "default_agent", "subagent_depth", "username", "mode", "agent", "provider", "mcp", "formatter", "lsp",
     "instructions", "layout", "permission", "tools", "attachment", "enterprise", "tool_output", "compaction",
     "experimental", "theme", "keybinds", "tui"]
)  # fmt: skip
_SHAPES: dict[str, Shape] = {
    "command": TEXTS, "environment": TEXT_TABLE, "enabled": FLAG, "timeout": POSITIVE_WHOLE, "url": TEXT, "cwd": TEXT,
    "headers": TEXT_TABLE,
    "oauth": Shape("false or a table", lambda value: value is False or TABLE.fits(value)),
}  # fmt: skip
_STOPS = "stops over it, whatever the file: exit status 1"
_TEXTS: tuple[Role, ...] = ("command", "args", "env", "cwd", "url", "headers")
_FILE = re.compile(r"\{file:(?P<path>[^}]+)\}")


def reading(context: Context) -> Reading:
    """How it writes its servers."""
    return Reading(
        container=("mcp",),
        keys=_KEYS,
        transport=_transport,
        syntax=dict.fromkeys(_TEXTS, OPENCODE),
        budgets=dict.fromkeys(("stdio", "http", "sse"), 30.0),
        comments=True,
        trailing_commas=True,
        top_level=_TOP_LEVEL,
        file_texts=lambda text, source: _with_files(text, source, context),
        shapes=_SHAPES,
        over_shape=_STOPS,
        whole_file=True,
        slips=_SLIPS,
        ignored=_IGNORED,
    )


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("type")
    if kind == "local":
        return ("stdio", False) if "command" in raw else Wrong("it has no command", "give the program under command")
    if kind == "remote":
        return ("http", True) if "url" in raw else Wrong("it has no url", "give its address under url")
    if kind is None and set(raw) == {"enabled"}:
        return Lost("it is switched on here, and no file says what it is", "give it a type, and a command or a url")
    if kind is None:
        return Wrong("it has no type", 'write "type": "local" or "type": "remote"')
    return unknown_type(kind, '"type": "local" or "remote"')


def file_path(written: str, source: Source, context: Context) -> str:
    """Where a file stands that ``{file:…}`` names: from home, or from the folder of the file that names it."""
    if written.startswith("~/"):
        return posixpath.join(context.home, written[2:])
    folder = posixpath.join(context.cwd, posixpath.dirname(source.document.path))
    return posixpath.normpath(posixpath.join(folder, written))


def files_named(source: Source, context: Context) -> Iterator[tuple[str, str, str]]:
    """(pointer, as it is written, path) of every file that the texts of a source name."""
    for pointer, text in texts_of(source.document.value):
        for match in _FILE.finditer(text):
            yield pointer, match.group(), file_path(match["path"], source, context)


def names_of_files(text: str) -> list[str]:
    """What in a text stands for a file's."""
    return [match.group() for match in _FILE.finditer(text)]


def refuse_broken(source: Source, context: Context) -> None:
    """Raises ConfigError for what OpenCode puts into the text of a file and can't parse, or can't find."""
    for pointer, text in texts_of(source.document.value):
        for match in OPENCODE.pattern.finditer(text):
            if unquoted(context.environ.get(match["name"], "")) is None:
                raise ConfigError(
                    f"the value of {visible(match['name'], 80)} is put into the file's text as it is and can't stand "
                    f"in a JSON string; OpenCode {_STOPS}",
                    place=source.document.place(pointer),
                    hint="escape quotation marks, backslashes and line ends in the value, or take it from a {file:…}",
                )
    for pointer, written, path in files_named(source, context):
        if path not in context.texts:
            raise ConfigError(
                f"{visible(written, 120)} names a file that can't be read; OpenCode {_STOPS}",
                place=source.document.place(pointer),
                hint="create the file, or correct its path",
            )


def texts_of(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """(pointer, text) of every text in plain data. The parser bounds how deep that is."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping | list):
        inner = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, one in inner:
            yield from texts_of(one, pointer_join(pointer, key))


def _with_files(text: str, source: Source, context: Context) -> str:
    room = MAX_EXPANDED - len(text)

    def held(match: re.Match[str]) -> str:
        nonlocal room
        found = context.texts.get(file_path(match["path"], source, context), match.group()).strip()
        room -= len(found)
        return found if room >= 0 else match.group()

    return _FILE.sub(held, text)
