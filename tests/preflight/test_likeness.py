"""Names that a reader takes for one another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.preflight.likeness import folded, nearest, one_edit_apart, pairs_one_edit_apart, skeleton

NAMES = st.text("abcxyz01_-", max_size=9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("send_message", "SendMessage"),
        ("send_message", "send-message"),
        ("send message", "SENDMESSAGE"),
        ("list_agents", "ListAgents"),
        ("ｓｅｎｄ", "send"),
        ("straße", "STRASSE"),
        ("__read__file", "readFile"),
    ],
)
def test_case_separators_and_width_do_not_make_another_name(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(("one", "other"), [("read_file", "read_files"), ("sendmessage", "send.message"), ("a", "b")])
def test_folding_keeps_other_names_apart(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("send_message", "sеnd_message"),  # a Cyrillic е
        ("send_message", "send\u200b_message"),
        ("read_file", "rеаd_filе"),
        ("list_files", "lıst_files"),
        ("tool_0", "tool_O"),
        ("level1", "levelI"),
        ("level1", "levell"),
        ("search", "ｓｅａｒｃｈ"),
        ("paypal", "pаypаl"),
        ("scope", "ѕсоре"),
    ],
)
def test_letters_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("mail_search", "mall_search"), ("fill", "fiil"), ("list", "llst"), ("post", "past"), ("send", "sand")],
)
def test_letters_that_a_reader_tells_apart_keep_two_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("listissue", "listissues", True),
        ("listissues", "listissue", True),
        ("search", "serach", True),
        ("search", "saerch", True),
        ("search", "seqrch", True),
        ("search", "search", False),
        ("search", "serahc", False),
        ("search", "searches", False),
        ("", "a", True),
        ("", "", False),
        ("ab", "ba", True),
        ("abc", "cab", False),
    ],
)
def test_one_slip_of_the_finger_is_one_edit(one: str, other: str, apart: bool) -> None:
    assert one_edit_apart(one, other) is apart
    assert one_edit_apart(other, one) is apart


@given(st.lists(NAMES, max_size=14))
@settings(deadline=None, max_examples=150)
def test_the_index_finds_exactly_the_pairs_that_comparing_all_with_all_finds(names: list[str]) -> None:
    unique = list(dict.fromkeys(names))
    expected = [
        (one, other) for at, one in enumerate(unique) for other in unique[at + 1 :] if one_edit_apart(one, other)
    ]
    assert list(pairs_one_edit_apart(names)) == expected


def test_very_long_names_are_not_compared_letter_by_letter() -> None:
    assert list(pairs_one_edit_apart(["x" * 65, "x" * 66])) == []
    assert list(pairs_one_edit_apart(["x" * 63, "x" * 64])) == [("x" * 63, "x" * 64)]


def test_a_made_up_list_of_neighbours_costs_no_quadratic_work() -> None:
    names = [f"tool{chr(number)}" for number in range(0x4E00, 0x4E00 + 20_000)]
    assert len(list(pairs_one_edit_apart(names))) < 20_000


@pytest.mark.parametrize(
    ("wanted", "candidates", "close"),
    [
        ("send_mesage", ["read", "send_message"], "send_message"),
        ("SendMessage", ["send_messages", "send_message"], "send_message"),
        ("message", ["send_message"], "send_message"),
        ("frobnicate", ["send_message", "read"], None),
        ("x", [], None),
        ("get_isue", ["get_issue", "get_issues"], "get_issue"),
    ],
)
def test_the_nearest_name_is_the_one_a_person_meant(wanted: str, candidates: list[str], close: str | None) -> None:
    assert nearest(wanted, candidates) == close


@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=6))
@settings(deadline=None, max_examples=80)
def test_a_suggestion_is_always_one_of_the_candidates(wanted: str, candidates: list[str]) -> None:
    found = nearest(wanted, candidates)
    assert found is None or found in candidates


@given(st.text(max_size=30))
@settings(deadline=None, max_examples=80)
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert folded(folded(name)) == folded(name)
