"""Which era a server speaks, and every page of its list, over a scripted carrier in memory: no process, no socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.carriers import Evidence
from contractd.errors import Failure, ProviderError
from contractd.providers.listing import MAX_FRUITLESS, MAX_PAGES, MAX_TOOLS, fetch
from contractd.providers.mcp import Spoken, negotiate
from contractd.wire import ErrorResponse, Initialized, Response

HANG = 30
SILENCE = object()
Answer = Any


class Scripted:
    """Answers each method with a value, an error, a failure or silence; ``late`` is so many turns of the loop.

    ``slow``: the probe is answered only once initialize has been asked too.
    """

    def __init__(self, answers: dict[str, Answer], late: dict[str, int] | None = None, *, slow: bool = False) -> None:
        self.answers = answers
        self.late = late or {}
        self.slow = slow
        self.asked = asyncio.Event()
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.waiting = 0

    async def open(self) -> None:
        pass

    async def close(self, *, gently: bool = True) -> None:
        pass

    @property
    def evidence(self) -> Evidence:
        return Evidence(started=True)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        self.sent.append((method, params))

    async def request(self, method: str, params: dict[str, Any]) -> Response | ErrorResponse:
        self.sent.append((method, params))
        self.waiting += 1
        if method == "initialize":
            self.asked.set()
        try:
            if self.slow and method == "server/discover":
                await self.asked.wait()
            for _ in range(self.late.get(method, 0)):
                await asyncio.sleep(0.001)
            answer = self.answers[method]
            answer = answer(params) if callable(answer) else answer
            if answer is SILENCE:
                await asyncio.Event().wait()
            if isinstance(answer, Failure):
                raise ProviderError(answer)
            return answer if isinstance(answer, Response | ErrorResponse) else Response(1, answer)
        finally:
            self.waiting -= 1

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.sent]


MODERN = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
LEGACY = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s"}}
NOT_FOUND = ErrorResponse(1, -32601, "Method not found")


async def spoken(carrier: Scripted, *, patience: float = 0.05, **more: Any) -> Spoken:
    async with asyncio.timeout(HANG):
        return await negotiate(carrier, "1", patience=patience, **more)


@pytest.mark.parametrize("slow", [False, True], ids=["at once", "after the patience"])
@pytest.mark.parametrize(
    ("discover", "initialize", "era"),
    [
        (MODERN, LEGACY, "modern"),
        (MODERN, ErrorResponse(1, -32022, "no"), "modern"),
        (MODERN, SILENCE, "modern"),
        (NOT_FOUND, LEGACY, "legacy"),
        (ErrorResponse(1, -32602, "no"), LEGACY, "legacy"),
        (ErrorResponse(1, -32022, "no"), LEGACY, "legacy"),
        (ErrorResponse(1, -32022, "no", {"supported": ["2025-06-18"]}), LEGACY, "legacy"),
        (ErrorResponse(1, -32021, "no"), LEGACY, "legacy"),
        (ErrorResponse(None, None, ""), LEGACY, "legacy"),
        ({}, LEGACY, "legacy"),
        ("hello", LEGACY, "legacy"),
        ({"supportedVersions": ["2025-06-18"]}, LEGACY, "legacy"),
        (Failure("http-25", "", None, {"status": 500}), LEGACY, "legacy"),
        (Failure("mcp-empty", ""), LEGACY, "legacy"),
    ],
)
async def test_the_first_decisive_answer_settles_the_era(
    discover: Answer, initialize: Answer, era: str, slow: bool
) -> None:
    answers = {"server/discover": discover, "initialize": initialize}
    carrier = Scripted(answers, {"server/discover": 5 if slow else 0}, slow=slow)
    if slow and era == "modern" and initialize is LEGACY:
        era = "legacy"  # a dual server that answers the later question first has decided
    result = await spoken(carrier)
    assert result.era == era
    assert result.protocol_version == ("2026-07-28" if era == "modern" else "2025-06-18")
    assert ("notifications/initialized" in carrier.methods) == (era == "legacy")
    assert carrier.waiting == 0


async def test_silence_to_the_probe_leads_to_initialize_while_the_probe_still_waits() -> None:
    carrier = Scripted({"server/discover": SILENCE, "initialize": LEGACY})
    assert (await spoken(carrier)).era == "legacy"
    assert carrier.methods == ["server/discover", "initialize", "notifications/initialized"]
    assert carrier.waiting == 0


async def test_a_slow_modern_server_that_refuses_the_handshake_first_is_modern() -> None:
    refusal = ErrorResponse(1, -32022, "no")
    carrier = Scripted({"server/discover": MODERN, "initialize": refusal}, {"server/discover": 20}, slow=True)
    assert (await spoken(carrier, patience=0.5)).era == "modern"


async def test_a_server_silent_to_the_probe_that_refuses_the_handshake_is_reported_and_not_waited_for() -> None:
    carrier = Scripted({"server/discover": SILENCE, "initialize": ErrorResponse(1, -32603, "not today")})
    with pytest.raises(ProviderError, match="-32603: not today") as caught:
        await spoken(carrier)
    assert caught.value.failure.signal == "mcp-handshake" and carrier.waiting == 0


@pytest.mark.parametrize(
    ("discover", "initialize", "signal", "says"),
    [
        ({"supportedVersions": ["2099-01-01"]}, LEGACY, "mcp-14", "2099-01-01"),
        ({"supportedVersions": []}, LEGACY, "mcp-14", "speaks protocol version none"),
        (ErrorResponse(1, -32022, "", {"supported": ["2099-01-01"]}), LEGACY, "mcp-14", "2099-01-01"),
        (NOT_FOUND, {**LEGACY, "protocolVersion": "1.0"}, "mcp-14", "1.0"),
        (NOT_FOUND, ErrorResponse(1, -32602, "", {"supported": ["0.9"]}), "mcp-14", "0.9"),
        (NOT_FOUND, ErrorResponse(1, -32602, "bad"), "mcp-handshake", "initialize with error -32602: bad"),
        (NOT_FOUND, [], "mcp-handshake", "not an object"),
        ({}, NOT_FOUND, "mcp-handshake", "supportedVersions"),
        (ErrorResponse(1, -32020, "mismatch"), NOT_FOUND, "mcp-handshake", "server/discover with error -32020"),
        ({"supportedVersions": ["2025-06-18"]}, NOT_FOUND, "mcp-14", "2025-06-18"),
        (Failure("http-03", "401", None, {"status": 401}), LEGACY, "http-03", "401"),
        (Failure("stdio-04", "killed"), LEGACY, "stdio-04", "killed"),
    ],
)
async def test_where_no_version_is_common_the_reason_is_the_most_telling_one(
    discover: Answer, initialize: Answer, signal: str, says: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        await spoken(Scripted({"server/discover": discover, "initialize": initialize}))
    assert caught.value.failure.signal == signal and says in caught.value.failure.message


async def test_a_server_that_refuses_our_newest_version_is_asked_for_its_own() -> None:
    def initialize(params: dict[str, Any]) -> Answer:
        if params["protocolVersion"] != "2025-03-26":
            return ErrorResponse(1, -32602, "no", {"supported": ["2024-11-05", "2025-03-26"]})
        return {"protocolVersion": "2025-03-26"}

    result = await spoken(Scripted({"server/discover": NOT_FOUND, "initialize": initialize}))
    assert result.protocol_version == "2025-03-26"


async def test_legacy_only_sends_no_probe() -> None:
    carrier = Scripted({"initialize": LEGACY})
    assert (await spoken(carrier, legacy_only=True)).era == "legacy"
    assert carrier.methods == ["initialize", "notifications/initialized"]


async def test_a_client_of_the_legacy_era_sends_no_probe_to_a_server_that_speaks_both() -> None:
    carrier = Scripted({"server/discover": MODERN, "initialize": LEGACY})
    result = await spoken(carrier, legacy_first=True)
    assert (result.era, result.refusal) == ("legacy", None)
    assert carrier.methods == ["initialize", "notifications/initialized"]


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (ErrorResponse(1, -32022, "secret words", {"supported": ["2026-07-28"]}), "no version in common"),
        (ErrorResponse(1, -32601, "secret words"), "error -32601"),
        (Failure("http-06", "secret words", None, {"status": 404}), "HTTP 404"),
        ({"protocolVersion": "2026-07-28"}, "no version in common"),
    ],
)
async def test_a_server_that_refuses_the_legacy_era_is_listed_in_the_modern_one_and_that_is_told(
    refusal: Answer, told: str
) -> None:
    carrier = Scripted({"server/discover": MODERN, "initialize": refusal})
    result = await spoken(carrier, legacy_first=True)
    assert (result.era, result.refusal) == ("modern", told)
    assert carrier.methods == ["initialize", "server/discover"] and carrier.waiting == 0


@pytest.mark.parametrize("discover", [SILENCE, NOT_FOUND, {}, Failure("stdio-exit", "it exited")])
async def test_what_refuses_both_ways_is_reported_by_what_it_said_to_initialize(discover: Answer) -> None:
    carrier = Scripted({"server/discover": discover, "initialize": ErrorResponse(1, -32603, "not today")})
    with pytest.raises(ProviderError, match="-32603: not today"):
        await spoken(carrier, legacy_first=True)
    assert carrier.waiting == 0


async def test_a_credential_that_is_refused_is_not_tried_in_the_other_era() -> None:
    unauthorized = Failure("http-03", "401", None, {"status": 401})
    carrier = Scripted({"server/discover": MODERN, "initialize": unauthorized})
    with pytest.raises(ProviderError, match="401"):
        await spoken(carrier, legacy_first=True)
    assert carrier.methods == ["initialize"]


ANSWERS: st.SearchStrategy[Answer] = st.sampled_from(
    [
        MODERN, LEGACY, {}, None, [], SILENCE, NOT_FOUND, {"supportedVersions": ["x"]}, {"supportedVersions": [5]},
        {"protocolVersion": 5}, {"protocolVersion": "1.0"}, ErrorResponse(1, -32022, "", {"supported": ["2025-06-18"]}),
        ErrorResponse(1, -32022, "", {"supported": ["x"]}), ErrorResponse(1, -32021, "", 5), ErrorResponse(1, None, ""),
        Failure("stdio-02", "exited"), Failure("http-06", "", None, {"status": 404}), Failure("mcp-28", "ended"),
    ]
)  # fmt: skip


@given(ANSWERS, ANSWERS, st.integers(0, 12), st.integers(0, 12), st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_two_answers_in_any_order_end_in_an_era_or_in_a_provider_error(
    discover: Answer, initialize: Answer, one: int, other: int, legacy_first: bool
) -> None:
    async def run() -> None:
        carrier = Scripted(
            {"server/discover": discover, "initialize": initialize}, {"server/discover": one, "initialize": other}
        )
        try:
            async with asyncio.timeout(0.1 if SILENCE in (discover, initialize) else HANG):
                result = await negotiate(carrier, "1", patience=0.004, legacy_first=legacy_first)
        except ProviderError:
            pass
        except TimeoutError:
            assert SILENCE in (discover, initialize)
        else:
            assert result.era == ("modern" if result.protocol_version == "2026-07-28" else "legacy")
            assert (discover if result.era == "modern" else initialize) in (MODERN, LEGACY)
        await asyncio.sleep(0)
        assert carrier.waiting == 0 and len(asyncio.all_tasks()) == 1

    asyncio.run(run())


# ---- pages

OLD = Spoken("legacy", "2025-06-18", Initialized("2025-06-18", True, {}, True))
NO_TOOLS = Spoken("legacy", "2025-06-18", Initialized("2025-06-18", True, {}, False))


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}}


async def listed(page: Callable[[str | None], Answer], how: Spoken = OLD) -> tuple[Any, Scripted]:
    carrier = Scripted({"tools/list": lambda params: page(params.get("cursor"))})
    async with asyncio.timeout(HANG):
        return await fetch(carrier, how, "1", "stdio"), carrier


CURSORS = st.none() | st.sampled_from(["", "a", "b", "\ud800"]) | st.text(max_size=2)
PAGES = st.lists(
    st.tuples(st.lists(st.sampled_from(["t1", "t2", "t3"]) | st.text(min_size=1, max_size=2), max_size=3), CURSORS),
    min_size=1,
    max_size=8,
)


@given(PAGES, st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_walk_ends_for_any_cursor_behaviour_and_lists_no_tool_twice(pages: Any, by_cursor: bool) -> None:
    """``by_cursor``: the page depends on the cursor sent; else the server answers as it likes, in turn."""
    turn = 0

    def page(cursor: str | None) -> Answer:
        nonlocal turn
        turn += 1
        number = hash(cursor) if by_cursor else turn
        names, following = pages[number % len(pages)]
        return {"tools": [tool(name) for name in names], "nextCursor": following}

    async def run() -> None:
        result, carrier = await listed(page)
        names = [one.name for one in result.manifest.tools]
        assert len(names) == len(set(names))
        assert len(carrier.sent) <= 4 * len(pages) + MAX_FRUITLESS + 4

    asyncio.run(run())


@pytest.mark.parametrize(
    ("last", "twice"),
    [({"tools": [tool("a")]}, ("a",)), ({"tools": [tool("c")]}, ()), ({"tools": [tool("a")], "nextCursor": "x"}, ())],
    ids=["listed twice", "two pages", "in circles"],
)
async def test_a_tool_that_comes_again_on_the_last_page_is_listed_twice_unless_the_list_goes_round(
    last: Any, twice: tuple[str, ...]
) -> None:
    """Qwen Code 0.24.4 loses the server over it, though both are the same word for word."""
    got, _ = await listed(lambda cursor: last if cursor else {"tools": [tool("a"), tool("b")], "nextCursor": "x"})
    assert got.manifest.duplicates == twice
    assert len(got.manifest.tools) == len({"a", "b", *(entry["name"] for entry in last["tools"])})


async def test_fresh_tools_without_end_are_a_failure_and_not_a_short_list() -> None:
    with pytest.raises(ProviderError, match="does not end") as caught:
        await listed(lambda cursor: {"tools": [tool(f"t{cursor}")], "nextCursor": str(int(cursor or 0) + 1)})
    assert caught.value.failure.signal == "mcp-list" and f"{MAX_PAGES} pages" in caught.value.failure.message


async def test_too_many_tools_are_a_failure() -> None:
    with pytest.raises(ProviderError, match="more than 20,000 tools"):
        await listed(lambda cursor: {"tools": [{}] * (MAX_TOOLS + 1)})
    many = [tool(f"t{number}") for number in range(1200)]
    with pytest.raises(ProviderError, match="more than 20,000 tools"):
        await listed(
            lambda cursor: {
                "tools": [{**one, "name": f"{cursor}{one['name']}"} for one in many],
                "nextCursor": f"{len(cursor or '')}x{cursor or ''}"[:200],
            }
        )


async def test_an_expired_cursor_drops_all_pages_and_starts_again_once() -> None:
    expired = ErrorResponse(1, -32602, "Invalid cursor")
    answers = iter([("a", "2"), expired, ("b", "2"), ("c", None)])

    def page(cursor: str | None) -> Answer:
        answer = next(answers)
        return answer if answer is expired else {"tools": [tool(answer[0])], "nextCursor": answer[1]}

    result, carrier = await listed(page)
    assert [one.name for one in result.manifest.tools] == ["b", "c"]
    assert [params.get("cursor") for _, params in carrier.sent] == [None, "2", None, "2"]
    with pytest.raises(ProviderError, match="-32602"):
        await listed(lambda cursor: expired if cursor else {"tools": [tool("a")], "nextCursor": "2"})


async def test_method_not_found_is_an_empty_list_only_for_a_server_without_the_capability() -> None:
    result, _ = await listed(lambda cursor: NOT_FOUND, NO_TOOLS)
    assert result.manifest.tools == () and not result.declares_tools
    for how, answer in ((OLD, NOT_FOUND), (NO_TOOLS, ErrorResponse(1, -32603, "boom"))):
        with pytest.raises(ProviderError, match="it answered tools/list with error") as caught:
            await listed(lambda cursor, answer=answer: answer, how)
        assert caught.value.failure.signal == "mcp-list"


async def test_an_error_text_is_made_safe_to_show_and_cut() -> None:
    with pytest.raises(ProviderError) as caught:
        await listed(lambda cursor: ErrorResponse(1, -1, "\x1b[31m\u202eboom" + "x" * 400))
    assert caught.value.failure.message.isprintable() and len(caught.value.failure.message) < 420


async def test_a_flawed_tool_that_cannot_be_hashed_is_quarantined_on_every_page() -> None:
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    pages = {None: ([{"name": "a", "x": deep}, tool("b")], "2"), "2": ([{"name": "c", "x": [deep]}, tool("d")], None)}
    result, _ = await listed(lambda cursor: dict(zip(("tools", "nextCursor"), pages[cursor], strict=True)))
    assert [one.name for one in result.manifest.tools] == ["b", "d"]
    assert [one.name for one in result.manifest.flawed] == ["a", "c"]


# ---- what is not as MCP's schema says

SERVER = {"capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}


async def departures(handshake: Answer, page: Answer, method: str = "initialize") -> list[str]:
    discover = handshake if method == "server/discover" else NOT_FOUND
    carrier = Scripted({"server/discover": discover, "initialize": handshake, "tools/list": page})
    got = await fetch(carrier, await spoken(carrier), "1", "stdio")
    return [deviation.key for deviation in got.departures]


@pytest.mark.parametrize(
    ("handshake", "page", "expected"),
    [
        ({}, {}, []),
        ({"serverInfo": None}, {}, ["missing initialize.serverInfo"]),
        ({}, {"nextCursor": None}, ["null tools/list.nextCursor"]),
        ({}, {"_meta": 3}, ["wrong-type tools/list._meta"]),
        ({"capabilities": {}}, {}, ["undeclared initialize.capabilities.tools"]),
        ({"capabilities": {}}, {"tools": []}, []),
        ({}, {"tools": [{**tool("t"), "icons": 5}]}, ["wrong-type tool.icons"]),
        ({}, {"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"a": True}}}]},
         ["boolean-property tool.inputSchema.properties"]),
    ],
)  # fmt: skip
async def test_departures_of_handshake_pages_and_tools_are_kept(
    handshake: dict[str, Any], page: dict[str, Any], expected: list[str]
) -> None:
    first = {"protocolVersion": "2025-11-25", **SERVER, **handshake}
    assert await departures(first, {"tools": [tool("t")], **page}) == expected


async def test_a_boolean_for_a_property_is_a_schema_in_the_modern_era() -> None:
    listing = {"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"a": True}}}]}
    assert await departures({**SERVER, **MODERN}, listing, "server/discover") == []


async def test_the_frame_of_an_answer_counts_too() -> None:
    def page(params: dict[str, Any]) -> Answer:
        return Response(1, {"tools": [tool("t")]}, ("batch", "id-text"))

    first = Response(1, {"protocolVersion": "2025-11-25", **SERVER}, ("jsonrpc-version",))
    assert await departures(first, page) == ["jsonrpc-version initialize", "batch tools/list", "id-text tools/list"]
