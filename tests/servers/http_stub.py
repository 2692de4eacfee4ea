"""MCP over HTTP with a fault, in the test's own process and loop, on loopback; ``requests`` keeps what it was sent."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.servers.stub import RpcError, Stub

Handler = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]

    @property
    def rpc(self) -> str:
        return str(self.body.get("method", ""))


class HttpStub:
    """``mode`` is a method of this class with ``-`` for ``_``; ``options`` are its own."""

    def __init__(self, mode: str, options: dict[str, Any]) -> None:
        self.options = options
        self.requests: list[Seen] = []
        self.server = Stub(options)
        self.over = asyncio.Event()
        self.streams: list[asyncio.Queue[bytes]] = []
        self.sessions: set[str] = set()
        self.answers: dict[Any, Any] = {}
        self.all_answered = asyncio.Event()
        self.held: dict[str, Any] = {}
        self._handle: Handler = getattr(self, mode.replace("-", "_"))
        self._raw: asyncio.Server | None = None
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.options.get('path', '/mcp')}"

    async def start(self) -> None:
        if self._handle == self.reset:
            self._raw = await asyncio.start_server(self._reset, "127.0.0.1", 0)
            self.port = self._raw.sockets[0].getsockname()[1]
            return
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._seen)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self.options.get("tls"))
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        self.over.set()
        if self._raw is not None:
            self._raw.close()
            await self._raw.wait_closed()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _seen(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(Seen(request.method, request.path, headers, body))
        return await self._handle(request, body)

    def rpc(self, body: dict[str, Any]) -> dict[str, Any]:
        """The orderly answer to a request."""
        handlers = {"server/discover": self.server.discover, "initialize": self.server.initialize}
        handler = {**handlers, "tools/list": self.server.list}.get(body.get("method", ""))
        try:
            if handler is None:
                raise RpcError(-32601, "Method not found")
            return {"jsonrpc": "2.0", "id": body["id"], "result": handler(body.get("params") or {})}
        except RpcError as error:
            return {"jsonrpc": "2.0", "id": body["id"], "error": error.error}

    # ---- orderly

    async def legacy(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        if request.method != "POST":
            return web.Response(status=405)
        return web.Response(status=202) if "id" not in body else web.json_response(self.rpc(body))

    async def modern(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        self.server.legacy, self.server.modern = (), ("2026-07-28",)
        answer = self.rpc(body)
        code = answer.get("error", {}).get("code")
        return web.json_response(answer, status={-32601: 404, -32022: 400}.get(code, 200))

    async def sse_answer(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """A keep-alive, a place to resume from, a notification and ``strays`` before the answer, in an event stream."""
        if "id" not in body:
            return web.Response(status=202)
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
        noted, answer = json.dumps(note), json.dumps(self.rpc(body))
        strays = "".join(f"data: {stray}\r\n\r\n" for stray in self.options.get("strays", ()))
        before = f": hello\r\n\r\nid: 1_2\r\ndata:\r\n\r\nevent: message\r\ndata: {noted}\r\n\r\n{strays}"
        text = f"{before}data: {answer}\r\n\r\n"
        return web.Response(body=text.encode(), content_type="text/event-stream")

    async def asks_first(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """Before it answers ``initialize`` it pings ``times`` and asks for the roots, and waits for every answer."""
        if body.get("method") != "initialize":
            return (
                web.Response(status=202)
                if self._answered(body) or "id" not in body
                else await self.legacy(request, body)
            )
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for question in self._questions():
            await response.write(f"data: {json.dumps(question)}\n\n".encode())
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await self.all_answered.wait()
            await response.write(f"data: {json.dumps(self.rpc(body))}\n\n".encode())
        return response

    def _questions(self) -> list[dict[str, Any]]:
        pings = [{"jsonrpc": "2.0", "id": f"p{n}", "method": "ping"} for n in range(self.options.get("times", 2))]
        return [*pings, {"jsonrpc": "2.0", "id": 99, "method": "roots/list"}]

    def _answered(self, body: dict[str, Any]) -> bool:
        """Whether this is an answer to a question; counts it."""
        if "result" not in body and "error" not in body:
            return False
        self.answers[body["id"]] = body.get("result", body.get("error"))
        if len(self.answers) == len(self._questions()):
            self.all_answered.set()
        return True

    async def session(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """Stateful: names a session in its answer to initialize, wants it everywhere else, ends it with DELETE."""
        if body.get("method") == "initialize":
            self.sessions.add("s-1")
            return web.json_response(self.rpc(body), headers={"Mcp-Session-Id": "s-1"})
        if request.headers.get("Mcp-Session-Id") not in self.sessions:
            refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "No valid session ID"}}
            return web.json_response(refusal, status=400)
        if request.method == "DELETE":
            self.sessions.clear()
            return web.Response(status=self.options.get("delete_status", 200))
        return await self.legacy(request, body)

    # ---- answers that are none

    async def status(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``status``, ``headers``, ``text``, ``type``; ``only``: for that method alone, else orderly."""
        if self.options.get("only") not in (None, body.get("method")):
            return await self.legacy(request, body)
        text, kind = self.options.get("text", ""), self.options.get("type", "text/plain")
        return web.Response(
            status=self.options["status"], headers=self.options.get("headers"), text=text, content_type=kind
        )

    async def rpc_error(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``status`` with a JSON-RPC error: ``code``, ``data``."""
        error = {"code": self.options["code"], "message": "no", "data": self.options.get("data")}
        answer = {"jsonrpc": "2.0", "id": body.get("id"), "error": error}
        return web.json_response(answer, status=self.options.get("status", 400))

    async def redirect(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``status`` to ``target``; requests for /moved are served."""
        if request.path == "/moved":
            return await self.legacy(request, body)
        return web.Response(status=self.options.get("status", 307), headers={"Location": self.options["target"]})

    async def gzipped(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``packed``: bytes."""
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        return web.Response(body=self.options["packed"], headers=headers)

    async def big(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``megabytes`` of JSON."""
        return web.Response(body=b'"' + b"x" * (self.options["megabytes"] << 20), content_type="application/json")

    async def other_id(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        return web.json_response({**self.rpc(body), "id": 4242})

    async def truncated(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """Breaks off in the middle of the answer."""
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "5000"})
        await response.prepare(request)
        await response.write(b'{"jsonrpc": "2.0", ')
        assert request.transport is not None
        request.transport.abort()
        return response

    # ---- streams and stalls

    async def stall(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """Headers, and then nothing."""
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await self._until_over(response, None)
        return response

    async def silent(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        with contextlib.suppress(asyncio.CancelledError):
            await self.over.wait()
        return web.Response()

    async def keepalives(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await self._until_over(response, b": still here\n\n")
        return response

    async def _until_over(self, response: web.StreamResponse, data: bytes | None) -> None:
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while not self.over.is_set():
                if data is not None:
                    await response.write(data)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.over.wait(), 0.05)

    async def reset(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        raise NotImplementedError  # below HTTP: see _reset

    async def _reset(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    # ---- HTTP+SSE of 2024-11-05

    async def legacy_sse(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``endpoint``: what the first event names; ``post_status``; ``closes``: the stream ends at once after it;
        ``asks``: see ``asks_first``."""
        if request.method == "GET":
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            queue: asyncio.Queue[bytes] = asyncio.Queue()
            self.streams.append(queue)
            endpoint = self.options.get("endpoint", "/messages?session=1")
            await response.write(f"event: endpoint\ndata: {endpoint}\n\n".encode())
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                while not self.over.is_set() and not self.options.get("closes"):
                    await response.write(await queue.get())
            return response
        if request.path != "/messages":
            return web.Response(status=405)
        if "post_status" in self.options:
            return web.Response(status=self.options["post_status"], headers={"retry-after": "7"})
        if self._answered(body):
            if self.all_answered.is_set():
                self._send(self.rpc(self.held))
        elif self.options.get("asks") and body.get("method") == "initialize":
            self.held = body
            for question in self._questions():
                self._send(question)
        elif "id" in body:
            self._send(self.rpc(body))
        return web.Response(status=202, text="Accepted")

    def _send(self, message: dict[str, Any]) -> None:
        self.streams[-1].put_nowait(f"event: message\ndata: {json.dumps(message)}\n\n".encode())

    # ---- contractd's own manifests

    async def manifest(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        """``manifest``: the value."""
        return web.json_response(self.options["manifest"])
