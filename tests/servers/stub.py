#!/usr/bin/env python3
"""An MCP server over stdio with a fault: ``stub.py MODE [JSON OPTIONS]``. Standard library only.

Without a fault (``legacy``, ``modern``, ``dual``) it is an orderly server. Options for all modes: ``tools`` (how many),
``prefix`` (of their names), ``spawns`` (a file that gets a line for each start). The other modes say what they do.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

PREFIX = "io.modelcontextprotocol/"
MODES: dict[str, Callable[[Stub], None]] = {}


class RpcError(Exception):
    def __init__(self, code: Any, message: str = "no", data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data is not None else {})}


class Silence(Exception):
    """No answer to this one."""


def tool(name: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return {"name": name, "description": f"does {name}", "inputSchema": schema, **more}


class Stub:
    modern: tuple[str, ...] = ()
    legacy: tuple[str, ...] = ("2025-11-25",)

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.capabilities: dict[str, Any] = {"tools": {}}
        prefix = options.get("prefix", "tool")
        self.tools: list[Any] = [tool(f"{prefix}_{number}") for number in range(options.get("tools", 2))]
        self.lists = 0

    # ---- what a fault replaces

    def discover(self, params: dict[str, Any]) -> Any:
        if not self.modern:
            raise RpcError(-32601, "Method not found")
        asked = params["_meta"][PREFIX + "protocolVersion"]
        if asked not in self.modern:
            raise RpcError(-32022, "Unsupported protocol version", {"supported": list(self.modern), "requested": asked})
        meta = {PREFIX + "serverInfo": {"name": "stub", "version": "1"}}
        offered = {"supportedVersions": list(self.modern), "capabilities": self.capabilities, "_meta": meta}
        return {"resultType": "complete", **offered, "ttlMs": 0, "cacheScope": "private"}

    def initialize(self, params: dict[str, Any]) -> Any:
        if not self.legacy:
            raise RpcError(-32022, "Unsupported protocol version", {"supported": list(self.modern)})
        asked = params["protocolVersion"]
        version = asked if asked in self.legacy else self.legacy[-1]
        info = {"name": "stub", "version": "1"}
        return {"protocolVersion": version, "capabilities": self.capabilities, "serverInfo": info}

    def list(self, params: dict[str, Any]) -> Any:
        self.lists += 1
        return {"tools": self.tools}

    # ---- the wire

    def answer(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params") or {}
        handler = {"server/discover": self.discover, "initialize": self.initialize, "tools/list": self.list}.get(method)
        if "id" not in message or method is None:
            return
        try:
            if handler is None:
                raise RpcError(-32601, "Method not found")
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": handler(params)})
        except RpcError as error:
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": error.error})
        except Silence:
            pass

    def send(self, message: Any) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def read(self) -> dict[str, Any] | None:
        line = sys.stdin.buffer.readline()
        return json.loads(line) if line else None

    def serve(self) -> None:
        while (message := self.read()) is not None:
            self.answer(message)


def mode(function: Callable[[Stub], None]) -> Callable[[Stub], None]:
    MODES[function.__name__.replace("_", "-")] = function
    return function


def forever() -> None:
    while True:
        signal.pause()


# ---- orderly servers


@mode
def legacy(stub: Stub) -> None:
    """``versions``: the ones it speaks."""
    stub.legacy = tuple(stub.options.get("versions", stub.legacy))
    stub.serve()


@mode
def modern(stub: Stub) -> None:
    """``versions``: the ones it speaks."""
    stub.legacy, stub.modern = (), tuple(stub.options.get("versions", ["2026-07-28"]))
    stub.serve()


@mode
def dual(stub: Stub) -> None:
    stub.modern = ("2026-07-28",)
    stub.serve()


# ---- start and handshake


@mode
def silent(stub: Stub) -> None:
    while stub.read() is not None:
        pass


@mode
def slow_start(stub: Stub) -> None:
    """``seconds`` until it reads anything; ``era`` modern or legacy."""
    time.sleep(stub.options["seconds"])
    MODES[stub.options.get("era", "legacy")](stub)


@mode
def traceback(stub: Stub) -> None:
    import a_dependency_that_was_renamed  # noqa: F401, PLC0415


@mode
def last_words(stub: Stub) -> None:
    """``words`` on stderr, then exit with ``code``; with ``once`` (a file) the words are said the first time
    only, and with ``hangs`` it hangs the second time."""
    once = stub.options.get("once")
    if once is not None and os.path.exists(once) and stub.options.get("hangs"):
        forever()
    if once is None or not os.path.exists(once):
        sys.stderr.buffer.write(stub.options["words"].encode())
    if once is not None:
        open(once, "w").close()
    sys.exit(stub.options["code"])


@mode
def exits_on_probe(stub: Stub) -> None:
    """Takes nothing before initialize."""
    if stub.read()["method"] != "initialize":
        sys.exit("expected initialize")
    stub.send({"jsonrpc": "2.0", "id": 1, "result": Stub(stub.options).initialize({"protocolVersion": "2025-11-25"})})
    stub.serve()


@mode
def answers_then_exits_on_probe(stub: Stub) -> None:
    message = stub.read()
    if message["method"] != "initialize":
        stub.send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32600, "message": "initialize first"}})
        sys.exit("expected initialize")
    stub.answer(message)
    stub.serve()


@mode
def exits_always(stub: Stub) -> None:
    """Whatever it is asked first, it exits."""
    stub.read()
    print("this server does not like you", file=sys.stderr)
    sys.exit(3)


@mode
def swallows_probe(stub: Stub) -> None:
    def discover(params: Any) -> Any:
        raise Silence

    stub.discover = discover  # type: ignore[method-assign]
    stub.serve()


@mode
def answers_anything(stub: Stub) -> None:
    """A legacy server that answers an unknown method with an empty result."""
    stub.discover = lambda params: {}  # type: ignore[method-assign]
    stub.serve()


@mode
def refuses_initialize(stub: Stub) -> None:
    """Swallows the probe and refuses the handshake."""

    def discover(params: Any) -> Any:
        raise Silence

    def initialize(params: Any) -> Any:
        raise RpcError(-32603, "not today")

    stub.discover, stub.initialize = discover, initialize  # type: ignore[method-assign]
    stub.serve()


@mode
def strict_version(stub: Stub) -> None:
    """Refuses any version but its own instead of answering with it."""
    own = stub.options.get("version", "2025-03-26")

    def initialize(params: Any) -> Any:
        if params["protocolVersion"] != own:
            raise RpcError(-32602, "Unsupported protocol version", {"supported": [own]})
        return {"protocolVersion": own, "capabilities": {"tools": {}}, "serverInfo": {"name": "stub", "version": "1"}}

    stub.initialize = initialize  # type: ignore[method-assign]
    stub.serve()


@mode
def wants_capability(stub: Stub) -> None:
    """Modern, and wants a capability of its clients."""

    def refuse(params: Any) -> Any:
        raise RpcError(-32021, "Missing capability", {"requiredCapabilities": ["sampling"]})

    stub.discover = refuse  # type: ignore[method-assign]
    stub.legacy = ()
    stub.serve()


@mode
def bad_initialize(stub: Stub) -> None:
    """``result``: what it answers to initialize."""
    stub.initialize = lambda params: stub.options["result"]  # type: ignore[method-assign]
    stub.serve()


@mode
def no_tools_capability(stub: Stub) -> None:
    """``era``; knows no tools/list."""

    def refuse(params: Any) -> Any:
        raise RpcError(-32601, "Method not found")

    stub.capabilities = {"prompts": {}}
    stub.list = refuse  # type: ignore[method-assign]
    MODES[stub.options.get("era", "legacy")](stub)


# ---- what comes out of stdout


@mode
def banner(stub: Stub) -> None:
    """Lines of a person's language, a log in JSON, then an orderly server; ``lines``: how many."""
    for number in range(stub.options.get("lines", 1)):
        stub.write(f"Welcome to the stub \x1b[31m{number}\x1b[0m\n".encode())
    stub.write(b'{"level": 30, "id": "r1", "method": "GET", "msg": "listening"}\n')
    stub.serve()


