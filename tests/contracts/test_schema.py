"""Schemas: valid in their dialect, self-contained, bounded; nothing is ever fetched."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contractd.contracts import Contract, FlawedTool, parse_tool
from contractd.contracts.schema import DEFAULT_DIALECT, DIALECTS, check_schema, dialect_of

OBJECT: dict[str, Any] = {"type": "object"}


def flaws(schema: Any, role: Any = "input") -> list[tuple[str, str, str]]:
    return [(flaw.kind, flaw.pointer, flaw.message) for flaw in check_schema(schema, "/inputSchema", role=role)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_dialect_is_known_with_and_without_its_fragment(dialect: str) -> None:
    assert dialect_of({"$schema": dialect}) == dialect_of({"$schema": dialect + "#"}) == dialect
    assert flaws({**OBJECT, "$schema": dialect + "#", "properties": {"a": {"type": "string"}}}) == []
    (bad,) = flaws({**OBJECT, "$schema": dialect, "properties": {"a": {"type": "strin"}}})
    assert bad[:2] == ("invalid-schema", "/inputSchema/properties/a/type")


def test_the_default_dialect_is_2020_12_and_a_slip_in_the_scheme_is_forgiven() -> None:
    assert dialect_of({}) == dialect_of(True) == DEFAULT_DIALECT
    assert (
        dialect_of({"$schema": "https://json-schema.org/draft-07/schema#"}) == "http://json-schema.org/draft-07/schema"
    )


@pytest.mark.parametrize("named", ["urn:x", "", 5, None, [], "http://json-schema.org/schema#", "draft-07"])
def test_an_unknown_dialect_is_a_flaw_of_its_own_kind(named: Any) -> None:
    kinds = [kind for kind, _, _ in flaws({**OBJECT, "$schema": named, "properties": {"a": 5}})]
    assert kinds == (["unsupported-dialect"] if named is not None else ["invalid-schema"])


def test_draft_04_and_2020_12_disagree_where_they_should() -> None:
    exclusive = {**OBJECT, "properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}}
    assert flaws({**exclusive, "$schema": "http://json-schema.org/draft-04/schema#"}) == []
    assert flaws(exclusive) != []


def test_the_root_of_an_input_schema_is_an_object_and_of_an_output_schema_anything() -> None:
    for schema in ({}, {"type": "string"}, {"type": ["object"]}, {"properties": {}}, {"anyOf": [OBJECT]}):
        assert [kind for kind, _, _ in flaws(schema)] == ["invalid-schema"], schema
        assert flaws(schema, "output") == []
    for schema in (True, False):
        assert flaws(schema) != [] and flaws(schema, "output") == []
    for nonsense in (None, 5, "x", []):
        assert flaws(nonsense) != [] and flaws(nonsense, "output") != []


def test_root_combinations_beside_type_object_are_fine() -> None:
    assert flaws({**OBJECT, "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "$defs": {"x": {}}}) == []


def test_parameters_lost_is_told_from_a_tool_without_parameters_and_reported_alone() -> None:
    for dialect in ("http://json-schema.org/draft-07/schema#", "urn:unknown", 5):
        assert [kind for kind, _, _ in flaws({"$schema": dialect})] == ["parameters-lost"]
    assert flaws({**OBJECT, "properties": {}, "$schema": DEFAULT_DIALECT}) == [] == flaws(OBJECT)
    assert [kind for kind, _, _ in flaws({})] == ["invalid-schema"]
    assert flaws({"$schema": DEFAULT_DIALECT}, "output") == []


def test_a_flaw_has_an_escaped_pointer_and_never_repeats_the_value() -> None:
    ((_, pointer, message),) = flaws({**OBJECT, "properties": {"a/b~c": {"minLength": "hunter2"}}})
    assert pointer == "/inputSchema/properties/a~1b~0c/minLength"
    assert "hunter2" not in message and "integer is expected" in message


class TestReferences:
    """Each reference leads somewhere inside the document."""

    @pytest.mark.parametrize(
        "schema",
        [
            {"$defs": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a"}}},
            {"properties": {"x": {"$ref": "#"}}},
            {"properties": {"x": {"$ref": "#/properties/y"}, "y": {"type": "string"}}},
            {"$defs": {"a/b~c d": {}}, "properties": {"x": {"$ref": "#/$defs/a~1b~0c%20d"}}},
            {"$defs": {"a": {"$anchor": "here"}}, "properties": {"x": {"$ref": "#here"}}},
            {"$defs": {"a": {"$dynamicAnchor": "here"}}, "properties": {"x": {"$dynamicRef": "#here"}}},
            {"$id": "http://x.invalid/s", "$defs": {"a": {"$id": "t"}}, "properties": {"x": {"$ref": "t"}}},
            {"properties": {"x": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}, "$id": "urn:x"},
            {"x-shared": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/x-shared/a"}}},
            {"allOf": [{"properties": {"x": {}}}], "properties": {"y": {"$ref": "#/allOf/0/properties/x"}}},
            {"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}},
            {"default": {"$ref": "#/nowhere"}, "examples": [{"$ref": "http://x.invalid/"}]},
            {"properties": {"x": {"enum": [{"$ref": "#/nowhere"}]}, "y": {"const": {"$ref": "#/nowhere"}}}},
            {"$defs": {"a": {"properties": {"child": {"$ref": "#/$defs/a"}}}}, "$ref": "#/$defs/a"},
            {"properties": {"x": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}},
        ],
    )
    def test_a_reference_that_leads_somewhere_is_fine(self, schema: dict[str, Any]) -> None:
        assert flaws({**OBJECT, **schema}) == []

    @pytest.mark.parametrize(
        ("schema", "says"),
        [
            ({"properties": {"x": {"$ref": "#/$defs/a"}}}, "points to nothing"),
            ({"properties": {"x": {"$ref": "#anchor"}}}, "points to nothing"),
            ({"properties": {"x": {"$ref": "#/properties/x/5"}}}, "points to nothing"),
            ({"anyOf": [{}], "properties": {"x": {"$ref": "#/anyOf/1"}}}, "points to nothing"),
            ({"anyOf": [{}], "properties": {"x": {"$ref": "#/anyOf/-1"}}}, "points to nothing"),
            ({"anyOf": [{}], "properties": {"x": {"$ref": "#/anyOf/²"}}}, "points to nothing"),
            ({"properties": {"x": {"$ref": "other.json"}}}, "leads outside"),
            ({"properties": {"x": {"$ref": "http://example.invalid/s"}}}, "leads outside"),
            ({"properties": {"x": {"$dynamicRef": "http://example.invalid/s"}}}, "leads outside"),
            ({"$id": "http://x.invalid/", "properties": {"x": {"$ref": "y"}}}, "leads outside"),
            ({"x-shared": {"a": {"$ref": "#/gone"}}, "properties": {"x": {"$ref": "#/x-shared/a"}}}, "/gone points"),
            ({"title": "t", "properties": {"x": {"$ref": "#/title"}}}, "points to nothing"),
            ({"$ref": "#"}, "back to itself"),
            ({"allOf": [{"$ref": "#"}]}, "back to itself"),
            ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "not": {"$ref": "#/$defs/a"}},
             "back to itself"),
            ({"$defs": {"a": {"not": {"anyOf": [{"$ref": "#/$defs/a"}]}}}, "properties": {"x": {"$ref": "#/$defs/a"}}},
             "back to itself"),
            ({"$id": "urn:x", "if": {"$ref": "#"}}, "back to itself"),
        ],
    )  # fmt: skip
    def test_row_51_a_reference_that_leads_nowhere_or_round_quarantines_its_tool(
        self, schema: dict[str, Any], says: str
    ) -> None:
        found = flaws({**OBJECT, **schema})
        assert [kind for kind, _, _ in found] == ["invalid-schema"], found
        assert says in found[0][2]

    def test_up_to_draft_07_what_stands_beside_a_ref_is_not_followed(self) -> None:
        beside = {"$defs": {}, "definitions": {"a": {}}, "$ref": "#/definitions/a", "allOf": [{"$ref": "#"}]}
        assert flaws({**OBJECT, **beside, "$schema": "http://json-schema.org/draft-07/schema#"}) == []
        assert flaws({**OBJECT, **beside}) != []

    def test_hostile_reference_text_is_made_visible_and_cut(self) -> None:
        ((_, _, message),) = flaws({**OBJECT, "properties": {"x": {"$ref": "#/\x1b[31m\u202e" + "x" * 5000}}})
        assert message.isprintable() and len(message) < 300


def ladder(steps: int) -> dict[str, Any]:
    rungs = {f"a{n + 1}": {"allOf": [{"$ref": f"#/$defs/a{n}"}, {"$ref": f"#/$defs/a{n}"}]} for n in range(steps)}
    return {"$defs": {"a0": {}, **rungs}, "properties": {"x": {"$ref": f"#/$defs/a{steps}"}}}


HOSTILE: dict[str, dict[str, Any]] = {
    "wide": {"properties": {f"p{n}": {"type": "string"} for n in range(16_000)}},
    "wide and invalid": {"properties": {f"p{n}": {"type": "strin"} for n in range(16_000)}},
    "many references": {"$defs": {"a": {}}, "properties": {f"p{n}": {"$ref": "#/$defs/a"} for n in range(12_000)}},
    "many dangling references": {"properties": {f"p{n}": {"$ref": f"#/no{n}"} for n in range(12_000)}},
    "many anchors": {
        "$defs": {"a": {"$anchor": "a"}}, "properties": {f"p{n}": {"$ref": "#a"} for n in range(1_900)}
    },
    "many unknown anchors": {"$id": "urn:x", "properties": {f"p{n}": {"$ref": f"#a{n}"} for n in range(1_900)}},
    "too many subschemas beside identifiers": {
        "$id": "urn:x", "properties": {f"p{n}": {"$ref": "#"} for n in range(9_000)}
    },
    "a long chain": {"$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(9_000)}},
    "a doubling ladder": ladder(40),
    "long pointers": {"properties": {f"p{n}": {"$ref": "#" + "/a" * 200} for n in range(8_000)}},
    "nested quantifiers": {"properties": {"a": {"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$" * 50}}},
    "repetitions of repetitions": {"properties": {"a": {"pattern": "((((a{1,1000}){1,1000}){1,1000}){1,1000})"}}},
    "many property patterns": {"patternProperties": {f"(x{{1,1000}}){{1,1000}}{n}": {} for n in range(300)}},
    "a huge enum": {"properties": {"a": {"enum": [{"k": n} for n in range(15_000)]}}},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_judged_in_bounded_time(name: str) -> None:
    """Seconds would be a bug of ours (a quadratic walk took two minutes); the guard is generous for a busy machine."""
    start = time.process_time()
    tool = parse_tool({"name": "x", "inputSchema": {**OBJECT, **HOSTILE[name]}})
    assert time.process_time() - start < 10
    if isinstance(tool, FlawedTool):
        assert 1 <= len(tool.flaws) <= 6


def test_a_doubling_ladder_is_refused_and_a_small_one_is_not() -> None:
    assert "expand to more than" in flaws({**OBJECT, **ladder(40)})[0][2]
    assert flaws({**OBJECT, **ladder(5)}) == []


@contextmanager
def listening() -> Iterator[tuple[str, list[bytes]]]:
    """A server on loopback that remembers who came."""
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.settimeout(5)
                    came.append(connection.recv(200))

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/schema", came
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def test_no_reference_and_no_dialect_is_ever_fetched() -> None:
    """An unknown ``$schema`` at the root is fetched by jsonschema_rs on its own, if it is let."""
    with listening() as (url, came):
        for dialect in (*DIALECTS, None, url):
            root = {} if dialect is None else {"$schema": dialect}
            for inner in (
                {"$schema": url},
                {"$id": url, "$schema": url},
                {"$ref": url},
                {"$ref": url + "#/$defs/a"},
                {"$dynamicRef": url},
                {"$recursiveRef": url},
                {"$id": url, "$ref": "other"},
                {"id": url, "$ref": "other"},
                {"$vocabulary": {url: True}},
                {"$anchor": "a", "$ref": url + "#a"},
                {"$dynamicAnchor": "a", "$dynamicRef": url + "#a"},
            ):
                for schema in ({**root, **OBJECT, **inner}, {**root, **OBJECT, "properties": {"a": inner}}):
                    if "$schema" in inner and "$schema" in schema and dialect is not None:
                        schema = {**schema, "$schema": dialect}  # noqa: PLW2901 - the root keeps its own dialect
                    for role in ("input", "output"):
                        flaws(schema, role)
                    parse_tool({"name": "x", "inputSchema": schema, "outputSchema": schema})
        socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2].split("/")[0])), 5).close()
        deadline = time.monotonic() + 5
        while not came and time.monotonic() < deadline:
            time.sleep(0.01)
        assert came == [b""], came  # our own visit, and nobody else's


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([True, 5, "string", "x", [], ["a", "a"], -1, None, {}]),
    lambda inner: (
        st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "required", "enum", "minLength", "allOf", "not", "additionalProperties"]
            ),
            inner,
            max_size=4,
        )
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
        | st.lists(inner, max_size=2)
    ),
    max_leaves=12,
)


@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)), st.sampled_from(DIALECTS))
@settings(max_examples=120, deadline=None)
def test_a_second_opinion_agrees_on_what_is_a_schema(schema: dict[str, Any], dialect: str) -> None:
    """jsonschema, which shares no code with jsonschema_rs, judges the same (but for enum in draft-04, where the latter
    takes empty lists too)."""
    assume(not ("draft-04" in dialect and "enum" in json.dumps(schema)))
    schema = {**schema, "$schema": dialect}
    validator = jsonschema.validators.validator_for(schema)
    theirs = validator(validator.META_SCHEMA).is_valid(schema)
    assert (flaws(schema, "output") == []) == theirs, json.dumps(schema)


def test_a_tool_can_have_several_flaws_and_all_are_told() -> None:
    raw = {"name": "x", "description": 5, "title": [], "inputSchema": {"type": "string"}, "outputSchema": 5}
    tool = parse_tool(raw)
    assert isinstance(tool, FlawedTool)
    assert [flaw.pointer for flaw in tool.flaws] == ["/title", "/description", "/inputSchema", "/outputSchema"]


def test_a_null_output_schema_is_none() -> None:
    tool = parse_tool({"name": "x", "inputSchema": OBJECT, "outputSchema": None})
    assert isinstance(tool, Contract) and tool.output_schema is None
