"""Answers counted against what is known to be right."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bench.common import brief, share
from bench.compat.cases import Row

Verdict = Literal["compatible", "breaking", "gave up", "crash"]


@dataclass(frozen=True)
class Answer:
    """``seconds`` of processor time. ``why``: what was said with it. ``proven``: False if that turned out untenable."""

    verdict: Verdict
    seconds: float = 0.0
    why: str = ""
    proven: bool = True

    @property
    def decided(self) -> bool:
        return self.verdict in ("compatible", "breaking")


@dataclass
class Figures:
    """What one direction came to. ``misses``: a line for each row that was not answered as expected."""

    breaks: int = 0
    caught: int = 0
    missed: int = 0
    safe: int = 0
    passed: int = 0
    alarms: int = 0
    unknown: int = 0
    crashed: int = 0
    milliseconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def count(self, row: Row, safe: bool, answer: Answer) -> None:
        self.breaks += not safe
        self.safe += safe
        wanted = "compatible" if safe else "breaking"
        if answer.verdict != "crash":
            self.milliseconds.append(answer.seconds * 1000)
        if answer.verdict == wanted and not answer.proven:
            self.misses.append(f"WRONG    {row['id']}: the witness is not confirmed; {answer.why}")
        elif answer.verdict == wanted:
            self.caught += not safe
            self.passed += safe
        elif answer.decided:
            self.missed += not safe
            self.alarms += safe
            self.misses.append(f"WRONG    {row['id']} (is {wanted}): {answer.verdict}; {answer.why}")
        elif answer.verdict == "gave up":
            self.unknown += 1
            self.misses.append(f"unknown  {row['id']} (is {wanted}): {answer.why}")
        else:
            self.crashed += 1
            self.misses.append(f"CRASH    {row['id']}: {answer.why}")

    @property
    def median(self) -> float:
        return statistics.median(self.milliseconds or [0])

    @property
    def slowest(self) -> float:
        return max(self.milliseconds or [0])

    def lines(self) -> Iterator[str]:
        of = self.breaks + self.safe
        yield f"  breaks caught   {self.caught}/{self.breaks} ({share(self.caught, self.breaks)})"
        yield f"  safe passed     {self.passed}/{self.safe} ({share(self.passed, self.safe)})"
        yield f"  unknown         {self.unknown}/{of} ({share(self.unknown, of)}), crashed {self.crashed}"
        yield f"  a case          median {self.median:.1f} ms, slowest {self.slowest:.0f} ms"
        yield from (f"  {miss}" for miss in self.misses)

    def cells(self) -> tuple[str, ...]:
        """A row of the table of peers."""
        return (
            f"{self.caught} of {self.breaks} ({share(self.caught, self.breaks)})",
            str(self.missed),
            f"{self.passed} of {self.safe} ({share(self.passed, self.safe)})",
            *(str(count) for count in (self.alarms, self.unknown, self.crashed)),
            f"{brief(self.median)} ms",
            f"{brief(self.slowest)} ms",
        )


HEADINGS = (
    *("breaks caught", "breaks called safe", "safe passed", "false alarms", "gave up", "crashed"),
    *("a case, median", "a case, slowest"),
)


def figures(cases: Iterable[tuple[Row, bool]], answers: Iterable[Answer]) -> Figures:
    found = Figures()
    for (row, safe), answer in zip(cases, answers, strict=True):
        found.count(row, safe, answer)
    return found


def ratios(ours: Sequence[Answer], theirs: Sequence[Answer]) -> tuple[int, float, float] | None:
    """Over the cases that both decided: how many, their time to ours as the median of the cases, and of the sums."""
    pairs = [pair for pair in zip(ours, theirs, strict=True) if all(answer.decided for answer in pair)]
    if not pairs:
        return None
    own, peer = (sum(answer.seconds for answer in column) for column in zip(*pairs, strict=True))
    return len(pairs), statistics.median(other.seconds / mine.seconds for mine, other in pairs), peer / own
