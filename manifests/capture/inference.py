"""From observations to a rule: under which conditions a tool is there.

An example is one run's conditions (every condition has one value) and whether the tool was there. The rule
is a list of alternatives, each ``{condition: [values]}``: few, short, and in agreement with every run. Runs
differ from one base run in as few conditions as possible, so that the shortest rule is the true one; where
conditions act together, a run that sets them all must be among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Alternative = dict[str, list[str]]
Holds = Mapping[str, str]
MOST = 3


@dataclass(frozen=True)
class Example:
    holds: Holds
    there: bool


def matches(alternative: Mapping[str, Sequence[str]], holds: Holds) -> bool:
    return all(holds[condition] in values for condition, values in alternative.items())


def rule_for(examples: Sequence[Example], among: Sequence[str]) -> list[Alternative] | None:
    """``[]`` for always, ``None`` for never or for runs that contradict each other, else the alternatives.

    ``among`` names the conditions that may decide.
    """
    yes = [example.holds for example in examples if example.there]
    no = [example.holds for example in examples if not example.there]
    if not yes:
        return None
    if not no:
        return []
    left, rule = list(yes), []
    while left:
        found = best(left, yes, no, among)
        if found is None:
            return None
        rule.append(found)
        left = [holds for holds in left if not matches(found, holds)]
    return sorted(rule, key=lambda alternative: (len(alternative), list(alternative.items())))


def best(left: Sequence[Holds], yes: Sequence[Holds], no: Sequence[Holds], among: Sequence[str]) -> Alternative | None:
    """The alternative that explains most of what is left; among those the one with the fewest conditions."""
    chosen: Alternative | None = None
    most = (0, 0)
    for size in range(1, MOST + 1):
        for term in terms(left, size, among):
            if any(matches(term, holds) for holds in no):
                continue
            wide = widened(term, yes, no)
            worth = (sum(matches(wide, holds) for holds in left), sum(matches(wide, holds) for holds in yes))
            if worth > most and (chosen is None or size == len(chosen) or worth[0] > most[0]):
                chosen, most = wide, worth
        if most[0] == len(left):
            break
    return chosen


def terms(holds: Iterable[Holds], size: int, among: Sequence[str]) -> Iterable[Alternative]:
    seen = set()
    for one in holds:
        for chosen in combinations([(name, one[name]) for name in among], size):
            if chosen not in seen:
                seen.add(chosen)
                yield {condition: [value] for condition, value in chosen}


def widened(term: Alternative, yes: Sequence[Holds], no: Sequence[Holds]) -> Alternative:
    """Let each condition take other values too under which the tool was there, as far as no run objects."""
    for condition in term:
        for value in dict.fromkeys(holds[condition] for holds in yes):
            if value in term[condition]:
                continue
            wider = {**term, condition: [*term[condition], value]}
            if not any(matches(wider, holds) for holds in no) and any(
                matches(wider, h) and h[condition] == value for h in yes
            ):
                term = wider
    return {condition: sorted(values) for condition, values in term.items()}
