"""OpenHands CLI: installed from PyPI under Python 3.12, run headless and in a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from installing import python_package
from observing import Case, Json, Place, Program
from scripted_model import Request

STUB = {"tools": [{"name": "stub_tool", "inputSchema": {"type": "object", "properties": {}}}]}
SKILL = "---\nname: greeting\ndescription: How to greet people here.\n---\n\nSay hello first.\n"
LOCKED = {
    "1.16.0": ("openhands-sdk==1.21.0", "fastmcp==3.2.0", "mcp==1.27.0", "litellm==1.83.14")
}  # its own lock's versions


class OpenHands:
    name = "openhands"
    registry = "pypi"
    package = "openhands"
    versions: Sequence[str] = ("1.16.0",)
    deferring: Sequence[str] = ()
    all_listed: Mapping[str, Any] = {}

    def install(self, work: Path, version: str) -> Program:
        specs = [f"{self.package}=={version}", *LOCKED.get(version, ())]
        programs = python_package(work / f"{self.name}-{version}", specs, "3.12")
        return Program([str(programs / "openhands")], version, [str(programs)])

    def prepare(
        self, program: Program, case: Case, place: Place, servers: Mapping[str, Json]
    ) -> tuple[list[str], dict[str, str]]:
        folder = place.home / ".openhands"
        folder.mkdir()
        listed = {
            name: {"transport": "stdio", "enabled": not server.pop("disabled", False), **server}
            for name, server in servers.items()
        }
        if listed:
            (folder / "mcp.json").write_text(json.dumps({"mcpServers": listed}, indent=1))
        if case.holds.get("agent-skills") == "on":
            skill = place.project / ".agents" / "skills" / "greeting"
            skill.mkdir(parents=True)
            (skill / "SKILL.md").write_text(SKILL)
        argv = [
            *program.argv,
            *([] if case.terminal else ["--headless"]),
            "--override-with-envs",
            "--yolo",
            *case.flags,
        ]
        env = {
            "LLM_MODEL": "openai/scripted",
            "LLM_API_KEY": "none",
            "LLM_BASE_URL": place.provider,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENHANDS_SUPPRESS_BANNER": "1",
            "OPENHANDS_WORK_DIR": str(place.project),
            "DO_NOT_TRACK": "1",
            "TMUX_TMPDIR": str(place.home),
        }
        return [*argv, "-t", "Say hello."], env

    def deferred(self, request: Request) -> frozenset[str]:
        return frozenset()

    def conditions(self, version: str) -> dict[str, str]:
        return {"mode": "headless", "agent-skills": "off", "mcp": "none"}

    def cases(self, version: str) -> list[Case]:
        return [
            Case("base", quick=True, seconds=120),
            Case("mcp", {"mcp": "connected"}, servers={"stub": STUB}, quick=True, seconds=120),
            Case("agent-skills", {"agent-skills": "on"}, quick=True, seconds=120),
            Case("interactive", {"mode": "interactive"}, terminal=True, seconds=120),
        ]
