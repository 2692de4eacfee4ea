"""What is known of a run, and whether a condition holds in it: yes, no, or nobody can tell from here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

from contractd.errors import UsageError
from contractd.runtimes.base import Gate, Settings
from contractd.runtimes.profile import Condition, Decider
from contractd.text import listed, visible

Holds = Literal["yes", "maybe", "no"]
# Between values of which one holds and nobody can say which: "connected|resources".
OR = "|"


@dataclass(frozen=True)
class Conditions:
    """What is known of the run: stated or decided by files and the environment; assumed by default; open.

    ``origins`` names the setting or variable that decided a known one. ``open`` holds the values that are left.
    """

    known: Mapping[str, str]
    defaults: Mapping[str, str]
    open: Mapping[str, tuple[str, ...]]
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def likely(self) -> dict[str, str]:
        """Known values over defaults over what is left open, joined."""
        return {**{key: OR.join(values) for key, values in self.open.items()}, **self.defaults, **self.known}


@dataclass(frozen=True)
class Seen:
    """What decides conditions: settings, the environment, and whether there are MCP servers (None: not tried) and one
    of them that declares resources (None: nobody asked)."""

    settings: Settings
    environ: Mapping[str, str]
    configured: bool
    connected: bool | None
    resources: bool | None = None

    @property
    def there(self) -> bool:
        """Whether a server is, or would be, connected."""
        return self.configured if self.connected is None else self.connected


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
        origin, values = _decision(condition, seen, known)
        if len(values) > 1:
            undecided[key] = values
        elif values:
            origins[key], known[key] = origin, values[0]
        elif key == "mcp" and not condition.decided_by:
            known[key] = "configured" if seen.configured else "none"
        elif condition.default is not None and any(decider.mcp for decider in condition.decided_by):
            known[key] = condition.default  # whether there are servers is known
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


def _decision(condition: Condition, seen: Seen, known: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The setting or variable that decides a condition, and the values it leaves; none where nothing decides it."""
    doubtful: dict[str, None] = {}
    for decider in condition.decided_by:
        value = _decided(decider, seen, known)
        if value is None:
            continue
        doubtful |= dict.fromkeys(value.split(OR))
        # Whether a server declares resources is seldom known: what comes after that may hold instead.
        if not (decider.mcp == "resources" and seen.resources is None):
            return decider.setting or decider.env or decider.condition or "the servers", tuple(doubtful)
    if doubtful:
        doubtful |= dict.fromkeys(condition.values if condition.default is None else [condition.default])
    return "", tuple(doubtful)


def _decided(decider: Decider, seen: Seen, known: Mapping[str, str]) -> str | None:
    if decider.setting is not None:
        found = seen.settings.get(decider.setting)
        if decider.contains is not None:
            return decider.value if isinstance(found, list) and decider.contains in found else None
        return None if found is None else _mapped(decider, _written(found))
    if decider.env is not None:
        return _mapped(decider, seen.environ[decider.env]) if seen.environ.get(decider.env) else None
    if decider.condition is not None:
        return decider.map.get(known.get(decider.condition, ""))
    if decider.mcp is not None:
        there = seen.configured if decider.mcp == "configured" else seen.there
        if decider.mcp == "resources":
            there = there and seen.resources is not False
        return decider.map.get("yes" if there else "no") if decider.map else decider.value if there else None
    return None  # a flag, a model: not to be known from files


def _written(value: Any) -> str:
    """As the maps in the data write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _mapped(decider: Decider, found: str) -> str | None:
    return decider.map.get(found, decider.map.get("*", decider.otherwise))


def shut(gate: Gate, conditions: Conditions) -> Holds:
    """Whether a gate is shut in this run: surely, perhaps, or not as far as is known and assumed."""
    if not gate.when:
        return "yes" if gate.certain else "maybe"
    if holds(gate.when, conditions.likely) == "no":
        return "no"
    return "yes" if holds(gate.when, conditions.known) == "yes" else "maybe"


def holds(when: Sequence[Mapping[str, Sequence[str]]], known: Mapping[str, str]) -> Holds:
    """Whether one of the alternatives holds. A condition that is not in ``known`` may have any value."""
    if not when:
        return "yes"
    results = [_all(alternative, known) for alternative in when]
    return "yes" if "yes" in results else "maybe" if "maybe" in results else "no"


def runs(likely: Mapping[str, str], keys: Iterable[str]) -> Iterator[dict[str, str]]:
    """Every run that is left open in these conditions, each with one value for what is known of them."""
    told = [key for key in dict.fromkeys(keys) if key in likely]
    for values in product(*(likely[key].split(OR) for key in told)):
        yield dict(zip(told, values, strict=True))


def switched_off_by(
    when: Sequence[Mapping[str, Sequence[str]]], conditions: Conditions, available: Mapping[str, Condition]
) -> str | None:
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


def _all(alternative: Mapping[str, Sequence[str]], known: Mapping[str, str]) -> Holds:
    undecided = False
    for condition, values in alternative.items():
        possible = set(known[condition].split(OR)) if condition in known else set()
        if possible and possible.isdisjoint(values):
            return "no"
        undecided = undecided or not possible or not possible <= set(values)
    return "maybe" if undecided else "yes"
