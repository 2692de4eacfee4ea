"""HTTP+SSE of 2024-11-05: a stream names where to POST."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.specs import http_spec, names, row, signal_of

TWO = ["tool_0", "tool_1"]


async def test_a_server_of_2024_is_listed(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("legacy-sse", path="/sse")
    got = await row(http_spec(server.url, transport="sse", headers={"X-Key": "k", "content-type": "x/y"}))
    assert names(got) == TWO and (got.fetched.era, got.fetched.transport) == ("legacy", "sse")
    assert {seen.headers["x-key"] for seen in server.requests} == {"k"}
    assert {seen.headers["content-type"] for seen in server.requests if seen.method == "POST"} == {"application/json"}


async def test_a_runtime_that_falls_back_to_sse_gets_it_after_streamable_http_was_refused(
    http_stub: Callable[..., Any],
) -> None:
    server = await http_stub("legacy-sse", path="/sse")
    assert signal_of(await row(http_spec(server.url))) == "http-09"
    got = await row(http_spec(server.url, fallback_sse=True))
    assert names(got) == TWO and got.fetched.transport == "sse"


@pytest.mark.parametrize(
    "endpoint", ["http://elsewhere.invalid/messages", "//elsewhere.invalid/m", "https://127.0.0.1/"]
)
async def test_an_endpoint_on_another_host_is_refused_and_sent_nothing(
    http_stub: Callable[..., Any], endpoint: str
) -> None:
    server = await http_stub("legacy-sse", endpoint=endpoint)
    got = await row(http_spec(server.url, transport="sse", headers={"Authorization": "secret"}))
    assert signal_of(got) == "mcp-unusable" and "another host" in got.failure.message
    assert [seen.method for seen in server.requests] == ["GET"]


@pytest.mark.parametrize("endpoint", ["http://[bad", "mailto:x"])
async def test_an_endpoint_that_is_no_url_is_unusable(http_stub: Callable[..., Any], endpoint: str) -> None:
    server = await http_stub("legacy-sse", endpoint=endpoint)
    assert signal_of(await row(http_spec(server.url, transport="sse"))) == "mcp-unusable"


async def test_a_stream_that_ends_after_naming_its_endpoint_is_a_failure(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("legacy-sse", closes=True)
    assert signal_of(await row(http_spec(server.url, transport="sse"))) == "mcp-28"


async def test_a_refused_post_keeps_its_cause(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("legacy-sse", post_status=429)
    got = await row(http_spec(server.url, transport="sse"))
    assert signal_of(got) == "http-20" and got.failure.details["retry_after"] == "7"


@pytest.mark.parametrize(("status", "signal"), [(401, "http-03"), (404, "http-06"), (204, "mcp-27"), (307, "http-34")])
async def test_a_refused_stream_keeps_its_cause(http_stub: Callable[..., Any], status: int, signal: str) -> None:
    server = await http_stub("status", status=status)
    assert signal_of(await row(http_spec(server.url, transport="sse"))) == signal


async def test_something_else_than_a_stream_is_a_failure(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("status", status=200, text="hi")
    assert signal_of(await row(http_spec(server.url, transport="sse"))) == "aiohttp-19"


async def test_a_stream_that_never_names_an_endpoint_ends_with_the_budget(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("keepalives")
    assert (await row(http_spec(server.url, transport="sse", budget=1))).timed_out


async def test_what_the_server_asks_is_answered_while_a_request_waits(http_stub: Callable[..., Any]) -> None:
    """Servers ping on their stream, and some drop a client that does not answer."""
    server = await http_stub("legacy-sse", asks=True)
    got = await row(http_spec(server.url, transport="sse", headers={"X-Key": "k"}))
    assert names(got) == TWO
    assert (server.answers["p0"], server.answers["p1"], server.answers[99]["code"]) == ({}, {}, -32601)
    assert {seen.headers["x-key"] for seen in server.requests} == {"k"}
