"""Start-up and memory of whole commands, each beside an empty Python.

python -m bench.startup [--runs N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import click'": [sys.executable, "-c", "import click"],
    "contractd --version": [sys.executable, "-m", "contractd", "--version"],
    "contractd explain CTD301": [sys.executable, "-m", "contractd", "explain", "CTD301"],
    "contractd preflight --offline": [
        *(sys.executable, "-m", "contractd", "preflight", "--config", str(ROOT / "examples/qwen.json")),
        *("--offline", "-q", "--no-policy"),
    ],
}


def once(argv: list[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, argv in COMMANDS.items():
            samples[name].append(once(argv))
    base = statistics.median(seconds for seconds, _ in samples["python -c pass"])
    print("| command | median | least | ratio to an empty Python | peak memory |\n|---|---|---|---|---|")
    for name, rows in samples.items():
        seconds = sorted(row[0] for row in rows)
        middle = statistics.median(seconds)
        memory = max(row[1] for row in rows)
        times = f"{middle * 1000:.0f} ms | {seconds[0] * 1000:.0f} ms | {middle / base:.1f}"
        print(f"| `{name}` | {times} | {memory:.0f} MiB |")


if __name__ == "__main__":
    main()
