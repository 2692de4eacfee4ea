"""The keys of an object, cut into cells that no statement tells apart: each name that is mentioned, and the rest by
which patterns match it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contractd.contracts.compat.formula import Formula
from contractd.contracts.compat.kinds import STRING
from contractd.contracts.compat.terms import Terms
from contractd.contracts.compat.texts import Texts, Words

MAX_CELLS = 48
MAX_EXPANDED = 40  # references that are unfolded in a statement on keys


class TooManyCells(Exception):  # noqa: N818 - the name says what is the case
    """The patterns cut the keys into more cells than are looked at."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Keys that are alike; ``signs`` says which atoms hold for them."""

    words: Words
    signs: dict[Formula, bool]


class KeySpace:
    """All keys, seen through a set of statements on keys."""

    def __init__(self, terms: Terms, texts: Texts, statements: Iterable[Formula]) -> None:
        self.terms = terms
        self.texts = texts
        self._expanded: dict[Formula, Formula] = {}
        self.names: dict[str, None] = {}
        atoms: dict[Formula, None] = {}
        for statement in statements:
            self._collect(self.expanded(statement), atoms)
        self.atoms = list(atoms)
        self._cells: list[Cell] | None = None

    def expanded(self, statement: Formula) -> Formula:
        """A statement on keys without references."""
        if statement not in self._expanded:
            self._expanded[statement] = self._expand(statement, 0)
        return self._expanded[statement]

    def _expand(self, node: Formula, depth: int) -> Formula:
        node = self.terms.restricted(node, STRING)
        if depth > MAX_EXPANDED:
            raise TooManyCells
        if node.op == "reference":
            return self._expand(self.terms.unfold(node), depth + 1)
        if node.op in ("and", "or"):
            parts = [self._expand(part, depth + 1) for part in node.args]
            return self.terms.all_of(parts) if node.op == "and" else self.terms.any_of(parts)
        return node

    def _collect(self, node: Formula, atoms: dict[Formula, None]) -> None:
        if node.op in ("and", "or"):
            for part in node.args:
                self._collect(part, atoms)
        elif node.op in ("enum", "except"):
            self.names.update(dict.fromkeys(sorted(node.args[0])))
        elif node.op not in ("true", "false"):
            atoms[self._positive(node)[0]] = None

    def _positive(self, node: Formula) -> tuple[Formula, bool]:
        """The atom a literal is about, and whether it is affirmed."""
        if node.op in ("pattern", "opaque") and not node.args[1]:
            return self.terms.opposite(node, STRING), False
        return node, True

    def cells(self) -> list[Cell]:
        """The cells of what is not named, those that are provably without a key left out."""
        if self._cells is None:
            others = self.terms.restricted(self.terms.none_of(self.names), STRING)
            found: list[tuple[list[Formula], dict[Formula, bool]]] = [([others], {})]
            for atom in self.atoms:
                split = []
                for literals, signs in found:
                    for literal, sign in ((atom, True), (self.terms.opposite(atom, STRING), False)):
                        for one in literal.args if literal.op == "or" else (literal,):
                            more = [*literals, one]
                            if one is not self.terms.false and not self.texts.words(self._plain(more)).empty():
                                split.append((more, {**signs, atom: sign}))
                if len(split) > MAX_CELLS:
                    raise TooManyCells
                found = split
            cells = [Cell(self.texts.words(self._plain(literals)), signs) for literals, signs in found]
            self._cells = [cell for cell in cells if not cell.words.empty()]
        return self._cells

    def _plain(self, literals: list[Formula]) -> list[Formula]:
        flat: list[Formula] = []
        for literal in literals:
            flat += literal.args if literal.op == "and" else [literal]
        return [literal for literal in flat if literal is not self.terms.true]

    def covers(self, statement: Formula, signs: dict[Formula, bool]) -> bool | None:
        """Does a statement hold for the keys of a cell."""
        return self._covers(self.expanded(statement), signs)

    def _covers(self, node: Formula, signs: dict[Formula, bool]) -> bool | None:
        if node.op in ("and", "or"):
            truths = [self._covers(part, signs) for part in node.args]
            deciding = node.op == "or"
            if deciding in truths:
                return deciding
            return None if None in truths else not deciding
        if node.op in ("true", "except"):
            return True
        if node.op in ("false", "enum"):
            return False
        atom, affirmed = self._positive(node)
        found: Any = signs.get(atom)
        return None if found is None else found is affirmed
