"""Qwen Code: installed from npm, run headless, in a terminal and over its JSON stream."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from installing import node_for, npm_package
from observing import Case, Json, Place, Program, merged
from scripted_model import Request

STUB = {"tools": [{"name": "stub_tool", "inputSchema": {"type": "object", "properties": {}}}]}
SETTINGS: Json = {
    "security": {"auth": {"selectedType": "openai"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
SCHEMA = '{"type": "object", "properties": {"answer": {"type": "string"}}}'
PAINTER = {
    "id": "painter",
    "imageOnly": True,
    "envKey": "OPENAI_API_KEY",
    "baseUrl": "https://127.0.0.1:9/v1",
}
SEARCH = {  # only decides whether the tool is offered; nothing is ever sent there
    "ENABLE_WEB_SEARCH": "1",
    "WEB_SEARCH_MODEL": "searcher",
    "WEB_SEARCH_API_KEY": "none",
    "WEB_SEARCH_BASE_URL": "https://dashscope.aliyuncs.com/compatible-mode/v1",
}
MEDIA = (
    *("downsample_image", "downscale_video", "downsample_audio", "extract_keyframes", "extract_audio"),
    *("clip_video", "convert_image", "transcribe_audio", "clip_image", "clip_audio", "caption_image"),
    *("caption_audio", "ocr_image", "understand_video_segments"),
)
MESSAGE = json.dumps(
    {
        "type": "user",
        "session_id": "",
        "message": {"role": "user", "content": "Say hello."},
        "parent_tool_use_id": None,
    }
)


class QwenCode:
    name = "qwen-code"
    registry = "npm"
    package = "@qwen-code/qwen-code"
    versions: Sequence[str] = ("0.21.10", "0.24.4")
    deferring: Sequence[str] = ("bare", "safe", "tool-search", "preload", "code-mode")
    all_listed: Mapping[str, Any] = {"tools": {"toolSearch": {"enabled": False}}}

    def install(self, work: Path, version: str) -> Program:
        package = npm_package(work / f"{self.name}-{version}", f"{self.package}@{version}") / self.package
        node = node_for(package, work)
        entry = json.loads((package / "package.json").read_text())["bin"]["qwen"]
        return Program([str(node), str(package / entry)], version, [str(node.parent)])

    def prepare(
        self, program: Program, case: Case, place: Place, servers: Mapping[str, Json]
    ) -> tuple[list[str], dict[str, str]]:
        excluded = [name for name, server in servers.items() if server.pop("disabled", False)]
        settings = merged({**SETTINGS, "mcpServers": dict(servers), "mcp": {"excluded": excluded}}, case.settings)
        (place.home / ".qwen").mkdir(exist_ok=True)
        (place.home / ".qwen" / "settings.json").write_text(json.dumps(settings, indent=1))
        prompt = [] if case.stdin is not None else ["-i" if case.terminal else "-p", "Say hello."]
        env = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": place.provider, "OPENAI_MODEL": case.model}
        if "omni" in case.holds:
            env["PATH"] = f"{pretended(place.home)}:{':'.join(program.path)}:/usr/bin:/bin"
        return [*program.argv, *case.flags, *prompt], env

    def deferred(self, request: Request) -> frozenset[str]:
        """Listed in the start reminder as ``- "name": "…"``, in code mode as functions in ``exec``."""
        listed = re.findall(r'^- "([a-z0-9_]+)": "', request.text, re.MULTILINE)
        for tool in request.tools:
            if tool.get("name") == "exec":
                listed += re.findall(r"^tools\.([a-z0-9_]+)\(", str(tool.get("description")), re.MULTILINE)
        return frozenset(name for name in listed if not name.startswith("mcp__"))

    def conditions(self, version: str) -> dict[str, str]:
        """The base run: headless, and everything approved, so that nothing is held back."""
        off = ("bare", "safe", "agent-team", "workflows", "json-schema", "lsp", "web-search", "image-model")
        base = {
            "mode": "headless",
            "approval": "yolo",
            **dict.fromkeys(off, "off"),
            "cron": "on",
            "artifact": "on",
        }
        base |= {"tool-search": "on"}
        if is_old(version):
            return {**base, "preload": "on", "computer-use": "on"}
        more = (
            "preload",
            "list-directory",
            "todo-write",
            "code-mode",
            "omni",
            "omni-access",
            "goal-proposals",
        )
        return {**base, **dict.fromkeys(more, "off"), "goal-proposals": "on"}

    def cases(self, version: str) -> list[Case]:
        """One run per value of a condition, and one for each pair that acts together."""
        late = {"tools": {"toolSearch": {"threshold": 0}}}
        listed = {"tools": {"toolSearch": {"enabled": False, "threshold": 0}}}
        early = {"agent-team": "on", "workflows": "on", "lsp": "on", "web-search": "on", "image-model": "on"}
        features = {**early, "preload": "off"}
        switches = {"QWEN_CODE_ENABLE_AGENT_TEAM": "1", "QWEN_CODE_ENABLE_WORKFLOWS": "1", **SEARCH}
        painter = {"imageModel": "openai:painter", "modelProviders": {"openai": [PAINTER]}}
        no_artifact = {"experimental": {"artifact": False}}
        stream = ["--input-format", "stream-json", "--output-format", "stream-json"]
        cases = [
            Case("base", quick=True),
            Case("all-deferred", features, ["--experimental-lsp"], switches, merged(late, painter), quick=True),
            Case(
                "all-listed",
                {**features, "tool-search": "off"},
                ["--experimental-lsp"],
                switches,
                merged(listed, painter),
                quick=True,
            ),
            Case("agent-team", {"agent-team": "on"}, settings={"experimental": {"agentTeam": True}}),
            Case("workflows", {"workflows": "on"}, env={"QWEN_CODE_ENABLE_WORKFLOWS": "1"}),
            Case("web-search", {"web-search": "on"}, env=SEARCH),
            Case("image-model", {"image-model": "on"}, settings=painter),
            Case("lsp", {"lsp": "on"}, ["--experimental-lsp"]),
            Case("no-cron", {"cron": "off"}, settings={"experimental": {"cron": False}}),
            Case("no-artifact", {"artifact": "off"}, settings=no_artifact),
            Case("json-schema", {"json-schema": "on"}, ["--json-schema", SCHEMA]),
            *[Case(f"approval-{mode}", {"approval": mode}) for mode in ("plan", "default", "auto", "auto-edit")],
            Case("interactive", {"mode": "interactive"}, terminal=True, quick=True),
            Case("interactive-default", {"mode": "interactive", "approval": "default"}, terminal=True),
            Case(
                "interactive-no-artifact",
                {"mode": "interactive", "artifact": "off"},
                settings=no_artifact,
                terminal=True,
            ),
            Case("interactive-bare", {"mode": "interactive", "bare": "on"}, ["--bare"], terminal=True),
            Case("acp", {"mode": "acp"}, stream, stdin=MESSAGE + "\n"),
            Case("acp-default", {"mode": "acp", "approval": "default"}, stream, stdin=MESSAGE + "\n"),
            Case("bare", {"bare": "on"}, ["--bare"]),
            Case("bare-default", {"bare": "on", "approval": "default"}, ["--bare"], quick=True),
            Case("bare-json-schema", {"bare": "on", "json-schema": "on"}, ["--bare", "--json-schema", SCHEMA]),
            Case(
                "bare-features",
                {**features, "bare": "on"},
                ["--bare", "--experimental-lsp"],
                switches,
                merged(late, painter),
            ),
            Case("safe", {"safe": "on"}, ["--safe-mode"]),
            Case(
                "safe-features",
                {**early, "safe": "on"},
                ["--safe-mode", "--experimental-lsp"],
                switches,
                painter,
            ),
            Case(
                "safe-listed",
                {"safe": "on", "tool-search": "off", "preload": "off"},
                ["--safe-mode"],
                settings=listed,
            ),
            *(self.older() if is_old(version) else self.newer()),
        ]
        return [
            replace(case, flags=[*case.flags, "--approval-mode", case.holds.get("approval", "yolo")]) for case in cases
        ]

    def older(self) -> list[Case]:
        late = {"tools": {"toolSearch": {"threshold": 0}}}
        small = {"model": {"generationConfig": {"contextWindowSize": 131072}}}
        return [
            Case("late", {"preload": "off"}, settings=late),
            Case("small-window", {"preload": "off"}, settings=small),
            Case("deepseek", {"tool-search": "off"}, model="deepseek-chat"),
            Case(
                "no-computer-use",
                {"computer-use": "off"},
                settings={"tools": {"computerUse": {"enabled": False}}},
            ),
        ]

    def newer(self) -> list[Case]:
        access = {f"omni_{name}": {"modelAccess": {"enabled": True}} for name in MEDIA}
        with_access = {"omni": {"enabled": True, "processing": {"policyTools": access}}}
        tools: Json = {"listDirectory": {"enabled": True}, "todoWrite": {"enabled": True}}
        code = {"tools": {"codeModeOnly": True}}
        everything = merged(merged({"tools": tools}, code), with_access)
        every = dict.fromkeys(("list-directory", "todo-write", "omni", "omni-access", "code-mode"), "on")
        features = dict.fromkeys(("agent-team", "workflows", "web-search", "list-directory", "todo-write", "lsp"), "on")
        switches = {"QWEN_CODE_ENABLE_AGENT_TEAM": "1", "QWEN_CODE_ENABLE_WORKFLOWS": "1", **SEARCH}
        preload = {"tools": {**tools, "toolSearch": {"threshold": 100}}}
        no_goals = {"goals": {"modelProposed": "disabled"}}
        lsp = ["--experimental-lsp"]
        return [
            Case("preload", {"preload": "on"}, settings={"tools": {"toolSearch": {"threshold": 100}}}),
            Case("preload-features", {**features, "preload": "on"}, lsp, switches, preload),
            Case(
                "list-directory",
                {"list-directory": "on"},
                settings={"tools": {"listDirectory": {"enabled": True}}},
            ),
            Case("todo-write", {"todo-write": "on"}, settings={"tools": {"todoWrite": {"enabled": True}}}),
            Case("code-mode", {"code-mode": "on"}, settings=code, quick=True),
            Case("code-mode-features", {**features, **every}, lsp, switches, everything),
            Case(
                "code-mode-interactive",
                {"mode": "interactive", "code-mode": "on"},
                settings=code,
                terminal=True,
            ),
            Case("bare-every", {**every, "bare": "on"}, ["--bare"], settings=everything),
            Case("safe-every", {**every, "safe": "on"}, ["--safe-mode"], settings=everything),
            Case("omni", {"omni": "on"}, settings={"omni": {"enabled": True}}),
            Case("omni-access", {"omni": "on", "omni-access": "on"}, settings=with_access),
            Case("no-goals", {"mode": "interactive", "goal-proposals": "off"}, settings=no_goals, terminal=True),
        ]


def is_old(version: str) -> bool:
    return version.startswith("0.21.")


def pretended(home: Path) -> Path:
    """The media tools are offered only where two programs are on PATH; they are not run here."""
    folder = home / "bin"
    folder.mkdir(exist_ok=True)
    for name in ("ffmpeg", "ffprobe"):
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)
    return folder
