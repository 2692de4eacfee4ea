"""Published servers from npm and PyPI as people run them: all at once over stdio, and over HTTP where they offer it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contractd.providers import ProviderSpec
from contractd.registry import Row
from tests.servers.processes import carrying, settled
from tests.servers.published import SERVERS, Published
from tests.servers.specs import http_spec, names, new_mark, published_spec, row, rows

SDK = Path(__file__).parents[1] / "servers" / "sdk_server.py"
SDK_TOOLS = ["add", "greet", "nothing"]


@pytest.fixture(scope="module")
def all_at_once() -> dict[str, Row]:
    """One bootstrap of everything that is installed."""
    mark = new_mark()
    specs = [published_spec(name, mark, 120) for name, server in SERVERS.items() if not server.missing]
    got = asyncio.run(rows(*specs))
    assert settled(lambda: not carrying(mark)), carrying(mark)
    return {row.spec.name: row for row in got}


@pytest.mark.parametrize("server", SERVERS.values(), ids=lambda server: server.id)
def test_a_published_server_is_listed_in_its_own_era_beside_all_the_others(
    server: Published, all_at_once: dict[str, Row]
) -> None:
    if server.missing:
        pytest.skip(server.missing)
    got = all_at_once[server.id]
    if server.tools is None:
        assert got.status == "failed" and got.failure is not None and got.failure.signal == "stdio-02"
        return
    assert got.status == "ready", (got.failure, got.evidence.stderr)
    assert got.fetched is not None and got.fetched.era == server.era
    assert len(names(got)) == server.tools
    assert all(tool.digest.startswith("sha256:") for tool in got.fetched.manifest.tools)


def test_the_old_filesystem_server_has_lost_the_parameters_of_all_tools_but_one(all_at_once: dict[str, Row]) -> None:
    """Row 48: it looks healthy, and 13 of 14 tools have an input schema of nothing but ``$schema``."""
    if "filesystem-lost" not in all_at_once:
        pytest.skip(SERVERS["filesystem-lost"].missing or "")
    manifest = all_at_once["filesystem-lost"].fetched.manifest
    assert len(manifest.flawed) == 13
    assert {flaw.kind for tool in manifest.flawed for flaw in tool.flaws} == {"parameters-lost"}
    assert [tool.name for tool in manifest.tools] == ["list_allowed_directories"]


def test_every_published_server_ended_before_its_row_was_handed_out(all_at_once: dict[str, Row]) -> None:
    """Some need SIGTERM, depending on what they were doing; none needs SIGKILL or is left."""
    for name, got in all_at_once.items():
        assert got.evidence.exit_code is not None, name
        assert got.evidence.ended in ("stdin-closed", "terminated", "itself"), name


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture
def serving(mark: str) -> Iterator[Callable[..., int]]:
    """Starts a program that serves on a port given in PORT and as last argument; returns the port once it listens."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*command: str, port_last: bool = False) -> int:
        port = free_port()
        argv = [*command, str(port)] if port_last else list(command)
        env = {**os.environ, "PORT": str(port), "STUB_MARK": mark}
        process = subprocess.Popen(
            argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        running.append(process)
        assert settled(lambda: listens(port), 60), f"{argv} does not listen: {process.poll()}"
        return port

    yield start
    for process in running:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("kind", ["http", "http-json", "http-stateless"])
async def test_the_official_sdk_is_listed_over_streamable_http(serving: Callable[..., int], kind: str) -> None:
    port = serving(sys.executable, str(SDK), kind, port_last=True)
    got = await row(http_spec(f"http://127.0.0.1:{port}/mcp"))
    assert got.status == "ready", got.failure
    assert (got.fetched.era, got.fetched.transport, names(got)) == ("modern", "http", SDK_TOOLS)


async def test_the_official_sdk_is_listed_over_http_with_sse(serving: Callable[..., int]) -> None:
    port = serving(sys.executable, str(SDK), "sse", port_last=True)
    straight = http_spec(f"http://127.0.0.1:{port}/sse", transport="sse")
    fallback = http_spec(f"http://127.0.0.1:{port}/sse", name="fallback", fallback_sse=True)
    for got in await rows(straight, fallback):
        assert got.status == "ready", got.failure
        assert (got.fetched.transport, names(got)) == ("sse", SDK_TOOLS)


async def test_the_official_sdk_is_listed_over_stdio_with_the_same_digests(stub: Callable[..., Any], mark: str) -> None:
    spec = ProviderSpec(
        "sdk", "sdk", "stdio", argv=(sys.executable, str(SDK), "stdio"), env={"STUB_MARK": mark}, budget=60
    )
    got = await row(spec)
    assert got.fetched.era == "modern" and names(got) == SDK_TOOLS
    assert got.fetched.server == {"name": "official", "version": "1.2.3"}


@pytest.mark.parametrize(("mode", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
async def test_the_everything_server_is_listed_over_both_of_its_http_transports(
    serving: Callable[..., int], mode: str, path: str
) -> None:
    server = SERVERS["everything"]
    if server.missing:
        pytest.skip(server.missing)
    port = serving(*server.command, mode)
    transport = "sse" if mode == "sse" else "http"
    got = await row(http_spec(f"http://127.0.0.1:{port}/{path}", transport=transport))
    assert got.status == "ready", got.failure
    assert (got.fetched.era, got.fetched.transport) == ("legacy", transport)
    assert len(names(got)) >= 12
