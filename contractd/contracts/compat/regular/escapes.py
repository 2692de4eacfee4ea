"""What stands after a backslash in an ECMA-262 pattern."""

from __future__ import annotations

import re

from contractd.contracts.compat.regular.budget import NotRegular
from contractd.contracts.compat.regular.charset import LAST, Ranges
from contractd.contracts.compat.regular.unicode import CLASS_ESCAPES, property_class

_CONTROL = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}  # ECMA-262, ControlEscape
# ECMA-262 knows the syntax characters and / here (IdentityEscape under u). Annex B.1.2 lets every character stand
# for itself that means nothing else; of those, punctuation is what all engines agree on.
_ITSELF = frozenset("^$\\.*+?()[]{}|/ -_@!\"#%&',:;<=>~`")

_HEX = re.compile(r"x([0-9A-Fa-f]{2})")
_BRACED = re.compile(r"u\{([0-9A-Fa-f]+)\}")
_PAIR = re.compile(r"u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_UNIT = re.compile(r"u([0-9A-Fa-f]{4})")
_CONTROL_LETTER = re.compile(r"c([A-Za-z])")
_PROPERTY = re.compile(r"([pP])\{([A-Za-z0-9_=]+)\}")


class Escapes:
    """A place in a pattern, and the reading of an escape there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        """The next character, or nothing at the end."""
        return self.text[self.at : self.at + 1]

    def escape(self) -> int | Ranges:
        """Read a backslash and what it escapes: the code point it stands for, or the class."""
        self.at += 1
        char = self.peek()
        if not char:
            raise NotRegular("a backslash at the end")
        if char in _ITSELF or char in _CONTROL or char in CLASS_ESCAPES:
            self.at += 1
            return CLASS_ESCAPES[char] if char in CLASS_ESCAPES else _CONTROL.get(char, ord(char))
        if char in "pP":
            return self.property()
        if char == "0" and not self.text[self.at + 1 : self.at + 2].isdigit():
            self.at += 1
            return 0
        if char.isdigit() or char == "k":
            raise NotRegular("backreferences describe no regular language")
        return self.coded()

    def coded(self) -> int:
        """ECMA-262, CharacterEscape by a number: ``\\cX``, ``\\xHH``, ``\\uHHHH``, a pair of those, ``\\u{H…}``."""
        if found := _PAIR.match(self.text, self.at):
            self.at = found.end()
            return 0x10000 + ((int(found[1], 16) & 0x3FF) << 10) + (int(found[2], 16) & 0x3FF)
        if found := _CONTROL_LETTER.match(self.text, self.at):
            self.at = found.end()
            return ord(found[1]) % 32
        for form in (_HEX, _UNIT, _BRACED):
            if found := form.match(self.text, self.at):
                self.at = found.end()
                digits = found[1].lstrip("0")
                if len(digits) > 6 or int(digits or "0", 16) > LAST:
                    raise NotRegular("an escape beyond U+10FFFF")
                return int(digits or "0", 16)
        raise NotRegular(f"the escape \\{self.peek()} is not ECMA-262")

    def property(self) -> Ranges:
        """ECMA-262, CharacterClassEscape by a Unicode property."""
        found = _PROPERTY.match(self.text, self.at)
        if found is None:
            raise NotRegular("a Unicode property without its braces is not ECMA-262")
        self.at = found.end()
        return property_class(found[2], negated=found[1] == "P")
