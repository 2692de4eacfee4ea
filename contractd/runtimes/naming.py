"""The names of MCP tools as a runtime's model sees them, from the naming rule in the runtime's profile.

The rule is data (``mcp.naming`` in ``manifests/builtin``), executed here over the whole set of servers at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from contractd.contracts import Contract
from contractd.runtimes.base import Entry, Visible
from contractd.runtimes.exposed import exposed_name
from contractd.runtimes.profile import Profile
from contractd.runtimes.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Given:
    """A tool's runtime name. ``known`` False: nobody knows the rule. ``dropped``: why the runtime leaves it out."""

    name: str | None
    known: bool = True
    dropped: str | None = None


_FIELD = re.compile(r"\{(server|tool)\}")
UNKNOWN = Given(None, known=False)


def part(text: str, rule: Mapping[str, Any]) -> str:
    """One part of a name, cleaned: every unit outside the allowed class replaced."""
    if rule.get("lower"):
        text = text.lower()
    if rule.get("drop_white_space"):
        text = "".join(char for char in text if not char.isspace())
    allowed = rule.get("allowed")
    if allowed is None:
        return text
    inside, replacement = _inside(allowed), rule.get("replacement", "_")
    utf16 = rule.get("unit") == "utf16"
    return "".join(
        char if inside.fullmatch(char) else replacement * (2 if utf16 and ord(char) > 0xFFFF else 1) for char in text
    )


@lru_cache(maxsize=64)
def _inside(allowed: str) -> re.Pattern[str]:
    return re.compile(f"[{allowed}]")


def fnv1a32(data: bytes) -> int:
    """The 32-bit FNV-1a hash (Fowler, Noll, Vo)."""
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def base36(value: int, digits: int) -> str:
    """``value`` in base 36, padded with zeros on the left."""
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while value:
        value, digit = divmod(value, 36)
        text = alphabet[digit] + text
    return text.rjust(digits, "0")


Servers = Sequence[tuple[str, Sequence[str]]]


def runtime_names(rule: Mapping[str, Any], servers: Servers) -> dict[tuple[str, str], Given]:
    """The name of each (server, tool), over the whole set; servers in the order of the configuration.

    Two tools may come out with one name: who wins is the clash rule's business.
    """
    names: dict[tuple[str, str], Given] = {}
    for server, tools in servers:
        allowed = rule.get("only_these_tools", {}).get(server)
        for tool in tools:
            if allowed is not None and tool not in allowed:
                names[server, tool] = Given(None, dropped=f"of a server called {server} it keeps only its own tools")
            elif not tool and rule.get("empty_tool_name") == "dropped":
                names[server, tool] = Given(None, dropped="its name is empty")
            else:
                names[server, tool] = _whole(_joined(rule, server, tool), rule.get("whole", {}))
    return names


def _joined(rule: Mapping[str, Any], server: str, tool: str) -> str:
    left = part(server, rule.get("server", {}))
    for special in rule.get("special", ()):
        if server.startswith(special["server_starts_with"]):
            left = re.sub("_+", "_", left).removeprefix("_").removesuffix("_")
    prefix = str(rule.get("prefix", ""))
    parts = {"server": left, "tool": part(tool, rule.get("tool", {}))}
    # One pass: a part may itself hold braces where the runtime replaces nothing.
    text = _FIELD.sub(lambda match: parts[match.group(1)], str(rule["form"]).removeprefix(prefix))
    once = bool(rule.get("prefix_once")) and text.startswith(prefix)
    return text if once else prefix + text


def _whole(text: str, rule: Mapping[str, Any]) -> Given:
    limit = rule.get("max_length")
    if limit is None or len(text) <= limit:
        return Given(text)
    if rule.get("overflow") == "dropped":
        return Given(None, dropped=f"its name would have {len(text)} characters, more than the {limit} it keeps")
    if rule.get("overflow") == "middle-dots":
        return Given(text[: rule["keep_head"]] + rule["dots"] + text[-rule["keep_tail"] :])
    return UNKNOWN


class Names:
    """The names and the visibility of every listed tool of one session."""

    def __init__(
        self,
        runtime: Runtime,
        profile: Profile | None,
        servers: Sequence[tuple[Entry, Sequence[str]]],
        likely: Mapping[str, str],
    ) -> None:
        self._runtime = runtime
        self._likely = likely
        self._own = runtime.name == "contractd"
        self._given: dict[tuple[str, str], Given] = {}
        if profile is not None:
            table = [(entry.name, tools) for entry, tools in servers]
            self._given = runtime_names(profile.mcp.naming, table)

    def name(self, entry: Entry, tool: str) -> Given:
        """What the model is told this tool is called."""
        if self._own:
            return Given(exposed_name(entry.id, tool))
        return self._given.get((entry.name, tool), UNKNOWN)

    def visible(self, entry: Entry, contract: Contract | None) -> Visible:
        """Whether the model sees a tool at once, after searching, or never."""
        if contract is None:
            return "unknown"
        return "yes" if self._own else self._runtime.visibility(entry, self._likely)
