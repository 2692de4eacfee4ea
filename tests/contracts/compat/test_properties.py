"""What must hold of every verdict, on random schemas: soundness against all small values, and the laws of inclusion."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contractd.contracts import compare_schemas
from tests.contracts.compat.schemas import DIALECTS, VALUES, counterexample, judge, pairs, proves, schemas

CALM = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
LONG = 5.0  # seconds: a slow machine must not make a verdict unknown here


@CALM
@given(pairs())
def test_a_verdict_is_never_wrong(pair: tuple[str, Any, Any]) -> None:
    dialect, old, new = pair
    for direction, accepting, refusing in (("arguments", old, new), ("results", new, old)):
        result = compare_schemas(old, new, direction, dialect, seconds=LONG)  # type: ignore[arg-type]
        if result.verdict == "compatible":
            assert counterexample(accepting, refusing, dialect) == []
            assert result.witness is None
        elif result.verdict == "breaking":
            assert result.witness
            assert proves(judge(accepting, dialect), judge(refusing, dialect), result.witness.value)
        else:
            assert result.reason


@CALM
@given(pairs())
def test_the_same_question_has_the_same_answer(pair: tuple[str, Any, Any]) -> None:
    dialect, old, new = pair
    first = compare_schemas(old, new, dialect=dialect, seconds=LONG)
    assert compare_schemas(json.loads(json.dumps(old)), new, dialect=dialect, seconds=LONG) == first


@CALM
@given(st.sampled_from(DIALECTS).flatmap(lambda dialect: st.tuples(st.just(dialect), schemas(dialect))))
def test_a_schema_is_compatible_with_itself(given_: tuple[str, Any]) -> None:
    dialect, schema = given_
    assert compare_schemas(schema, json.loads(json.dumps(schema)), dialect=dialect).verdict == "compatible"
    doubled = {"allOf": [schema, schema]}
    for direction in ("arguments", "results"):
        result = compare_schemas(schema, doubled, direction, dialect, seconds=LONG)  # type: ignore[arg-type]
        assert result.verdict != "breaking"


@CALM
@given(st.data())
def test_what_is_compatible_step_by_step_never_breaks_as_a_whole(data: Any) -> None:
    dialect = data.draw(st.sampled_from(DIALECTS))
    first = data.draw(schemas(dialect, 1))
    second = {"anyOf": [first, data.draw(schemas(dialect, 1))]}
    third = data.draw(st.one_of(st.just({"anyOf": [second, {"type": "null"}]}), schemas(dialect, 1)))
    steps = [
        compare_schemas(one, two, dialect=dialect, seconds=LONG) for one, two in ((first, second), (second, third))
    ]
    assert steps[0].verdict != "breaking"
    if all(step.verdict == "compatible" for step in steps):
        assert compare_schemas(first, third, dialect=dialect, seconds=LONG).verdict != "breaking"


@CALM
@given(pairs())
def test_what_the_old_schema_accepts_passes_the_new_one(pair: tuple[str, Any, Any]) -> None:
    dialect, old, new = pair
    if compare_schemas(old, new, dialect=dialect, seconds=LONG).verdict == "compatible":
        before, after = judge(old, dialect), judge(new, dialect)
        for value in VALUES:
            assert not (before.accepts(value) is True and after.accepts(value) is False), value


def test_almost_nothing_is_left_unknown() -> None:
    """On random schemas of every keyword: what is not decided must stay an exception."""
    verdicts: list[str] = []

    @settings(CALM, max_examples=150)
    @given(pairs())
    def gather(pair: tuple[str, Any, Any]) -> None:
        dialect, old, new = pair
        result = compare_schemas(old, new, dialect=dialect, seconds=LONG)
        verdicts.append("invalid" if "not valid" in (result.reason or "") else result.verdict)

    gather()
    assert verdicts.count("unknown") <= 0.02 * len(verdicts)
