"""JSON-RPC 2.0 and MCP as bytes and values, both protocol eras, without any I/O (sans-IO).

Comes in: bytes from a server. Goes out: messages, pages, negotiated versions; bytes to send. A line that is no
message is a value too (``Foreign``): it is evidence. Must not know: processes, sockets, time. Pure.
"""

from contractd.wire.jsonrpc import (
    ErrorResponse,
    Foreign,
    Message,
    Notification,
    Request,
    Response,
    decode,
    encode_error,
    encode_notification,
    encode_request,
    encode_result,
)
from contractd.wire.mcp import (
    LEGACY_VERSIONS,
    MODERN_VERSIONS,
    Discovery,
    Era,
    Initialized,
    Page,
    WireViolationError,
    discover_params,
    era_of,
    initialize_params,
    list_params,
    parse_discovery,
    parse_initialized,
    parse_page,
    supported_versions,
)
from contractd.wire.sse import EventStream, ServerSentEvent

__all__ = [
    "LEGACY_VERSIONS",
    "MODERN_VERSIONS",
    "Discovery",
    "Era",
    "ErrorResponse",
    "EventStream",
    "Foreign",
    "Initialized",
    "Message",
    "Notification",
    "Page",
    "Request",
    "Response",
    "ServerSentEvent",
    "WireViolationError",
    "decode",
    "discover_params",
    "encode_error",
    "encode_notification",
    "encode_request",
    "encode_result",
    "era_of",
    "initialize_params",
    "list_params",
    "parse_discovery",
    "parse_initialized",
    "parse_page",
    "supported_versions",
]
