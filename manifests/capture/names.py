"""Re-capture the name vectors: what name the model of a runtime gets for each tool of each MCP server.

usage: names.py RUNTIME[@VERSION] [--vectors DIR] [--work DIR] [--jobs N] [--check]

DIR/RUNTIME@VERSION.json is a list of vectors: ``servers`` (what each offers), optionally ``states`` (a server
that is ``disabled``, ends at once: ``exit``, or whose command is ``missing``), and ``runtime_names``, one
``[server, tool, name or null]`` for each tool. Each vector is one run. Which server's tool a name stands for
is read from a property that only that tool has. ``race`` true says that which of two tools keeps a name
changes from run to run; ``aborts`` true that the runtime sent no request at all.

exit code: as capture.py
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from capture import RUNTIMES, say
from installing import CaptureError, MissingProgramError
from observing import Case, Program, Runtime, Seen, observe
from running import StoppedError, stop_on_signals

Json = dict[str, Any]
ORIGIN = "came_from_"


def spec_of(tools: list[str], first: int, state: str | None) -> Json:
    offered = []
    for number, tool in enumerate(tools, first):
        schema = {"type": "object", "properties": {f"{ORIGIN}{number}": {"type": "string"}}}
        offered.append({"name": tool, "description": "A tool of the stub.", "inputSchema": schema})
    return {"tools": offered, "mode": "exit" if state == "exit" else "serve", "state": state}


def case_of(vector: Json, number: int, settings: Mapping[str, Any]) -> Case:
    specs, first = {}, 0
    for server, tools in vector["servers"].items():
        specs[server] = spec_of(tools, first, vector.get("states", {}).get(server))
        first += len(tools)
    return Case(f"names-{number}", servers=specs, settings=settings, flags=[], seconds=90)


def names_in(seen: Seen, vector: Json) -> list[list[str | None]]:
    origins: dict[int, str] = {}
    for tool in seen.offered.values():
        for parameter in tool.parameters:
            if parameter.startswith(ORIGIN):
                origins[int(parameter.removeprefix(ORIGIN))] = tool.name
    pairs = [(server, tool) for server, tools in vector["servers"].items() for tool in tools]
    return [[server, tool, origins.get(number)] for number, (server, tool) in enumerate(pairs)]


def measure(runtime: Runtime, program: Program, vector: Json, number: int, work: Path) -> Json:
    case = case_of(vector, number, runtime.all_listed)
    measured = {key: value for key, value in vector.items() if key not in ("runtime_names", "aborts")}
    for _ in range(1 if vector.get("aborts") else 2):
        try:
            seen = observe(runtime, program, case, work)
        except CaptureError as why:
            say(f"{runtime.name} {program.version} {case.name}: {str(why).splitlines()[0]}")
        else:
            return {**measured, "runtime_names": names_in(seen, vector)}
    nothing = [[server, tool, None] for server, tools in vector["servers"].items() for tool in tools]
    return {**measured, "aborts": True, "runtime_names": nothing}


def settled(vector: Json) -> Json:
    """What must be the same in every run: everything, or for a race the names that are there."""
    if not vector.get("race"):
        return vector
    return {**vector, "runtime_names": sorted({name for _, _, name in vector["runtime_names"] if name})}


def differences(committed: list[Json], measured: list[Json]) -> list[str]:
    found = []
    for old, new in zip(committed, measured, strict=True):
        if settled(old) != settled(new):
            found += [f"- {json.dumps(old, ensure_ascii=False)}", f"+ {json.dumps(new, ensure_ascii=False)}"]
    return found


def text_of(vectors: list[Json]) -> str:
    return "[\n" + ",\n".join(" " + json.dumps(vector) for vector in vectors) + "\n]\n"


def capture(runtime: Runtime, version: str, path: Path, work: Path, jobs: int) -> tuple[list[Json], list[Json]]:
    """The vectors as committed, and as measured now."""
    program = runtime.install(work, version)
    committed = json.loads(path.read_text(encoding="utf-8"))
    with ThreadPoolExecutor(jobs) as pool:
        numbered = enumerate(committed)
        runs = [pool.submit(measure, runtime, program, vector, number, work) for number, vector in numbered]
        return committed, [run.result() for run in runs]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    vectors = Path(__file__).resolve().parents[2] / "tests" / "runtimes" / "vectors"
    parser.add_argument("runtime", metavar="RUNTIME[@VERSION]")
    parser.add_argument("--vectors", type=Path, default=vectors)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "contractd-capture")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    name, _, version = options.runtime.partition("@")
    if name not in RUNTIMES:
        parser.error(f"RUNTIME is one of {', '.join(RUNTIMES)}")
    runtime, worst = RUNTIMES[name], 0
    for one in [version] if version else runtime.versions:
        path = options.vectors / f"{name}@{one}.json"
        try:
            committed, measured = capture(runtime, one, path, options.work.resolve(), options.jobs)
        except CaptureError as why:
            say(f"{name} {one} could not be captured: {why}")
            worst = max(worst, 4 if isinstance(why, MissingProgramError) else 3)
            continue
        if not options.check:
            path.write_text(text_of(measured), encoding="utf-8")
            continue
        lines = differences(committed, measured)
        print("\n".join(lines) if lines else f"{name} {one}: {len(measured)} vectors as committed")
        worst = max(worst, 1 if lines else 0)
    return worst


if __name__ == "__main__":
    stop_on_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except StoppedError:
        sys.exit(130)
