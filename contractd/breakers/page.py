"""The parts of docs/reference/breakers.md that are made from the code: ``python -m contractd.breakers.page``."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from contractd.breakers.policy import AvailabilityPolicy, EvidencePolicy, GatePolicy
from contractd.breakers.states import HEALINGS, Input, State, target

_KINDS = {"time": "availability", "renegotiation": "contract", "configuration": "config"}


def state_table() -> str:
    """Where each input leads from each state."""
    states = tuple(State)
    lines = [["", *(f"`{state}`" for state in states)], ["---"] * (len(states) + 1)]
    lines += [[_named(given), *(_cell(state, given) for state in states)] for given in Input]
    return _table(lines)


def knob_table(model: type[BaseModel]) -> str:
    """The fields of a policy, with defaults."""
    lines = [["knob", "default", ""], ["---"] * 3]
    for name, field in model.model_fields.items():
        default = "" if field.default is PydanticUndefined else field.default
        shown = "null" if default is None else f"{default:g}" if isinstance(default, float) else str(default)
        lines.append([f"`{name}`", f"`{shown}`", field.description or ""])
    return _table(lines)


def _named(given: Input) -> str:
    return f"`{given}`" if given.endswith("()") else str(given)


def _cell(state: State, given: Input) -> str:
    """One word if all kinds of breakers agree, else each kind's."""
    possible = [healing for healing in HEALINGS if (state, healing) != (State.HALF_OPEN, "configuration")]
    found = {_KINDS[healing]: target(state, given, healing) for healing in possible}
    words = {kind: "–" if after is None else str(after) for kind, after in found.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return "; ".join(
        f"{word} ({', '.join(kind for kind in words if words[kind] == word)})" for word in dict.fromkeys(words.values())
    )


def _table(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


PARTS: dict[str, Callable[[], str]] = {
    "states": state_table,
    "availability": lambda: knob_table(AvailabilityPolicy),
    "evidence": lambda: knob_table(EvidencePolicy),
    "gates": lambda: knob_table(GatePolicy),
}


def filled(text: str) -> str:
    """``text`` with each part between its two marks written anew."""
    for name, made in PARTS.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}{made()}{end}{after}"
    return text


if __name__ == "__main__":
    sys.stdout.write(filled(sys.stdin.read()))
