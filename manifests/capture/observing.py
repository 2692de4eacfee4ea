"""One observation: a runtime run once under known conditions, and the tools its model was offered."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from installing import CaptureError
from running import Finished, run
from scripted_model import Request, ScriptedModel, Step

Json = dict[str, Any]
STUB = Path(__file__).with_name("stub_server.py")


@dataclass(frozen=True)
class Case:
    """What one run is set to. ``holds`` names the conditions in which it differs from the defaults."""

    name: str
    holds: Mapping[str, str] = field(default_factory=dict)
    flags: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    servers: Mapping[str, Json] = field(default_factory=dict)
    script: Sequence[Step] = ()
    terminal: bool = False
    stdin: str | None = None
    model: str = "scripted"
    quick: bool = False
    seconds: float = 60.0


@dataclass(frozen=True)
class Tool:
    """A tool without its prose: property names with their types, and which of them are required."""

    name: str
    parameters: Mapping[str, Sequence[str]]
    required: Sequence[str]


@dataclass(frozen=True)
class Seen:
    """``offered``: the tools array of the first request; ``deferred``: names left to a search tool."""

    case: Case
    offered: Mapping[str, Tool]
    deferred: frozenset[str]
    requests: Sequence[Request]
    finished: Finished
    calls: Sequence[Json]


@dataclass(frozen=True)
class Program:
    """An installed runtime: how it is started, and directories that go in front of PATH."""

    argv: Sequence[str]
    version: str
    path: Sequence[str] = ()


@dataclass(frozen=True)
class Place:
    """Where one run lives: a fresh home and a fresh project below one folder."""

    home: Path
    project: Path
    provider: str


class Runtime(Protocol):
    name: str
    registry: str
    package: str
    versions: Sequence[str]
    deferring: Sequence[str]  # the conditions that can make the difference between offered and deferred
    all_listed: Mapping[str, Any]  # settings under which every MCP tool is in the tools array

    def install(self, work: Path, version: str) -> Program: ...

    def prepare(
        self, program: Program, case: Case, place: Place, servers: Mapping[str, Json]
    ) -> tuple[list[str], dict[str, str]]:
        """Write the runtime's own configuration; return the command line and the environment to add."""
        ...

    def conditions(self, version: str) -> dict[str, str]:
        """Every condition with its value in the base run."""
        ...

    def cases(self, version: str) -> list[Case]: ...

    def deferred(self, request: Request) -> frozenset[str]: ...


def types_of(schema: Any) -> list[str]:
    """The JSON types that a property may have, as far as its schema says without following references."""
    if not isinstance(schema, dict):
        return []
    found: list[str] = []
    stated = schema.get("type")
    if isinstance(stated, str):
        found = [stated]
    elif isinstance(stated, list):
        found = [str(kind) for kind in stated]
    for key in ("anyOf", "oneOf", "allOf"):
        for option in schema.get(key) or []:
            found += types_of(option)
    if not found and isinstance(schema.get("enum"), list):
        names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
        found = [names[type(value)] for value in schema["enum"] if type(value) in names]
    return list(dict.fromkeys(found))


def read_tool(offered: Json) -> Tool:
    schema = offered.get("parameters") or {}
    properties = schema.get("properties") or {}
    parameters = {str(name): types_of(schema_of) for name, schema_of in properties.items()}
    return Tool(str(offered.get("name")), parameters, [str(name) for name in schema.get("required") or []])


def observe(runtime: Runtime, program: Program, case: Case, work: Path) -> Seen:
    """Run ``case`` once in a fresh place and read what the model got."""
    folder = work / "runs" / f"{runtime.name}-{program.version}" / case.name
    shutil.rmtree(folder, ignore_errors=True)
    home, project = folder / "home", folder / "project"
    home.mkdir(parents=True)
    project.mkdir()
    subprocess.run(
        ["git", "init", "--quiet", str(project)],
        check=False,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
    )
    (project / "README.md").write_text("A project to run in.\n")
    log = folder / "stub.jsonl"
    with ScriptedModel(case.script) as model:
        place = Place(home, project, model.url)
        argv, extra = runtime.prepare(program, case, place, stub_servers(case, folder, log))
        until = model.finished.is_set if case.script else model.seen.is_set
        finished = run(
            argv,
            cwd=project,
            env={**environment(home, program), **extra, **case.env},
            seconds=case.seconds,
            until=until,
            terminal=case.terminal,
            stdin=case.stdin,
        )
        requests = model.main_requests()
    if not requests:
        tail = (finished.stderr or finished.stdout)[-1200:]
        raise CaptureError(f"{case.name}: no request reached the model (exit code {finished.code})\n{tail}")
    offered = {tool.name: tool for tool in map(read_tool, requests[0].tools)}
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    calls = [row for row in rows if row["event"] == "call"]
    return Seen(case, offered, runtime.deferred(requests[0]) - offered.keys(), requests, finished, calls)


def stub_servers(case: Case, folder: Path, log: Path) -> dict[str, Json]:
    """A command line for each of the case's servers, with its ``state`` if it has one."""
    servers: dict[str, Json] = {}
    for index, (name, spec) in enumerate(case.servers.items()):
        path = folder / f"server-{index}.json"
        path.write_text(json.dumps(spec))
        command = "/nonexistent/server" if spec.get("state") == "missing" else sys.executable
        servers[name] = {"command": command, "args": [str(STUB), str(path), str(log)], "env": {}}
        if spec.get("state") == "disabled":
            servers[name]["disabled"] = True
    return servers


def environment(home: Path, program: Program) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": ":".join([*program.path, "/usr/local/bin", "/usr/bin", "/bin"]),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "NO_COLOR": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }


def merged(base: Json, extra: Mapping[str, Any]) -> Json:
    """``extra`` laid over ``base``, objects joined key by key."""
    result = dict(base)
    for key, value in extra.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return result
