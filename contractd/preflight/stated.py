"""What the command line and contractd.toml say of a run, checked before anything is started.

A slip on the command line is a usage error; one in a file is a configuration error with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contractd.errors import ConfigError, Place, UsageError
from contractd.policy import Loaded
from contractd.preflight.catalogue import BY_ID, BY_NAME
from contractd.preflight.likeness import nearest
from contractd.preflight.model import FailOn
from contractd.preflight.request import Request
from contractd.runtimes.base import Settings
from contractd.runtimes.catalogue import nearest_profile, profiles
from contractd.runtimes.conditions import Seen, conditions_of
from contractd.runtimes.profile import Condition
from contractd.text import visible

if TYPE_CHECKING:
    from contractd.preflight.gather import Gathered

_FAMILIES = ("CTD", "CTD1", "CTD2", "CTD3", "CTD4")


@dataclass(frozen=True)
class Chosen:
    """Which rules are reported, whose doubt is accepted, and what counts. ``select`` empty: all."""

    select: frozenset[str]
    ignore: frozenset[str]
    allowed: frozenset[str]
    fail_on: FailOn

    def shows(self, rule_id: str) -> bool:
        """Whether findings of this rule are reported."""
        return (not self.select or rule_id in self.select) and rule_id not in self.ignore


def chosen(request: Request, policy: Loaded) -> Chosen:
    """The command line over contractd.toml. Raises UsageError or ConfigError for what is no rule."""
    settings = policy.policy.preflight
    select = _from_file(policy, "select", settings.select)
    ignore = _from_file(policy, "ignore", settings.ignore)
    allowed = _from_file(policy, "allow_undetermined", settings.allow_undetermined)
    return Chosen(
        rule_ids(request.select) or select,
        rule_ids(request.ignore) | ignore,
        rule_ids(request.allow_undetermined) | allowed,
        request.fail_on or settings.fail_on,
    )


def rule_of(word: str) -> str | None:
    """The id of the rule that this id or name means."""
    if word.upper() in BY_ID:
        return word.upper()
    return BY_NAME[word.lower()].id if word.lower() in BY_NAME else None


def rule_ids(stated: Iterable[str]) -> frozenset[str]:
    """Rule ids from ids or names; ``CTD3`` stands for a family. Raises UsageError for what is neither."""
    result: set[str] = set()
    for word in stated:
        known = rule_of(word)
        if known:
            result.add(known)
        elif word.upper() in _FAMILIES:
            result |= {rule_id for rule_id in BY_ID if rule_id.startswith(word.upper())}
        else:
            raise UsageError(f"{visible(repr(word), 60)} is no rule", hint=meant(word))
    return frozenset(result)


def meant(word: str) -> str:
    """What could have been meant by a rule that is none."""
    close = nearest(word.upper(), list(BY_ID)) or nearest(word.lower(), list(BY_NAME))
    return f"did you mean {close}?" if close else "contractd explain --all lists them"


def element_place(policy: Loaded, tokens: tuple[str, ...], index: int) -> Place | None:
    """Where an element of an array of contractd.toml was written."""
    place = policy.place(*tokens)
    document = next((document for document in policy.documents if place and document.path == place.file), None)
    return document.place(f"{place.pointer}/{index}") if place and document else place


def check_stated(request: Request, gathered: Gathered) -> None:
    """Raises UsageError or ConfigError for rules and conditions that there are not."""
    policy = gathered.policy
    for reference in request.expect:
        if not all(reference.partition(".")):
            raise UsageError(f"--expect {visible(repr(reference), 120)} is not SERVER.TOOL")
    chosen(request, policy)
    for index, suppression in enumerate(policy.policy.suppress):
        if rule_of(suppression.rule) is None:
            place = element_place(policy, ("suppress",), index)
            raise ConfigError(f"{visible(suppression.rule, 60)} is no rule", place=place, hint=meant(suppression.rule))
    available = _available(gathered)
    for key, value in policy.policy.preflight.conditions.items():
        try:
            _check(available, {key: value})
        except UsageError as error:
            place = policy.place("preflight", "conditions", key)
            raise ConfigError(error.message, place=place, hint=error.hint) from None
    _check(available, request.conditions)


def stated_conditions(request: Request, gathered: Gathered, available: Mapping[str, Condition]) -> dict[str, str]:
    """What was stated of the run, as far as the version in use knows it; other versions may know more."""
    stated = {**gathered.policy.policy.preflight.conditions, **request.conditions}
    return {key: value for key, value in stated.items() if key in available and value in available[key].values}


def passed_over(request: Request, gathered: Gathered, available: Mapping[str, Condition]) -> tuple[str, ...]:
    """What is to be said of stated conditions that the version in use does not know."""
    stated = {**gathered.policy.policy.preflight.conditions, **request.conditions}
    used = stated_conditions(request, gathered, available)
    return tuple(
        f"the condition {visible(key, 60)}={visible(value, 60)} means nothing to this version of "
        f"{gathered.runtime.title} and was passed over"
        for key, value in stated.items()
        if key not in used
    )


def _from_file(policy: Loaded, name: str, words: list[str]) -> frozenset[str]:
    for index, word in enumerate(words):
        try:
            rule_ids([word])
        except UsageError as error:
            place = element_place(policy, ("preflight", name), index)
            raise ConfigError(error.message, place=place, hint=error.hint) from None
    return rule_ids(words)


def _available(gathered: Gathered) -> dict[str, Condition]:
    """The conditions of the stated version, or of every known one where the program is still to be asked."""
    name = gathered.runtime.name
    known = profiles(name)
    if gathered.stated:
        profile = nearest_profile(name, gathered.stated)
        known = (profile,) if profile else ()
    available: dict[str, Condition] = {}
    for profile in known:
        for key, condition in profile.conditions.items():
            values = available[key].values if key in available else []
            merged = [*values, *(value for value in condition.values if value not in values)]
            available[key] = condition.model_copy(update={"values": merged})
    return available


def _check(available: Mapping[str, Condition], stated: Mapping[str, str]) -> None:
    conditions_of(available, stated, Seen(Settings({}), {}, configured=False, connected=None))
