"""What is known of a run, and whether a condition holds in it: yes, no, or nobody can tell from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contractd.errors import UsageError
from contractd.runtimes.base import Settings
from contractd.runtimes.profile import Condition, Decider, When
from contractd.text import listed, visible

Holds = Literal["yes", "maybe", "no"]


@dataclass(frozen=True)
class Conditions:
    """What is known of the run: stated or decided by files and the environment; assumed by default; open.

    ``origins`` names the setting or variable that decided a known one.
    """

    known: Mapping[str, str]
    defaults: Mapping[str, str]
    open: Mapping[str, tuple[str, ...]]
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def likely(self) -> dict[str, str]:
        """Known values over defaults."""
        return {**self.defaults, **self.known}


@dataclass(frozen=True)
class Seen:
    """What decides conditions: settings, the environment, and whether there are MCP servers (None: not tried)."""

    settings: Settings
    environ: Mapping[str, str]
    configured: bool
    connected: bool | None


def conditions_of(available: Mapping[str, Condition], stated: Mapping[str, str], seen: Seen) -> Conditions:
    """Sort the conditions of a runtime by what is known of them.

    Raises UsageError for a stated one that the runtime does not have, with those it has.
    """
    for key, value in stated.items():
        _check(available, key, value)
    known, defaults, undecided = dict(stated), dict[str, str](), dict[str, tuple[str, ...]]()
    origins: dict[str, str] = {}
    for key, condition in available.items():
        if key in known:
            continue
        decided = _first_decision(condition, seen, known)
        if decided is not None:
            origins[key], known[key] = decided
        elif key == "mcp" and not condition.decided_by:
            known[key] = "configured" if seen.configured else "none"
        elif condition.default is not None:
            defaults[key] = condition.default
        else:
            undecided[key] = tuple(condition.values)
    return Conditions(known, defaults, undecided, origins)


def _check(available: Mapping[str, Condition], key: str, value: str) -> None:
    if key not in available:
        there = listed(sorted(available), 30) or "none"
        raise UsageError(f"no condition {visible(key, 60)!r} is known for this runtime", hint=f"there are: {there}")
    if value not in available[key].values:
        choices = listed(available[key].values, 30, last="or")
        raise UsageError(f"condition {key} has no value {visible(value, 60)!r}", hint=f"it is {choices}")


def _first_decision(condition: Condition, seen: Seen, known: Mapping[str, str]) -> tuple[str, str] | None:
    """The setting or variable that decides a condition, and the value it gives."""
    for decider in condition.decided_by:
        value = _decided(decider, seen, known)
        if value is not None:
            return decider.setting or decider.env or decider.condition or "the servers", value
    return None


def _decided(decider: Decider, seen: Seen, known: Mapping[str, str]) -> str | None:
    if decider.setting is not None:
        found = seen.settings.get(decider.setting)
        if decider.contains is not None:
            return decider.value if isinstance(found, list) and decider.contains in found else None
        return (
            None if found is None else _mapped(decider, str(found).lower() if isinstance(found, bool) else str(found))
        )
    if decider.env is not None:
        return _mapped(decider, seen.environ[decider.env]) if seen.environ.get(decider.env) else None
    if decider.condition is not None:
        return decider.map.get(known.get(decider.condition, ""))
    if decider.mcp in ("configured", "connected"):
        there = seen.connected if decider.mcp == "connected" and seen.connected is not None else seen.configured
        return decider.map.get("yes" if there else "no")
    return None  # a flag, a model, what a server declares: not to be known from files


def _written(value: Any) -> str:
    """As the maps in the data write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _mapped(decider: Decider, found: str) -> str | None:
    return decider.map.get(found, decider.map.get("*", decider.otherwise))


def holds(when: When, known: Mapping[str, str]) -> Holds:
    """Whether one of the alternatives holds. A condition that is not in ``known`` may have any value."""
    if not when:
        return "yes"
    results = [_all(alternative, known) for alternative in when]
    return "yes" if "yes" in results else "maybe" if "maybe" in results else "no"


def switched_off_by(when: When, conditions: Conditions, available: Mapping[str, Condition]) -> str | None:
    """The setting or variable without which the condition would hold by default; None if there is none."""
    ordinary = {key: condition.default for key, condition in available.items() if condition.default is not None}
    if holds(when, {**conditions.known, **ordinary}) == "no":
        return None
    failing = [
        key
        for alternative in when
        for key, values in alternative.items()
        if key in conditions.origins and conditions.known[key] not in values
    ]
    return conditions.origins[failing[0]] if failing else None


def _all(alternative: Mapping[str, list[str]], known: Mapping[str, str]) -> Holds:
    undecided = False
    for condition, values in alternative.items():
        if condition not in known:
            undecided = True
        elif known[condition] not in values:
            return "no"
    return "maybe" if undecided else "yes"
