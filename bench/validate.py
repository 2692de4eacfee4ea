"""What a check on the call path costs beside the two validators it is made of, on captured schemas.

    python -m bench.validate [--runs N]

The schemas are those of the captured manifests: from ``$CONTRACTD_SHARED``, else from ``../shared`` beside the
checkout. Each gets a valid value of its own, one with everything it describes. Times are medians over the schemas of
the least of N runs; the ratios within one run are what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from contractd.contracts import Contract, check_arguments, compile_schema, parse_tools
from contractd.contracts.compat.dialects import DEFAULT, declared_dialect
from contractd.contracts.compat.engines import fast, second
from contractd.contracts.references import at_pointer

SHARED = Path(os.environ.get("CONTRACTD_SHARED") or Path(__file__).resolve().parents[2] / "shared")
_LOOPS = 200
_DEEPEST = 8


def contracts() -> Iterator[Contract]:
    for file in sorted((SHARED / "cases" / "manifests").glob("*.json")):
        yield from parse_tools(json.loads(file.read_text(encoding="utf-8"))["tools"])[0]


def example(schema: Any, root: Any, depth: int = 0) -> Any:
    """A value with everything the schema describes; not always a valid one."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "a"
    if isinstance(schema.get("$ref"), str):
        return example(at_pointer(root, schema["$ref"][1:]), root, depth + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if schema.get(keyword):
            return example(schema[keyword][0], root, depth + 1)
    if "const" in schema or schema.get("enum"):
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {key: example(inner, root, depth + 1) for key, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(schema.get("items"), root, depth + 1)] * max(1, schema.get("minItems", 0))
    number = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    text = "a" * max(1, schema.get("minLength", 0))
    return {"string": text, "integer": number, "number": number, "boolean": True}.get(kind)


def least(call: Callable[[], Any], runs: int, loops: int = _LOOPS) -> float:
    """Microseconds of one call, the least of the runs."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        for _ in range(loops):
            call()
        taken.append((time.perf_counter() - start) / loops)
    return min(taken) * 1e6


def rows(tool: Contract, value: Any, runs: int) -> dict[str, float]:
    schema: Any = tool.input_schema
    dialect = declared_dialect(schema) or DEFAULT
    bare = {key: inner for key, inner in schema.items() if key != "$schema"}
    rapid, slow, checked = fast(bare, dialect), second(bare, dialect), compile_schema(schema)
    spoilt = {**value, next(iter(value)): [[]]}
    check_arguments(tool, value)
    found = {
        "jsonschema-rs alone, valid": least(lambda: rapid.is_valid(value), runs),
        "check, valid": least(lambda: checked.check(value), runs),
        "check_arguments, valid": least(lambda: check_arguments(tool, value), runs),
        "jsonschema alone, valid": least(lambda: slow.is_valid(value), runs, 20),
        "jsonschema-rs alone, compile": least(lambda: fast(bare, dialect), runs, 5),
        "compile_schema": least(lambda: compile_schema(schema), runs, 5),
    }
    if checked.check(spoilt).status == "invalid":
        found["check, invalid, explained"] = least(lambda: checked.check(spoilt), runs, 20)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="What a check costs beside the validators it is made of.")
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    taken: dict[str, list[float]] = {}
    ratios: list[float] = []
    count = 0
    for tool in list(contracts())[::4]:
        value = example(tool.input_schema, tool.input_schema)
        if not value or check_arguments(tool, value).status != "valid":
            continue
        count += 1
        found = rows(tool, value, runs)
        for name, microseconds in found.items():
            taken.setdefault(name, []).append(microseconds)
        ratios.append(found["jsonschema alone, valid"] / found["check, valid"])
    if not count:
        raise SystemExit(f"no captured manifests under {SHARED}")
    print(f"{count} tools")
    for name, values in taken.items():
        median, worst = statistics.median(values), max(values)
        print(f"  {name:30} median {median:8.1f} µs, slowest {worst:8.1f} µs")
    print(f"  jsonschema : check, valid      geometric mean {statistics.geometric_mean(ratios):.1f}")


if __name__ == "__main__":
    main()
