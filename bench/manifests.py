"""Two manifests compared: 100 tools of which few changed, then up to 10,000; does time or memory grow faster than they.

    python -m bench.manifests [--runs N]

Made-up tools of three parameters, of which one in twenty changed: a description, a new parameter, one that is required
now, a new one that is, a tool in place of another. Where the shared captures are at hand (``$CONTRACTD_SHARED``, else
``../shared``), the largest real list too, changed alike. Each run is a new process, so nothing is remembered from the
last one. All seconds are processor time; medians of the runs.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.compat.cases import SHARED
from bench.compat.figures import brief, machine, table

Tools = list[dict[str, Any]]
SIZES = (100, 1_000, 3_000, 10_000)
ONE_IN = 20


def made_up(count: int) -> Tools:
    return [
        {
            "name": f"{('get', 'list', 'set', 'find')[number % 4]}_{('page', 'file', 'user')[number % 3]}_{number}",
            "description": f"Works on number {number} of what there is.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1 + number % 7},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100 + number % 50},
                    "sort": {"enum": ["asc", "desc"]},
                },
                "required": ["name"],
            },
        }
        for number in range(count)
    ]


def largest_captured() -> Tools:
    """The longest real list that is at hand."""
    lists = [json.loads(path.read_text("utf-8"))["tools"] for path in (SHARED / "cases/manifests").glob("*.json")]
    return max(lists, key=len, default=[])


def changed(tools: Tools) -> Tools:
    """A copy with one tool in twenty changed, in five ways by turns."""
    later = copy.deepcopy(tools)
    for turn, tool in enumerate(later[::ONE_IN]):
        schema = tool["inputSchema"]
        parameters = schema.setdefault("properties", {})
        if turn % 5 == 0:
            tool["description"] = f"{tool.get('description')} Says so now."
        elif turn % 5 == 1:
            parameters["fresh"] = {"type": "boolean"}
        elif turn % 5 == 2:
            schema["required"] = sorted(parameters)
        elif turn % 5 == 3:
            parameters["fresh"] = {"type": "integer", "maximum": 9}
            schema["required"] = [*schema.get("required", ()), "fresh"]
        else:
            tool["name"] = f"another_{turn}"
    return later


def compare_once(old: str, new: str) -> dict[str, float]:
    """In this process: seconds for comparing two manifests, and for reading them from JSON as well."""
    from contractd.contracts import compare_manifests  # noqa: PLC0415 - a child pays for its imports before the clock
    from contractd.contracts.manifest import build_manifest  # noqa: PLC0415

    small = made_up(ONE_IN * 5)
    compare_manifests(build_manifest(small), build_manifest(changed(small)[:40]))
    start = time.process_time()
    before, after = (build_manifest(json.loads(text)["tools"]) for text in (old, new))
    read = time.process_time()
    found = compare_manifests(before, after)
    end = time.process_time()
    assert not before.flawed and not after.flawed, "all tools are read"
    return {
        "compare": end - read,
        "both": end - start,
        "changed": len(found.changed) + len(found.renamed) + len(found.removed),
    }


def finished(argv: list[str], wanted: tuple[int, ...]) -> tuple[str, float, float]:
    """What a process printed, its own seconds and its peak MiB."""
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    assert process.returncode in wanted, (process.returncode, argv)
    return said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measured(tools: Tools, folder: Path, runs: int) -> dict[str, float]:
    """Medians of the runs: seconds to compare, to read and compare, of the whole command, and its peak MiB."""
    files = [folder / name for name in ("old.json", "new.json")]
    for path, side in zip(files, (tools, changed(tools)), strict=True):
        path.write_text(json.dumps({"tools": side}), "utf-8")
    names = [str(path) for path in files]
    rows = []
    for _ in range(runs):
        said, _, _ = finished([sys.executable, "-m", "bench.manifests", "--child", *names], (0,))
        argv = [sys.executable, "-m", "contractd", "diff", *names, "--format", "json"]
        _, seconds, memory = finished(argv, (0, 1))
        rows.append({**json.loads(said), "command": seconds, "memory": memory})
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def rows_of(runs: int) -> Iterator[tuple[str, ...]]:
    """The rows of the table. What grows is what comes on top of two empty lists, for each tool."""
    with tempfile.TemporaryDirectory() as name:
        empty = measured([], Path(name), runs)
        first: dict[str, float] = {}
        captured = largest_captured()
        lists = {f"{len(captured)}, captured": captured} if captured else {}
        lists |= {f"{size:,}": made_up(size) for size in SIZES}
        for label, tools in lists.items():
            found = measured(tools, Path(name), runs)
            each = {key: (found[key] - empty[key]) / len(tools) for key in ("both", "memory")}
            if len(tools) == 1_000:
                first = each
            yield (
                *(label, f"{found['changed']:.0f}"),
                *(f"{brief(found[key] * 1000)} ms" for key in ("compare", "both")),
                f"{found['command']:.1f} s",
                f"{found['memory']:.0f} MiB",
                *(f"{each[key] / first[key]:.2f}" if first else "" for key in ("both", "memory")),
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.manifests", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--child", nargs=2, type=Path, metavar=("OLD", "NEW"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(compare_once(*(path.read_text("utf-8") for path in options.child))))
        return
    print(f"{machine()}\n")
    headings = (
        *("tools", "changed", "compared", "read and compared", "whole command", "peak memory"),
        *("time a tool, to 1,000", "memory a tool, to 1,000"),
    )
    print(table(headings, rows_of(options.runs)))


if __name__ == "__main__":
    main()
