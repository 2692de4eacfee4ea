"""JSON-RPC 2.0 messages (jsonrpc.org/specification), one per line or body.

Tolerant where real servers are sloppy and nothing is lost by it (an id echoed as text, a missing ``jsonrpc``), and it
is noted in the response; what is no message becomes ``Foreign`` with the reason, never an exception.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from contractd.contracts.deviations import DeviationKind

MAX_CONTAINERS = 1_000_000  # three bytes of "{}," become a hundred in memory


@dataclass(frozen=True, slots=True)
class Response:
    """A result for the request ``id``. ``oddities``: what a strict client would not take it for."""

    id: int | None
    result: Any
    oddities: tuple[DeviationKind, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An error for the request ``id`` (None where the server couldn't tell). ``code`` is None if not a number."""

    id: int | None
    code: int | None
    message: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Request:
    """The server asks something; it waits for an answer."""

    id: int | str
    method: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class Notification:
    """The server tells something."""

    method: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class Foreign:
    """Not a message: a banner, a log line, half a message. ``text`` is at most 300 characters, not yet safe to show."""

    reason: str
    text: str


Message = Response | ErrorResponse | Request | Notification | Foreign


def encode_request(request_id: int, method: str, params: dict[str, Any] | None = None) -> bytes:
    """A request on one line, without the line's end."""
    return _dump({"jsonrpc": "2.0", "id": request_id, "method": method, **({"params": params} if params else {})})


def encode_notification(method: str, params: dict[str, Any] | None = None) -> bytes:
    """A notification on one line, without the line's end."""
    return _dump({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})


def encode_result(request_id: int | str, result: Any) -> bytes:
    """An answer to the server's own request."""
    return _dump({"jsonrpc": "2.0", "id": request_id, "result": result})


def encode_error(request_id: int | str, code: int, message: str) -> bytes:
    """A refusal of the server's own request."""
    return _dump({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})


def decode(data: bytes) -> list[Message]:
    """The messages in one line or body: one, or several where the server sent a batch (gone since MCP 2025-06-18)."""
    if data.count(b"{") + data.count(b"[") > MAX_CONTAINERS:
        return [Foreign(f"more than {MAX_CONTAINERS:,} arrays and objects", data[:300].decode("utf-8", "replace"))]
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError:
        return [Foreign("not UTF-8", data[:300].decode("utf-8", "replace"))]
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else "not JSON"
        return [Foreign(reason, text[:300])]
    if isinstance(value, list) and value:
        return [_in_batch(_message(item, text)) for item in value]
    return [_message(value, text)]


def _message(value: Any, text: str) -> Message:
    if not isinstance(value, dict):
        return Foreign("JSON, but not a JSON-RPC message", text[:300])
    method, request_id = value.get("method"), value.get("id")
    if isinstance(method, str) and "jsonrpc" in value:  # a log line may have a method and an id too
        if isinstance(request_id, int | str) and not isinstance(request_id, bool):
            return Request(request_id, method, value.get("params"))
        return Notification(method, value.get("params"))
    if method is None and ("id" in value or "jsonrpc" in value):
        if value.get("error") is not None:
            return _error(_own_id(request_id), value["error"])
        if "result" in value:
            return Response(_own_id(request_id), value["result"], _oddities(value))
    return Foreign("JSON, but not a JSON-RPC message", text[:300])


def _in_batch(message: Message) -> Message:
    return replace(message, oddities=("batch", *message.oddities)) if isinstance(message, Response) else message


def _oddities(value: dict[str, Any]) -> tuple[DeviationKind, ...]:
    number = _own_id(value.get("id"))
    odd: dict[DeviationKind, bool] = {
        "jsonrpc-version": value.get("jsonrpc") != "2.0",
        "error-null": "error" in value,
        "extra-member": not value.keys() <= {"jsonrpc", "id", "result", "error"},
        "id-null": number is None,
        "id-text": number is not None and isinstance(value["id"], str),
    }
    return tuple(kind for kind, found in odd.items() if found)


def _error(request_id: int | None, error: Any) -> ErrorResponse:
    if not isinstance(error, dict):
        return ErrorResponse(request_id, None, str(error)[:500])
    code = error.get("code")
    if isinstance(code, str) and code.removeprefix("-").isdigit() and len(code) < 12:
        code = int(code)
    message = error.get("message")
    return ErrorResponse(
        request_id,
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        message[:500] if isinstance(message, str) else "",
        error.get("data"),
    )


def _own_id(value: Any) -> int | None:
    """Our ids are integers; some servers send them back as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12 else None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity are not JSON


_BOM = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder(parse_constant=_refuse)  # made once: json.loads makes one a call, at twice the price


def _dump(message: dict[str, Any]) -> bytes:
    # ASCII: a cursor may hold a lone surrogate, which only an escape can carry.
    return json.dumps(message, separators=(",", ":")).encode("ascii")
