"""Read the built-in tools of an agent runtime by running it against a scripted model on loopback.

usage: capture.py RUNTIME[@VERSION] [--out DIR] [--work DIR] [--jobs N] [--check] [--quick]

It installs the runtime's package below --work, runs it once for each condition of its table in a fresh home
and project, and writes OUT/RUNTIME/VERSION.json. What a person wrote in that file (or, for a new version, in
the nearest one's) is kept. Without a version it takes every version it knows. Nothing but the package
registry is contacted; no key, no account.

  --check   write nothing, compare with the file that is there
  --quick   the few runs that show most; with --check only
  --jobs    how many runs at a time (2)

exit code: 0 written, or equal   1 differs, or a tool needs a person's judgement   2 usage
           3 could not be captured   4 this machine lacks what the installation needs (npm, Python 3.12)
           130 interrupted
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from document import build, difference, disagreements, load, nearest, path_of, text_of, unjudged
from installing import CaptureError, MissingProgramError
from observing import Case, Runtime, Seen, observe
from running import StoppedError, stop_on_signals
from runtime_opencode import OpenCode
from runtime_openhands import OpenHands
from runtime_qwen_code import QwenCode

RUNTIMES: dict[str, Runtime] = {runtime.name: runtime for runtime in (QwenCode(), OpenCode(), OpenHands())}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def observations(runtime: Runtime, version: str, work: Path, quick: bool, jobs: int) -> list[Seen]:
    program = runtime.install(work, version)
    cases = [case for case in runtime.cases(version) if case.quick or not quick]

    def once(case: Case) -> Seen:
        try:
            seen = observe(runtime, program, case, work)
        except CaptureError:
            seen = observe(runtime, program, case, work)
        counts = f"{len(seen.offered)} offered, {len(seen.deferred)} deferred"
        say(f"{runtime.name} {version} {case.name}: {counts}, {seen.finished.seconds:.0f} s")
        return seen

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(once, cases))


def check(runtime: Runtime, version: str, seen: list[Seen], out: Path, quick: bool) -> int:
    committed = load(path_of(out, runtime.name, version))
    lines = disagreements(committed, runtime.conditions(version), seen)
    if not quick:
        lines += difference(committed, build(runtime, version, seen, committed))
    print("\n".join(lines) if lines else f"{runtime.name} {version}: as committed ({len(seen)} runs)")
    return 1 if lines else 0


def write(runtime: Runtime, version: str, seen: list[Seen], out: Path) -> int:
    document = build(runtime, version, seen, nearest(out, runtime.name, version))
    path = path_of(out, runtime.name, version)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(document), encoding="utf-8")
    wanting = unjudged(document)
    missing = f"; effect and acts_on are wanting for {', '.join(wanting)}" if wanting else ""
    print(f"{path}: {len(document['tools'])} tools{missing}")
    return 1 if wanting else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runtime", metavar="RUNTIME[@VERSION]")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent.parent / "builtin")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "contractd-capture")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    name, _, version = options.runtime.partition("@")
    if name not in RUNTIMES or (options.quick and not options.check):
        parser.error(f"RUNTIME is one of {', '.join(RUNTIMES)}; --quick goes with --check")
    runtime, worst = RUNTIMES[name], 0
    for one in [version] if version else runtime.versions:
        if options.check and not path_of(options.out, name, one).exists():
            parser.error(f"there is no {path_of(options.out, name, one)} to compare with")
        try:
            seen = observations(runtime, one, options.work.resolve(), options.quick, options.jobs)
            done = (
                check(runtime, one, seen, options.out, options.quick)
                if options.check
                else write(runtime, one, seen, options.out)
            )
        except CaptureError as why:
            say(f"{name} {one} could not be captured: {why}")
            done = 4 if isinstance(why, MissingProgramError) else 3
        worst = max(worst, done)
    return worst


if __name__ == "__main__":
    stop_on_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except StoppedError:
        sys.exit(130)
