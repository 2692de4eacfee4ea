"""Healthy servers are silent: nothing that published servers and the official SDKs answer, in either era, departs from
MCP's schema."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contractd.providers import ProviderSpec
from contractd.registry import Row
from tests.servers.published import SERVERS, Published
from tests.servers.specs import http_spec, new_mark, published_spec, rows, stub_spec

SDK = Path(__file__).parents[1] / "servers" / "sdk_server.py"
STARTS = [server for server in SERVERS.values() if server.tools is not None]


@pytest.fixture(scope="module", params=["as contractd asks", "as a client of the legacy era asks"])
def answered(request: pytest.FixtureRequest) -> dict[str, Row]:
    """One bootstrap of everything that is installed, with the SDK this is tested with beside it."""
    mark = new_mark()
    specs = [published_spec(server.id, mark, 120) for server in STARTS if not server.missing]
    specs.append(ProviderSpec("sdk", "sdk", "stdio", argv=(sys.executable, str(SDK), "stdio"), budget=60))
    if "legacy" in request.param:
        specs = [replace(spec, eras=("legacy",)) for spec in specs]
    return {row.spec.name: row for row in asyncio.run(rows(*specs))}


@pytest.mark.parametrize("server", STARTS, ids=lambda server: server.id)
def test_no_published_server_departs_from_the_schema(server: Published, answered: dict[str, Row]) -> None:
    if server.missing:
        pytest.skip(server.missing)
    silent(answered[server.id])


def test_the_sdk_does_not_either(answered: dict[str, Row]) -> None:
    silent(answered["sdk"])


def silent(row: Row) -> None:
    assert row.fetched is not None, row.failure
    assert row.fetched.departures == () and row.fetched.refusal is None
    if row.spec.eras:
        assert row.fetched.era == "legacy"


@pytest.mark.parametrize(("mode", "era"), [("legacy", "legacy"), ("dual", "legacy"), ("modern", "modern")])
async def test_over_a_process_a_legacy_client_meets_the_era_that_is_left(mode: str, era: str) -> None:
    spec = stub_spec(mode, name=None, budget=20, mark=new_mark())
    (row,) = await rows(replace(spec, eras=("legacy",)))
    assert row.fetched is not None and row.fetched.era == era
    assert (row.fetched.refusal is not None) == (mode == "modern")


async def test_over_http_too(http_stub: Callable[..., Any]) -> None:
    """A modern server answers ``initialize`` with status 400 and the error that explains it."""
    server = await http_stub("modern")
    (row,) = await rows(replace(http_spec(server.url), eras=("legacy",)))
    assert row.fetched is not None, row.failure
    assert row.fetched.era == "modern" and row.fetched.refusal == "no version in common"
    assert row.fetched.departures == ()