@mode
def garbage(stub: Stub) -> None:
    """Bytes that are no text, then an orderly server."""
    stub.write(random.Random(7).randbytes(5000).replace(b"\n", b"x") + b"\n")
    stub.serve()


@mode
def half_lines(stub: Stub) -> None:
    """Each answer in pieces, the line's end coming last."""

    def write(data: bytes) -> None:
        for start in range(0, len(data), 7):
            os.write(1, data[start : start + 7])

    stub.write = write  # type: ignore[method-assign]
    stub.serve()


@mode
def endless_line(stub: Stub) -> None:
    while True:
        stub.write(b"x" * 65536)


@mode
def endless_notifications(stub: Stub) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 200}}
    while True:
        stub.write((json.dumps(note) + "\n").encode() * 100)


@mode
def huge_line(stub: Stub) -> None:
    """``megabytes``: one description of that size."""
    stub.tools = [tool("big", description="x" * (stub.options["megabytes"] * 1024 * 1024))]
    stub.serve()


@mode
def raw_list(stub: Stub) -> None:
    """``result``: the text of the result of tools/list, as it goes over the wire; ``times`` times ``repeat``
    is put in for ``@``, and so many times ``back`` for ``~``."""
    text = stub.options["result"]
    times = stub.options.get("times", 1)
    text = text.replace("@", stub.options.get("repeat", "") * times).replace("~", stub.options.get("back", "") * times)

    def answer(message: dict[str, Any]) -> None:
        if message.get("method") == "tools/list":
            stub.write(f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{text}}}\n'.encode())
        else:
            Stub.answer(stub, message)

    stub.answer = answer  # type: ignore[method-assign]
    stub.serve()


