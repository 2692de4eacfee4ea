"""What one version of an agent runtime brings of its own: the model of ``manifests/builtin/<runtime>/<version>.json``.

The files are data: built-in tools with the conditions under which each appears, what takes one away, and how the
names of MCP tools are made. ``catalogue.py`` finds the file for a version.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Obtained = Literal["captured", "read"]
ActsOn = Literal["filesystem", "shell", "web", "runtime", "user", "desktop", "mcp"]

# Alternatives, each a set of conditions that must all hold; an empty list always holds.
When = list[dict[str, list[str]]]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Decider(_Data):
    """What decides a condition: a setting (dotted path), an environment variable, another condition.

    ``flag``, ``command`` and ``model`` are known to whoever starts the program, not from files: ``--condition`` states
    them. In ``map``, ``*`` stands for any other value.
    """

    setting: str | None = None
    env: str | None = None
    flag: str | None = None
    command: str | None = None
    model: str | None = None
    condition: str | None = None
    mcp: str | None = None
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


class Clash(_Data):
    """Who gets the call."""

    builtin: Literal["mcp-wins", "builtin-wins", "first-wins-race", "start-aborts", "apart", "undetermined"]
    mcp: Literal["last-wins-race", "first-wins-race", "first-wins", "last-wins", "one-dropped", "apart", "undetermined"]
    bare_name: Literal["builtin", "error", "mcp", "undetermined"]
    bare_name_folded: Literal["builtin", "error", "mcp", "undetermined"] | None = None
    bare_name_without_builtin: Literal["error", "mcp", "undetermined"] | None = None
    folding: Literal["none", "lower-case"] | None = None
    about: str | None = None
    note: str | None = None


class Mcp(BaseModel):
    """How MCP tools are named and shown; ``naming`` is executed by ``naming.py``."""

    model_config = ConfigDict(frozen=True, extra="allow")

    naming: dict[str, Any]
    visibility: dict[str, Any]
    clash: Clash
    one_bad_tool: Any = None
    one_bad_tool_cases: dict[str, Any] = Field(default_factory=dict)


class Profile(_Data):
    """One file. ``tools`` None: the built-ins are not known, which is never the same as none."""

    schema_version: Literal[1]
    runtime: str
    version: str | None
    source: dict[str, Any] | None = None
    obtained: dict[str, Any] = Field(default_factory=dict)
    conditions: dict[str, Condition] = Field(default_factory=dict)
    tools: list[BuiltinTool] | None
    removal: list[dict[str, Any]] = Field(default_factory=list)
    notes: Any = None
    mcp: Mcp
