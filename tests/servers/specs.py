"""Provider specs for the stub and for published servers, and what tests ask of the rows."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from pathlib import Path
from typing import Any

import pytest

from contractd.providers import ProviderSpec
from contractd.registry import Row
from contractd.registry.bootstrap import bootstrap
from tests.servers.published import SERVERS

STUB = Path(__file__).with_name("stub.py")
HANG = 60  # seconds after which a test is held to hang; never a measure of anything


def new_mark() -> str:
    return f"contractd-test-{secrets.token_hex(8)}"


def stub_spec(mode: str, *, name: str | None, budget: float, mark: str, **options: Any) -> ProviderSpec:
    argv = (sys.executable, "-S", "-E", str(STUB), mode, json.dumps(options))
    label = name or mode
    return ProviderSpec(label, label, "stdio", argv=argv, env={"STUB_MARK": mark}, budget=budget)


def http_spec(url: str, *, name: str = "remote", budget: float = 20.0, **more: Any) -> ProviderSpec:
    return ProviderSpec(name, name, more.pop("transport", "http"), url=url, budget=budget, **more)


def published_spec(name: str, mark: str, budget: float) -> ProviderSpec:
    server = SERVERS[name]
    if server.missing:
        pytest.skip(server.missing)
    env = {"STUB_MARK": mark, "NO_UPDATE_NOTIFIER": "1"}
    return ProviderSpec(name, name, "stdio", argv=server.command, env=env, budget=budget)


async def rows(*specs: ProviderSpec, **more: Any) -> list[Row]:
    """Bootstrap, guarded against hanging."""
    async with asyncio.timeout(HANG):
        return list(await bootstrap(specs, **more))


async def row(spec: ProviderSpec, **more: Any) -> Row:
    return (await rows(spec, **more))[0]


def names(row: Row) -> list[str]:
    assert row.fetched is not None, row.failure
    return [tool.name for tool in row.fetched.manifest.tools]


def signal_of(row: Row) -> str:
    assert row.failure is not None, f"{row.spec.name} is ready"
    return row.failure.signal
