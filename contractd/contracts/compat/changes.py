"""What differs between two schemas, keyword by keyword: the explanation beside a verdict, never its proof.

Both schemas are walked side by side. Values of keywords are compared in ``change_values``; here are the places where
schemas stand inside schemas.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from contractd.contracts.compat.change_values import other_keywords, value_changes
from contractd.contracts.compat.kinds import freeze
from contractd.contracts.compat.result import Change, Direction, Effect
from contractd.contracts.compat.tokens import Tokens

MAX_CHANGES = 500
UNLISTED: Final = "changes-not-listed"

_NESTED: Final = {
    "items": "items-changed",
    "additionalItems": "items-changed",
    "unevaluatedItems": "items-changed",
    "contains": "items-changed",
    "propertyNames": "property-names-changed",
    "not": "composition-changed",
    "if": "composition-changed",
    "then": "composition-changed",
    "else": "composition-changed",
}
_LISTED: Final = {
    "allOf": "composition-changed",
    "anyOf": "composition-changed",
    "oneOf": "composition-changed",
    "prefixItems": "items-changed",
    "items": "items-changed",
}
_NAMED: Final = {
    "patternProperties": "pattern-property",
    "dependentSchemas": "dependency",
    "dependentRequired": "dependency",
    "dependencies": "dependency",
    "$defs": "definition",
    "definitions": "definition",
}
_REVERSING: Final = ("not", "if")  # what narrows inside may widen outside


def changes_between(old: Any, new: Any, direction: Direction) -> tuple[Change, ...]:
    """The differences, in the order of the walk; past some hundred one says that there are more."""
    walk = _Walk(direction)
    walk.schemas(old, new, "", "", sure=True)
    if len(walk.found) >= MAX_CHANGES:
        walk.found.append(Change(UNLISTED, "", "", direction, f"{direction}-{UNLISTED}", "unclear"))
    return tuple(walk.found)


class _Walk:
    """Gathers the changes of one comparison."""

    def __init__(self, direction: Direction) -> None:
        self.direction: Direction = direction
        self.found: list[Change] = []
        self._tokens = Tokens()

    def same(self, old: Any, new: Any) -> bool:
        return self._tokens.of(old) == self._tokens.of(new)

    def say(self, kind: str, old: str | None, new: str | None, effect: Effect) -> None:
        if len(self.found) < MAX_CHANGES:
            self.found.append(Change(kind, old, new, self.direction, f"{self.direction}-{kind}", effect))

    def schemas(self, old: Any, new: Any, at_old: str, at_new: str, *, sure: bool) -> None:
        """Two schemas at one place. ``sure``: what narrows here narrows the whole."""
        if self.same(old, new) or len(self.found) >= MAX_CHANGES:
            return
        if not isinstance(old, dict) or not isinstance(new, dict):
            self._booleans(old, new, at_old, at_new, sure)
            return
        for kind, keyword, effect in value_changes(old, new):
            here_old = f"{at_old}/{keyword}" if keyword in old or kind == "required-removed" else None
            here_new = f"{at_new}/{keyword}" if keyword in new or kind == "required-added" else None
            self.say(kind, here_old, here_new, _effect(effect, sure))
        for keyword in other_keywords(old, new):
            here_old = f"{at_old}/{escaped(keyword)}" if keyword in old else None
            here_new = f"{at_new}/{escaped(keyword)}" if keyword in new else None
            self.say("other-keyword-changed", here_old, here_new, "neither")
        self._properties(old, new, at_old, at_new, sure)
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            self._openness(keyword, old, new, at_old, at_new, sure)
        for keyword, kind in _NESTED.items():
            self._nested(keyword, kind, (old, new), (at_old, at_new), sure and keyword not in _REVERSING)
        for keyword, kind in _LISTED.items():
            self._listed(keyword, kind, (old, new), (at_old, at_new), sure and keyword != "oneOf")
        for keyword, kind in _NAMED.items():
            self._named(keyword, kind, (old, new), (at_old, at_new), sure)

    def _booleans(self, old: Any, new: Any, at_old: str, at_new: str, sure: bool) -> None:
        effect: Effect = "unclear"
        if new is False or old is True:
            effect = "narrows"
        elif new is True or old is False:
            effect = "widens"
        self.say("schema-replaced", at_old, at_new, _effect(effect, sure))

    def _properties(self, old: dict[str, Any], new: dict[str, Any], at_old: str, at_new: str, sure: bool) -> None:
        before, after = _mapping(old, "properties"), _mapping(new, "properties")
        for name in _merged(before, after):
            here_old = f"{at_old}/properties/{escaped(name)}" if name in before else None
            here_new = f"{at_new}/properties/{escaped(name)}" if name in after else None
            if here_old and here_new:
                self.schemas(before[name], after[name], here_old, here_new, sure=sure)
            elif here_new:
                closed = old.get("additionalProperties") is False
                self.say("property-added", None, here_new, _effect("widens" if closed else "narrows", sure))
            else:
                closed = new.get("additionalProperties") is False
                self.say("property-removed", here_old, None, _effect("narrows" if closed else "widens", sure))

    def _openness(
        self, keyword: str, old: dict[str, Any], new: dict[str, Any], at_old: str, at_new: str, sure: bool
    ) -> None:
        before, after = old.get(keyword, True), new.get(keyword, True)
        if self.same(before, after):
            return
        here_old = f"{at_old}/{keyword}" if keyword in old else None
        here_new = f"{at_new}/{keyword}" if keyword in new else None
        if after is False or before in (True, {}):
            self.say("object-closed", here_old, here_new, _effect("narrows", sure))
        elif before is False or after in (True, {}):
            self.say("object-opened", here_old, here_new, _effect("widens", sure))
        else:
            self.schemas(before, after, here_old or at_old, here_new or at_new, sure=sure)

    def _nested(
        self, keyword: str, kind: str, sides: tuple[dict[str, Any], dict[str, Any]], at: tuple[str, str], sure: bool
    ) -> None:
        present = [keyword in side and isinstance(side[keyword], dict | bool) for side in sides]
        places = [f"{where}/{keyword}" if there else None for where, there in zip(at, present, strict=True)]
        if all(present):
            self.schemas(sides[0][keyword], sides[1][keyword], f"{at[0]}/{keyword}", f"{at[1]}/{keyword}", sure=sure)
        elif any(present) and not (keyword == "items" and all("items" in side for side in sides)):
            self.say(kind, places[0], places[1], _effect("narrows" if present[1] else "widens", sure))

    def _listed(
        self, keyword: str, kind: str, sides: tuple[dict[str, Any], dict[str, Any]], at: tuple[str, str], sure: bool
    ) -> None:
        lists = [side.get(keyword) if isinstance(side.get(keyword), list) else None for side in sides]
        if lists[0] is None and lists[1] is None:
            return
        here = [f"{where}/{keyword}" for where in at]
        if lists[0] is not None and lists[1] is not None and len(lists[0]) == len(lists[1]):
            for index, (before, after) in enumerate(zip(*lists, strict=True)):
                self.schemas(before, after, f"{here[0]}/{index}", f"{here[1]}/{index}", sure=sure)
            return
        places = [place if keyword in side else None for place, side in zip(here, sides, strict=True)]
        self.say(kind, places[0], places[1], _branches(keyword, lists[0], lists[1]) if sure else "unclear")

    def _named(
        self, keyword: str, kind: str, sides: tuple[dict[str, Any], dict[str, Any]], at: tuple[str, str], sure: bool
    ) -> None:
        before, after = _mapping(sides[0], keyword), _mapping(sides[1], keyword)
        for name in _merged(before, after):
            here = [f"{where}/{keyword}/{escaped(name)}" for where in at]
            if name in before and name in after:
                if isinstance(before[name], dict | bool) and isinstance(after[name], dict | bool):
                    self.schemas(before[name], after[name], here[0], here[1], sure=sure and kind != "definition")
                elif not self.same(before[name], after[name]):
                    self.say(f"{kind}-changed", here[0], here[1], "unclear")
            elif name in after:
                added: Effect = "neither" if kind == "definition" else "narrows"
                self.say(f"{kind}-added", None, here[1], _effect(added, sure))
            else:
                removed: Effect = "neither" if kind == "definition" else "widens"
                self.say(f"{kind}-removed", here[0], None, _effect(removed, sure))


def _branches(keyword: str, before: list[Any] | None, after: list[Any] | None) -> Effect:
    """What a list of branches that grew or shrank does."""
    if keyword not in ("allOf", "anyOf"):
        return "unclear"
    if before is None or after is None:
        return "narrows" if before is None else "widens"
    kept, now = set(map(freeze, before)), set(map(freeze, after))
    if kept <= now:
        return "narrows" if keyword == "allOf" else "widens"
    if now <= kept:
        return "widens" if keyword == "allOf" else "narrows"
    return "unclear"


def _effect(effect: Effect, sure: bool) -> Effect:
    return effect if sure or effect == "neither" else "unclear"


def _mapping(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    found = schema.get(keyword)
    return found if isinstance(found, dict) else {}


def _merged(before: Iterable[str], after: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*before, *after]))


def escaped(token: str) -> str:
    """A token of a JSON pointer (RFC 6901 section 3)."""
    return token.replace("~", "~0").replace("/", "~1")
