"""The models of ``contractd.toml``, format version 1. Unknown keys are errors: a slip must not pass for a rule."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Severity = Literal["info", "low", "medium", "high"]
FailOn = Literal["info", "low", "medium", "high", "never"]
RuleWord = Annotated[str, Field(min_length=1, description="A rule's id or name: CTD301, builtin-shadowing.")]
RuleWords = Annotated[str, Field(min_length=1, description="The same, or a family: CTD3.")]
Reference = Annotated[str, Field(pattern=r"^[^.]+\..+$", description="provider.tool, split at the first dot.")]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class ProviderPolicy(_Model):
    """A provider that contractd itself is to reach. Exactly one of command, url, manifest_url and manifest."""

    command: list[str] | None = Field(None, min_length=1, description="Program and arguments of a stdio MCP server.")
    url: str | None = Field(None, description="URL of a remote MCP server.")
    manifest_url: str | None = Field(None, description="URL that answers with a manifest in contractd's format.")
    manifest: str | None = Field(None, description="File with a manifest in contractd's format.")
    transport: Literal["http", "sse"] = Field("http", description="For url: streamable HTTP or the legacy HTTP+SSE.")
    env: dict[str, str] = Field(default_factory=dict, description="Variables the server gets; ${NAME} is expanded.")
    inherit_env: bool | list[str] = Field(True, description="All of contractd's environment, none, or these names.")
    cwd: str | None = Field(None, description="Working directory, relative to this file.")
    headers: dict[str, str] = Field(default_factory=dict, description="HTTP headers; ${NAME} is expanded.")
    timeout: float = Field(30.0, gt=0, le=600, description="Seconds from start to the last page of its list.")
    enabled: bool = True
    include: list[str] | None = Field(None, description="Only these tools.")
    exclude: list[str] = Field(default_factory=list, description="All but these tools.")

    @model_validator(mode="after")
    def _one_target(self) -> ProviderPolicy:
        targets = [self.command, self.url, self.manifest_url, self.manifest]
        if sum(target is not None for target in targets) != 1:
            raise ValueError("give exactly one of command, url, manifest_url and manifest")
        return self


class ToolPolicy(_Model):
    """What is declared about one tool."""

    effect: Literal["read", "write", "destructive"] | None = Field(None, description="What a call does to the world.")
    overrides_builtin: bool = Field(False, description="It is meant to stand in for the built-in of its name.")
    rename: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="The name contractd itself exposes it under; an agent runtime's own names are not changed by it.",
    )


class Suppression(_Model):
    """A finding that is accepted, and why."""

    rule: RuleWord
    provider: str | None = None
    tool: str | None = Field(None, description="The tool's own name, or provider.tool.")
    reason: str = Field(min_length=3, description="For whoever reads this next.")


class Preflight(_Model):
    """Defaults of ``contractd preflight``; a command line option beats them."""

    fail_on: FailOn = Field("medium", description="The least severity that makes the verdict not_ready.")
    expect: list[Reference] = Field(default_factory=list, description="Tools this session must have.")
    allow_undetermined: list[RuleWords] = Field(default_factory=list, description="Undetermined findings you accept.")
    select: list[RuleWords] = Field(default_factory=list, description="Report only these rules.")
    ignore: list[RuleWords] = Field(default_factory=list, description="Don't report these rules.")
    conditions: dict[str, str] = Field(default_factory=dict, description="What is known of the run, e.g. mode.")


class Consent(_Model):
    """What may be started or contacted without asking."""

    allow: list[Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]] = Field(
        default_factory=list, description="Digests as contractd preflight prints them."
    )


class Locking(_Model):
    """contracts.lock: where it is, and what becomes part of it without being named."""

    file: str | None = Field(
        None, min_length=1, description="The lock, relative to this file; with it, preflight always compares."
    )
    accept: list[RuleWord] = Field(
        default_factory=list,
        description="Differences that contractd lock accepts by itself: compatible-drift, description-drift, "
        "annotation-drift, tool-not-locked; never one that breaks calls or makes them riskier.",
    )


class Policy(_Model):
    """The whole file."""

    version: Literal[1] = Field(1, description="The format of this file.")
    runtime: str | None = Field(None, description="The agent runtime meant, NAME or NAME@VERSION.")
    preflight: Preflight = Field(default_factory=Preflight)
    consent: Consent = Field(default_factory=Consent)
    providers: dict[str, ProviderPolicy] = Field(default_factory=dict)
    tools: dict[Reference, ToolPolicy] = Field(default_factory=dict)
    suppress: list[Suppression] = Field(default_factory=list)
    lock: Locking = Field(default_factory=Locking)
