"""How a provider is reached: a child process or HTTP, under the wire.

Comes in: a ``Launch`` or an ``Endpoint``. Goes out: JSON-RPC answers, or a ``ProviderError`` whose signal id says what
happened; and ``Evidence`` (exit code, stderr tail, status, foreign lines), kept whatever became of it.
Must not know: what MCP is, what a tool is, what will be reported. Ends what it started.
"""

from contractd.carriers.base import Carrier, Endpoint, Evidence, Launch, Limits

__all__ = ["Carrier", "Endpoint", "Evidence", "Launch", "Limits"]
