"""The words, symbols, counts and order that all formats share, so that they can't disagree."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from contractd.documents import Document
from contractd.errors import Place
from contractd.preflight.model import (
    SEVERITIES,
    DriftView,
    Finding,
    ProviderView,
    Remedy,
    ReplayView,
    Report,
    Rule,
    RuntimeView,
    Severity,
    ToolView,
    by_urgency,
)
from contractd.text import listed, plural, visible

Answer = Literal["yes", "no", "undetermined"]

SYMBOLS: Mapping[str, str] = {
    "ready": "✓", "locked": "✓", "failed": "✗", "skipped": "–", "disabled": "○",
    "not_ready": "✗", "undetermined": "?",
    "bound": "✓", "shadowed": "!", "refused": "✗", "quarantined": "✗", "excluded": "–",
}  # fmt: skip


RULE_PAGES = "docs/rules.md"


@dataclass(frozen=True)
class Page:
    """What a format is given: the report and how it is to be shown."""

    report: Report
    documents: Mapping[str, Document]
    color: bool
    verbose: bool
    width: int
    base: str | None
    rule_pages: str

    def docs(self, rule: Rule) -> str:
        """Where the rule is explained: its heading there."""
        return docs_of(rule, self.rule_pages)


def docs_of(rule: Rule, pages: str = RULE_PAGES) -> str:
    """Where a rule is explained: its heading on the page of rules."""
    return f"{pages}#{rule.id.lower()}-{rule.name}"


def one_line(text: str, limit: int = 600) -> str:
    """Hostile text on one line. ``##[`` would be a command to GitHub's runner wherever it stands in a line."""
    return visible(text, limit).replace("##[", "##\\x5b")


def is_open(finding: Finding) -> bool:
    """Neither settled nor suppressed."""
    return not finding.settled and not finding.suppressed


def subject_of(finding: Finding) -> str | None:
    """``provider.tool``, or what there is of it; raw text."""
    if finding.provider and finding.tool:
        return f"{finding.provider}.{finding.tool}"
    return finding.provider or finding.tool


@dataclass(frozen=True)
class Group:
    """A provider with what belongs to it; ``provider`` None: what belongs to none that is listed."""

    provider: ProviderView | None
    tools: tuple[ToolView, ...]
    findings: tuple[Finding, ...]


def groups(report: Report) -> list[Group]:
    """Every tool and every finding in exactly one row, though two providers may have one name; strays come last."""
    first: dict[str, int] = {}
    for index, provider in enumerate(report.providers):
        first.setdefault(provider.name, index)
    for index, provider in enumerate(report.providers):
        first.setdefault(provider.id, index)
    none = len(report.providers)
    tools: list[list[ToolView]] = [[] for _ in range(none + 1)]
    findings: list[list[Finding]] = [[] for _ in range(none + 1)]
    for tool in report.tools:
        tools[first.get(tool.provider, none)].append(tool)
    for finding in by_urgency(report.findings):
        findings[first.get(finding.provider or "", none)].append(finding)
    providers = [*report.providers, None]
    return [Group(*row) for row in zip(providers, map(tuple, tools), map(tuple, findings), strict=True)]


def remedy_lines(remedy: Remedy) -> list[str]:
    """The lines to paste."""
    lines = remedy.text.replace("\r\n", "\n").strip("\n").split("\n")
    return [one_line(line.expandtabs(4), 4000) for line in lines]


