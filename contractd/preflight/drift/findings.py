"""What became of each tool, as findings: a rule, a place, a sentence, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from contractd.contracts.contract import Contract, FlawedTool
from contractd.contracts.drift import ContractChange, Difference, ManifestChange, Rename
from contractd.preflight.catalogue import rule
from contractd.preflight.drift.details import details_of
from contractd.preflight.drift.sides import Side
from contractd.preflight.drift.texts import generated_title, new_texts
from contractd.preflight.drift.used import doubts, for_this_agent, passed_over, still_valid
from contractd.preflight.drift.words import compact, refused, shown_witness, told
from contractd.preflight.model import Finding, Severity
from contractd.text import visible


def drift_findings(change: ManifestChange, old: Side, new: Side) -> Iterator[Finding]:
    """Every finding, in the order of the manifests. Where it is known whose they are, tools go by ``provider.tool``."""
    for finding in _findings(change, old, new):
        if new.provider is None:
            yield finding
        else:
            whole = f"{visible(new.provider, 80)}.{finding.message}"
            yield replace(finding, provider=new.provider, message=whole)


def _findings(change: ManifestChange, old: Side, new: Side) -> Iterator[Finding]:
    for one in change.changed:
        yield from _changed(one, new)
    for rename in change.renamed:
        yield from _renamed(rename, new)
    for tool in change.removed:
        yield _removed(tool, old)
    for contract, flawed in change.lost:
        yield _lost(contract, flawed, new)
    for flawed in change.unreadable:
        yield _unreadable(flawed, new)


def _changed(change: ContractChange, new: Side) -> Iterator[Finding]:
    schema = change.of("arguments", "results")
    if change.told == "breaking":
        yield _breaking(change, new)
    elif change.told == "unknown":
        yield _undetermined(change, new)
    elif schema or change.verdict != "compatible":
        yield _compatible(change, new)
    yield from _texts_and_hints(change, new)


def _texts_and_hints(change: ContractChange, new: Side) -> Iterator[Finding]:
    if _shown_texts(change):
        yield _described(change, new)
    if change.of("annotations"):
        yield _annotated(change, new)


def _breaking(change: ContractChange, new: Side) -> Finding:
    return _finding(
        "breaking-drift",
        "high",
        f"{_name(change.new)}: {_why(change)}. What changed: {told(_schema_changes(change), change)}{doubts(change)}",
        f"{_instead(change)} as the new contract says, or stay with the old version",
        new,
        change,
    )


def _instead(change: ContractChange) -> str:
    arguments, results = change.judged
    parts = ["call it"] if arguments.verdict == "breaking" else []
    parts += ["read its results"] if results.verdict == "breaking" else []
    return " and ".join(parts)


def _why(change: ContractChange) -> str:
    arguments, results = change.judged
    parts = []
    if arguments.verdict == "breaking":
        parts.append(f"a call that was valid is refused now: {refused(change.refusal(arguments), 'the arguments')}")
    if results.verdict == "breaking":
        why = refused(change.refusal(results), "the result")
        vanished = change.new.output_schema is None
        parts.append("results promise nothing any more" if vanished else f"a result may come that was ruled out: {why}")
    return "; and ".join(parts)


def _compatible(change: ContractChange, new: Side) -> Finding:
    schema = _schema_changes(change)
    ignored = passed_over(change)
    severity: Severity = "info"
    here = for_this_agent(change)
    said = f"{_name(change.new)}: {told(schema, change)}. {still_valid(change)}"
    action = "nothing has to be done"
    if change.verdict == "breaking" and not here:
        arguments = change.arguments
        said += ", as long as they keep to what was declared"
        if arguments.witness is not None:
            said += f"; {visible(compact(arguments.witness.value), 300)} would not be"
    if any(item.kind == "default-changed" for item in schema):
        said += ". A call that leaves out what has another default means something else now"
        severity, action = "low", "send such a value wherever it matters"
    if ignored:
        severity = "medium"
        said += ". What is sent for a parameter that is gone is not refused, and does nothing"
        action = f"send no {ignored} any more: what it asked for is passed over in silence"
    return _finding("compatible-drift", severity, said, action, new, change)


def _undetermined(change: ContractChange, new: Side) -> Finding:
    reasons = [found.reason for found in change.judged if found.verdict == "unknown" and found.reason]
    return _finding(
        "undetermined-drift",
        "info",
        f"{_name(change.new)}: whether calls and results keep to the old contract could not be determined"
        f" ({'; '.join(reasons) or 'no reason is known'}). What changed: {told(_schema_changes(change), change)}",
        "compare the two schemas by hand",
        new,
        change,
        undetermined=True,
    )


def _described(change: ContractChange, new: Side) -> Finding:
    texts = _shown_texts(change)
    own = [item.kind.removesuffix("-changed") for item in texts if (item.pointer_new or item.pointer_old) in _OWN]
    inner = len(texts) - len(own)
    parts = [f"its {' and '.join(own)}"] if own else []
    parts += [f"{inner} {'text' if inner == 1 else 'texts'} in its schemas"] if inner else []
    finding = _finding(
        "description-drift",
        "low",
        f"{_name(change.new)}: {' and '.join(parts)} changed: the model may choose it, and fill it in, differently",
        "read the new text before an agent acts on it",
        new,
        change,
    )
    return replace(finding, remedies=tuple(new_texts(texts, change)))


_OWN = ("/title", "/description")


def _shown_texts(change: ContractChange) -> list[Difference]:
    """Without the titles in schemas that generators make of names."""
    return [item for item in change.of("description") if not generated_title(item, change)]


def _annotated(change: ContractChange, new: Side) -> Finding:
    hints = change.of("annotations")
    riskier = [item for item in hints if item.effect == "riskier"]
    shown = riskier or list(hints)
    severity: Severity = "medium" if riskier else "low"
    became = "a call may do more harm than was said" if riskier else "a call does less harm than was said"
    return _finding(
        "annotation-drift",
        severity,
        f"{_name(change.new)}: {', '.join(_hint(item, change) for item in shown)}: {became}",
        "look again at what may call it without asking" if riskier else "nothing has to be done; a hint is no proof",
        new,
        change,
    )


def _hint(item: Difference, change: ContractChange) -> str:
    word = {
        "read-only": "readOnlyHint",
        "destructive": "destructiveHint",
        "idempotent": "idempotentHint",
        "open-world": "openWorldHint",
    }[item.kind.rpartition("-")[0]]
    by_default = "" if word in change.new.annotations.declared else " (not stated)"
    return f"{word} is {str(change.new.annotations.resolved()[word]).lower()} now{by_default}"


def _renamed(rename: Rename, new: Side) -> Iterator[Finding]:
    old, now, change = rename.old, rename.new, rename.change
    said = f"{_name(old)} is gone and is probably {_name(now)} now ({rename.reason}). A call of the old name fails"
    if change.told == "breaking":
        said += f"; under the new name, {_why(change)}"
    elif change.told == "unknown":
        said += "; whether its arguments still fit could not be determined"
    else:
        said += "; the arguments fit as they are"
    finding = _finding(
        "tool-renamed", "high", said, f"call {_name(now)}, and change the name wherever it is written", new, change,
        tool=old.name, subject=now.name, place_of=now.name,
    )  # fmt: skip
    yield finding
    if any(item.effect == "riskier" for item in change.of("annotations")):
        yield _annotated(change, new)
    if _shown_texts(change):
        yield _described(change, new)


def _removed(tool: Contract, old: Side) -> Finding:
    return Finding(
        rule("tool-removed"),
        "high",
        f"{_name(tool)} is no longer offered: a call of it fails",
        "take it out of instructions and expectations, or stay with the old version",
        old.place(tool.name),
        tool=tool.name,
        retryable=False,
    )


def _lost(contract: Contract, flawed: FlawedTool, new: Side) -> Finding:
    """It is listed, in a form that no client can use: the rule is the one that preflight has for it."""
    flaw = flawed.flaws[0]
    known = rule(flaw.kind)
    return Finding(
        known,
        known.severity or "high",
        f"{_name(contract)} was a sound tool and is none now: {flaw.message}",
        "stay with the old version, and report it",
        new.place(contract.name),
        tool=contract.name,
        retryable=False,
    )


def _unreadable(flawed: FlawedTool, new: Side) -> Finding:
    name = flawed.name or ""
    return Finding(
        rule("undetermined-drift"),
        "info",
        f"{visible(name, 120)} is no valid tool on either side, so it could not be compared: {flawed.flaws[0].message}",
        "mend the tool's definition in the server",
        new.place(name),
        tool=name,
        retryable=False,
        undetermined=True,
    )


def _schema_changes(change: ContractChange) -> tuple[Difference, ...]:
    """What narrows calls or widens results first."""
    order = {"arguments": ("narrows", "unclear"), "results": ("widens", "unclear")}
    found = change.of("arguments", "results")
    return tuple(sorted(found, key=lambda item: item.effect not in order[item.direction]))


def _finding(
    name: str,
    severity: Severity,
    message: str,
    action: str,
    new: Side,
    change: ContractChange,
    *,
    tool: str | None = None,
    subject: str = "",
    place_of: str | None = None,
    undetermined: bool = False,
) -> Finding:
    breaks = name in ("breaking-drift", "tool-renamed")
    witnesses = [shown_witness(change.new, found) for found in change.judged] if breaks else []
    return Finding(
        rule(name),
        severity,
        message,
        action,
        new.place(place_of or change.new.name),
        tool=tool or change.new.name,
        subject=subject,
        retryable=False,
        undetermined=undetermined,
        remedies=tuple(witness for witness in witnesses if witness),
        details=details_of(change, name),
    )


def _name(tool: Contract) -> str:
    return visible(tool.name, 120)
