"""Laws of names, for any text: the same input gives the same name, limits hold, and what can be undone is undone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from contractd.runtimes.catalogue import RUNTIMES, profiles
from contractd.runtimes.cleaning import base36, fnv1a32, part, utf16_units
from contractd.runtimes.exposed import MAX_LENGTH, ExposedNames, exposed_name, split_exposed
from contractd.runtimes.naming import Names, runtime_names
from contractd.runtimes.profile import Profile
from tests.runtimes.situations import PROGRAM, one, read, runtime, servers

ANY_TEXT = st.text(max_size=12) | st.text("ab_-./: é🦀\u200b", max_size=90)
# Names as they are: with the characters that rules replace, and long enough for their limits.
NAME = st.text("abcAB019_-./ :@é", min_size=1, max_size=12) | st.text("ab_", min_size=50, max_size=140)
SETS = st.dictionaries(NAME, st.lists(NAME, max_size=4, unique=True), max_size=4)
PROFILES = [
    pytest.param(profile, id=f"{profile.runtime}@{profile.version}")
    for name in sorted(RUNTIMES)
    for profile in profiles(name)
]
# The order of the servers does not change the names of these; VS Code numbers servers.
ORDERLESS = [param for param in PROFILES if param.values[0].runtime != "vscode-copilot"]  # type: ignore[attr-defined]


def names(profile: Profile, found: dict[str, list[str]], likely: dict[str, str] | None = None) -> dict[Any, str | None]:
    given_names = runtime_names(profile.mcp.naming, list(found.items()), likely or {})
    return {key: name.name for key, name in given_names.items()}


@pytest.mark.parametrize("profile", PROFILES)
@given(st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT, max_size=4, unique=True), max_size=4))
@settings(max_examples=30, deadline=None)
@example({"": [""], "\ud800": ["\udfff", "{server}", "{tool}__"], "{tool}": ["\0", "\n"]})
def test_any_text_has_a_name_or_a_reason_for_having_none(profile: Profile, found: dict[str, list[str]]) -> None:
    given_names = runtime_names(profile.mcp.naming, list(found.items()), {})
    assert set(given_names) == {(server, tool) for server, tools in found.items() for tool in tools}
    for name in given_names.values():
        assert name.known and (name.name is not None) is (name.dropped is None)
    assert given_names == runtime_names(profile.mcp.naming, list(found.items()), {})


@pytest.mark.parametrize("profile", ORDERLESS)
@given(SETS, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_servers_and_tools_does_not_change_a_name(
    profile: Profile, found: dict[str, list[str]], chance: Any
) -> None:
    servers_shuffled = list(found)
    chance.shuffle(servers_shuffled)
    shuffled = {server: sorted(found[server], reverse=True) for server in servers_shuffled}
    assert names(profile, found) == names(profile, shuffled)


LIMITS = {
    "claude-code": (128, r"[A-Za-z0-9_-]+"),
    "gemini-cli": (63, r"[A-Za-z0-9_.:-]+"),
    "qwen-code": (63, r"[A-Za-z][A-Za-z0-9_-]*"),
    "cline": (64, r"[A-Za-z0-9_-]+"),
    "opencode": (10**6, r"[A-Za-z0-9_-]+"),
    "vscode-copilot": (64, r"[A-Za-z0-9_-]+"),
    "codex-cli": (128, r"[A-Za-z0-9_:]+"),  # namespace::tool, the two colons counted
}


@pytest.mark.parametrize("profile", [param for param in PROFILES if param.values[0].runtime in LIMITS])  # type: ignore[attr-defined]
@given(st.dictionaries(ANY_TEXT, st.lists(ANY_TEXT, max_size=4, unique=True), max_size=4) | SETS)
@settings(max_examples=40, deadline=None)
def test_a_name_keeps_the_programs_limit_and_its_characters(profile: Profile, found: dict[str, list[str]]) -> None:
    longest, allowed = LIMITS[profile.runtime]
    for name in names(profile, found).values():
        if name is not None:
            assert len(name) <= longest and re.fullmatch(allowed, name), name


CODEX = profiles("codex-cli")[-1]


@given(
    st.dictionaries(
        st.text("ab_-.:/@A9", min_size=1, max_size=60), st.lists(NAME, max_size=5, unique=True), max_size=4
    ),
    st.sampled_from([{}, {"non_prefixed_mcp_tool_names": "on"}]),
)
@settings(max_examples=100, deadline=None)
def test_codex_never_gives_two_tools_one_name(found: dict[str, list[str]], likely: dict[str, str]) -> None:
    given_names = list(names(CODEX, found, likely).values())
    assert None not in given_names and len(set(given_names)) == len(given_names)


@given(st.text(max_size=8))
def test_codex_starts_no_server_with_another_character_in_its_name(server: str) -> None:
    assume(not re.fullmatch(r"[a-zA-Z0-9_:@/.-]+", server))
    assert names(CODEX, {server: ["t"]})[server, "t"] is None


def test_in_code_mode_codex_joins_with_underscores() -> None:
    assert names(CODEX, {"srv": ["t"]}, {"model": "gpt-6.2"}) == {("srv", "t"): "mcp__srv__t"}


def test_openhands_renames_every_tool_when_a_second_server_is_enabled_whether_or_not_it_comes_up() -> None:
    (profile,) = profiles("openhands")
    assert names(profile, {"comms": ["send"]}) == {("comms", "send"): "send"}
    assert names(profile, {"comms": ["send"], "dead": []}) == {("comms", "send"): "comms_send"}


def test_qwen_keeps_what_fits_and_ends_the_rest_in_a_hash_of_what_was_written() -> None:
    profile = profiles("qwen-code")[0]
    assert names(profile, {"comms": ["send"]}) == {("comms", "send"): "mcp__comms__send"}
    assert names(profile, {"my server.1": ["send message"]})["my server.1", "send message"] == (
        "mcp__my_server_1__send_message_1bhamk4"
    )


def test_vs_code_names_tools_by_what_the_running_server_calls_itself_and_numbers_equal_ones() -> None:
    entries = read(
        "vscode-copilot",
        servers("vscode-copilot", {"a": {"command": "x"}, "b": {"command": "x"}, "c": {"command": "x"}}),
    ).entries
    (profile,) = profiles("vscode-copilot")
    announced = {entries[0].id: "File System", entries[1].id: "File System"}
    found = Names(runtime("vscode-copilot"), profile, [(entry, ["read.it"]) for entry in entries], announced, {})
    assert [found.name(entry, "read.it").name for entry in entries] == [
        "mcp_file_system_read_it", "mcp_file_system2_read_it", "mcp_c_read_it",
    ]  # fmt: skip


def test_cursor_shows_bare_names_and_drops_long_ones() -> None:
    (profile,) = profiles("cursor")
    given_names = runtime_names(profile.mcp.naming, [("g", ["t" * 58, "t" * 59])], {})
    assert given_names["g", "t" * 58].name == "t" * 58 and given_names["g", "t" * 59].dropped is not None


def test_a_runtime_without_data_has_names_that_nobody_knows() -> None:
    entry = one("cursor", PROGRAM["cursor"])
    found = Names(runtime("cursor"), None, [(entry, ["t"])], {}, {})
    assert not found.name(entry, "t").known


# ---- contractd's own names

PROVIDER = st.text("abz09_-", min_size=1, max_size=70)
TOOLS = st.tuples(PROVIDER, ANY_TEXT.filter(bool) | NAME)


@given(TOOLS)
@settings(max_examples=100)
def test_an_exposed_name_is_short_plain_and_the_same_each_time(tool: tuple[str, str]) -> None:
    name = exposed_name(*tool)
    assert name == exposed_name(*tool) and len(name) <= MAX_LENGTH and re.fullmatch(r"[A-Za-z0-9_-]+", name)


@given(st.lists(TOOLS, unique=True, max_size=12))
@settings(max_examples=100)
def test_exposed_names_are_undone_by_their_table_and_the_plain_ones_by_cutting(tools: list[tuple[str, str]]) -> None:
    table = ExposedNames(tools)
    for tool in tools:
        name = table.name(*tool)
        assert table.tool(name) == tool
        if "__" in name:
            assert split_exposed(name) == tool
        else:
            assert split_exposed(name) is None


@given(TOOLS, TOOLS)
@settings(max_examples=100)
def test_a_name_does_not_depend_on_what_else_is_there(one_tool: tuple[str, str], other: tuple[str, str]) -> None:
    assume(one_tool != other)
    assert ExposedNames([one_tool]).name(*one_tool) == ExposedNames([other, one_tool]).name(*one_tool)


@pytest.mark.parametrize(
    ("provider", "tool", "name"),
    [
        ("mail", "send_message", "mail__send_message"),
        ("my_mail", "Send-It", "my_mail__Send-It"),
        ("mail", "a__b", "mail__a__b"),
    ],
)
def test_plain_names_read_as_provider_and_tool(provider: str, tool: str, name: str) -> None:
    assert exposed_name(provider, tool) == name and split_exposed(name) == (provider, tool)


@pytest.mark.parametrize(
    ("provider", "tool"), [("a__b", "c"), ("a_", "b"), ("a", "_b"), ("a", "b.c"), ("a", "x" * 62), ("a", "é")]
)
def test_what_could_not_be_undone_ends_in_a_hash_without_two_underscores(provider: str, tool: str) -> None:
    name = exposed_name(provider, tool)
    assert "__" not in name and re.search(r"-x-[0-9a-f]{16}$", name) and len(name) <= MAX_LENGTH


# ---- the small operations


@given(st.text(max_size=30))
def test_cleaning_again_changes_nothing(text: str) -> None:
    rule = {"allowed": "A-Za-z0-9_-", "replacement": "_", "unit": "utf16"}
    cleaned = part(text, rule)
    assert part(cleaned, rule) == cleaned and len(cleaned) == len(utf16_units(text))


@given(st.integers(0, 2**32 - 1))
def test_base_36_is_read_back_by_int(value: int) -> None:
    text = base36(value, 7)
    assert len(text) == 7 and int(text, 36) == value


@pytest.mark.parametrize(("data", "value"), [(b"", 0x811C9DC5), (b"a", 0xE40C292C), (b"foobar", 0xBF9CF968)])
def test_fnv_1a_gives_the_published_values(data: bytes, value: int) -> None:
    assert fnv1a32(data) == value
