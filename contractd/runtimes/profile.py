"""What one version of an agent runtime brings of its own: the model of ``manifests/builtin/<runtime>/<version>.json``.

The files are data: built-in tools with the conditions under which each appears, what takes one away, and how the
names of MCP tools are made. ``catalogue.py`` finds the file for a version.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Obtained = Literal["captured", "read"]
ActsOn = Literal["filesystem", "shell", "web", "runtime", "user", "desktop", "mcp"]
Target = Literal["builtin", "mcp", "server"]

# Alternatives, each a set of conditions that must all hold; an empty list always holds.
When = list[dict[str, list[str]]]

# How a tool of a list can be malformed, and what one such tool costs; ``malformed.py`` tells the first.
Case = Literal[
    "input-not-object", "input-missing", "input-null", "input-boolean", "input-empty-object", "input-only-$schema",
    "properties-not-object", "name-missing", "name-twice", "dangling-$ref", "remote-$ref", "unknown-type",
    "output-dangling-$ref", "output-not-object",
]  # fmt: skip
Cost = Literal[
    "passed", "type-lost", "parameters-lost", "tool-lost", "first-wins", "last-wins", "server-lost", "start-aborts"
]
Costs = dict[Case, Cost]
Outcome = Literal["refused", "unanswered", "taken"]
Bare = Literal["builtin", "error", "mcp", "undetermined"]


def _no_costs() -> Costs:
    return {}


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Decider(_Data):
    """What decides a condition: a setting (dotted path), an environment variable, another condition, the servers.

    ``flag``, ``command`` and ``model`` are known to whoever starts the program, not from files: ``--condition`` states
    them. In ``map``, ``*`` stands for any other value, and ``on|off`` leaves open which of the two it is.
    """

    setting: str | None = None
    env: str | None = None
    flag: str | None = None
    command: str | None = None
    model: str | None = None
    condition: str | None = None
    mcp: Literal["configured", "connected", "resources"] | None = None
    map: dict[str, str] = Field(default_factory=dict)
    contains: str | None = None
    value: str | None = None
    otherwise: str | None = None
    note: str | None = None


class Condition(_Data):
    """A switch that changes the tool set. ``default`` None: nobody can know from files, so the union is assumed."""

    values: list[str]
    default: str | None = None
    about: str = ""
    flag: str | None = None
    decided_by: list[Decider] = Field(default_factory=list)


class BuiltinTool(_Data):
    """A tool of the runtime itself. ``answers_to``: other names that a call of it may use."""

    name: str
    when: When = Field(default_factory=list)
    deferred: bool | When | None = False
    obtained: Obtained
    effect: Literal["read", "write", "destructive"]
    acts_on: ActsOn
    namespace: str | None = None
    answers_to: list[str] = Field(default_factory=list)
    inside: Any = None
    parameters: dict[str, list[str]] | None = None
    required: list[str] | None = None
    note: str | None = None


class Removal(_Data):
    """A setting, flag, variable or file that takes tools away, lists or renames them, or keeps a server from starting.

    ``value``: the one at which it does so. ``aliases``: other names for a tool in such a list. ``takes``: what an entry
    takes besides the tool it names. ``like``: the setting of which both hold here too. ``over``: the only tools that an
    allow-list is about.
    """

    setting: str | None = None
    flag: str | None = None
    env: str | None = None
    file: str | None = None
    kind: Literal[
        "list-of-names", "list-of-raw-names", "list-of-rules", "list-of-globs", "list-of-names-to-keep",
        "list-of-raw-names-to-keep", "regex-to-keep", "value", "boolean-map", "permission-map", "policy-rules",
        "rename",
    ]  # fmt: skip
    effect: Literal[
        "removed", "others removed", "refused", "not started", "others not started", "listed", "others deferred",
        "renamed",
    ]  # fmt: skip
    applies_to: list[Target] = Field(default_factory=lambda: list[Target](("builtin",)))
    value: bool | str | None = None
    patterns: str = ""
    aliases: dict[str, str] = Field(default_factory=dict)
    takes: dict[str, list[str]] = Field(default_factory=dict)
    like: str | None = None
    over: list[str] = Field(default_factory=list)
    seen: bool
    deprecated: bool = False


class Clash(_Data):
    """Who gets the call. ``bare_name``: what a call of a server's own name meets where a built-in of exactly that name
    is there; ``bare_name_without_builtin``: where none is.
    """

    builtin: Literal["mcp-wins", "builtin-wins", "first-wins-race", "start-aborts", "apart", "undetermined"]
    mcp: Literal["last-wins-race", "first-wins-race", "first-wins", "last-wins", "one-dropped", "apart", "undetermined"]
    bare_name: Bare
    bare_name_without_builtin: Bare
    folding: Literal["none", "lower-case"] | None = None
    about: str | None = None
    note: str | None = None


class VisibilityRule(_Data):
    """How MCP tools are shown where ``when`` holds; a text there is for people and decides nothing."""

    when: When | str
    visible: Literal["yes", "deferred", "no"]
    how: str | None = None
    unless: list[str] = Field(default_factory=list)


class Visibility(BaseModel):
    """Whether the model sees MCP tools: the first of ``rules`` that holds, else ``default``. The rest is for people."""

    model_config = ConfigDict(frozen=True, extra="allow")

    default: Literal["yes", "deferred", "no", "undetermined"]
    rules: list[VisibilityRule] = Field(default_factory=list)


class Mcp(BaseModel):
    """How MCP tools are named and shown; ``naming`` is executed by ``naming.py``.

    ``eras``: those its client speaks, empty where that is not known; ``newest``: the newest protocol version of them.
    ``client``: its library in ``clients.json``, and ``client_differs`` where it does otherwise. ``client_aborts``:
    where what it refuses keeps the whole agent from starting. ``no_tools``: whether a server without any tool, prompt
    or resource counts as failed.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    naming: dict[str, Any]
    visibility: Visibility
    clash: Clash
    eras: tuple[Literal["legacy", "modern"], ...] = ()
    newest: str | None = None
    client: str | None = None
    client_differs: dict[str, Outcome] = Field(default_factory=dict)
    client_aborts: tuple[Literal["one-server", "unanswered"], ...] = ()
    no_tools: Literal["server-failed"] | None = None
    one_bad_tool: str | None = None
    one_bad_tool_cases: Costs | dict[Literal["one-server", "several-servers"], Costs] = Field(default_factory=_no_costs)

    def server_part(self, servers: int) -> str | None:
        """What stands for the server in its tools' names, with this many enabled: the ``key`` of its entry, another
        thing in words, or nothing."""
        form = self.naming.get("form_single_server") if servers == 1 else None
        if "{server}" not in (form or self.naming.get("form", "")) and "{namespace}" not in self.naming.get("form", ""):
            return None
        origin = str((self.naming.get("server") or {}).get("from", ""))
        return "name to announce" if origin.startswith("serverInfo") else "name" if origin == "name" else "key"

    def costs(self, servers: int) -> Costs:
        """What one malformed tool costs, by case, with this many servers enabled; empty where only prose tells."""
        told: Any = self.one_bad_tool_cases
        costs: Costs = told.get("one-server" if servers == 1 else "several-servers", told)
        return costs


class Profile(_Data):
    """One file. ``tools`` None: the built-ins are not known, which is never the same as none."""

    schema_version: Literal[1]
    runtime: str
    version: str | None
    source: dict[str, Any] | None = None
    obtained: dict[str, Any] = Field(default_factory=dict)
    conditions: dict[str, Condition] = Field(default_factory=dict)
    tools: list[BuiltinTool] | None
    removal: list[Removal] = Field(default_factory=list)
    notes: Any = None
    mcp: Mcp

    @model_validator(mode="after")
    def _decides_among_its_values(self) -> Profile:
        for name, condition in self.conditions.items():
            for decider in condition.decided_by:
                said = [*decider.map.values(), *filter(None, (decider.value, decider.otherwise))]
                strange = {value for text in said for value in text.split("|")} - set(condition.values)
                if strange:
                    raise ValueError(f"condition {name} is decided to be {sorted(strange)}")
        return self
