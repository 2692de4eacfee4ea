"""How often is the verdict on two schemas right, what does it cost, and what do the peers make of the same cases.

    python -m bench.compat [FILE…] [--peers all|none|NAME,…] [--install]

Each FILE is JSON lines: ``id``, ``old``, ``new``, ``draft``, ``flags``, ``expected.{input,output}_safe``. Identical
pairs and schemas that are invalid in their dialect are not scored. Without a FILE the shared cases are taken: from
``$CONTRACTD_SHARED``, else from ``../shared`` beside the checkout.

The peers run on the same cases in the same run, each in a process and an environment of its own, which ``--install``
makes in ``.bench`` or ``$CONTRACTD_BENCH_CACHE``; one that is not installed is named with the reason.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from bench.common import brief, machine, table
from bench.compat import ours
from bench.compat.cases import CASES, SIDES, Direction, Row, is_object, read, scored
from bench.compat.driver import LIMIT, Adapter, CannotStartError
from bench.compat.figures import HEADINGS, Answer, Figures, figures, ratios
from bench.compat.installing import command, install
from bench.compat.peers import Peer, chosen

Cases = list[tuple[Row, bool]]


@dataclass
class Side:
    """One direction: its cases, contractd's answers, and those of each peer, or why there are none."""

    direction: Direction
    cases: Cases
    ours: list[Answer]
    theirs: dict[Peer, list[Answer] | str] = field(default_factory=dict)

    def rows(self, *, objects: bool = False) -> Iterator[tuple[str, Figures | str]]:
        for name, answers in (("contractd", self.ours), *((peer.label, found) for peer, found in self.theirs.items())):
            if isinstance(answers, str):
                yield name, answers
            else:
                pairs = [pair for pair in zip(self.cases, answers, strict=True) if not objects or is_object(pair[0][0])]
                yield name, figures((case for case, _ in pairs), (answer for _, answer in pairs))


def ask(peer: Peer, rows: Iterable[Row], direction: Direction) -> list[Answer] | str:
    argv = command(peer)
    if isinstance(argv, str):
        return f"not installed: {argv}"
    if direction not in peer.directions:
        return f"compares {peer.directions[0]} only"
    try:
        with Adapter(argv) as adapter:
            return adapter.answers(rows, direction)
    except CannotStartError as error:
        return f"not run: {error}"


def measured(rows: Sequence[Row], peers: Iterable[Peer]) -> Iterator[Side]:
    for direction, name in SIDES:
        cases = list(scored(rows, name))
        asked = [row for row, _ in cases]
        side = Side(direction, cases, ours.ask(asked, direction))
        for peer in peers:
            print(f"{direction}: {peer.label} …", file=sys.stderr)
            side.theirs[peer] = ask(peer, asked, direction)
        yield side


def scores(side: Side, *, objects: bool) -> str:
    """The table, and below it who is not in it and why."""
    rows = list(side.rows(objects=objects))
    absent = [f"- {name}: {found}" for name, found in rows if isinstance(found, str)]
    counted = ((name, *found.cells()) for name, found in rows if not isinstance(found, str))
    return "\n".join([table((side.direction, *HEADINGS), counted), "", *absent])


def times(sides: Iterable[Side]) -> str:
    rows = []
    for side in sides:
        for peer, found in side.theirs.items():
            ratio = None if isinstance(found, str) else ratios(side.ours, found)
            if ratio is not None:
                rows.append((peer.label, side.direction, str(ratio[0]), brief(ratio[1]), brief(ratio[2])))
    return table(("peer", "", "cases both decided", "its time to contractd's, median", "of all together"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.compat", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=[CASES], metavar="FILE")
    parser.add_argument("--peers", type=chosen, default="all", metavar="all|none|NAME,…")
    parser.add_argument("--install", action="store_true", help="install the chosen peers that are not there yet")
    options = parser.parse_args()
    missing = [str(path) for path in options.files if not path.exists()]
    if missing:
        sys.exit(f"there is no {', '.join(missing)}")
    for peer in options.peers if options.install else ():
        print(f"installing {peer.label} …", file=sys.stderr)
        install(peer)
    validators = ", ".join(f"{name} {version(name)}" for name in ("jsonschema", "jsonschema-rs"))
    print(f"{validators}, Python {platform.python_version()}, {machine()}")
    print(f"processor time; a case may take {LIMIT:g} s")
    rows = read(options.files)
    print(f"{len(rows)} cases\n")
    sides = list(measured(rows, options.peers))
    for side in sides:
        print(f"contractd, {side.direction}", *figures(side.cases, side.ours).lines(), "", sep="\n")
    if not options.peers:
        return
    for objects, title in ((False, "All cases"), (True, "Only pairs of schemas of objects, as tools have them")):
        for side in sides:
            print(f"{title}: {side.direction}", "", scores(side, objects=objects), "", sep="\n")
    print("Time", "", times(sides), "", sep="\n")
    print("What each is given", "", *(f"- {peer.label}: {peer.given}." for peer in options.peers), sep="\n")


if __name__ == "__main__":
    main()