@dataclass(frozen=True)
class Counts:
    """``severities`` counts the open findings; ``undetermined`` is a part of them."""

    severities: Mapping[Severity, int]
    undetermined: int
    counting: int
    settled: int
    suppressed: int
    providers: Mapping[str, int]
    tools: Mapping[str, int]

    @classmethod
    def of(cls, report: Report) -> Counts:
        """Count everything once. A finding that is settled and suppressed is counted as settled."""
        open_ones = [finding for finding in report.findings if is_open(finding)]
        severities = Counter(finding.severity for finding in open_ones)
        settled = sum(1 for finding in report.findings if finding.settled)
        return cls(
            severities={severity: severities[severity] for severity in reversed(SEVERITIES)},
            undetermined=sum(1 for finding in open_ones if finding.undetermined),
            counting=sum(1 for finding in report.findings if finding.counts(report.fail_on)),
            settled=settled,
            suppressed=len(report.findings) - len(open_ones) - settled,
            providers=Counter(provider.status for provider in report.providers),
            tools=Counter(tool.status for tool in report.tools),
        )

    @property
    def open(self) -> int:
        """How many findings are neither settled nor suppressed."""
        return sum(self.severities.values())


def drift_sides(drift: DriftView, base: str | None, shown: Callable[[str], str] = one_line) -> list[tuple[str, str]]:
    """``old`` and ``new``, each with its file and how many tools it has."""
    sides = (("old", drift.old), ("new", drift.new))
    return [(word, f"{shown(named_from(side.file, base)[0])}, {plural(side.tools, 'tool')}") for word, side in sides]


def compared(report: Report, base: str | None, shown: Callable[[str], str] = one_line) -> list[tuple[str, str]]:
    """What the answer is about where it is about no runtime: a label and a text for each."""
    if report.drift:
        return drift_sides(report.drift, base, shown)
    replay = report.replay
    if replay is None:
        return []
    sides = [("new", replay.new)] if replay.old is None else [("old", replay.old), ("new", replay.new)]
    rows = [("calls", shown(named_from(replay.file, base)[0]))]
    return rows + [
        (word, f"{shown(named_from(side.file, base)[0])}, {plural(side.tools, 'tool')}") for word, side in sides
    ]


_REPLAYED = {
    "refused": "refused",
    "gone": "of a tool that is gone",
    "undetermined": "undetermined",
    "accepted": "accepted",
    "elsewhere": "of other providers",
}


def _replay_counts(replay: ReplayView) -> list[str]:
    """``2 of 10 calls refused``, ``1 of 4 results no longer fits``: the kinds there are, the worst first."""
    counts = replay.calls
    parts = [f"{counts[kind]} {words}" for kind, words in _REPLAYED.items() if counts.get(kind)]
    parts = [plural(counts["calls"], "call") + f" ({', '.join(parts)})"]
    if counts.get("results"):
        unfit = f" ({counts['unfit']} that can't come any more)" if counts.get("unfit") else ""
        parts.append(plural(counts["results"], "result") + unfit)
    return parts


def _drift_counts(drift: DriftView) -> list[str]:
    """``1 breaking``, ``3 unchanged``: the kinds there are, the worst first."""
    return [f"{len(names)} {word}" for word, names in drift.tools.items() if names] or ["no tools"]


def summary(report: Report) -> str:
    """The one line that says it all: ``not_ready: 2 findings (1 high, 1 low; 1 settled), 2 of 3 providers ready``, or
    ``not_ready: 1 breaking, 2 compatible, 1 removed, 3 unchanged``."""
    parts = _drift_counts(report.drift) if report.drift else []
    parts = parts or (_replay_counts(report.replay) if report.replay else _preflight_counts(report))
    if report.hidden:
        parts.append(f"{report.hidden} not selected")
    if report.undetermined:
        parts.append(one_line(f"left open: {listed(report.undetermined)}"))
    if report.fail_on == "never":
        parts.append("fail-on is never: no finding counts")
    if report.offline:
        parts.append("offline")
    return f"{report.verdict}: {', '.join(parts)}"


def _preflight_counts(report: Report) -> list[str]:
    counts = Counts.of(report)
    parts = [f"{plural(counts.open, 'finding')}{_breakdown(counts)}" if counts.open else f"no findings{_aside(counts)}"]
    expected = len(report.providers) - counts.providers["disabled"]
    if counts.providers["locked"]:
        parts.append(f"{counts.providers['locked']} of {plural(expected, 'provider')} judged by the lock")
    elif report.providers:
        ready = f"{counts.providers['ready']} of {plural(expected, 'provider')} ready"
        parts.append(ready + (f" ({counts.providers['disabled']} disabled)" if counts.providers["disabled"] else ""))
    else:
        parts.append("no providers")
    parts.append(plural(len(report.tools), "tool"))
    return parts


