"""The records of the message server: who is registered, one JSONL inbox per agent, one JSONL log of tool calls.

    DIR/agents/NAME          registered agents, one empty file each
    DIR/inbox/NAME.jsonl     {"id", "time", "from", "to", "text"} per message
    DIR/calls.jsonl          {"time", "agent", "tool", "ok", "ids"} per tool call; message ids, never a text

A line is appended with one write to a file opened for appending, so that several processes can share the folder.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from datetime import UTC, datetime
from pathlib import Path

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
MAX_TEXT = 64 * 1024


class MessageError(Exception):
    """A request that can't be served; the text is for the agent that asked."""


class Store:
    """All access to one folder. Nothing is created before something is to be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def register(self, name: str) -> None:
        """Make ``name`` a possible recipient."""
        agents = self.folder / "agents"
        agents.mkdir(parents=True, exist_ok=True)
        (agents / checked(name)).touch()

    def unregister(self, name: str) -> None:
        """Take ``name`` away again; its inbox stays."""
        (self.folder / "agents" / checked(name)).unlink(missing_ok=True)

    def agents(self) -> list[str]:
        """The registered agents, sorted."""
        agents = self.folder / "agents"
        return sorted(entry.name for entry in agents.iterdir()) if agents.is_dir() else []

    def send(self, sender: str, recipient: str, text: str) -> str:
        """Append a message to the recipient's inbox; its id. Raises MessageError if there is no such recipient."""
        if recipient not in self.agents():
            known = ", ".join(self.agents()) or "nobody"
            raise MessageError(f"nothing was sent: no agent {recipient!r} is registered (registered: {known})")
        if len(text) > MAX_TEXT:
            raise MessageError(f"nothing was sent: the message has more than {MAX_TEXT} characters")
        message_id = uuid.uuid4().hex
        line = {"id": message_id, "time": now(), "from": sender, "to": recipient, "text": text}
        append(self.folder / "inbox" / f"{recipient}.jsonl", line)
        return message_id

    def inbox(self, name: str, after: str | None = None) -> list[dict[str, str]]:
        """The messages for ``name``, oldest first, from the one after id ``after`` on."""
        path = self.folder / "inbox" / f"{checked(name)}.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        messages = [json.loads(line) for line in lines]
        ids = [message["id"] for message in messages]
        if after is not None and after not in ids:
            raise MessageError(f"no message with id {after!r} in this inbox")
        return messages[ids.index(after) + 1 :] if after is not None else messages

    def log(self, agent: str, tool: str, *, ok: bool, ids: list[str]) -> None:
        """Write down that a tool was called, and which messages it was about."""
        append(self.folder / "calls.jsonl", {"time": now(), "agent": agent, "tool": tool, "ok": ok, "ids": ids})


def append(path: Path, line: dict[str, object]) -> None:
    """One line, one write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = (json.dumps(line, ensure_ascii=False) + "\n").encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def checked(name: str) -> str:
    """``name`` if it can be a file name. Raises MessageError."""
    if not NAME.fullmatch(name):
        raise MessageError("an agent's name has 1 to 40 of a-z, 0-9, - and _")
    return name


def now() -> str:
    """This moment, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