@mode
def text_ids(stub: Stub) -> None:
    """Echoes ids as text."""
    send = stub.send
    stub.send = lambda message: send({**message, "id": str(message["id"])})  # type: ignore[method-assign]
    stub.serve()


@mode
def other_ids(stub: Stub) -> None:
    """Answers under ids that nobody used."""
    send = stub.send
    stub.send = lambda message: send({**message, "id": message["id"] + 1000})  # type: ignore[method-assign]
    stub.serve()


@mode
def asks_first(stub: Stub) -> None:
    """Wants answers to requests of its own before it answers tools/list."""
    listing = stub.list

    def ask(params: Any) -> Any:
        stub.send({"jsonrpc": "2.0", "id": "a", "method": "ping"})
        if stub.read() != {"jsonrpc": "2.0", "id": "a", "result": {}}:
            sys.exit("no pong")
        stub.send({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
        reply = stub.read()
        if reply["id"] != 1 or reply["error"]["code"] != -32601:
            sys.exit("no refusal")
        return listing(params)

    stub.list = ask  # type: ignore[method-assign]
    stub.serve()


@mode
def asks_and_never_reads(stub: Stub) -> None:
    while True:
        stub.write(b'{"jsonrpc":"2.0","id":"a","method":"ping"}\n' * 500)


@mode
def stderr_flood(stub: Stub) -> None:
    """Writes to stderr without end while it serves in an orderly way; the last line is ``the end``."""
    if os.fork() == 0:
        os.close(0)
        os.close(1)
        while True:
            os.write(2, b"noise " * 10_000)
    stub.serve()


# ---- tools/list


@mode
def list_error(stub: Stub) -> None:
    """``code``"""

    def refuse(params: Any) -> Any:
        raise RpcError(stub.options.get("code", -32603), "the backend said 401")

    stub.list = refuse  # type: ignore[method-assign]
    stub.serve()


@mode
def list_silent(stub: Stub) -> None:
    def ignore(params: Any) -> Any:
        raise Silence

    stub.list = ignore  # type: ignore[method-assign]
    stub.serve()


@mode
def list_result(stub: Stub) -> None:
    """``result``: what tools/list yields; ``era``."""
    stub.list = lambda params: stub.options["result"]  # type: ignore[method-assign]
    MODES[stub.options.get("era", "legacy")](stub)


@mode
def listed(stub: Stub) -> None:
    """``listed``: the tools, as they are."""
    stub.tools = stub.options["listed"]
    stub.serve()


@mode
def shuffled(stub: Stub) -> None:
    random.shuffle(stub.tools)
    stub.serve()


@mode
def pages(stub: Stub) -> None:
    """``pages``: for each cursor (``first`` for none) the names of the tools and the next cursor, or an error code."""

    def listing(params: Any) -> Any:
        page = stub.options["pages"][params.get("cursor", "first")]
        if isinstance(page, int):
            raise RpcError(page, "Invalid cursor")
        names, cursor = page
        return {"tools": [tool(name) for name in names], **({} if cursor is None else {"nextCursor": cursor})}

    stub.list = listing  # type: ignore[method-assign]
    stub.serve()


@mode
def endless_pages(stub: Stub) -> None:
    """Another cursor for ever; ``fresh``: with new tools on each page, else the same or (``empty``) none."""

    def listing(params: Any) -> Any:
        number = int(params.get("cursor", "0"))
        name = f"tool_{number}" if stub.options.get("fresh") else "tool"
        tools = [] if stub.options.get("empty") and number else [tool(name)]
        return {"tools": tools, "nextCursor": str(number + 1)}

    stub.list = listing  # type: ignore[method-assign]
    stub.serve()


@mode
def cursor_expires(stub: Stub) -> None:
    """The first walk's second page is refused (``times``: so many walks)."""
    left = stub.options.get("times", 1)

    def listing(params: Any) -> Any:
        nonlocal left
        if params.get("cursor") is None:
            return {"tools": [tool("one")], "nextCursor": "c"}
        if left > 0:
            left -= 1
            raise RpcError(-32602, "Invalid cursor")
        return {"tools": [tool("two")]}

    stub.list = listing  # type: ignore[method-assign]
    stub.serve()


# ---- ends


@mode
def ignores_sigterm(stub: Stub) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stub.serve()
    forever()


@mode
def ignores_stdin_close(stub: Stub) -> None:
    stub.serve()
    forever()


@mode
def grandchild(stub: Stub) -> None:
    """Leaves a process behind that has left its session; ``holds``: it keeps the pipes open."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if not stub.options.get("holds"):
                for number in (0, 1, 2):
                    os.close(number)
            forever()
        os._exit(0)
    os.wait()
    stub.serve()


@mode
def bare_grandchild(stub: Stub) -> None:
    """Leaves a process behind that stays in the session but has an empty environment."""
    if os.fork() == 0:
        os.execve("/bin/sleep", ["sleep", "1000.0625"], {})
    stub.serve()


@mode
def held(stub: Stub) -> None:
    """As ``grandchild``, itself deaf to SIGTERM and silent."""
    stub.options["holds"] = True
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stub.serve = forever  # type: ignore[method-assign]
    grandchild(stub)


@mode
def bare(stub: Stub) -> None:
    """As ``bare-grandchild``, and silent."""
    stub.serve = forever  # type: ignore[method-assign]
    bare_grandchild(stub)


@mode
def leaves_its_stdout(stub: Stub) -> None:
    """Exits with 3 and leaves a child that holds its stdout."""
    if os.fork() == 0:
        forever()
    os._exit(3)


@mode
def closes_stdout(stub: Stub) -> None:
    os.close(1)
    forever()


@mode
def dies(stub: Stub) -> None:
    """``signal``: by its number, on the first message."""
    stub.read()
    if stub.options["signal"] != signal.SIGKILL:
        signal.signal(stub.options["signal"], signal.SIG_DFL)
    os.kill(os.getpid(), stub.options["signal"])
    forever()


@mode
def dies_in_list(stub: Stub) -> None:
    """Answers the handshake and exits with 7 when it is asked for its tools."""

    def die(params: Any) -> Any:
        print("out of luck", file=sys.stderr)
        sys.stderr.flush()
        os._exit(7)

    stub.list = die  # type: ignore[method-assign]
    stub.serve()


def main() -> None:
    options = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    if "spawns" in options:
        with open(options["spawns"], "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
    MODES[sys.argv[1]](Stub(options))


if __name__ == "__main__":
    main()
