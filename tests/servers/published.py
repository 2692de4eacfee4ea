"""The published servers that the tests talk to: what is installed, where, how each is started. Standard library only.

The pins are the versions of the captures in the field notes. ``zod`` 4 beside server-filesystem 2025.8.21 and ``mcp``
2.3 beside mcp-server-git 2025.7.1 are what an unpinned installation resolves to: the faults under test come from them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).resolve().parents[2] / ".servers"


@dataclass(frozen=True)
class Published:
    """One installation: ``packages`` go into one folder (npm) or one virtual environment (PyPI)."""

    id: str
    kind: Literal["npm", "pypi"]
    packages: tuple[str, ...]
    program: str
    era: Literal["legacy", "modern"]
    tools: int | None  # None: it can't start
    arguments: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        return FOLDER / self.id

    @property
    def command(self) -> tuple[str, ...]:
        folder = self.home / ("node_modules/.bin" if self.kind == "npm" else "venv/bin")
        return (str(folder / self.program), *self.arguments)

    @property
    def record(self) -> Path:
        """Written last, so that a broken-off installation is done again."""
        return self.home / "installed.json"

    @property
    def missing(self) -> str | None:
        """Why it can't be used, or None."""
        try:
            said = json.loads(self.record.read_text())
        except (OSError, ValueError):
            return f"{self.packages[0]} is not installed: run tests/run or tests/servers/install.py"
        if said.get("packages") != list(self.packages):
            return f"{self.packages[0]} is not installed in the version under test"
        return said.get("error")


_MCP = "@modelcontextprotocol/server-"

SERVERS = {
    server.id: server
    for server in (
        Published(
            "filesystem", "npm", (f"{_MCP}filesystem@2026.8.31",), "mcp-server-filesystem", "legacy", 14, ("/tmp",)
        ),
        Published(
            "filesystem-lost",
            "npm",
            (f"{_MCP}filesystem@2025.8.21", "zod@^4"),
            "mcp-server-filesystem",
            "legacy",
            1,
            ("/tmp",),
        ),
        Published("memory", "npm", (f"{_MCP}memory@2026.8.31",), "mcp-server-memory", "legacy", 9),
        # 14 tools in the captures: one is listed only to a client that declares roots, which contractd does not.
        Published("everything", "npm", (f"{_MCP}everything@2026.8.31",), "mcp-server-everything", "legacy", 13),
        Published(
            "sequential-thinking",
            "npm",
            (f"{_MCP}sequential-thinking@2026.8.31",),
            "mcp-server-sequential-thinking",
            "legacy",
            1,
        ),
        Published("context7", "npm", ("@upstash/context7-mcp@4.1.1",), "context7-mcp", "modern", 2),
        Published("taskmanager", "npm", ("@kazuph/mcp-taskmanager@1.1.1",), "mcp-taskmanager", "legacy", 10),
        Published("commands", "npm", ("mcp-server-commands@0.5.0",), "mcp-server-commands", "legacy", 1),
        Published("git", "pypi", ("mcp-server-git==2026.10.19", "mcp==2.3.0"), "mcp-server-git", "modern", 12),
        Published("time", "pypi", ("mcp-server-time==2026.10.19", "mcp==2.3.0"), "mcp-server-time", "modern", 2),
        Published("time-legacy", "pypi", ("mcp-server-time==2025.9.25", "mcp<2"), "mcp-server-time", "legacy", 2),
        Published("fetch", "pypi", ("mcp-server-fetch==2026.10.24", "mcp==2.3.0"), "mcp-server-fetch", "modern", 1),
        Published("duckduckgo", "pypi", ("duckduckgo-mcp-server==0.7.0",), "duckduckgo-mcp-server", "modern", 3),
        Published("git-broken", "pypi", ("mcp-server-git==2025.7.1", "mcp==2.3.0"), "mcp-server-git", "legacy", None),
    )
}
