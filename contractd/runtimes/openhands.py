"""OpenHands CLI. Facts: docs/reference/runtimes.md#openhands (the published 1.16.0, run against a scripted model)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from contractd.documents import Document
from contractd.runtimes.base import Context, Entry, Fix, Location, Settings, Setup, Source
from contractd.runtimes.profile import Profile
from contractd.runtimes.reading import Chosen, EntryReader, Reading, Role
from contractd.runtimes.runtime import Runtime
from contractd.runtimes.shapes import TEXT, TEXTS, Shape
from contractd.runtimes.style import NO_COMMAND, NO_TARGET, Ignored, Wrong, is_called, is_file, unknown_type
from contractd.runtimes.variables import BRACES_DEFAULT
from contractd.text import visible

_KEYS: dict[str, Role] = {
    "transport": "type", "command": "command", "args": "args", "env": "env", "cwd": "cwd", "url": "url",
    "headers": "headers", "enabled": "enabled", "auth": "bearer", "type": "known", "timeout": "known",
    "keep_alive": "known", "sse_read_timeout": "known", "description": "known", "icon": "known",
    "authentication": "known", "tools": "known", "include_tags": "known", "exclude_tags": "known",
}  # fmt: skip
_SLIPS = {"httpUrl": "url with transport http", "serverUrl": "url", "environment": "env"}
_SHOWN = Ignored("the server's tools are all there", 'write "tools": {"NAME": {"enabled": false}}')
_IGNORED = {
    "disabled": Ignored("the server is started all the same", "write enabled: false"),
    "includeTools": _SHOWN,
    "excludeTools": _SHOWN,
}
_SHAPES: dict[str, Shape] = {"command": TEXT, "args": TEXTS, "url": TEXT}
_STOPS = "stops over it: exit status 1, and no server of the file is there"
_TEXTS: tuple[Role, ...] = ("command", "args", "env", "cwd", "url", "headers")
# What a stdio server gets of the environment: the official SDK's default list.
_INHERITED = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
_TOGETHER = 30.0  # seconds for all servers, one after the other
_AGENT = "agent_settings.json"
_SSE = re.compile(r"/sse(?:[/?&]|$)")
# Built-ins that filter_tools_regex is not asked about, and the classes that include_default_tools knows.
_UNFILTERED = frozenset({"finish", "think", "invoke_skill"})
_DEFAULT_TOOLS = {"finish": "FinishTool", "think": "ThinkTool"}
_SERVERS = "(servers)"


def _transport(raw: Mapping[str, Any]) -> Chosen:
    kind = raw.get("transport")
    if kind == "stdio" or (kind is None and "command" in raw):
        return ("stdio", False) if "command" in raw else NO_COMMAND
    if kind not in (None, "http", "streamable-http", "sse"):
        return unknown_type(kind, '"transport": "stdio", "http", "streamable-http" or "sse"')
    if "url" not in raw:
        return NO_TARGET if kind is None else Wrong("it has no url", "give its address under url")
    # fastmcp, which it is built on, takes a URL with /sse in its path for HTTP+SSE.
    implied = kind is None and isinstance(raw["url"], str) and _SSE.search(raw["url"])
    return ("sse", False) if kind == "sse" or implied else ("http", False)


class OpenHands(Runtime):
    name = "openhands"
    title = "OpenHands"
    program = "openhands"
    file_name = "mcp.json"
    budget_for_all = _TOGETHER
    # It imports for 8 to 13 s before it prints.
    version_patience = 30.0
    version_environ = MappingProxyType({"OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"})

    def reading(self, context: Context) -> Reading:
        return Reading(
            container=("mcpServers",),
            keys=_KEYS,
            transport=_transport,
            syntax=dict.fromkeys(_TEXTS, BRACES_DEFAULT),
            budgets=dict.fromkeys(("stdio", "http", "sse"), _TOGETHER),
            inherit=_INHERITED,
            comments=False,
            trailing_commas=False,
            bom=False,
            over_syntax="OpenHands stops with exit status 1, some ten seconds after its start",
            shapes=_SHAPES,
            over_shape=_STOPS,
            whole_file=True,
            slips=_SLIPS,
            ignored=_IGNORED,
        )

    # ---- files

    def locations(self, context: Context) -> list[Location]:
        folder = _own_folder(context)
        return [
            Location(posixpath.join(folder, _AGENT), "user", servers=False),
            Location(posixpath.join(folder, "mcp.json"), "user"),
        ]

    def companions(self, path: str, context: Context) -> list[Location]:
        """The agent's settings filter tools, whichever file the servers stand in."""
        return [location for location in self.locations(context) if not location.servers and location.path != path]

    def signs(self, document: Document) -> Iterator[tuple[int, str]]:
        if is_file(document, ".openhands/mcp.json"):
            yield 10, "it is .openhands/mcp.json"
        if "openhands" in posixpath.basename(document.path).lower():
            yield 5, "the file name says openhands"
        servers = document.get("/mcpServers")
        if isinstance(servers, Mapping) and any(
            isinstance(raw, Mapping) and raw.get("transport") in ("stdio", "http", "sse") for raw in servers.values()
        ):
            yield 4, 'its entries have a "transport"'
        if is_called(document, "mcp.json"):
            yield 2, "the file is called mcp.json"

    def containers(self, source: Source, context: Context) -> list[str]:
        """Under mcpServers; without that key the servers may stand at the top."""
        value = source.document.value
        bare = isinstance(value, Mapping) and "mcpServers" not in value
        if bare and any(isinstance(raw, Mapping) and {"command", "url"} & set(raw) for raw in value.values()):
            return [""]
        return super().containers(source, context)

    def settings_of(self, sources: Sequence[Source], context: Context) -> Settings:
        """The agent's; what stands beside the servers is no setting."""
        return super().settings_of([source for source in sources if not source.servers], context)

    def entries(self, reader: EntryReader, pointer: str, table: Any) -> Iterator[Entry]:
        """auth is a bearer token, but for the word oauth: OpenHands signs in then."""
        if isinstance(table, Mapping):
            table = {name: _without_oauth(raw) for name, raw in table.items()}
        yield from super().entries(reader, pointer, table)

    def read(self, sources: list[Source], context: Context) -> Setup:
        """Its names, and so its filter, depend on how many servers are enabled."""
        setup = super().read(sources, context)
        enabled = sum(entry.disabled is None for entry in setup.entries)
        return replace(setup, settings=Settings({**setup.settings.value, _SERVERS: enabled}, setup.settings.sources))

    # ---- tools

    def own_name(self, entry: Entry, tool: str) -> str:
        name = _transform(entry, tool).get("name")
        return name if isinstance(name, str) and name else tool

    def excludes(self, entry: Entry, tool: str, settings: Settings) -> str | None:
        if _transform(entry, tool).get("enabled") is False:
            return f"tools.{visible(tool, 60)}.enabled is false"
        name = self.own_name(entry, tool)
        several = settings.get(_SERVERS, 1) > 1
        if not _kept(f"{entry.name}_{name}" if several else name, settings):
            return "filter_tools_regex does not match its name"
        return super().excludes(entry, tool, settings)

    def removes_builtin(self, name: str, profile: Profile, settings: Settings) -> str | None:
        if name not in _UNFILTERED and not _kept(name, settings):
            return "filter_tools_regex"
        kept = settings.get("include_default_tools")
        if name in _DEFAULT_TOOLS and isinstance(kept, list) and _DEFAULT_TOOLS[name] not in kept:
            return "include_default_tools"
        return None

    def exclude(self, entry: Entry, tools: list[str]) -> Fix | None:
        hidden = json.dumps({tool: {"enabled": False} for tool in tools})
        return Fix(f"the entry of {visible(entry.name, 60)}", f'"tools": {hidden}')

    def rename(self, entry: Entry, tool: str) -> Fix | None:
        named = json.dumps({tool: {"name": f"{entry.name}_{tool}"}})
        return Fix(f"the entry of {visible(entry.name, 60)}", f'"tools": {named}')

    def pass_variables(self, entry: Entry, names: list[str]) -> Fix | None:
        pairs = {name: "${" + name + "}" for name in names}
        return Fix(f"the entry of {visible(entry.name, 60)}", f'"env": {json.dumps(pairs)}')

    # ---- starting

    def fatal(self, entry: Entry, others: int, *, timed_out: bool) -> str | None:
        if timed_out:
            return "a server that never answers aborts the whole agent after 30 s; no model is asked, exit status 0"
        if others == 0:
            return "with its only server down the agent aborts or hangs; no model is asked, exit status 0"
        return None


def _own_folder(context: Context) -> str:
    return context.environ.get("OPENHANDS_PERSISTENCE_DIR") or posixpath.join(context.home, ".openhands")


def _without_oauth(raw: Any) -> Any:
    if isinstance(raw, Mapping) and raw.get("auth") == "oauth":
        return {key: value for key, value in raw.items() if key != "auth"}
    return raw


def _transform(entry: Entry, tool: str) -> Mapping[str, Any]:
    """What the entry's own ``tools`` says of a tool."""
    tools = entry.raw.get("tools")
    found = tools.get(tool) if isinstance(tools, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _kept(name: str, settings: Settings) -> bool:
    """Whether filter_tools_regex keeps a tool: a pattern of the user's own, matched from the start of the name."""
    pattern = settings.get("filter_tools_regex")
    if not isinstance(pattern, str):
        return True
    try:
        return re.match(pattern, name[:256]) is not None
    except re.error:
        return True
