"""A model on 127.0.0.1 that follows a script and remembers what it was offered. OpenAI chat completions only.

    with ScriptedModel([Call("glob", {"pattern": "*"}), Say("bye")]) as model:
        ...  run a program whose provider is model.url ...
        model.main_requests()[0].tools

Step i is played when the request already holds i tool results, so a request that is sent twice gets one
answer. Past the end it says ``done``. A request that offers no tools (a title, a summary) is answered ``ok``
and takes no step.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    name: str
    arguments: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Say:
    text: str


Step = Call | Say


@dataclass(frozen=True)
class Request:
    """One request to the model: the tools offered in it, the tool results in it, and its whole text."""

    tools: tuple[Json, ...]
    results: tuple[str, ...]
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(tool.get("name")) for tool in self.tools)


def read_request(body: Json) -> Request:
    offered = tuple(tool.get("function", tool) for tool in body.get("tools") or [])
    messages = body.get("messages") or []
    results = [message.get("content") for message in messages if message.get("role") == "tool"]
    as_text = tuple(result if isinstance(result, str) else json.dumps(result) for result in results)
    return Request(offered, as_text, "\n".join(texts(messages)))


def texts(value: Any) -> Iterator[str]:
    """Every string below ``value``, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is ended in the middle of a connection is our own doing."""


class ScriptedModel:
    def __init__(self, script: Sequence[Step] = ()) -> None:
        self._script = tuple(script)
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self.seen = threading.Event()
        self.finished = threading.Event()
        self._server = QuietServer(("127.0.0.1", 0), handler_for(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: Json) -> Step:
        request = read_request(body)
        with self._lock:
            self._requests.append(request)
        if not request.tools:
            return Say("ok")
        self.seen.set()
        turn = len(request.results)
        if turn < len(self._script):
            return self._script[turn]
        self.finished.set()
        return Say("done")

    def main_requests(self) -> list[Request]:
        """The requests of the main conversation: those that share most of the first offered tool set."""
        with self._lock:
            with_tools = [request for request in self._requests if request.tools]
        if not with_tools:
            return []
        first = set(with_tools[0].names)
        return [request for request in with_tools if len(first & set(request.names)) >= 0.5 * len(first)]


def message_for(step: Step, call_id: str) -> tuple[Json, str]:
    if isinstance(step, Say):
        return {"role": "assistant", "content": step.text}, "stop"
    function = {"name": step.name, "arguments": json.dumps(step.arguments)}
    call = {"index": 0, "id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


def completion(body: Json, step: Step, call_id: str) -> tuple[str, str]:
    """Content type and text of the answer, streamed when the request asks for it."""
    message, finish = message_for(step, call_id)
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    head = {"id": f"chat-{call_id}", "created": 0, "model": body.get("model", "scripted")}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return "application/json", json.dumps(
            {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        )
    head["object"] = "chat.completion.chunk"
    chunks = [
        {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage},
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "text/event-stream", "".join(lines) + "data: [DONE]\n\n"


def handler_for(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            return

        def reply(self, kind: str, text: str, status: int = 200) -> None:
            raw = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def do_GET(self) -> None:
            self.reply(
                "application/json",
                json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}),
            )

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("content-encoding") == "gzip":
                raw = zlib.decompress(raw, 31)
            try:
                body = json.loads(raw or b"{}")
            except ValueError:
                self.reply("application/json", '{"error": {"message": "not JSON"}}', 400)
                return
            if not self.path.split("?")[0].endswith("/chat/completions"):
                self.reply("application/json", "{}", 404)
                return
            step = model.answer(body)
            self.reply(*completion(body, step, f"call-{len(body.get('messages') or [])}"))

    return Handler
