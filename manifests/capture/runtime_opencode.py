"""OpenCode: one native program from npm, run headless and in a terminal with a provider on loopback."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from installing import CaptureError, npm_package, output, processor
from observing import Case, Json, Place, Program, merged
from scripted_model import Request

STUB = {"tools": [{"name": "stub_tool", "inputSchema": {"type": "object", "properties": {}}}]}
QUIET = {
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
}


class OpenCode:
    name = "opencode"
    registry = "npm"
    package = "opencode-ai"
    versions: Sequence[str] = ("1.18.18",)
    deferring: Sequence[str] = ()
    all_listed: Mapping[str, Any] = {}

    def install(self, work: Path, version: str) -> Program:
        modules = npm_package(work / f"{self.name}-{version}", f"{self.package}@{version}")
        plain = f"opencode-{platform.system().lower()}-{processor()}"
        for name in (plain, f"{plain}-baseline"):
            program = modules / name / "bin" / "opencode"
            if program.exists() and output([str(program), "--version"]):
                return Program([str(program)], version)
        raise CaptureError(f"{self.package} {version} brought no program that runs here")

    def prepare(
        self, program: Program, case: Case, place: Place, servers: Mapping[str, Json]
    ) -> tuple[list[str], dict[str, str]]:
        model = case.model
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": place.provider, "apiKey": "none"},
            "models": {model: {"name": model, "tool_call": True}},
        }
        local = {
            name: {
                "type": "local",
                "command": [server["command"], *server["args"]],
                "environment": server["env"],
                "enabled": not server.get("disabled", False),
            }
            for name, server in servers.items()
        }
        ours = {
            "model": f"probe/{model}",
            "small_model": f"probe/{model}",
            "autoupdate": False,
            "share": "disabled",
        }
        settings = merged({**ours, "provider": {"probe": provider}, "mcp": local}, case.settings)
        (place.project / "opencode.json").write_text(json.dumps(settings, indent=1))
        argv = [*program.argv, *case.flags, "--prompt", "Say hello."]
        if not case.terminal:
            argv = [*program.argv, "run", *case.flags, "Say hello."]
        return argv, QUIET

    def deferred(self, request: Request) -> frozenset[str]:
        return frozenset()

    def conditions(self, version: str) -> dict[str, str]:
        switches = dict.fromkeys(("websearch", "lsp", "code-mode", "plan-mode"), "off")
        return {"mode": "headless", "model-family": "other", "agent": "build", **switches, "mcp": "none"}

    def cases(self, version: str) -> list[Case]:
        everything = dict.fromkeys(("websearch", "lsp", "code-mode", "plan-mode"), "on")
        resources = {"stub": {**STUB, "resources": True}}
        code, plan = {"OPENCODE_EXPERIMENTAL_CODE_MODE": "1"}, {"OPENCODE_EXPERIMENTAL_PLAN_MODE": "1"}
        agent = ["--agent", "plan"]
        planning = {"agent": "plan", "plan-mode": "on"}
        return [
            Case("base", quick=True),
            Case("gpt", {"model-family": "gpt"}, model="gpt-5", quick=True),
            Case("gpt-4", model="gpt-4o"),
            Case("gpt-oss", model="gpt-oss-120b"),
            Case("mcp", {"mcp": "connected"}, servers={"stub": STUB}, quick=True),
            Case("mcp-resources", {"mcp": "resources"}, servers=resources),
            Case("code-mode", {"code-mode": "on"}, env=code),
            Case("code-mode-mcp", {"code-mode": "on", "mcp": "connected"}, env=code, servers={"stub": STUB}),
            Case("code-mode-resources", {"code-mode": "on", "mcp": "resources"}, env=code, servers=resources),
            Case("exa", {"websearch": "on"}, env={"OPENCODE_ENABLE_EXA": "1"}),
            Case("lsp", {"lsp": "on"}, env={"OPENCODE_EXPERIMENTAL_LSP_TOOL": "1"}),
            Case(
                "experimental",
                {**everything, "mcp": "connected"},
                env={"OPENCODE_EXPERIMENTAL": "1"},
                servers={"stub": STUB},
                quick=True,
            ),
            Case("question", env={"OPENCODE_ENABLE_QUESTION_TOOL": "1"}),
            Case("plan-mode", {"plan-mode": "on"}, env=plan),
            Case("plan-agent", {"agent": "plan"}, agent),
            Case("plan-agent-mode", planning, agent, plan),
            Case("interactive", {"mode": "interactive"}, terminal=True, quick=True),
            Case("interactive-plan-mode", {"mode": "interactive", "plan-mode": "on"}, env=plan, terminal=True),
            Case("interactive-plan-agent", {"mode": "interactive", "agent": "plan"}, agent, terminal=True),
            Case("interactive-planning", {"mode": "interactive", **planning}, agent, plan, terminal=True),
        ]
