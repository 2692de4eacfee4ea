"""Which of the tools that are gone is probably which of the new ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from contractd.contracts.contract import Contract
from contractd.contracts.drift.names import common_words, nearness, plain_name
from contractd.contracts.drift.parameters import bare_shape, renamed_parameters

MOST = 150  # tools gone, and new ones, that are compared with each other; equal plain names are found among any number
_NEAR = 0.3  # names that share a third of their words, where the shape is the same
_CONTAINED = 0.6  # one name in the other: nearness() says so
_TELLING = 2  # parameters from which on a shape says something by itself


def probable_renames(
    gone: Sequence[Contract], fresh: Sequence[Contract], names: Iterable[str]
) -> list[tuple[Contract, Contract, str]]:
    """Pairs, each tool in at most one, and why. ``names``: all of both manifests, which show what is common to them."""
    pairs = _by_plain_name(gone, fresh)
    taken = {id(tool) for pair in pairs for tool in pair[:2]}
    left = [tool for tool in gone if id(tool) not in taken][:MOST]
    open_ones = [tool for tool in fresh if id(tool) not in taken][:MOST]
    pairs += _by_likeness(left, open_ones, common_words(dict.fromkeys(names)))
    order = {id(tool): index for index, tool in enumerate(gone)}
    return sorted(pairs, key=lambda pair: order[id(pair[0])])


def _by_plain_name(gone: Sequence[Contract], fresh: Sequence[Contract]) -> list[tuple[Contract, Contract, str]]:
    sides: list[dict[str, list[Contract]]] = []
    for tools in (gone, fresh):
        by_name: dict[str, list[Contract]] = defaultdict(list)
        for tool in tools:
            by_name[plain_name(tool.name)].append(tool)
        sides.append(by_name)
    return [
        (tools[0], sides[1][name][0], "the names differ in case and separators only")
        for name, tools in sides[0].items()
        if name and len(tools) == 1 and len(sides[1].get(name, ())) == 1
    ]


def _by_likeness(
    gone: Sequence[Contract], fresh: Sequence[Contract], common: frozenset[str]
) -> list[tuple[Contract, Contract, str]]:
    """The best candidate of each, if there is one best and it is the best of the other as well."""
    shapes = [_shape(tool) for tool in fresh]
    scores: dict[tuple[int, int], tuple[float, str]] = {}
    for row, old in enumerate(gone):
        shape = _shape(old)
        for column, new in enumerate(fresh):
            found = _likeness(old, new, common, same=shape == shapes[column])
            if found:
                scores[row, column] = found
    in_row: dict[int, list[float]] = defaultdict(list)
    in_column: dict[int, list[float]] = defaultdict(list)
    for (row, column), (score, _) in scores.items():
        in_row[row].append(score)
        in_column[column].append(score)
    pairs = []
    for (row, column), (score, reason) in scores.items():
        rivals = [*in_row[row], *in_column[column]]
        if max(rivals) == score and rivals.count(score) == 2:  # itself in its row and in its column
            pairs.append((gone[row], fresh[column], reason))
    return pairs


def _likeness(old: Contract, new: Contract, common: frozenset[str], *, same: bool) -> tuple[float, str] | None:
    near = nearness(old.name, new.name, common)
    if same and near >= _NEAR:
        return 2 + near, "the parameters are the same and the names are near"
    if same and len(old.parameters) >= _TELLING:
        return 1 + near, "the parameters are the same"
    if near >= _CONTAINED and _related(old, new):
        return near, "the names are near and the parameters alike"
    return None


def _shape(tool: Contract) -> object:
    return frozenset((name, bare_shape(inner)) for name, inner in tool.parameters.items()), frozenset(tool.required)


def _related(old: Contract, new: Contract) -> bool:
    """Half of the old parameters are there under their names or another one's; or there is none to look at."""
    if not old.parameters:
        return not new.required
    kept = sum(1 for name in old.parameters if name in new.parameters) + len(renamed_parameters(old, new))
    return 2 * kept >= len(old.parameters)
