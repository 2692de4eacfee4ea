"""Conditions: three answers, never a guess; who decided is known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.errors import UsageError
from contractd.runtimes.base import Gate, Settings
from contractd.runtimes.conditions import OR, Conditions, Seen, conditions_of, holds, runs, shut, switched_off_by
from contractd.runtimes.profile import Condition, Decider, When

KEYS, VALUES = ("a", "b", "c"), ("on", "off", "auto")
ALTERNATIVE = st.dictionaries(
    st.sampled_from(KEYS), st.lists(st.sampled_from(VALUES), min_size=1, max_size=2), max_size=3
)
WHEN: st.SearchStrategy[When] = st.lists(ALTERNATIVE, max_size=4)
KNOWN = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3)
COMPLETE = st.fixed_dictionaries(dict.fromkeys(KEYS, st.sampled_from(VALUES)))


@given(WHEN, COMPLETE)
def test_of_a_run_that_is_known_whole_the_answer_is_yes_or_no(when: When, run: dict[str, str]) -> None:
    assert holds(when, run) in ("yes", "no")


@given(WHEN, KNOWN, COMPLETE)
def test_a_sure_answer_is_never_taken_back_by_knowing_more(
    when: When, known: dict[str, str], run: dict[str, str]
) -> None:
    before = holds(when, known)
    after = holds(when, {**run, **known})
    assert before == "maybe" or after == before


@given(WHEN, ALTERNATIVE, KNOWN)
def test_another_alternative_never_makes_it_less_so(when: When, alternative: Any, known: dict[str, str]) -> None:
    order = {"no": 0, "maybe": 1, "yes": 2}
    if when:  # no alternatives at all hold always
        assert order[holds([*when, alternative], known)] >= order[holds(when, known)]


@given(WHEN, KNOWN, st.randoms(use_true_random=False))
def test_the_order_of_alternatives_does_not_matter(when: When, known: dict[str, str], chance: Any) -> None:
    shuffled = list(when)
    chance.shuffle(shuffled)
    assert holds(shuffled, known) == holds(when, known)


def test_no_alternative_always_holds() -> None:
    assert holds([], {}) == "yes" and holds([{}], {}) == "yes"


AVAILABLE = {
    "mode": Condition(values=["headless", "interactive"]),
    "search": Condition(
        values=["on", "off"],
        default="on",
        decided_by=[
            Decider(flag="--search", value="on"),
            Decider(env="SEARCH", map={"0": "off", "1": "on"}),
            Decider(setting="tools.search", map={"true": "on", "false": "off"}),
            Decider(setting="tools.disabled", contains="search", value="off"),
        ],
    ),
    "forced": Condition(
        values=["on", "off"], default="on", decided_by=[Decider(condition="search", map={"off": "off"})]
    ),
    "image": Condition(
        values=["on", "off"], default="off", decided_by=[Decider(setting="image", map={"": "off", "*": "on"})]
    ),
    "model": Condition(
        values=["big", "other"], decided_by=[Decider(setting="model", map={"x-1": "big"}, otherwise="other")]
    ),
    "mcp": Condition(values=["none", "configured"]),
    "live": Condition(
        values=["yes", "no"], default="no", decided_by=[Decider(mcp="connected", map={"yes": "yes", "no": "no"})]
    ),
}


def decided(
    settings: dict[str, Any] | None = None, environ: dict[str, str] | None = None, *, connected: bool | None = None,
    stated: dict[str, str] | None = None,
) -> Conditions:  # fmt: skip
    seen = Seen(Settings(settings or {}), environ or {}, configured=True, connected=connected)
    return conditions_of(AVAILABLE, stated or {}, seen)


@pytest.mark.parametrize(
    ("settings", "environ", "expected"),
    [
        ({}, {}, None),
        ({"tools": {"search": False}}, {}, ("off", "tools.search")),
        ({"tools": {"search": "false"}}, {}, ("off", "tools.search")),
        ({"tools": {"search": True}}, {"SEARCH": "0"}, ("off", "SEARCH")),
        ({"tools": {"search": False}}, {"SEARCH": "maybe"}, ("off", "tools.search")),
        ({"tools": {"disabled": ["x", "search"]}}, {}, ("off", "tools.disabled")),
        ({"tools": {"disabled": "search"}}, {}, None),
        ({"tools": {"search": [1]}}, {"SEARCH": ""}, None),
        ({"tools": 5}, {}, None),
    ],
)
def test_the_first_decider_that_says_something_decides(settings: Any, environ: Any, expected: Any) -> None:
    found = decided(settings, environ)
    assert (found.known.get("search"), found.origins.get("search")) == (expected or (None, None))
    assert found.likely["search"] == (expected[0] if expected else "on")


def test_one_condition_may_force_another_and_a_star_is_any_other_value() -> None:
    assert decided({"tools": {"search": False}}).known["forced"] == "off"
    assert "forced" not in decided({"tools": {"search": True}}).known
    assert decided({"image": "x"}).known["image"] == "on" and decided({"image": ""}).known["image"] == "off"
    assert decided({"model": "x-1"}).known["model"] == "big" and decided({"model": "y"}).known["model"] == "other"


def test_servers_decide_whether_there_are_any() -> None:
    assert decided().known["mcp"] == "configured"
    assert [decided(connected=connected).known["live"] for connected in (True, False, None)] == ["yes", "no", "yes"]


def test_what_nobody_can_know_is_open_and_what_is_stated_beats_everything() -> None:
    found = decided({"tools": {"search": False}}, stated={"search": "on", "mode": "headless"})
    assert found.known["search"] == "on" and found.known["mode"] == "headless" and "search" not in found.origins
    assert decided().open["mode"] == ("headless", "interactive")


@pytest.mark.parametrize(
    ("stated", "said"), [({"moed": "headless"}, "mode"), ({"mode": "batch"}, "headless or interactive")]
)
def test_an_unknown_condition_or_value_is_a_usage_error_with_those_there_are(stated: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        decided(stated=stated)
    assert said in (caught.value.hint or "")


def test_the_setting_that_switches_something_off_is_named_if_it_would_be_there_by_default() -> None:
    off = decided({"tools": {"search": False}})
    assert switched_off_by([{"search": ["on"]}], off, AVAILABLE) == "tools.search"
    assert switched_off_by([{"search": ["off"], "image": ["on"]}], off, AVAILABLE) is None
    assert switched_off_by([{"search": ["on"]}], decided(stated={"search": "off"}), AVAILABLE) is None


# ---- gates


@pytest.mark.parametrize(
    ("known", "defaults", "held"),
    [
        ({"a": "on"}, {}, "yes"),
        ({"a": "off"}, {}, "no"),
        ({}, {"a": "on"}, "maybe"),
        ({}, {"a": "off"}, "no"),
        ({}, {}, "maybe"),
    ],
)
def test_a_gate_that_depends_on_the_run_is_shut_as_its_conditions_say(known: Any, defaults: Any, held: str) -> None:
    left = {} if known or defaults else {"a": ("on", "off")}
    assert shut(Gate("why", False, "settle", when=[{"a": ["on"]}]), Conditions(known, defaults, left)) == held


def test_a_gate_without_conditions_is_shut_surely_or_nobody_knows() -> None:
    nothing = Conditions({}, {}, {})
    assert (
        shut(Gate("why", True, "settle"), nothing) == "yes" and shut(Gate("why", False, "settle"), nothing) == "maybe"
    )


# ---- what servers declare


RESOURCES = {
    "mcp": Condition(
        values=["none", "connected", "resources"],
        default="none",
        decided_by=[Decider(mcp="resources", value="resources"), Decider(mcp="connected", value="connected")],
    )
}


@pytest.mark.parametrize(
    ("configured", "connected", "resources", "known", "left"),
    [
        (False, None, None, "none", None),
        (True, False, None, "none", None),
        (True, True, True, "resources", None),
        (True, True, False, "connected", None),
        (True, True, None, None, ("resources", "connected")),
        (True, None, None, None, ("resources", "connected")),
    ],
)
def test_whether_a_server_has_resources_is_open_where_nobody_asked(
    configured: bool, connected: Any, resources: Any, known: Any, left: Any
) -> None:
    found = conditions_of(RESOURCES, {}, Seen(Settings({}), {}, configured, connected, resources))
    assert found.known.get("mcp") == known and found.open.get("mcp") == left


def test_values_that_are_left_are_none_of_those_that_are_not() -> None:
    left = {"mcp": OR.join(("resources", "connected"))}
    assert holds([{"mcp": ["none"]}], left) == "no" and holds([{"mcp": ["resources"]}], left) == "maybe"
    assert holds([{"mcp": ["resources", "connected"]}], left) == "yes"


def test_the_runs_that_are_left_open_are_every_value_of_every_condition_asked_for() -> None:
    likely = {"a": f"on{OR}off", "b": "auto", "c": f"on{OR}auto"}
    assert list(runs(likely, ["a", "b", "a"])) == [{"a": "on", "b": "auto"}, {"a": "off", "b": "auto"}]
    assert list(runs(likely, ["unheard"])) == [{}]
    assert len(list(runs(likely, likely))) == 4


@given(WHEN, COMPLETE)
def test_what_holds_surely_holds_in_every_run_and_in_no_run_what_surely_does_not(
    when: When, run: dict[str, str]
) -> None:
    likely = {**run, "a": f"on{OR}off"}
    told = {holds(when, {**likely, **one}) for one in runs(likely, KEYS)}
    assert {"yes": told == {"yes"}, "no": told == {"no"}, "maybe": True}[holds(when, likely)]
