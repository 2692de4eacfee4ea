"""What the end of one call says of each of the four breakers it went through.

The signal table decides which of these an end is. What blames one, blames no other: a tool that is slow says nothing
against its provider, a broken contract nothing against reachability. Neutral gives permits back and counts nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from contractd.breakers.keys import BreakerKey
from contractd.breakers.permit import Mark


@dataclass(frozen=True, slots=True)
class Marks:
    """A mark for each of (provider, availability), (tool, availability), (tool, contract) and (provider, config)."""

    provider: Mark = "neutral"
    tool: Mark = "neutral"
    contract: Mark = "neutral"
    config: Mark = "neutral"

    def of(self, key: BreakerKey) -> Mark:
        """The mark for ``key``'s breaker."""
        if key.aspect == "contract":
            return self.contract
        if key.aspect == "config":
            return self.config
        return self.provider if key.tool is None else self.tool


SUCCEEDED = Marks("good", "good", "good", "good")
UNREACHABLE = Marks(provider="bad")
"""No connection, no such host, the process is gone: nothing is known of the tool."""
TOOL_FAILED = Marks(provider="good", tool="bad")
"""An answer came, and it tells of the tool's own failure: 5xx, a backend that is down."""
TOOL_SILENT = Marks(tool="bad")
"""Sent, and no answer in time: who is to blame is not known, and siblings may be well."""
CONTRACT_BROKEN = Marks(provider="good", contract="bad")
MISCONFIGURED = Marks(config="bad")
"""Nothing to start, no valid certificate, no such URL: only a changed configuration helps."""
NEUTRAL = Marks()
"""The caller's own error, a cancelled call, quota, authz, our own refusal or fault."""
