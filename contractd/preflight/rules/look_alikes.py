"""CTD304: names that a reader takes for one another, across servers and against built-ins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

from contractd.preflight.catalogue import rule
from contractd.preflight.likeness import folded, pairs_one_edit_apart, skeleton
from contractd.preflight.model import Finding
from contractd.preflight.names import Builtin, NamedTool
from contractd.preflight.severity import same_parameter
from contractd.preflight.view import View
from contractd.text import plural, visible

_SHORTEST = 5  # characters; of shorter names many are one edit apart
_MOST = 50  # findings; more of them is another kind of trouble
_MOST_COUNTED = 1000
_MOST_BEARERS = 8  # of one name, looked at for a pair

_DIGITS = str.maketrans("", "", "0123456789")

Kind = Literal["letters", "edit"]


@dataclass(frozen=True)
class Named:
    """One bearer of a name: a tool, or a built-in of the runtime."""

    name: str
    tool: NamedTool | None = None
    builtin: Builtin | None = None


def check(view: View) -> Iterator[Finding]:
    """Look-alike letters first: they are how one tool poses as another. One finding for each pair of names."""
    by_fold: dict[str, list[Named]] = defaultdict(list)
    for tool in view.table.tools:
        if tool.contract is not None and not tool.excluded:
            by_fold[folded(tool.own)].append(Named(tool.own, tool=tool))
    for builtin in view.table.builtins or ():
        by_fold[folded(builtin.tool.name)].append(Named(builtin.tool.name, builtin=builtin))
    found = 0
    for kind, left, right in _pairs(by_fold):
        pair = _bearers(by_fold[left], by_fold[right], kind)
        if pair is None:
            continue
        found += 1
        if found <= _MOST:
            yield _finding(*pair, kind)
        elif found == _MOST_COUNTED:
            break
    if found > _MOST:
        yield _more(view, found - _MOST)


def _pairs(by_fold: Mapping[str, list[Named]]) -> Iterator[tuple[Kind, str, str]]:
    skeletons = {fold: skeleton(bearers[0].name) for fold, bearers in by_fold.items()}
    yield from _same_letters(skeletons)
    yield from _one_edit(skeletons)


def _same_letters(skeletons: Mapping[str, str]) -> Iterator[tuple[Kind, str, str]]:
    by_skeleton: dict[str, list[str]] = defaultdict(list)
    for fold, shape in skeletons.items():
        by_skeleton[shape].append(fold)
    for folds in by_skeleton.values():
        for left, right in combinations(folds[:_MOST], 2):
            yield "letters", left, right


def _one_edit(skeletons: Mapping[str, str]) -> Iterator[tuple[Kind, str, str]]:
    for left, right in pairs_one_edit_apart(fold for fold in skeletons if len(fold) >= _SHORTEST):
        # tool_1 and tool_2 are numbered on purpose; look-alike letters have been told already.
        numbered = left.translate(_DIGITS) == right.translate(_DIGITS)
        if not numbered and skeletons[left] != skeletons[right]:
            yield "edit", left, right


def _bearers(left: list[Named], right: list[Named], kind: Kind) -> tuple[Named, Named] | None:
    """A tool that bears one of the two names, and who bears the other: of several those that look the most alike."""
    found = [
        (one, other)
        for one, other in product(left[:_MOST_BEARERS], right[:_MOST_BEARERS])
        if _apart(one, other) and (kind == "letters" or _same_work(one, other))
    ]
    if not found:
        return None
    one, other = min(found, key=lambda pair: _unlike(pair[0].name, pair[1].name))
    return (other, one) if other.tool else (one, other)


def _unlike(one: str, other: str) -> int:
    """How many characters a reader finds changed, case and separators among them."""
    return abs(len(one) - len(other)) + sum(mine != theirs for mine, theirs in zip(one, other, strict=False))


def _apart(one: Named, other: Named) -> bool:
    """Of two servers, or of one and the runtime; one server's own names are its own business."""
    if one.tool and other.tool:
        return one.tool.entry is not other.tool.entry
    return one.tool is not None or other.tool is not None


def _same_work(one: Named, other: Named) -> bool:
    """The same job, as far as parameters tell."""
    if one.builtin or other.builtin:
        return bool(_parameters(one) & _parameters(other))
    assert one.tool is not None and one.tool.contract is not None
    mine, theirs = _parameters(one), _parameters(other)
    required = [folded(name) for name in one.tool.contract.required]
    return bool(mine or not theirs) and all(any(same_parameter(name, known) for known in theirs) for name in required)


def _parameters(bearer: Named) -> set[str]:
    names = bearer.tool.contract.parameters if bearer.tool and bearer.tool.contract else {}
    if bearer.builtin:
        names = dict(bearer.builtin.tool.parameters or {})
    return {folded(name) for name in names}


def _finding(bearer: Named, other: Named, kind: Kind) -> Finding:
    tool = bearer.tool
    assert tool is not None
    whose = f" of {visible(other.tool.entry.name, 60)}" if other.tool else ""
    shown = visible(other.builtin.name if other.builtin else other.name, 80)
    letters = kind == "letters"
    how = "letters that look the same but are not" if letters else "one character"
    return Finding(
        rule("look-alike-name"),
        "medium" if letters else "low",
        f"{visible(bearer.name, 80)} of {visible(tool.entry.name, 60)} differs from "
        f"{'the built-in ' if other.builtin else ''}{shown}{whose} by {how}",
        "make sure which of the two is meant: such names are also how one tool poses as another"
        if letters
        else "say in instructions which of the two is meant",
        tool.entry.place,
        confidence="high" if letters else "medium",
        provider=tool.entry.name,
        tool=tool.raw,
        subject=f"{other.tool.entry.name if other.tool else ''} {other.builtin.name if other.builtin else other.name}",
        retryable=False,
    )


def _more(view: View, count: int) -> Finding:
    return Finding(
        rule("look-alike-name"),
        "low",
        f"{'at least ' if count == _MOST_COUNTED - _MOST else ''}{plural(count, 'more pair')} of names differ by one "
        "character or by look-alike letters",
        "look at the first ones; where there are so many, the names follow a pattern",
        view.file,
        confidence="medium",
        subject="more",
        retryable=False,
    )
