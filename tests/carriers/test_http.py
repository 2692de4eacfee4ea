"""Streamable HTTP with every fault: the cause is kept, and nothing that can't be used becomes an empty list."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contractd.carriers import Endpoint, Evidence, Limits
from contractd.carriers.http import HttpCarrier
from contractd.errors import ProviderError
from tests.servers.specs import http_spec, names, row, rows, signal_of

TWO = ["tool_0", "tool_1"]

STATUSES = [
    # status, headers, signal, retryable
    (202, {}, "mcp-27", False),
    (204, {}, "mcp-27", False),
    (301, {"Location": "/elsewhere"}, "http-34", False),
    (302, {"Location": "/elsewhere"}, "http-34", False),
    (307, {}, "http-34", False),
    (307, {"Location": "http://[bad"}, "http-34", False),
    (307, {"Location": "mailto:a@b"}, "http-34", False),
    (400, {}, "http-01", False),
    (401, {"WWW-Authenticate": 'Bearer resource_metadata="x"'}, "http-03", False),
    (403, {}, "http-05", False),
    (404, {}, "http-06", False),
    (405, {}, "http-09", False),
    (406, {}, "http-10", False),
    (407, {}, "http-32", False),
    (410, {}, "http-13", False),
    (418, {}, "http-01", False),
    (429, {}, "http-21", True),
    (429, {"Retry-After": "30"}, "http-20", True),
    (500, {}, "http-25", True),
    (501, {}, "http-27", False),
    (502, {}, "http-25", True),
    (503, {}, "http-29", True),
    (503, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, "http-30", True),
    (504, {}, "http-31", True),
]


@pytest.mark.parametrize(("status", "headers", "signal", "retryable"), STATUSES)
async def test_a_status_that_is_no_success_keeps_its_cause(
    http_stub: Callable[..., Any], status: int, headers: dict[str, str], signal: str, retryable: bool
) -> None:
    server = await http_stub("status", status=status, headers=headers)
    got = await row(http_spec(server.url))
    assert signal_of(got) == signal and got.failure.retryable is retryable
    assert got.failure.details["status"] == status == got.evidence.status
    if "WWW-Authenticate" in headers:
        assert got.failure.details["www_authenticate"] == headers["WWW-Authenticate"]
    retry_after = {name.lower(): value for name, value in headers.items()}.get("retry-after")
    assert got.failure.details.get("retry_after") == retry_after
    assert retry_after is None or retry_after in got.failure.message


@pytest.mark.parametrize("status", [401, 403, 429, 503])
async def test_a_refusal_that_is_meant_is_not_asked_twice(http_stub: Callable[..., Any], status: int) -> None:
    server = await http_stub("status", status=status)
    assert (await row(http_spec(server.url))).status == "failed"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("text", "kind", "signal"),
    [
        ("", "application/json", "mcp-empty"),
        ("  \n", "application/json", "mcp-empty"),
        ("<html>welcome</html>", "text/html", "aiohttp-19"),
        ("{}", "text/plain", "aiohttp-19"),
        ("{}", "application/json", "mcp-unusable"),
        ("{not json", "application/json", "mcp-unusable"),
        ("[]", "application/json", "mcp-unusable"),
        ("data: {}\n\n", "application/json", "mcp-unusable"),
        ('{"jsonrpc":"2.0","id":1,"result":{}}', "text/event-stream", "mcp-28"),
        ("data: hello\n\n", "text/event-stream", "mcp-28"),
        ("", "text/event-stream", "mcp-28"),
        ("[" * 100_000, "application/json", "mcp-unusable"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
async def test_a_200_that_holds_no_answer_is_a_failure(
    http_stub: Callable[..., Any], text: str, kind: str, signal: str
) -> None:
    server = await http_stub("status", status=200, text=text, type=kind)
    assert signal_of(await row(http_spec(server.url))) == signal


@pytest.mark.parametrize("text", ["[]", '"tools"', '{"jsonrpc":"2.0","id":2,"result":null}', "null", "1"])
async def test_an_unusable_answer_to_tools_list_is_never_an_empty_list(
    http_stub: Callable[..., Any], text: str
) -> None:
    server = await http_stub("status", status=200, text=text, type="application/json", only="tools/list")
    got = await row(http_spec(server.url))
    assert got.fetched is None and signal_of(got) in ("mcp-unusable", "mcp-list")


async def test_orderly_servers_are_listed_in_both_eras_and_over_an_event_stream(http_stub: Callable[..., Any]) -> None:
    servers = [await http_stub(mode) for mode in ("legacy", "modern", "sse-answer")]
    got = await rows(*(http_spec(server.url) for server in servers))
    assert [names(one) for one in got] == [TWO] * 3
    assert [one.fetched.era for one in got] == ["legacy", "modern", "legacy"]
    assert [one.fetched.transport for one in got] == ["http"] * 3


async def test_the_headers_of_each_era_are_sent(http_stub: Callable[..., Any]) -> None:
    old, new = await http_stub("legacy"), await http_stub("modern")
    await rows(http_spec(old.url), http_spec(new.url))
    listing = [seen for seen in new.requests if seen.rpc == "tools/list"]
    assert [seen.headers["mcp-method"] for seen in new.requests] == ["server/discover", "tools/list"]
    assert listing[0].headers["mcp-protocol-version"] == "2026-07-28"
    meta = listing[0].body["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    by_method = {seen.rpc: seen.headers for seen in old.requests}
    assert list(by_method) == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert "mcp-protocol-version" not in by_method["initialize"]
    assert by_method["tools/list"]["mcp-protocol-version"] == "2025-11-25"
    assert "mcp-method" not in by_method["tools/list"]


async def test_configured_headers_are_sent_and_never_replace_or_double_our_own(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("legacy")
    headers = {"Authorization": "Bearer x", "accept": "text/plain", "content-type": "text/plain"}
    assert (await row(http_spec(server.url, headers=headers))).status == "ready"
    for seen in server.requests:
        assert seen.headers["authorization"] == "Bearer x"
        assert seen.headers["accept"] == "application/json, text/event-stream"
        assert seen.headers["content-type"] == "application/json"


@pytest.mark.parametrize("headers", [{"X": "a\r\nEvil: 1"}, {"a b": "1"}, {"": "1"}, {"X": "a\0"}])
async def test_a_header_that_cannot_be_sent_is_named_without_its_value(headers: dict[str, str]) -> None:
    got = await row(http_spec("http://127.0.0.1:9/", headers=headers))
    assert signal_of(got) == "aiohttp-22" and "header" in got.failure.message and "Evil" not in got.failure.message


async def test_a_refused_probe_of_400_without_words_leads_to_initialize(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("status", status=400, text="Bad Request", only="server/discover")
    got = await row(http_spec(server.url))
    assert names(got) == TWO and got.fetched.era == "legacy"


@pytest.mark.parametrize("status", [404, 405, 500, 202])
async def test_whatever_a_legacy_server_says_to_the_probe_leads_to_initialize(
    http_stub: Callable[..., Any], status: int
) -> None:
    server = await http_stub("status", status=status, only="server/discover")
    assert names(await row(http_spec(server.url))) == TWO


async def test_error_32022_in_a_400_names_the_versions_offered(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("rpc-error", code=-32022, data={"supported": ["2099-01-01"]})
    got = await row(http_spec(server.url))
    assert signal_of(got) == "mcp-14" and "2099-01-01" in got.failure.message
    assert len(server.requests) == 1


async def test_error_32020_in_a_400_is_reported_when_initialize_fails_too(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("rpc-error", code=-32020)
    got = await row(http_spec(server.url))
    assert signal_of(got) == "mcp-handshake" and "-32020" in got.failure.message


async def test_a_session_id_is_sent_back_and_the_session_ended(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("session")
    assert names(await row(http_spec(server.url))) == TWO
    assert "mcp-session-id" not in server.requests[0].headers
    assert server.requests[-1].method == "DELETE" and server.requests[-1].headers["mcp-session-id"] == "s-1"
    assert server.sessions == set()


async def test_a_server_that_does_not_let_sessions_be_ended_is_fine(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("session", delete_status=405)
    assert names(await row(http_spec(server.url))) == TWO


@pytest.mark.parametrize("status", [307, 308])
async def test_a_redirect_on_the_same_origin_is_followed_with_its_headers(
    http_stub: Callable[..., Any], status: int
) -> None:
    server = await http_stub("redirect", status=status, target="/moved")
    assert names(await row(http_spec(server.url, headers={"X-Key": "k"}))) == TWO
    moved = [seen for seen in server.requests if seen.path == "/moved"]
    assert moved and all(seen.headers["x-key"] == "k" for seen in moved)


async def test_a_redirect_to_another_origin_is_not_followed(http_stub: Callable[..., Any]) -> None:
    other = await http_stub("legacy")
    server = await http_stub("redirect", target=other.url)
    got = await row(http_spec(server.url, headers={"Authorization": "secret"}))
    assert signal_of(got) == "http-34" and got.failure.details["location"] == other.url
    assert other.requests == []


async def test_a_circle_of_redirects_ends(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("redirect", target="/again")
    assert signal_of(await row(http_spec(server.url))) == "http-34"
    assert len(server.requests) <= 10


async def test_keep_alives_for_ever_end_with_the_budget(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("keepalives")
    got = await row(http_spec(server.url, budget=1))
    assert got.timed_out and got.evidence.started


async def test_an_answer_under_another_id_is_unusable(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("other-id")
    assert signal_of(await row(http_spec(server.url))) == "mcp-unusable"


async def test_a_body_that_breaks_off_is_told_from_an_empty_one(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("truncated")
    assert signal_of(await row(http_spec(server.url))) == "aiohttp-17"


async def test_a_gzip_bomb_is_given_up_before_it_fills_the_memory(http_stub: Callable[..., Any]) -> None:
    """200 MB out of 200 kB: refused near the limit of 32 MB for one message."""
    packer = zlib.compressobj(wbits=31)
    packed = b"".join([packer.compress(b"x" * 1024 * 1024) for _ in range(200)]) + packer.flush()
    server = await http_stub("gzipped", packed=packed)
    tracemalloc.start()
    try:
        got = await row(http_spec(server.url))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert signal_of(got) in ("mcp-unusable", "aiohttp-17")
    assert peak < 120 * 1024 * 1024


async def test_an_answer_beyond_the_limit_is_given_up(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("big", megabytes=40)
    assert "more than 33,554,432 bytes" in (await row(http_spec(server.url))).failure.message


async def test_many_pages_are_no_way_around_the_limit(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("legacy")
    listing = server.server.list

    def page(params: dict[str, Any]) -> Any:
        return {**listing(params), "padding": "x" * 3_000_000, "nextCursor": str(server.server.lists)}

    server.server.list = page
    carrier = HttpCarrier(Endpoint(server.url), Limits(message=4_000_000, total=10_000_000))
    await carrier.open()
    with pytest.raises(ProviderError, match="it sent more than 10,000,000 bytes"):
        for _ in range(10):
            await carrier.request("tools/list", {})
    await carrier.close()


async def test_a_reset_connection_and_a_closed_port_are_told_apart(http_stub: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        closed = listening.getsockname()[1]
    server = await http_stub("reset")
    reset, refused = await rows(http_spec(server.url), http_spec(f"http://127.0.0.1:{closed}/"))
    assert signal_of(reset) in ("aiohttp-13", "aiohttp-14")
    assert signal_of(refused) == "aiohttp-01" and not refused.evidence.started
    assert all(one.failure.retryable for one in (reset, refused))


async def test_faulty_servers_cost_their_own_rows_and_nothing_else(http_stub: Callable[..., Any]) -> None:
    faulty = {
        "silent": {}, "stall": {}, "keepalives": {}, "reset": {}, "truncated": {}, "other-id": {},
        "big": {"megabytes": 40}, "status": {"status": 500}, "rpc-error": {"code": -32020},
    }  # fmt: skip
    servers = [await http_stub(mode, **options) for mode, options in faulty.items()]
    healthy = [await http_stub(mode, tools=5) for mode in ("legacy", "modern", "sse-answer", "session")]
    got = await rows(
        *(http_spec(server.url, budget=3) for server in servers), *(http_spec(server.url) for server in healthy)
    )
    assert [one.status for one in got] == ["failed"] * len(servers) + ["ready"] * len(healthy)
    assert all(len(names(one)) == 5 for one in got[len(servers) :])
    assert [one.timed_out for one in got[: len(servers)]] == [True] * 3 + [False] * (len(servers) - 3)


async def test_an_unknown_host_is_said_to_be_unknown() -> None:
    assert signal_of(await row(http_spec("http://no-such-host.invalid/mcp"))) == "aiohttp-02"


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://x/", "http://", "http://h:99999999/", "file:///etc/passwd"])
async def test_a_url_that_cannot_be_used_is_a_row(url: str) -> None:
    for transport in ("http", "sse", "manifest-url"):
        got = await row(http_spec(url, transport=transport))
        assert signal_of(got) == "aiohttp-22" and got.evidence == Evidence(), transport


async def test_tls_against_a_server_without_it_is_a_row(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("legacy")
    assert signal_of(await row(http_spec(server.url.replace("http:", "https:")))) == "aiohttp-04"


async def test_a_certificate_that_nobody_vouches_for_is_refused(http_stub: Callable[..., Any], tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not on PATH: no certificate can be made")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await http_stub("legacy", tls=context)
    got = await row(http_spec(server.url.replace("http:", "https:"), headers={"Authorization": "secret"}))
    assert signal_of(got) == "aiohttp-03" and server.requests == []


async def test_name_servers_that_do_not_answer_hold_up_nobody_else(
    http_stub: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asyncio's pool has a handful of threads: forty dead look-ups would starve a healthy provider's."""
    release = threading.Event()
    known = socket.getaddrinfo

    def dead(host: Any, *more: Any, **named: Any) -> Any:
        if str(host).endswith(".invalid"):
            release.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "no answer")
        return known(host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", dead)
    server = await http_stub("legacy")
    lost = [http_spec(f"http://h{number}.invalid/", name=f"h{number}", budget=2) for number in range(40)]
    try:
        got = await rows(*lost, http_spec(server.url.replace("127.0.0.1", "localhost")))
    finally:
        release.set()
    assert names(got[-1]) == TWO
    assert all(one.timed_out for one in got[:-1])


@pytest.mark.parametrize(
    ("retry_after", "said"), [("7", "in 7 s"), ("Wed, 21 Oct 2026 07:28:00 GMT", "after Wed, 21 Oct 2026 07:28:00 GMT")]
)
async def test_when_to_come_back_is_said_with_its_unit(
    http_stub: Callable[..., Any], retry_after: str, said: str
) -> None:
    server = await http_stub("status", status=503, headers={"Retry-After": retry_after})
    got = await row(http_spec(server.url))
    assert got.failure is not None and got.failure.message.endswith(f"it says to come back {said}")


async def test_an_event_without_data_is_no_foreign_output_and_one_that_is_no_message_is(
    http_stub: Callable[..., Any],
) -> None:
    """Servers on the official SDK send an id with empty data first, to resume from (2025-11-25, transports)."""
    assert (await row(http_spec((await http_stub("sse-answer")).url))).evidence.foreign_count == 0
    got = await row(http_spec((await http_stub("sse-answer", strays=["hello"])).url))
    assert names(got) == TWO and set(got.evidence.foreign) == {"hello"}


async def test_what_the_server_asks_in_its_stream_is_answered_before_its_answer_came(
    http_stub: Callable[..., Any],
) -> None:
    """2025-11-25, transports: a server may send requests in the stream that will end with its answer."""
    server = await http_stub("asks-first")
    got = await row(http_spec(server.url))
    assert got.fetched is not None and got.fetched.era == "legacy"
    assert (server.answers["p0"], server.answers["p1"], server.answers[99]["code"]) == ({}, {}, -32601)


async def test_a_server_that_asks_without_end_gets_a_few_answers_and_its_budget(
    http_stub: Callable[..., Any], no_task_is_left: Callable[[], None]
) -> None:
    server = await http_stub("asks-first", times=3000)
    got = await row(http_spec(server.url, budget=1.0))
    assert got.status == "failed" and 0 < len(server.answers) < 3000
