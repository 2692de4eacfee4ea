"""A configuration's text, the tools each server lists, and what preflight makes of them. Nothing is started."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from contractd.carriers import Evidence
from contractd.contracts.manifest import build_manifest
from contractd.errors import Failure
from contractd.preflight.engine import assess
from contractd.preflight.model import Finding, Report
from contractd.preflight.prepare import Prepared, prepare
from contractd.preflight.request import Request
from contractd.providers.base import Fetched, ProviderSpec
from contractd.registry import Row

MARK = "⟦"  # in a configuration's text: what stands after it is where a finding must point

Tools = Sequence[Any]
Listing = Tools | Callable[[ProviderSpec], Row]


def tool(name: str, *required: str, optional: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """A tool as a server lists it, with text parameters."""
    properties = {parameter: {"type": "string"} for parameter in (*required, *optional)}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": f"does {name}", "inputSchema": schema, **more}


def hints(**annotations: bool) -> dict[str, Any]:
    """MCP annotations: ``hints(readOnlyHint=True)``."""
    return {"annotations": annotations}


def ready(tools: Tools, **more: Any) -> Callable[[ProviderSpec], Row]:
    """A row of a server that listed these. ``more``: fields of Row, Fetched and Evidence."""

    def row(spec: ProviderSpec) -> Row:
        kinds: dict[type, dict[str, Any]] = {}
        for kind in (Row, Fetched, Evidence):
            kinds[kind] = {key: value for key, value in more.items() if key in kind.__dataclass_fields__}
        details = {"era": "legacy", "protocol_version": "2025-11-25", **kinds[Fetched]}
        fetched = Fetched(build_manifest(list(tools)), spec.transport, **details)
        values = {"seconds": 0.2, **kinds[Row]}
        return Row(spec, "ready", fetched=fetched, evidence=Evidence(started=True, **kinds[Evidence]), **values)

    return row


def failed(signal: str, message: str, *, retryable: bool | None = False, **more: Any) -> Callable[[ProviderSpec], Row]:
    """A row of a server that failed. ``details`` of the failure, and fields of Evidence."""
    details = more.pop("details", {})

    def row(spec: ProviderSpec) -> Row:
        failure = Failure(signal, message, retryable, details)
        return Row(spec, "failed", 0.4, failure=failure, evidence=Evidence(**{"started": True, **more}))

    return row


@dataclass(frozen=True)
class Setup:
    """One situation. ``text`` with a MARK says where the finding must point. ``tools`` by server; a server that is not
    in it lists none of interest. ``places``: other files, by path from the working directory."""

    text: str
    tools: Mapping[str, Listing] = field(default_factory=dict)
    runtime: str | None = "claude-code@2.1.332"
    name: str = "servers.json"
    environ: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def but(self, **more: Any) -> Setup:
        """The same with some fields changed; ``tools`` and ``options`` are laid over the old ones."""
        for name in ("tools", "options", "environ", "places"):
            if name in more:
                more[name] = {**getattr(self, name), **more[name]}
        return replace(self, **more)


class Bench:
    """Judges setups in a folder of its own, with ``sh`` as the only program on PATH."""

    def __init__(self, folder: Path) -> None:
        self.home, self.here, self.programs = folder / "home", folder / "work", folder / "bin"
        for path in (self.home, self.here, self.programs):
            path.mkdir()
        self.program("sh")

    def program(self, name: str) -> Path:
        """Put a program on PATH; it is never run."""
        path = self.programs / name
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
        return path

    def write(self, name: str, text: str) -> Path:
        """A file, from the working directory, or from home where the name starts with ``~/``."""
        path = self.home / name[2:] if name.startswith("~/") else self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(MARK, ""), "utf-8")
        return path

    def request(self, setup: Setup) -> Request:
        """The request, its files written."""
        for name, text in {setup.name: setup.text, **setup.places}.items():
            self.write(name, text)
        configs = () if setup.options.get("discover") else (setup.name,)
        options = {key: value for key, value in setup.options.items() if key != "discover"}
        environ = {"HOME": str(self.home), "PATH": str(self.programs), **setup.environ}
        return Request(
            configs=configs, runtime=setup.runtime, cwd=str(self.here), environ=environ, consented=True, **options
        )

    def prepare(self, setup: Setup) -> Prepared:
        """What is read of it."""
        return prepare(self.request(setup))

    def report(self, setup: Setup) -> Report:
        """What preflight would say if the servers had answered so."""
        prepared = self.prepare(setup)
        rows = [
            self._row(spec, setup.tools.get(spec.name, ())) for spec in prepared.specs if spec.name not in setup.skipped
        ]
        skipped = {spec.id: setup.skipped[spec.name] for spec in prepared.specs if spec.name in setup.skipped}
        return assess(replace(prepared, skipped={**prepared.skipped, **skipped}), rows, setup.version)

    def _row(self, spec: ProviderSpec, listing: Listing) -> Row:
        return listing(spec) if callable(listing) else ready(listing or [tool("noop_xyz")])(spec)


def marked(text: str) -> tuple[int, int]:
    """Line and column of the MARK."""
    before = text[: text.index(MARK)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def named(report: Report, rule: str, tool: str | None = None) -> list[Finding]:
    """The findings of a rule, by name or id; of one tool."""
    return [
        finding
        for finding in report.findings
        if rule in (finding.rule.id, finding.rule.name) and (tool is None or finding.tool == tool)
    ]


def the(report: Report, rule: str, tool: str | None = None) -> Finding:
    """The only finding of a rule."""
    found = named(report, rule, tool)
    assert len(found) == 1, [f"{finding.rule.id} {finding.message}" for finding in report.findings]
    return found[0]
