"""The rules of ``contractd diff``: two lists of tools that show a rule, and the nearest new list that does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Tools = list[dict[str, Any]]


@dataclass(frozen=True)
class DriftPair:
    """``old`` and ``new`` show the rule, ``old`` and ``healthy`` do not. ``points_at``: the side the finding stands
    in."""

    rule: str
    old: Tools
    new: Tools
    healthy: Tools
    severity: str
    message: str
    action: str
    tool: str = "send"
    points_at: str = "new"
    named_there: str | None = None
    undetermined: bool = False
    about: str = ""

    @property
    def id(self) -> str:
        return f"{self.rule} {self.about}".strip()


def send(properties: dict[str, Any] | None = None, *required: str, **more: Any) -> dict[str, Any]:
    """A tool called ``send``."""
    schema = {"type": "object", "properties": {"to": {"type": "string"}} if properties is None else properties}
    return {"name": "send", "inputSchema": {**schema, "required": list(required)}, **more}


TO = {"type": "string"}
TWICE = {"to": {"type": "string", "pattern": r"^(a|b)\1$"}}
TWICE_MORE = {"to": {"type": "string", "pattern": r"^(a|b|c)\1$"}}
OTHER = {"name": "other", "inputSchema": {"type": "object", "properties": {"x": {"type": "null"}}}}

PAIRS = [
    DriftPair(
        "CTD410",
        [send()],
        [send({"to": TO, "text": TO}, "text")],
        [send({"to": TO, "text": TO})],
        "high",
        "send: a call that was valid is refused now: text is required (/required). What changed: text is new and "
        "required",
        "call it as the new contract says",
        about="arguments",
    ),
    DriftPair(
        "CTD410",
        [send(outputSchema={"type": "object", "properties": {"id": TO}, "required": ["id"]})],
        [send()],
        [send(outputSchema={"type": "object", "properties": {"id": TO}, "required": ["id"]}, title="x")],
        "high",
        "send: results promise nothing any more. What changed: its output schema is gone",
        "stay with the old version",
        about="results",
    ),
    DriftPair(
        "CTD411",
        [send()],
        [send({"to": TO, "text": TO})],
        [send(description="other words")],
        "info",
        "send: text is a new parameter. Calls that were valid still are, as long as they keep to what was declared",
        "nothing has to be done",
    ),
    DriftPair(
        "CTD411",
        [send({"to": TO, "files": {"type": "array"}})],
        [send()],
        [send({"to": TO, "files": {"type": "array"}})],
        "medium",
        "files is no parameter any more. Calls that were valid still are. What is sent for a parameter that is gone is "
        "not refused, and does nothing",
        "send no files any more",
        about="ignored",
    ),
    DriftPair(
        "CTD412",
        [send(description="Sends.")],
        [send(description="Sends, always to me as well.")],
        [send({"to": {"type": "string", "title": "To"}}, description="Sends.")],
        "low",
        "send: its description changed: the model may choose it",
        "read the new text",
    ),
    DriftPair(
        "CTD413",
        [send(annotations={"readOnlyHint": True})],
        [send()],
        [send(annotations={"readOnlyHint": True, "openWorldHint": True})],
        "medium",
        "readOnlyHint is false now (not stated), destructiveHint is true now (not stated), idempotentHint is false now "
        "(not stated): a call may do more harm than was said",
        "look again at what may call it without asking",
        about="riskier",
    ),
    DriftPair(
        "CTD413",
        [send()],
        [send(annotations={"destructiveHint": False})],
        [send(annotations={"destructiveHint": True})],
        "low",
        "send: destructiveHint is false now: a call does less harm than was said",
        "nothing has to be done",
        about="safer",
    ),
    DriftPair(
        "CTD414",
        [send(), OTHER],
        [OTHER],
        [OTHER, send()],
        "high",
        "send is no longer offered: a call of it fails",
        "take it out of instructions",
        points_at="old",
    ),
    DriftPair(
        "CTD415",
        [send(TWICE)],
        [send(TWICE_MORE)],
        [send(TWICE, description="x")],
        "info",
        "send: whether calls and results keep to the old contract could not be determined",
        "compare the two schemas by hand",
        undetermined=True,
    ),
    DriftPair(
        "CTD416",
        [send(), OTHER],
        [OTHER, {**send(), "name": "Send"}],
        [OTHER, send()],
        "high",
        "send is gone and is probably Send now (the names differ in case and separators only). A call of the old name "
        "fails; the arguments fit as they are",
        "call Send",
        named_there="Send",
    ),
]
