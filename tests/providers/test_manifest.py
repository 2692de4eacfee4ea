"""contractd's own manifest format, from a file and from a URL."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts import parse_manifest
from contractd.errors import ProviderError
from contractd.providers import ProviderSpec
from tests.servers.specs import http_spec, names, row, signal_of

TOOL = {"name": "search", "inputSchema": {"type": "object"}}


def file_spec(path: Any) -> ProviderSpec:
    return ProviderSpec("m", "m", "manifest-file", path=str(path))


@pytest.mark.parametrize("version", [1, "1", "1.0", "1.2.3"])
def test_every_version_1_is_read(version: Any) -> None:
    manifest = parse_manifest({"schema_version": version, "tools": [TOOL, 5], "protocol_version": "x", "more": 1})
    assert [tool.name for tool in manifest.tools] == ["search"] and len(manifest.flawed) == 1
    assert (manifest.schema_version, manifest.protocol_version) == (str(version), "x")


@pytest.mark.parametrize("version", [0, 2, "2.0", "", "1.", "1.2.3.4", "one", None, True, 1.0, [], "1\n", "١"])
def test_another_version_is_named_and_not_read(version: Any) -> None:
    with pytest.raises(ProviderError, match="schema_version") as caught:
        parse_manifest({"schema_version": version, "tools": []})
    assert caught.value.failure.signal == "manifest-version"


@pytest.mark.parametrize(
    "value", [None, 5, [], "x", {}, {"tools": []}, {"schema_version": 1}, {"schema_version": 1, "tools": {}}]
)
def test_what_is_no_manifest_is_no_empty_one(value: Any) -> None:
    with pytest.raises(ProviderError) as caught:
        parse_manifest(value)
    assert caught.value.failure.signal == "manifest-format"


KEYS = st.sampled_from(["schema_version", "tools", "name", "inputSchema"])
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_any_value_is_a_manifest_or_a_provider_error(value: Any) -> None:
    try:
        assert parse_manifest(value).digest
    except ProviderError as error:
        assert error.failure.signal in ("manifest-version", "manifest-format")


async def test_a_file_and_a_url_give_the_same_manifest(tmp_path: Path, http_stub: Callable[..., Any]) -> None:
    value = {"schema_version": 1, "tools": [TOOL]}
    path = tmp_path / "m.json"
    path.write_text(json.dumps(value))
    server = await http_stub("manifest", manifest=value)
    headers = {"X-Key": "k", "accept": "text/html"}
    one = await row(file_spec(path))
    other = await row(http_spec(server.url, transport="manifest-url", headers=headers))
    assert names(one) == names(other) == ["search"]
    assert one.fetched.manifest.digest == other.fetched.manifest.digest
    assert (one.fetched.transport, other.fetched.transport) == ("manifest-file", "manifest-url")
    (seen,) = server.requests
    assert (seen.method, seen.headers["x-key"], seen.headers["accept"]) == ("GET", "k", "application/json")


@pytest.mark.parametrize(
    ("data", "signal"),
    [
        (b"", "manifest-format"),
        (b"{", "manifest-format"),
        (b"\xff\xfe\x00", "manifest-format"),
        (b"[" * 100_000, "manifest-format"),
        (b'{"schema_version": 9, "tools": []}', "manifest-version"),
        (b"9" * 10_000, "manifest-format"),
    ],
)
async def test_a_file_that_is_no_manifest_is_a_row(tmp_path: Path, data: bytes, signal: str) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(data)
    assert signal_of(await row(file_spec(path))) == signal


async def test_a_file_that_cannot_be_read_is_a_row_at_once(tmp_path: Path) -> None:
    """A named pipe would be waited for without end, and /dev/zero has none."""
    os.mkfifo(tmp_path / "pipe")
    for path, says in (
        (tmp_path / "absent.json", "No such file"),
        (tmp_path, "not a regular file"),
        (tmp_path / "pipe", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("a\0b", "can't be read"),
        ("", "not a regular file"),
    ):
        got = await row(file_spec(path))
        assert signal_of(got) == "manifest-file" and says in got.failure.message, path


async def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    with path.open("wb") as file:
        file.truncate(40 * 1024 * 1024)
    assert "33,554,432" in (await row(file_spec(path))).failure.message


@pytest.mark.parametrize(
    ("status", "signal"), [(401, "http-03"), (404, "http-06"), (302, "http-34"), (204, "mcp-27"), (429, "http-20")]
)
async def test_a_url_that_refuses_keeps_its_cause(http_stub: Callable[..., Any], status: int, signal: str) -> None:
    headers = {"Location": "http://elsewhere.invalid/", "retry-after": "5"}
    server = await http_stub("status", status=status, headers=headers)
    got = await row(http_spec(server.url, transport="manifest-url"))
    assert signal_of(got) == signal and got.failure.details["status"] == status
    assert len(server.requests) == 1


async def test_a_url_that_stalls_ends_with_the_budget(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("stall")
    got = await row(http_spec(server.url, transport="manifest-url", budget=0.5))
    assert got.timed_out and "asked for its manifest" in got.failure.message


async def test_a_url_that_serves_a_page_is_no_manifest(http_stub: Callable[..., Any]) -> None:
    server = await http_stub("status", status=200, text="<html>", type="text/html")
    assert signal_of(await row(http_spec(server.url, transport="manifest-url"))) == "manifest-format"
