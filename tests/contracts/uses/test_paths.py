"""Paths, the trees they make, and what two of them make together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.contracts.uses import Tree, parse_path, path_text, paths_of, tree_of
from contractd.contracts.uses.paths import always_of

NAMES = st.sampled_from(["a", "b", "c", "*", "/", "~", "", "~2", "a/b", "x y"])
TOKENS = st.one_of(NAMES, st.none())
PATHS = st.lists(TOKENS, min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("text", "tokens", "shortest"),
    [
        ("to", ("to",), "to"),
        ("/to", ("to",), "to"),
        ("a/b", ("a/b",), "a/b"),
        ("/a/b", ("a", "b"), "/a/b"),
        ("/a~1b", ("a/b",), "a/b"),
        ("/items/*/id", ("items", None, "id"), "/items/*/id"),
        ("/~2", ("*",), "/~2"),
        ("/~1", ("/",), "/~1"),
        ("/", ("",), "/"),
        ("/~02", ("~2",), "~2"),
        ("a*", ("a*",), "a*"),
    ],
)
def test_a_path_is_a_pointer_with_a_star_for_items(text: str, tokens: tuple[str | None, ...], shortest: str) -> None:
    assert parse_path(text) == tokens
    assert path_text(tokens) == shortest


@pytest.mark.parametrize("text", ["", "*", "/a~", "/a~3", "/" + "/".join("a" * 65)])
def test_what_is_no_path_says_why(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_path(text)


@given(PATHS)
def test_the_text_of_a_path_leads_back_to_it(path: tuple[str | None, ...]) -> None:
    assert parse_path(path_text(path)) == path


@given(st.lists(PATHS, max_size=8))
def test_a_tree_says_its_paths_and_they_make_it_again(paths: list[tuple[str | None, ...]]) -> None:
    tree = tree_of(paths)
    if tree.names:
        again = tree_of(paths_of(tree), always_of(tree))
        assert paths_of(again) == paths_of(tree)


def test_what_is_always_sent_is_among_what_is_sent() -> None:
    tree = tree_of([("a",), ("o", "x"), ("l", None, "n")], [("a",), ("o",), ("o", "x"), ("l", None, "n")])
    assert always_of(tree) == [("l", None, "n"), ("o", "x"), ("a",), ("o",)]
    assert all(tree.has_always(path) for path in always_of(tree))
    assert not tree.has_always(("o", "y"))
    for path in [("b",), ("a", "x"), ("l", None)]:
        with pytest.raises(ValueError, match="it "):
            tree_of([("a",), ("l", None, "n")], [path])


def test_a_path_leaves_the_tree_where_a_name_is_not_listed() -> None:
    tree = tree_of([("a",), ("o", "x"), ("l", None, "n")])
    assert tree.left_out(("b", "c")) == ("b",)
    assert tree.left_out(("o", "y", "z")) == ("o", "y")
    assert tree.left_out(("l", None, "m")) == ("l", None, "m")
    assert tree.left_out(("a", "anything", None)) is None
    assert tree_of([]).left_out(("a",)) == ("a",)


def test_together_they_are_what_either_uses() -> None:
    one = tree_of([("a",), ("o", "x")], [("a",), ("o",)])
    other = tree_of([("o",), ("b",)], [("o",)])
    both = one.joined(other)
    assert paths_of(both) == [("a",), ("b",), ("o",)]  # o whole, since one of them sends it whole
    assert both.always == {"o"}
    assert one.joined(Tree()) == Tree()


def kept(tree: Tree, value: object) -> bool:
    """Whether a value keeps to the tree, written down naively."""
    if isinstance(value, dict) and tree.names is not None:
        return tree.always <= set(value) and all(
            name in tree.names and kept(tree.names[name], inner) for name, inner in value.items()
        )
    if isinstance(value, list) and tree.items is not None:
        return all(kept(tree.items, item) for item in value)
    return True


VALUES = st.recursive(
    st.sampled_from([None, 0, "a"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=8,
)
SMALL = st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=3).map(tuple), max_size=5).map(
    tree_of
)


@given(SMALL, SMALL, VALUES)
def test_what_keeps_to_one_tree_keeps_to_both_together(one: Tree, other: Tree, value: object) -> None:
    if kept(one, value) or kept(other, value):
        assert kept(one.joined(other), value)
