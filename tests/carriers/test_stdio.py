"""The stdio carrier below MCP: what is started and how, what is kept, what is bounded."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contractd.carriers import Launch, Limits
from contractd.carriers import sweep as sweeping
from contractd.carriers.process import Nursery
from contractd.carriers.stdio import StdioCarrier
from contractd.errors import ProviderError
from contractd.wire import ErrorResponse, Response
from tests.servers.processes import carrying, settled
from tests.servers.specs import HANG, STUB

PYTHON = (sys.executable, "-S", "-E")


@pytest.fixture
async def nursery(mark: str) -> AsyncIterator[Nursery]:
    async with asyncio.timeout(HANG), Nursery() as nursery:
        yield nursery


def launch(*argv: str, mark: str = "", **env: str) -> Launch:
    return Launch(argv, {"PATH": os.environ["PATH"], "STUB_MARK": mark, **env})


async def opened(nursery: Nursery, how: Launch, limits: Limits | None = None) -> StdioCarrier:
    carrier = StdioCarrier(how, nursery, limits)
    await carrier.open()
    return carrier


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ((), "it has no command"),
        (("",), "it has no command"),
        (("/no/such/program",), "the command /no/such/program was not found"),
        (("no-such-program-at-all",), "was not found"),
        (("/etc/hostname",), "may not be executed|Exec format error"),
        (("/tmp",), "may not be executed"),
        (("bad\0name",), "can't be used"),
    ],
)
async def test_what_cannot_be_started_says_why(nursery: Nursery, argv: tuple[str, ...], says: str) -> None:
    with pytest.raises(ProviderError, match=says) as caught:
        await StdioCarrier(launch(*argv), nursery).open()
    assert caught.value.failure.signal == "stdio-spawn" and caught.value.failure.retryable is False


async def test_a_cwd_that_is_no_directory_is_said_to_be_it(nursery: Nursery) -> None:
    with pytest.raises(ProviderError, match="its cwd /no/such/folder is no directory"):
        await StdioCarrier(Launch(("true",), dict(os.environ), "/no/such/folder"), nursery).open()


async def test_a_script_without_its_interpreter_is_told_from_a_missing_command(
    nursery: Nursery, tmp_path: Path
) -> None:
    script = tmp_path / "server"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(ProviderError, match="names in its first line was not found"):
        await StdioCarrier(launch(str(script)), nursery).open()


async def test_the_child_gets_the_environment_it_is_given_and_the_tag(nursery: Nursery, mark: str) -> None:
    code = "import os, json; [print(json.dumps(pair)) for pair in os.environ.items()]"
    carrier = await opened(nursery, launch(*PYTHON, "-c", code, mark=mark, ONLY="this"))
    with pytest.raises(ProviderError):
        await carrier.request("x", {})
    seen = dict(json.loads(line) for line in carrier.evidence.foreign)
    assert seen.get("ONLY") == "this" and seen.get("STUB_MARK") == mark and "HOME" not in seen
    assert seen.get(sweeping.VARIABLE, "").endswith(nursery.tag)
    await carrier.close()


async def test_answers_find_their_requests_in_any_order(nursery: Nursery, mark: str) -> None:
    code = (
        "import sys, json\n"
        "got = [json.loads(sys.stdin.readline()) for _ in range(20)]\n"
        "for m in reversed(got):\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': m['params']}), flush=True)\n"
        "sys.stdin.read()"
    )
    carrier = await opened(nursery, launch(*PYTHON, "-c", code, mark=mark))
    answers = await asyncio.gather(*(carrier.request("x", {"n": number}) for number in range(20)))
    assert [answer.result["n"] for answer in answers if isinstance(answer, Response)] == list(range(20))
    await carrier.close()


async def test_a_request_given_up_leaves_the_connection_usable(nursery: Nursery, mark: str) -> None:
    carrier = await opened(nursery, launch(*PYTHON, str(STUB), "swallows-probe", mark=mark))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await carrier.request("server/discover", {})
    answer = await carrier.request("nonsense", {})
    assert isinstance(answer, ErrorResponse) and answer.code == -32601
    await carrier.close()


async def test_a_line_of_30_megabytes_is_read_in_linear_time(nursery: Nursery, mark: str) -> None:
    """The reader of the official SDK is quadratic: 30 MB took it more than 4 s and blocked the loop."""
    options = json.dumps({"megabytes": 30})
    carrier = await opened(nursery, launch(*PYTHON, str(STUB), "huge-line", options, mark=mark))
    start = time.process_time()
    answer = await carrier.request("tools/list", {})
    assert isinstance(answer, Response) and len(answer.result["tools"][0]["description"]) == 30 * 1024 * 1024
    assert time.process_time() - start < 5  # a quadratic reader would need minutes; a linear one a fraction of a second
    await carrier.close()


async def test_limits_bound_a_line_all_of_stdout_stderr_and_the_foreign_lines(nursery: Nursery, mark: str) -> None:
    limits = Limits(message=100_000, total=1_000_000, stderr_tail=1000, foreign_lines=3)
    line = await opened(nursery, launch(*PYTHON, str(STUB), "endless-line", mark=mark), limits)
    flood = await opened(nursery, launch(*PYTHON, str(STUB), "endless-notifications", mark=mark), limits)
    for carrier, says in ((line, "one line of more than 100,000"), (flood, "more than 1,000,000 bytes to stdout")):
        with pytest.raises(ProviderError, match=says) as caught:
            await carrier.request("x", {})
        assert caught.value.failure.signal == "stdio-flood"
        await carrier.close()
    options = json.dumps({"lines": 50})
    chatty = await opened(nursery, launch(*PYTHON, str(STUB), "banner", options, mark=mark), limits)
    await chatty.request("x", {})
    assert (len(chatty.evidence.foreign), chatty.evidence.foreign_count) == (3, 51)
    await chatty.close()
    code = "import sys; sys.stderr.write('a' * 500_000 + 'the end')"
    wordy = await opened(nursery, launch(*PYTHON, "-c", code, mark=mark), limits)
    with pytest.raises(ProviderError):
        await wordy.request("x", {})
    await wordy.close()
    assert len(wordy.evidence.stderr) == 1000 and wordy.evidence.stderr.endswith("the end")


async def test_a_server_that_asks_for_ever_and_never_reads_does_not_fill_the_memory(
    nursery: Nursery, mark: str
) -> None:
    limits = Limits(total=8 * 1024 * 1024)  # two hundred thousand questions
    carrier = await opened(nursery, launch(*PYTHON, str(STUB), "asks-and-never-reads", mark=mark), limits)
    with pytest.raises(ProviderError, match="more than"):
        await carrier.request("x", {})
    assert carrier._process is not None
    assert carrier._process.stdin.transport.get_write_buffer_size() < 2 * 1024 * 1024
    await carrier.close()


async def test_closing_twice_and_before_opening_is_harmless(nursery: Nursery, mark: str) -> None:
    never = StdioCarrier(launch("true"), nursery)
    await never.close()
    carrier = await opened(nursery, launch(*PYTHON, str(STUB), "legacy", mark=mark))
    await asyncio.gather(carrier.close(), carrier.close())
    await carrier.close()
    assert carrier.evidence.ended == "stdin-closed"
    with pytest.raises(ProviderError):
        await carrier.request("x", {})


async def test_closing_in_any_order_and_from_another_task_works(nursery: Nursery, mark: str) -> None:
    """Row 66: the official clients must be closed in reverse order, by the task that opened them."""
    first = await asyncio.create_task(opened(nursery, launch(*PYTHON, str(STUB), "legacy", mark=mark)))
    second = await asyncio.create_task(opened(nursery, launch(*PYTHON, str(STUB), "legacy", mark=mark)))
    await asyncio.create_task(first.close())
    assert isinstance(await second.request("tools/list", {}), Response)
    await asyncio.create_task(second.close())
    assert carrying(mark) == []


async def test_a_dead_servers_pipe_is_an_error_and_not_a_crash(nursery: Nursery, mark: str) -> None:
    carrier = await opened(nursery, launch("true", mark=mark))
    async with asyncio.timeout(HANG):
        while carrier.evidence.exit_code is None:
            await asyncio.sleep(0.01)
    for _ in range(3):
        with pytest.raises(ProviderError):
            await carrier.request("x", {"big": "x" * 100_000})
        with pytest.raises(ProviderError):
            await carrier.notify("x", {"big": "x" * 100_000})
    await carrier.close()
    assert (carrier.evidence.exit_code, carrier.evidence.ended) == (0, "itself")


class TestSweep:
    """The sweep kills what carries the tag or belongs to a session of the run, and nothing else."""

    def test_a_stranger_whose_pid_was_once_ours_is_spared(self) -> None:
        """A session is named by its leader's pid and start: a pid given to somebody else names another session."""
        process = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
        try:
            began = sweeping.started(process.pid)
            assert began > 1
            assert sweeping.tagged("no-such-tag", {process.pid: began}) == [process.pid]
            assert sweeping.tagged("no-such-tag", {process.pid: 1}) == []
        finally:
            process.kill()
            process.wait()

    def test_a_session_whose_leader_is_outside_the_pid_namespace_is_nobodys(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In a container every process that the host put there has session 0."""
        monkeypatch.setattr(sweeping, "_fields", lambda entry: [b"S", b"1", b"1", b"0", *[b"7"] * 20])
        assert sweeping.tagged("no-such-tag", {0: 7}) == []
        monkeypatch.setattr(sweeping, "_fields", lambda entry: [b"S", b"1", b"1", b"5", *[b"7"] * 20])
        assert sweeping.tagged("no-such-tag", {5: 7}) != []

    def test_a_tag_is_found_beside_others_and_only_as_a_whole(self, mark: str) -> None:
        env = {"CONTRACTD_RUN": sweeping.tag_value("inner", "outer"), "STUB_MARK": mark}
        process = subprocess.Popen(["/bin/sleep", "60"], env=env)
        try:
            assert settled(lambda: sweeping.tagged("outer") == [process.pid])
            assert sweeping.tagged("inner") == [process.pid]
            assert sweeping.tagged("oute") == [] == sweeping.tagged("")
            assert sweeping.kill_tagged("outer") == 1
            assert process.wait(10) == -9
        finally:
            process.kill()
            process.wait()

    def test_a_process_that_is_gone_started_never(self) -> None:
        assert sweeping.started(2**22 + 1) == 0 and sweeping.started(os.getpid()) > 0


def test_the_guard_runs_by_itself_with_the_standard_library_alone() -> None:
    command = [sys.executable, "-I", "-S", sweeping.__file__, "no-such-tag"]
    done = subprocess.run(command, input=b"12 34\nnonsense\n1\n", capture_output=True, timeout=HANG, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
