"""ECMA-262 patterns, as JSON Schema 2020-12 section 6.4 asks for them (the u flag), read into trees.

Beyond the u flag's grammar stands what ECMA-262's Annex B.1.2 and every other engine agree on and real schemas use:
escaped punctuation (``\\-``, ``\\@``), ``{``, ``}`` and ``]`` as themselves, ``\\w`` beside a hyphen in a class. What
engines read differently, or what is no regular language, is ``NotRegular``.
"""

from __future__ import annotations

import re

from contractd.contracts.compat.regular.budget import Budget, NotRegular, TooBig
from contractd.contracts.compat.regular.charset import Ranges, complement, ranges
from contractd.contracts.compat.regular.escapes import Escapes
from contractd.contracts.compat.regular.syntax import Chars, Choice, Edge, Look, Node, repeat, sequence
from contractd.contracts.compat.regular.unicode import DOT

MAX_GROUPS = 64  # groups within groups: what walks over the tree calls itself for each
_MAX_COUNT_DIGITS = 15

_COUNTS = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NO_LOWER_COUNT = re.compile(r"\{,[0-9]*\}")
_GROUP_NAME = re.compile(r"<([A-Za-z_$][A-Za-z0-9_$]*)>")


class Parser(Escapes):
    """One pass over one pattern."""

    def __init__(self, text: str, budget: Budget) -> None:
        super().__init__(text)
        self.budget = budget
        self.names: set[str] = set()
        self.depth = 0
        self.known: dict[Ranges, Chars] = {}
        self.singles: dict[str, Chars] = {}
        self.empty_class = self.lone_bracket = False

    def parse(self) -> Node:
        """The whole pattern's tree."""
        node = self.disjunction()
        if self.at < len(self.text):
            raise NotRegular("a closing parenthesis without an opening one")
        if self.empty_class and self.lone_bracket:
            raise NotRegular("engines differ on where a class that begins with ] ends")
        return node

    def disjunction(self) -> Node:
        """ECMA-262, Disjunction: alternatives up to a closing parenthesis or the end."""
        options: list[Node] = []
        items: list[Node] = []
        while True:
            self.budget.spend()
            char = self.peek()
            if char in ("", ")"):
                break
            if char == "|":
                self.at += 1
                options.append(sequence(items))
                items = []
            else:
                items.append(self.term())
        options.append(sequence(items))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def term(self) -> Node:
        """ECMA-262, Term: an assertion, or an atom with its quantifier."""
        char = self.text[self.at]
        if char in "*+?":
            raise NotRegular(f"nothing to repeat before {char!r}")
        assertion = self.text.startswith(_UNREPEATED, self.at)
        node = self.atom(char)
        counts = self.quantifier()
        if counts is None:
            return node
        if assertion:
            raise NotRegular("a quantifier after an assertion")
        return repeat(node, *counts)

    def atom(self, char: str) -> Node:
        """ECMA-262, Assertion and Atom."""
        if char == "(":
            return self.group()
        if char == "[":
            return self.chars(self.character_class())
        if char == "\\":
            if self.text.startswith(("\\b", "\\B"), self.at):
                self.at += 2
                return Edge("boundary" if self.text[self.at - 1] == "b" else "inside")
            found = self.as_parts(self.escape())
            return self.chars(ranges(found) if len(found) == 1 else found)
        if char == "{" and _COUNTS.match(self.text, self.at):
            raise NotRegular("nothing to repeat before a count")
        self.at += 1
        if char == ".":
            return self.chars(DOT)
        if char in "^$":
            return Edge("start" if char == "^" else "end")
        if char == "]":
            self.lone_bracket = True
        if char not in self.singles:
            self.singles[char] = self.chars(ranges([(ord(char), ord(char))]))
        return self.singles[char]

    def chars(self, members: Ranges) -> Chars:
        """One node for each set of characters, however often it stands in the pattern."""
        return self.known.setdefault(members, Chars(members))

    def quantifier(self) -> tuple[int, int | None] | None:
        """ECMA-262, Quantifier. A lazy one matches other parts of a string, but the same strings."""
        char = self.peek()
        counts: tuple[int, int | None]
        if char in ("*", "+", "?"):
            self.at += 1
            counts = (1 if char == "+" else 0, 1 if char == "?" else None)
        elif char == "{":
            found = _COUNTS.match(self.text, self.at)
            if found is None:
                if _NO_LOWER_COUNT.match(self.text, self.at):
                    raise NotRegular("{,n} is a count in some engines and text in others")
                return None
            self.at = found.end()
            low, comma, high = found.groups()
            if len(low) > _MAX_COUNT_DIGITS or len(high or "") > _MAX_COUNT_DIGITS:
                raise TooBig(f"a count of more than {_MAX_COUNT_DIGITS} digits")
            counts = (int(low), int(high) if high else None if comma else int(low))
            if counts[1] is not None and counts[1] < counts[0]:
                raise NotRegular("a count that ends below where it begins")
        else:
            return None
        if self.peek() == "?":
            self.at += 1
        following = self.peek()
        if following == "+":
            raise NotRegular("possessive quantifiers are not ECMA-262")
        if following in ("*", "?") or _COUNTS.match(self.text, self.at):
            raise NotRegular("a quantifier after a quantifier")
        return counts

    def group(self) -> Node:
        """ECMA-262, lookaround assertions and groups."""
        self.at += 1
        wrap: tuple[bool, bool] | None = None
        if self.peek() == "?":
            for opening, look in _OPENINGS.items():
                if self.text.startswith(opening, self.at):
                    self.at += len(opening)
                    wrap = look
                    break
            else:
                self.group_name()
        self.depth += 1
        if self.depth > MAX_GROUPS:
            raise TooBig(f"groups nested deeper than {MAX_GROUPS}")
        body = self.disjunction()
        self.depth -= 1
        if self.peek() != ")":
            raise NotRegular("a group that is not closed")
        self.at += 1
        return body if wrap is None else Look(body, *wrap)

    def group_name(self) -> None:
        """Read over a group's name. What else follows ``(?`` in other engines is not ECMA-262."""
        found = _GROUP_NAME.match(self.text, self.at + 1)
        if found is None:
            beginning = self.text[self.at - 1 : self.at + 2]
            raise NotRegular(f"{beginning!r} begins no group of ECMA-262 (inline flags and the like are not in it)")
        if found[1] in self.names:
            raise NotRegular(f"two groups are named {found[1]!r}")
        self.names.add(found[1])
        self.at = found.end()

    def character_class(self) -> Ranges:
        """ECMA-262, CharacterClass."""
        self.at += 1
        negated = self.peek() == "^"
        self.at += negated
        begin = self.at
        parts: list[tuple[int, int]] = []
        while self.peek() != "]":
            self.budget.spend(2)
            low = self.class_atom()
            if self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
                parts.extend(self.as_parts(low))
                continue
            self.at += 1
            high = self.class_atom()
            if isinstance(low, int) and isinstance(high, int):
                if high < low:
                    raise NotRegular("a range of characters that ends before it begins")
                parts.append((low, high))
            else:  # Annex B, CharacterRangeOrUnion: with a class on either side the hyphen is itself
                parts.append((0x2D, 0x2D))
                parts.extend((*self.as_parts(low), *self.as_parts(high)))
        self.empty_class |= self.at == begin
        self.at += 1
        members = ranges(parts)
        return complement(members) if negated else members

    def as_parts(self, atom: int | Ranges) -> Ranges:
        """What stands in a class as ranges, a long one at its price."""
        if isinstance(atom, int):
            return ((atom, atom),)
        self.budget.spend(len(atom) // 2)
        return atom

    def class_atom(self) -> int | Ranges:
        """ECMA-262, ClassAtom: a character or a class escape."""
        char = self.peek()
        if not char:
            raise NotRegular("a class that is not closed")
        if char != "\\":
            self.at += 1
            return ord(char)
        following = self.text[self.at + 1 : self.at + 2]
        if following == "b":  # ECMA-262, ClassEscape
            self.at += 2
            return 0x08
        if following == "B":
            raise NotRegular("\\B in a class")
        return self.escape()


_UNREPEATED = ("^", "$", "\\b", "\\B", "(?<=", "(?<!")  # Annex B.1.2, QuantifiableAssertion: only lookahead is
_OPENINGS: dict[str, tuple[bool, bool] | None] = {  # what opens a group: None, or a lookaround's (behind, negated)
    "?:": None,
    "?=": (False, False),
    "?!": (False, True),
    "?<=": (True, False),
    "?<!": (True, True),
}


def parse(text: str, budget: Budget) -> Node:
    """The tree of a pattern; ``NotRegular`` where it is not understood, ``TooBig`` where it is too long."""
    return Parser(text, budget).parse()
