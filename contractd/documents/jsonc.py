"""JSON with the liberties that agent runtimes take, and a mark for every key and value.

A scanner of our own because three things are needed at once that no library gives: positions, duplicate keys, and
*which* liberty was taken where (whether it is allowed depends on the runtime that will read the file).
Liberties: ``//`` and ``/* */`` comments, trailing commas, a byte order mark. Everything else is RFC 8259.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, NoReturn

from contractd.documents.document import MAX_MARKS, Document, Mark, Quirk, QuirkKind, pointer_join
from contractd.errors import ConfigError, Place
from contractd.text import visible

MAX_DEPTH = 128
MAX_QUIRKS = 1000
MAX_POINTER = 8192  # characters of all keys from the root to one value

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None}


def parse_jsonc(path: str, text: str) -> Document:
    """Parse ``text``. Raises ConfigError with line and column for what no runtime would take."""
    return _Scanner(path, text).document()


class _Scanner:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.at = 0
        self.values: dict[str, Mark] = {}
        self.keys: dict[str, Mark] = {}
        self.quirks: list[Quirk] = []
        self._marked: list[str] = []  # the pointers in the order they were met
        self._marks_left = MAX_MARKS
        self._line_starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]

    def document(self) -> Document:
        if self.text.startswith("\ufeff"):
            self.quirk("bom", 0)
            self.at = 1
        self.skip()
        if self.at >= len(self.text):
            self.fail("the file is empty", "a JSON object is expected")
        value = self.value("", 0)
        self.skip()
        if self.at < len(self.text):
            self.fail(f"unexpected {self.here()} after the end of the value")
        return Document(self.path, self.text, "json", value, self.values, self.keys, tuple(self.quirks))

    # ---- values

    def value(self, pointer: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH} levels")
        if self._marks_left > 0:
            self.values[pointer] = self.mark(self.at)
        char = self.text[self.at : self.at + 1]
        if char == "{":
            return self.object(pointer, depth)
        if char == "[":
            return self.array(pointer, depth)
        if char == '"':
            return self.string()
        if char == "-" or (char.isascii() and char.isdigit()):
            return self.number()
        word = _WORD.match(self.text, self.at)
        if word and word.group() in _CONSTANTS:
            self.at = word.end()
            return _CONSTANTS[word.group()]
        hint = "strings take double quotes in JSON" if char == "'" else None
        return self.fail(f"a value is expected, not {self.here()}", hint)

    def object(self, pointer: str, depth: int) -> dict[str, Any]:
        self.at += 1
        result: dict[str, Any] = {}
        marked: dict[str, tuple[int, int]] = {}  # which of self._marked belong to each key
        comma = -1
        while True:
            self.skip()
            char = self.text[self.at : self.at + 1]
            if char == "}":
                self.close(comma)
                return result
            if result and comma < 0:
                self.fail(f"a comma or }} is expected, not {self.here()}")
            if char != '"':
                self.fail(f"a key in double quotes is expected, not {self.here()}")
            start = self.at
            key = self.string()
            inner = pointer_join(pointer, key)
            if len(inner) > MAX_POINTER:
                self.at = start
                self.fail(f"keys of more than {MAX_POINTER:,} characters, with those above them")
            if key in result:
                if len(self.quirks) < MAX_QUIRKS:
                    self.quirks.append(Quirk("duplicate-key", self.mark(start), key, inner))
                self.forget(marked[key])
            first = len(self._marked)
            self.note(inner, start)
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                self.fail(f"a colon is expected after the key, not {self.here()}")
            self.at += 1
            self.skip()
            result[key] = self.value(inner, depth + 1)
            marked[key] = (first, len(self._marked))
            comma = self.comma()

    def array(self, pointer: str, depth: int) -> list[Any]:
        self.at += 1
        result: list[Any] = []
        comma = -1
        while True:
            self.skip()
            if self.text[self.at : self.at + 1] == "]":
                self.close(comma)
                return result
            if result and comma < 0:
                self.fail(f"a comma or ] is expected, not {self.here()}")
            inner = pointer_join(pointer, len(result))
            self.note(inner, None)
            result.append(self.value(inner, depth + 1))
            comma = self.comma()

    def close(self, comma: int) -> None:
        if comma >= 0:
            self.quirk("trailing-comma", comma)
        self.at += 1

    def comma(self) -> int:
        """Step over a comma; its offset, or -1 where there is none."""
        self.skip()
        if self.text[self.at : self.at + 1] != ",":
            return -1
        self.at += 1
        return self.at - 1

    def string(self) -> str:
        start = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            if plain:
                parts.append(plain.group())
                self.at = plain.end()
            char = self.text[self.at : self.at + 1]
            if char == '"':
                self.at += 1
                return "".join(parts)
            if char != "\\":
                self.at = start
                self.fail("a string is not closed on its line")
            parts.append(self.escape())

    def escape(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char in _ESCAPES:
            self.at += 2
            return _ESCAPES[char]
        code = self.hex4(self.at)
        self.at += 6
        if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            low = self.hex4(self.at)
            if 0xDC00 <= low < 0xE000:
                self.at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        # A lone surrogate can be neither written nor hashed: shown as the replacement character.
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)

    def hex4(self, at: int) -> int:
        digits = self.text[at + 2 : at + 6]
        if self.text[at + 1 : at + 2] != "u" or not re.fullmatch(r"[0-9A-Fa-f]{4}", digits):
            self.at = at
            self.fail("not a JSON escape", 'a backslash itself is written "\\\\"')
        return int(digits, 16)

    def number(self) -> int | float:
        match = _NUMBER.match(self.text, self.at)
        if not match:
            self.fail(f"a number is expected, not {self.here()}")
        if len(match.group()) > 400:
            self.fail("a number of more than 400 digits")
        self.at = match.end()
        return float(match.group()) if match.group(1) or match.group(2) else int(match.group())

    # ---- between values

    def skip(self) -> None:
        """Step over white space and comments."""
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            if self.text.startswith("//", self.at):
                self.quirk("comment", self.at)
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith("/*", self.at):
                self.quirk("comment", self.at)
                end = self.text.find("*/", self.at + 2)
                if end < 0:
                    self.fail("a comment is not closed")
                self.at = end + 2
            else:
                return

    def note(self, pointer: str, key_at: int | None) -> None:
        self._marks_left -= len(pointer)
        if self._marks_left > 0:
            self._marked.append(pointer)
            if key_at is not None:
                self.keys[pointer] = self.mark(key_at)

    def forget(self, marked: tuple[int, int]) -> None:
        """A repeated key replaces the whole earlier value: its marks go too."""
        for pointer in self._marked[slice(*marked)]:
            self.values.pop(pointer, None)
            self.keys.pop(pointer, None)

    def mark(self, at: int) -> Mark:
        line = bisect_right(self._line_starts, at)
        return Mark(line, at - self._line_starts[line - 1] + 1)

    def quirk(self, kind: QuirkKind, at: int) -> None:
        if len(self.quirks) < MAX_QUIRKS:
            self.quirks.append(Quirk(kind, self.mark(at)))

    def here(self) -> str:
        char = self.text[self.at : self.at + 1]
        return f"'{visible(char)}'" if char else "the end of the file"

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        mark = self.mark(min(self.at, len(self.text)))
        raise ConfigError(message, hint=hint, place=Place(self.path, mark.line, mark.column))
