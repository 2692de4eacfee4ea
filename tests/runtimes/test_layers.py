"""Several files: which entry counts, what shows through, how settings are merged, names and ids that meet."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.documents import parse
from contractd.runtimes.base import Settings, Source
from contractd.runtimes.layers import counting, merged_settings
from contractd.runtimes.style import slug, wildcard_matches
from tests.runtimes.situations import context, read, runtime, servers, source

NAMES = st.sampled_from(["a", "b", "c", "d"])
LEAF = st.integers(0, 9) | st.lists(st.integers(0, 3), max_size=3)
TREE = st.recursive(
    st.dictionaries(NAMES, LEAF, max_size=3), lambda inner: st.dictionaries(NAMES, inner | LEAF, max_size=3)
)
RAWS = st.dictionaries(NAMES, st.dictionaries(NAMES, LEAF, max_size=3), max_size=4)


def doc(value: Any, path: str = "x.json") -> Source:
    return Source(parse(path, json.dumps(value).encode()), "user", "a test says so")


@given(st.lists(RAWS, max_size=4))
def test_of_equal_names_the_strongest_entry_counts_whole(tables: list[dict[str, Any]]) -> None:
    found = counting([(doc({"t": table}), "/t") for table in tables], merges=False)
    counted = {name: raw for table in found for name, raw in table.entries.items()}
    expected: dict[str, Any] = {}
    for table in tables:
        expected |= table
    assert counted == expected and sum(len(table.entries) for table in found) == len(expected)


@given(st.lists(RAWS, max_size=4))
def test_merged_entries_are_laid_over_one_another_key_by_key(tables: list[dict[str, Any]]) -> None:
    found = counting([(doc({"t": table}), "/t") for table in tables], merges=True)
    counted = {name: raw for table in found for name, raw in table.entries.items()}
    assert counted == merged_settings([doc(table) for table in tables]).value


@given(st.lists(TREE, max_size=4))
def test_the_strongest_files_value_of_each_setting_counts(trees: list[dict[str, Any]]) -> None:
    found = merged_settings([doc(tree) for tree in trees])
    for path in paths(found.value):
        values = [Settings(tree).get(path) for tree in trees]
        strongest = [value for value in values if value is not None][-1]
        if not isinstance(strongest, dict):
            assert found.get(path) == strongest


def paths(value: Any, above: str = "") -> list[str]:
    found = []
    for key, inner in value.items():
        here = f"{above}.{key}" if above else key
        found += [here, *(paths(inner, here) if isinstance(inner, dict) else [])]
    return found


@given(st.lists(TREE, max_size=3))
def test_merging_changes_no_document(trees: list[dict[str, Any]]) -> None:
    sources = [doc(tree) for tree in trees]
    merged = merged_settings(sources, frozenset({"a", "a.b"})).value
    merged.setdefault("a", {})  # type: ignore[attr-defined]
    if isinstance(merged["a"], dict):
        merged["a"]["new"] = 1
    assert [one.document.value for one in sources] == trees


def test_united_lists_keep_their_order_and_hold_each_text_once() -> None:
    files = [doc({"p": {"deny": ["a", "b"]}, "q": ["x"]}), doc({"p": {"deny": ["b", "c", 5]}, "q": ["y"]})]
    found = merged_settings(files, frozenset({"p.deny"}))
    assert (
        found.get("p.deny") == ["a", "b", "c", 5]
        and found.get("q") == ["y"]
        and found.names("p.deny") == ("a", "b", "c")
    )


def test_the_place_of_a_setting_is_in_the_strongest_file_that_has_it() -> None:
    files = [doc({"a": {"b": 1}}, "weak.json"), doc({"a": {"b": 2}}, "strong.json"), doc({"a": {}}, "other.json")]
    place = merged_settings(files).place("a.b")
    assert place is not None and place.file == "strong.json"
    assert merged_settings(files).place("a.z") is None and Settings({"a": 5}).get("a.b", "none") == "none"


def test_names_that_make_one_slug_get_ids_of_their_own() -> None:
    setup = read(
        "claude-code",
        servers(
            "claude-code", {name: {"command": "x"} for name in ("My Mail", "my mail", "my-mail", "my-mail-2", "é", "ü")}
        ),
    )
    ids = [entry.id for entry in setup.entries]
    assert ids == ["my-mail", "my-mail-2", "my-mail-3", "my-mail-2-2", "server", "server-2"]
    assert [entry.spec.id for entry in setup.entries if entry.spec] == ids


@given(st.lists(st.text(max_size=6), unique=True, max_size=20))
def test_ids_are_unique_and_can_stand_in_a_tool_reference(names: list[str]) -> None:
    setup = read("cursor", servers("cursor", {name: {"command": "x"} for name in names}))
    ids = [entry.id for entry in setup.entries]
    assert len(set(ids)) == len(ids)
    for name in names:
        assert slug(name) and set(slug(name)) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")


def test_entries_keep_the_order_in_which_their_names_were_first_written() -> None:
    first = source(servers("cursor", {"a": {"command": "1"}, "b": {"command": "1"}}), "/h/.cursor/mcp.json")
    second = source(servers("cursor", {"c": {"command": "2"}, "a": {"command": "2"}}), "/w/.cursor/mcp.json", "project")
    setup = runtime("cursor").read([first, second], context())
    assert [(entry.name, entry.spec.argv) for entry in setup.entries if entry.spec] == [
        ("a", ("2",)),
        ("b", ("1",)),
        ("c", ("2",)),
    ]


def test_what_is_wrong_with_an_entry_that_was_replaced_is_not_worth_a_word() -> None:
    wrong = source(servers("cursor", {"a": {"command": 5, "zzz": 1}}), "/h/.cursor/mcp.json")
    right = source(servers("cursor", {"a": {"command": "x"}}), "/w/.cursor/mcp.json", "project")
    assert runtime("cursor").read([wrong, right], context()).problems == ()


def test_a_name_written_twice_is_told_at_the_second_place_only_within_one_table() -> None:
    text = '{"mcpServers": {"a": {"command": "x", "env": {"K": "1", "K": "2"}},\n\n  "a": {"command": "y"}}}'
    found = read("cursor", text).problems
    assert [(p.rule, p.server, p.place.line, p.place.column) for p in found] == [("duplicate-name", "a", 3, 3)]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*", "", True), ("*", "x", True), ("a*", "abc", True), ("*c", "abc", True), ("a*c", "ac", True),
        ("a*c", "abc", True), ("a*a", "a", False), ("*b*", "abc", True), ("a**c", "abc", True), ("a", "ab", False),
        ("", "", True), ("", "a", False), ("a*b*c", "axbxc", True), ("a*b*c", "axcxb", False), ("[a]", "a", False),
        ("a?c", "abc", False), ("mcp__*", "mcp__s__t", True),
    ],
)  # fmt: skip
def test_a_star_stands_for_anything_and_nothing_else_does(pattern: str, text: str, matches: bool) -> None:
    assert wildcard_matches(pattern, text) is matches


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
@settings(max_examples=200)
def test_wildcards_mean_what_the_slow_way_says(pattern: str, text: str) -> None:
    def slow(at: int, there: int) -> bool:
        if at == len(pattern):
            return there == len(text)
        if pattern[at] == "*":
            return any(slow(at + 1, after) for after in range(there, len(text) + 1))
        return there < len(text) and pattern[at] == text[there] and slow(at + 1, there + 1)

    assert wildcard_matches(pattern, text) is slow(0, 0)


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    start = time.process_time()
    assert not wildcard_matches("*a" * 200_000 + "b", "a" * 200_000)
    assert time.process_time() - start < 10
