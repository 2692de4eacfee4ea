"""Paths into arguments and results, and the tree that several of them make.

A path is an RFC 6901 pointer in which ``*`` stands for every item of an array; a name that is ``*`` is written ``~2``.
What stands at the top may be written as its bare name: ``to`` is ``/to``. A path with no longer one beside it stands
for the whole value; one with longer ones for these only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

Token = str | None  # None: every item of an array
Path = tuple[Token, ...]

ITEM: Final = "*"
MAX_TOKENS = 64


@dataclass(frozen=True)
class Tree:
    """What is used of one value. ``names``: of an object only these, None: all of it. ``items``: of every item of an
    array, None: all of it. ``always``: those of ``names`` that every object at this place has. A value of another kind
    is used whole."""

    names: Mapping[str, Tree] | None = None
    items: Tree | None = None
    always: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Nothing is left out."""
        return self.names is None and self.items is None

    def joined(self, other: Tree) -> Tree:
        """What either uses."""
        names = None
        if self.names is not None and other.names is not None:
            names = {name: inner.joined(other.names.get(name, inner)) for name, inner in self.names.items()}
            names |= {name: inner for name, inner in other.names.items() if name not in names}
        items = self.items.joined(other.items) if self.items and other.items else None
        return Tree(names, items, self.always & other.always if names is not None else frozenset())

    def left_out(self, path: Path) -> Path | None:
        """The beginning of ``path`` up to where it leaves the tree; None where it doesn't."""
        here = self
        for count, token in enumerate(path, 1):
            if token is None:
                if here.items is None:
                    return None
                here = here.items
            elif here.names is None:
                return None
            elif token not in here.names:
                return path[:count]
            else:
                here = here.names[token]
        return None

    def has_always(self, path: Path) -> bool:
        """Whether the last name of ``path`` is in every object that may hold it."""
        here: Tree | None = self
        for token in path[:-1]:
            here = here and (here.items if token is None else (here.names or {}).get(token))
        return here is not None and bool(path) and path[-1] in here.always


def parse_path(text: str) -> Path:
    """The tokens of a path. Raises ValueError, which says what is wrong."""
    if not text.startswith("/"):
        if text in ("", ITEM):
            raise ValueError("it names nothing; leave the list out where everything counts, or write [] for nothing")
        return (text,)
    tokens = tuple(map(_token, text[1:].split("/")))
    if len(tokens) > MAX_TOKENS:
        raise ValueError(f"it has more than {MAX_TOKENS} parts")
    return tokens


def _token(text: str) -> Token:
    if text == ITEM:
        return None
    plain = text.replace("~0", "").replace("~1", "").replace("~2", "")
    if "~" in plain:
        raise ValueError("in a path ~ is written ~0, / within a name ~1, and a name that is * is ~2")
    return text.replace("~2", "*").replace("~1", "/").replace("~0", "~")


def path_text(path: Path) -> str:
    """The shortest text of a path."""
    if len(path) == 1 and path[0] is not None and path[0] not in ("", ITEM) and not path[0].startswith("/"):
        return path[0]
    return "".join("/" + (ITEM if token is None else _escaped(token)) for token in path)


def _escaped(name: str) -> str:
    return "~2" if name == ITEM else name.replace("~", "~0").replace("/", "~1")


def tree_of(paths: Iterable[Path], always: Iterable[Path] = ()) -> Tree:
    """The tree of some paths; of none: an object of which nothing is used. Raises ValueError for one of ``always`` that
    is none of theirs, or ends in ``*``."""
    root = _Growing(names={})
    for path in paths:
        here = root
        for token in path:
            here = here.child(token)
    for path in always:
        here = root
        for token in path[:-1]:
            here = here.existing(token)
        if not path or path[-1] is None:
            raise ValueError("it ends in no name, and only a name can be missing")
        here.existing(path[-1])
        here.always.add(path[-1])
    return root.grown()


class _Growing:
    def __init__(self, names: dict[str, _Growing] | None = None) -> None:
        self.names = names
        self.items: _Growing | None = None
        self.always: set[str] = set()

    def child(self, token: Token) -> _Growing:
        if token is None:
            self.items = self.items or _Growing()
            return self.items
        self.names = {} if self.names is None else self.names
        return self.names.setdefault(token, _Growing())

    def existing(self, token: Token) -> _Growing:
        found = self.items if token is None else (self.names or {}).get(token)
        if found is None:
            raise ValueError("it is not among what is sent")
        return found

    def grown(self) -> Tree:
        names = None if self.names is None else {name: inner.grown() for name, inner in self.names.items()}
        items = self.items.grown() if self.items else None
        return Tree(names, None if items is None or items.whole else items, frozenset(self.always))


def paths_of(tree: Tree) -> list[Path]:
    """The paths that make the tree, in order."""
    return sorted(_leaves(tree, ()), key=path_text)


def _leaves(tree: Tree, path: Path) -> Iterator[Path]:
    if tree.whole and path:
        yield path
    for name, inner in (tree.names or {}).items():
        yield from _leaves(inner, (*path, name))
    if tree.items is not None:
        yield from _leaves(tree.items, (*path, None))


def always_of(tree: Tree) -> list[Path]:
    """The paths of what is always there, in order."""
    return sorted(_always(tree, ()), key=path_text)


def _always(tree: Tree, path: Path) -> Iterator[Path]:
    yield from ((*path, name) for name in tree.always)
    for name, inner in (tree.names or {}).items():
        yield from _always(inner, (*path, name))
    if tree.items is not None:
        yield from _always(tree.items, (*path, None))
