"""Two manifests compared: 100 tools of which few changed, then up to 10,000; does time or memory grow faster than they.

    python -m bench.manifests [--runs N]

Made-up tools of three parameters, of which one in twenty changed: a description, a new parameter, one that is required
now, a new one that is, a tool in place of another. Where the shared captures are at hand (``$CONTRACTD_SHARED``, else
``../shared``), the largest real list too, changed alike. Each run is a new process, so nothing is remembered from the
last one. All seconds are processor time, the least of the runs.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.common import SHARED, brief, machine, table

Tools = list[dict[str, Any]]
Row = dict[str, float]
SIZES = (100, 1_000, 3_000, 10_000)
ONE_IN = 20
SELF = (sys.executable, "-m", "bench.manifests")


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


def compare_once(*sides: Path) -> Row:
    """In this process: seconds for comparing two manifests, and for reading them from JSON as well."""
    from contractd.contracts import compare_manifests  # noqa: PLC0415 - a child pays for its imports before the clock
    from contractd.contracts.manifest import build_manifest  # noqa: PLC0415

    shapes = ({"type": "object"}, {"type": "object", "minProperties": 1})
    warm_up = (build_manifest([{"name": "warm_up", "inputSchema": schema}]) for schema in shapes)
    compare_manifests(*warm_up)  # the validators are imported by the first question
    start = time.process_time()
    listed: list[list[object]] = [json.loads(path.read_text("utf-8"))["tools"] for path in sides]
    before, after = map(build_manifest, listed)
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


def write(folder: Path) -> dict[str, int]:
    """Each list, before and after, as two files of its label; how many tools it has."""
    captured = largest_captured()
    lists: dict[str, Tools] = {"0": []}
    lists |= {f"{len(captured)}, captured": captured} if captured else {}
    lists |= {f"{size:,}": made_up(size) for size in SIZES}
    for label, tools in lists.items():
        for path, side in zip(files(folder, label), (tools, changed(tools)), strict=True):
            path.write_text(json.dumps({"tools": side}), "utf-8")
    return {label: len(tools) for label, tools in lists.items()}


def files(folder: Path, label: str) -> tuple[Path, Path]:
    return folder / f"{label}, old.json", folder / f"{label}, new.json"


def measured(old: str, new: str) -> Row:
    """Seconds to compare, to read and compare, and of the whole command, with its peak MiB."""
    said, _, _ = finished([*SELF, "--compare", old, new], (0,))
    _, seconds, memory = finished([sys.executable, "-m", "contractd", "diff", old, new, "--format", "json"], (0, 1))
    return {**json.loads(said), "command": seconds, "memory": memory}


def rows_of(runs: int) -> Iterator[tuple[str, ...]]:
    """The rows of the table: of the runs, taken in turn, the least of each figure, since what else the machine does
    only adds. What grows is what comes on top of two empty lists, for each tool."""
    with tempfile.TemporaryDirectory() as name:
        counts: dict[str, int] = json.loads(finished([*SELF, "--write", name], (0,))[0])
        taken: dict[str, list[Row]] = {label: [] for label in counts}
        for _ in range(runs):
            for label, rows in taken.items():
                rows.append(measured(*map(str, files(Path(name), label))))
    found = {label: {key: min(row[key] for row in rows) for key in rows[0]} for label, rows in taken.items()}
    growing = ("both", "command", "memory")
    each = {
        label: {key: (row[key] - found["0"][key]) / max(counts[label], 1) for key in growing}
        for label, row in found.items()
    }
    for label, row in found.items():
        scale = each["1,000"] if counts[label] >= 1_000 else None
        yield (
            *(label, f"{row['changed']:.0f}"),
            *(f"{brief(row[key] * 1000)} ms" for key in ("compare", "both")),
            f"{row['command']:.1f} s",
            f"{row['memory']:.0f} MiB",
            *(f"{each[label][key] / scale[key]:.2f}" if scale else "" for key in growing),
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.manifests", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--compare", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write or options.compare:
        done = write(options.write) if options.write else compare_once(*options.compare)
        print(json.dumps(done))
        return
    print(f"{machine()}\n")
    headings = (
        *("tools", "changed", "compared", "read and compared", "whole command", "peak memory"),
        *("read and compared a tool, to 1,000", "command a tool", "memory a tool"),
    )
    print(table(headings, rows_of(options.runs)))


if __name__ == "__main__":
    main()
