"""The captured schemas and the compatibility cases: all can be used, and a check says what both validators say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.contracts import compile_schema
from contractd.contracts.compat.sampling import samples
from contractd.contracts.references import at_pointer
from contractd.errors import SchemaError
from tests.contracts.compat.schemas import DIALECTS, VALUES, judge, schemas

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is not on this machine")


def _captured() -> Iterator[tuple[str, Any, None]]:
    for file in sorted((CASES / "manifests").glob("*.json")):
        for tool in json.loads(file.read_text(encoding="utf-8"))["tools"]:
            for key in ("inputSchema", "outputSchema"):
                if isinstance(tool.get(key), dict):
                    yield f"{file.name} {tool['name']} {key}", tool[key], None


def _cases() -> Iterator[tuple[str, Any, str]]:
    for line in (CASES / "compat_cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["draft"] in DIALECTS:
            yield from ((f"{case['id']} {side}", case[side], case["draft"]) for side in ("old", "new"))


def _examples(schema: Any, root: Any) -> Iterator[Any]:
    """A value with everything, one with what is required, and both with a leaf spoilt."""
    full, least = _example(schema, root, 0, full=True), _example(schema, root, 0, full=False)
    yield from (full, least)
    if isinstance(full, dict):
        yield from ({**full, key: [[]]} for key in full)
        yield from ({key: inner for key, inner in full.items() if key != gone} for gone in full)


def _example(schema: Any, root: Any, depth: int, *, full: bool) -> Any:
    if not isinstance(schema, dict) or depth > 8:
        return "a"
    if isinstance(schema.get("$ref"), str):
        return _example(at_pointer(root, schema["$ref"][1:]), root, depth + 1, full=full)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if schema.get(keyword):
            return _example(schema[keyword][0 if full else -1], root, depth + 1, full=full)
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        wanted = schema.get("properties", {}) if full else schema.get("required", [])
        return {key: _example(schema.get("properties", {}).get(key), root, depth + 1, full=full) for key in wanted}
    if kind == "array":
        return [_example(schema.get("items"), root, depth + 1, full=full)] * max(1, schema.get("minItems", 0))
    number = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    text = "a" * max(1, schema.get("minLength", 0))
    return {"string": text, "integer": number, "number": number, "boolean": True}.get(kind)


@needs_cases
def test_every_captured_schema_can_be_used_and_values_of_its_own_kind_are_decided() -> None:
    met: Counter[str] = Counter()
    undecided = []
    for name, schema, _ in _captured():
        checked = compile_schema(schema)
        assert checked.reads_fast, name
        for value in (*_examples(schema, schema), *list(samples(schema, True))[16:50]):
            found = checked.check(value)
            met[found.status] += 1
            if found.status == "unknown":
                undecided.append((name, value, found.reason))
    assert undecided == []
    assert met["valid"] > 2_000 and met["invalid"] > 2_000


@needs_cases
@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
def test_a_check_says_what_both_validators_say() -> None:
    disagreements = []
    met: Counter[str] = Counter()
    for name, schema, draft in _cases():
        try:
            checked = compile_schema(schema, draft)
        except SchemaError as error:
            met["circle" if "leads back to itself" in error.message else error.message] += 1
            continue
        other = judge(schema, draft)
        for value in list(samples(schema, True))[:40]:
            found = checked.check(value)
            met[found.status] += 1
            said = other.accepts(value)
            if said is not None and found.status != ("valid" if said else "invalid"):
                disagreements.append((name, value, found.status, said))
    assert disagreements == []
    assert met["valid"] > 5_000 and met["invalid"] > 5_000 and met["unknown"] < 100
    assert set(met) <= {"valid", "invalid", "unknown", "circle"}, met


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_small_schemas_of_every_kind_are_decided_as_by_both(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(DIALECTS))
    schema = data.draw(schemas(dialect))
    try:
        checked = compile_schema(schema, dialect)
    except SchemaError:
        return
    other = judge(schema, dialect)
    for value in VALUES[::7]:
        said = other.accepts(value)
        if said is not None:
            assert checked.check(value).status == ("valid" if said else "invalid"), (schema, value)
