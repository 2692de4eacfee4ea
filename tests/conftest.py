"""What all tests share: the stub and published servers as provider specs, and a watch for what a test leaves behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.servers.http_stub import HttpStub  # noqa: E402
from tests.servers.processes import carrying, children, settled  # noqa: E402
from tests.servers.specs import new_mark, published_spec, stub_spec  # noqa: E402

# How long an example takes hangs on who else uses the machine, and says nothing of what is tested.
settings.register_profile("contractd", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("contractd")

# A shell starts what it puts in the background with SIGINT ignored, and so would be every program a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def mark() -> Iterator[str]:
    """A variable's value that a test's servers carry in their environment; none of them may outlive the test."""
    value, before = new_mark(), set(children(os.getpid()))
    yield value
    assert settled(lambda: not carrying(value)), f"left behind: {carrying(value)}"
    # The guard carries no mark, but is a child.
    assert settled(lambda: set(children(os.getpid())) <= before), set(children(os.getpid())) - before


@pytest.fixture
def no_task_is_left() -> Callable[[], Any]:
    """Call at the end of a coroutine test: no task but the test's own may still run."""

    def check() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others, others

    return check


@pytest.fixture
def stub(mark: str) -> Callable[..., Any]:
    """A provider spec for the stub server in a mode: ``stub("silent", budget=1, tools=3)``."""

    def make(mode: str, *, name: str | None = None, budget: float = 20.0, **options: Any) -> Any:
        return stub_spec(mode, name=name, budget=budget, mark=mark, **options)

    return make


@pytest.fixture
def published(mark: str) -> Callable[..., Any]:
    """A provider spec for a published server by its id, or a skipped test where it is not installed."""

    def make(name: str, budget: float = 60.0) -> Any:
        return published_spec(name, mark, budget)

    return make


@pytest.fixture
async def http_stub() -> AsyncIterator[Callable[..., Any]]:
    """Starts the HTTP stub in a mode in this process and returns it: ``url``, ``requests``."""
    running: list[Any] = []

    async def start(mode: str, **options: Any) -> Any:
        server = HttpStub(mode, options)
        await server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        await server.stop()


@pytest.fixture(scope="session")
def cases() -> Path:
    """The field material beside the checkout."""
    folder = ROOT.parent / "shared" / "cases"
    if not folder.is_dir():
        pytest.skip("the field material (../shared/cases) is not beside this checkout")
    return folder
