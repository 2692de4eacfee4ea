"""What became of recorded calls, as findings. They point at lines of the recording and never quote them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contractd.contracts.uses.replay import Found, Replay, Target
from contractd.errors import Place
from contractd.preflight.catalogue import rule
from contractd.preflight.drift.words import refused
from contractd.preflight.model import Finding
from contractd.text import plural, visible

_SHOWN = 5  # line numbers in a sentence; the details have more


def replay_findings(tried: Replay, shown: str, under_old: bool) -> Iterator[Finding]:
    """A finding for each reason why calls, or results, are not as the new contract says."""
    for found in tried.found:
        yield {
            "arguments": _refused,
            "result": _unfit,
            "gone": _gone,
            "invalid": _invalid,
            "unknown": _unknown,
        }[found.what](found, shown, tried.targets if under_old else ())


def _refused(found: Found, shown: str, _: tuple[Target, ...]) -> Finding:
    accepts = found.refusal.accepts if found.refusal else None
    return _finding(
        found,
        shown,
        "breaking-drift",
        f"{_tool(found)}: {_calls(found)} would be refused now: {refused(found.refusal, 'the arguments')}"
        + (f"; accepted is {accepts}" if accepts else ""),
        "send what the new contract takes, or stay with the old version",
        severity="high",
        settled="the old contract refuses the call as well, so this did not change" if found.before else None,
    )


def _unfit(found: Found, shown: str, _: tuple[Target, ...]) -> Finding:
    return _finding(  # the new contract promises more: nobody's call breaks
        found,
        shown,
        "compatible-drift",
        f"{_tool(found)}: {_many(found, 'recorded result')} can't come any more: "
        f"{refused(found.refusal, 'the result')}",
        "look whether what reads the result takes the new form",
        severity="medium",
        settled="the old contract did not promise such a result either" if found.before else None,
    )


def _gone(found: Found, shown: str, targets: tuple[Target, ...]) -> Finding:
    if found.now is not None:
        fitting = f"{found.fitting} of {plural(found.count, 'recorded call')} fit{'s' if found.count == 1 else ''}"
        return _finding(
            found,
            shown,
            "tool-renamed",
            f"{_tool(found)} is not offered and is probably {visible(found.now, 120)} now ({found.reason}): "
            f"{fitting} there as it is",
            f"call {visible(found.now, 120)}, and change the name wherever it is written",
            severity="high",
            subject=found.now,
        )
    what = _tool(found) if found.tool else "a tool among very many"
    was = ", and was before" if any(found.tool in target.before for target in targets) else ""
    return _finding(
        found,
        shown,
        "tool-removed",
        f"{what} is not offered{was}: {_calls(found)} of it would fail",
        "take it out of instructions and expectations, or stay with the old version",
        severity="high",
    )


def _invalid(found: Found, shown: str, _: tuple[Target, ...]) -> Finding:
    known = rule(found.reason or "invalid-schema")
    return _finding(
        found,
        shown,
        known.name,
        f"{_tool(found)} is offered in a form that no client can use: {_calls(found)} of it would fail",
        "stay with the old version, and report it",
        severity=known.severity or "high",
    )


def _unknown(found: Found, shown: str, _: tuple[Target, ...]) -> Finding:
    return _finding(
        found,
        shown,
        "undetermined-drift",
        f"{_tool(found)}: whether {_many(found, 'recorded call')} would be accepted could not be determined "
        f"({visible(found.reason or '', 200)})",
        "compare the calls with the contract by hand",
        severity="info",
        undetermined=True,
    )


def _finding(
    found: Found, shown: str, name: str, message: str, action: str, *, subject: str = "", **more: Any
) -> Finding:
    refusal = found.refusal
    pointer = f"/{'result' if found.what == 'result' else 'arguments'}{refusal.pointer}" if refusal else None
    missing = refusal.property if refusal and refusal.keyword == "required" else None
    about = "/".join(filter(None, (found.what, refusal.schema_pointer if refusal else None, missing)))
    return Finding(
        rule(name),
        more.pop("severity"),
        message,
        action,
        Place(shown, found.lines[0], None, pointer),
        provider=found.provider,
        tool=found.tool or None,
        subject=subject or about,
        retryable=False,
        details={
            "what": found.what,
            "calls": found.count,
            "lines": list(found.lines),
            "refused_by": None
            if refusal is None
            else {
                "pointer": refusal.pointer,
                "keyword": refusal.keyword,
                "schema_pointer": refusal.schema_pointer,
                "property": refusal.property,
                "accepts": refusal.accepts,
            },
            "refused_before": found.before,
            "probably_now": found.now,
        },
        **more,
    )


def _tool(found: Found) -> str:
    whole = f"{found.provider}.{found.tool}" if found.provider is not None else found.tool
    return visible(whole, 200)


def _calls(found: Found) -> str:
    return _many(found, "recorded call")


def _many(found: Found, noun: str) -> str:
    """``3 recorded calls (lines 2, 5 and 9)``."""
    numbers = [str(line) for line in found.lines[:_SHOWN]]
    more = found.count - len(numbers)
    if found.count == 1:
        return f"1 {noun} (line {numbers[0]})"
    last = f"{more} more" if more else numbers.pop()
    return f"{plural(found.count, noun)} (lines {', '.join(numbers)} and {last})"