def _breakdown(counts: Counts) -> str:
    text = ", ".join(f"{number} {severity}" for severity, number in counts.severities.items() if number)
    if counts.undetermined:
        text += f", {counts.undetermined} of them undetermined"
    return f" ({'; '.join(part for part in (text, _past(counts)) if part)})"


def _aside(counts: Counts) -> str:
    return f" ({_past(counts)})" if _past(counts) else ""


def _past(counts: Counts) -> str:
    pairs = ((counts.settled, "settled"), (counts.suppressed, "suppressed"))
    return ", ".join(f"{number} {word}" for number, word in pairs if number)


def runtime_line(runtime: RuntimeView) -> str:
    """Which runtime, which version, and who says so."""
    source = {"stated": "as stated", "program": "as its program says", "assumed": "assumed"}[runtime.version_source]
    title = one_line(runtime.title, 80)
    if runtime.name == "contractd":
        return title  # it brings no tools of its own, so there is nothing that a version would change
    version = f"{one_line(runtime.version, 80)} ({source})" if runtime.version else "(version unknown)"
    return f"{title} {version}{_data(runtime)}"


def _data(runtime: RuntimeView) -> str:
    if runtime.note:
        return ""  # the note says it
    if runtime.data_version is None:
        return "; its built-in tools are not known"
    shown = one_line(runtime.data_version, 80)
    return f"; built-in tools {'of' if runtime.data_version == runtime.version else 'assumed from'} {shown}"


def conditions(runtime: RuntimeView) -> tuple[list[str], list[str]]:
    """What is known of the run, and what is assumed of it; each as ``--condition`` would take it."""
    known = [f"{one_line(key, 60)}={one_line(value, 60)}" for key, value in runtime.conditions.items()]
    assumed = [f"{one_line(key, 60)}={one_line(listed(values, last='or'))}" for key, values in runtime.assumed.items()]
    return known, assumed


def protocol(provider: ProviderView) -> str:
    """``legacy 2025-06-18``, or what is known of it."""
    return one_line(" ".join(part for part in (provider.era, provider.protocol_version) if part), 60)


def questions(provider: ProviderView) -> dict[str, dict[str, Answer]]:
    """The three questions, and who answers each. Nobody asked the running runtime."""
    unasked: Answer = "no" if provider.status == "disabled" else "undetermined"
    started: Answer = unasked if provider.started is None else "yes" if provider.started else "no"
    if provider.status == "locked":
        unasked = started = "undetermined"
    known = provider.tools is not None and provider.status != "locked"
    listed_: Answer = "yes" if known else "no" if provider.status == "failed" else unasked
    answers: dict[str, Answer] = {"configured": "yes", "started": started, "tools_listed": listed_}
    return {name: {"by_contractd": answer, "by_runtime": "undetermined"} for name, answer in answers.items()}


def named_from(file: str, base: str | None) -> tuple[str, bool]:
    """``file`` as seen from ``base``, and whether it lies under it."""
    if not is_file(file) or file.startswith("~") or "://" in file:
        return file, False
    path = posixpath.normpath(posixpath.join(base, file) if base else file)
    if not path.startswith("/"):
        return path, path != ".." and not path.startswith("../")
    root = posixpath.normpath(base).rstrip("/") + "/" if base else None
    if root and path.startswith(root):
        return path[len(root) :], True
    return path, False


def is_file(file: str) -> bool:
    """Whether it names a file at all, and not standard input."""
    return bool(file) and file != "-" and not file.startswith("<")


def place_line(place: Place, base: str | None = None) -> str:
    """``file:line:column``, safe to show."""
    file, _ = named_from(place.file, base)
    return one_line(str(Place(file, place.line, place.column)), 400)
