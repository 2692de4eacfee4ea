"""Nothing in a configuration makes a reader raise anything but a configuration error, wait, or tell a secret."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.documents import parse
from contractd.errors import ConfigError, UsageError
from contractd.preflight.catalogue import BY_NAME
from contractd.runtimes.base import Setup
from contractd.runtimes.catalogue import RUNTIMES, nearest_profile, recognise
from contractd.runtimes.conditions import Seen, conditions_of
from contractd.runtimes.naming import Names
from contractd.text import visible
from tests.runtimes.situations import CWD, FILES, HOME, PROGRAM, context, read, runtime, servers, source

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(
    ["", "$", "${", "${A", "${A}", "$A", "${A:-", "${A:-b}", "{env:A}", "${env:A}", "${input:a}", "~/x", "\0", "a\nb",
     "http://h/mcp", "-----BEGIN", "sk-", "*", "mcp__*", "(", "../..", "%A%", "🦀", "__proto__", "constructor"]
)  # fmt: skip
SCALAR: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
ENVIRON = {"A": "value of A", "PATH": "/bin", "MCP_TIMEOUT": "²", "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "9" * 5000}


def keys_of(name: str) -> list[str]:
    return sorted(runtime(name).reading(context()).keys)


@st.composite
def entries(draw: st.DrawFn, name: str) -> Any:
    """A server's entry with anything at any of its keys."""
    if draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    base = dict(PROGRAM[name]) if draw(st.booleans()) else {}
    wrong = draw(st.dictionaries(st.sampled_from(keys_of(name)) | TEXT, JSON, max_size=4))
    return {**base, **wrong}


# Settings that decide something, at any depth.
SETTINGS = (
    "permissions", "deny", "mcp", "allowed", "excluded", "tools", "exclude", "core", "disabled", "security",
    "folderTrust", "enabled", "environmentVariableRedaction", "projects", HOME, CWD, "trust_level", "features",
    "agents", "model", "env", "ENABLE_TOOL_SEARCH", "disabledMcpjsonServers", "enabledMcpjsonServers",
    "deniedMcpServers", "allowedMcpServers", "enableAllProjectMcpServers", "general", "defaultApprovalMode",
    "inputs", "mcpServers", "mcp_servers", "servers", "extensions", "providers", "auth", "selectedType", "$schema",
)  # fmt: skip
TREE = st.recursive(
    SCALAR | st.lists(SCALAR, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from(SETTINGS) | TEXT, inner, max_size=4),
    max_leaves=10,
)


def safe(text: str) -> bool:
    """Without control, invisible or reordering characters."""
    return visible(text, len(text)) == text


def everything(name: str, setup: Setup) -> None:
    """Ask a runtime all that preflight asks of it."""
    asked = runtime(name)
    for profile in [nearest_profile(name, None)]:
        conditions = conditions_of(
            profile.conditions if profile else {}, {}, Seen(setup.settings, ENVIRON, configured=True, connected=None)
        )
        names = Names(
            asked, profile, [(entry, ["send", "", "x" * 99]) for entry in setup.entries], {}, conditions.likely
        )
        for entry in setup.entries:
            names.name(entry, "send")
            asked.excludes(entry, "send", setup.settings)
            asked.wait_before_first_request(entry, setup.settings, context(ENVIRON))
            asked.fatal(entry, 1, timed_out=True)
            asked.filter_matches("send(x)", ["send"])
            passed = asked.pass_variables(entry, ["A"])
            for fix in (asked.exclude(entry, ["send"]), asked.reveal(entry), asked.awaits(entry), passed):
                assert fix is None or fix.text
            if profile is not None:
                asked.visibility(entry, profile, conditions.likely)
        for tool in (profile.tools or [])[:5] if profile else ():
            asked.removes_builtin(tool.name, profile, setup.settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(RUNTIMES))
@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_any_value_at_any_key_of_an_entry_is_read_or_refused_as_a_configuration_error(name: str, data: Any) -> None:
    found = data.draw(st.dictionaries(TEXT, entries(name), max_size=3))
    try:
        setup = read(name, servers(name, found), environ=ENVIRON)
    except ConfigError as error:
        assert error.place is not None and safe(error.message) and safe(str(error.hint))
        return
    for problem in setup.problems:
        assert problem.rule in BY_NAME and safe(problem.message), problem
        assert safe(problem.action) and len(problem.action.split()) > 1, problem
        assert problem.action not in problem.message, problem
        assert problem.place.line is not None, problem
    everything(name, setup)


@pytest.mark.parametrize("name", sorted(RUNTIMES))
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_any_tree_of_settings_beside_the_servers_is_read_or_refused_as_a_configuration_error(
    name: str, data: Any
) -> None:
    tree = data.draw(TREE | st.dictionaries(TEXT, JSON, max_size=3))
    kept = data.draw(st.sampled_from(["project", "user", "stated"]))
    document = {**(tree if isinstance(tree, dict) else {"permissions": tree}), **servers(name, {"srv": PROGRAM[name]})}
    if data.draw(st.booleans()):
        document = tree if isinstance(tree, dict) else {"mcpServers": tree}
    places = [FILES[name], *(location.path for location in runtime(name).locations(context()))]
    others = [
        source(document, path, kept, servers=data.draw(st.booleans()))
        for path in data.draw(st.lists(st.sampled_from(places), max_size=2))
        if path.endswith((".json", ".toml"))
    ]
    try:
        setup = read(name, document, scope=kept, environ=ENVIRON, others=tuple(others))
    except (ConfigError, UsageError):
        return
    everything(name, setup)


@given(TREE | JSON, st.sampled_from(["settings.json", ".mcp.json", "x.toml", "goose.yaml", "<stdin>"]))
@settings(max_examples=150, deadline=None)
def test_any_document_is_recognised_as_something_with_a_reason(tree: Any, path: str) -> None:
    text = json.dumps(tree)
    document = parse(path, text.encode(), "json")
    found = recognise(document)
    assert found.reason and found.runtime.name in RUNTIMES


# ---- large files


def in_time(seconds: float, ask: Any) -> Any:
    """Ten times the seconds of work that it takes: what grows with the square would need far more."""
    start = time.process_time()
    result = ask()
    assert time.process_time() - start < 10 * seconds
    return result


def test_a_large_file_of_the_users_with_a_history_is_read_in_a_moment() -> None:
    history = [{"display": "x" * 200, "pastedContents": {"1": {"content": "y" * 100}}} for _ in range(100)]
    projects = {
        f"{HOME}/p{number}": {"history": history, "mcpServers": {"s": {"command": "x"}}} for number in range(120)
    }
    own = source(
        {"mcpServers": {"a": {"command": "x"}}, "projects": projects, "tips": {str(n): n for n in range(5000)}},
        f"{HOME}/.claude.json",
    )
    assert len(own.document.text) > 4_000_000
    setup = in_time(1.0, lambda: runtime("claude-code").read([own], context(cwd=f"{HOME}/p3")))
    assert {entry.name for entry in setup.entries} == {"a", "s"}
    assert in_time(1.0, lambda: recognise(own.document)).runtime.name == "claude-code"


MANY = 4000


@pytest.mark.parametrize("name", sorted(RUNTIMES))
def test_reading_takes_time_by_the_number_of_servers_and_not_by_its_square(name: str) -> None:
    def cost(count: int) -> float:
        content = servers(name, {f"!{number}": PROGRAM[name] for number in range(count)})
        own = source(content, FILES[name])
        asked = context({f"V{number}": "x" for number in range(200)})
        start = time.process_time()
        assert len(runtime(name).read([own], asked).entries) == count
        return time.process_time() - start

    cost(MANY // 4)
    assert cost(MANY) < 16 * cost(MANY // 4) + 0.5  # four times the servers; the square would be sixteen times


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("claude-code", "env", {f"K{number}": "${U}" for number in range(20_000)}),
        ("claude-code", "args", ["${U:-" * 50] * 2000),
        ("gemini-cli", "args", ["$U" * 20_000] * 5),
        ("gemini-cli", "env", {f"K{number}": "$A" * 200 for number in range(500)}),
        ("cursor", "args", ["sk-" * 3000] * 300),
        ("claude-code", "zzz", {"a": {"b": ["eyJ-" * 2000] * 300}}),
    ],
)
def test_a_large_entry_is_read_in_a_moment(name: str, key: str, value: Any) -> None:
    content = servers(name, {"srv": {**PROGRAM[name], key: value}})
    own = source(content, FILES[name])
    in_time(5.0, lambda: runtime(name).read([own], context({"A": "$A$A"})))


def test_many_unknown_keys_at_the_top_are_told_within_bounds() -> None:
    setup = read("gemini-cli", {f"k{number}": number for number in range(5000)})
    assert len(setup.problems) <= 100


# ---- secrets

SECRET = "Zq7Xw2Lm9Kp4Rt6Vb3Nd8Hs1"
PLACES: dict[str, Any] = {
    "command": "run-{}",
    "args": ["--api-key", "{}", "--db=postgres://u:{}@h/x", "x{}"],
    "env": {"API_KEY": "{}", "A": "${{B:-{}}}", "C": "{env:{}"},
    "headers": {"Authorization": "Bearer {}", "X": "{}\r\nY: z"},
    "url": "https://u:{}@h/mcp?token={}",
    "timeout": "{}",
    "cwd": "/{}/x",
    "includeTools": "{}",
    "zzz": "{}",
}


def filled(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("{}", SECRET).replace("{{", "{").replace("}}", "}")
    if isinstance(value, list):
        return [filled(inner) for inner in value]
    return {key: filled(inner) for key, inner in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", sorted(RUNTIMES))
@pytest.mark.parametrize("key", sorted(PLACES))
def test_no_value_of_an_entry_gets_into_what_is_said_of_it(name: str, key: str) -> None:
    meant = [written for written, role in runtime(name).reading(context()).keys.items() if role == role_of(key)]
    for written in {key, *meant}:
        for base in (PROGRAM[name], {}):
            try:
                setup = read(name, servers(name, {"srv": {**base, written: filled(PLACES[key])}}), scope="project")
            except ConfigError as error:
                said = f"{error.message} {error.hint} {error.place}"
            else:
                said = " ".join(
                    f"{problem.message} {problem.action} {problem.subject} {problem.fixes}"
                    for problem in setup.problems
                ) + " ".join(f"{entry.disabled} {entry.gate}" for entry in setup.entries)
                assert SECRET not in repr([entry.spec and entry.spec.env for entry in setup.entries][:0])
            assert SECRET not in said, said


def role_of(key: str) -> str:
    return {"args": "args", "includeTools": "include", "timeout": "budget-ms"}.get(key, key)


def test_values_of_variables_get_into_no_message() -> None:
    for name in sorted(RUNTIMES):
        environ = {"A": SECRET, "B": f"x${SECRET}"}
        entry = {**PROGRAM[name], "args": ["${A}", "$A"], "env": {"K": "${B}", "L": "${env:A}"}, "headers": {"X": "$A"}}
        try:
            setup = read(name, servers(name, {"srv": entry}), environ=environ)
        except ConfigError as error:
            assert SECRET not in str(error)
            continue
        assert not [
            problem for problem in setup.problems if SECRET in f"{problem.message} {problem.action} {problem.subject}"
        ]
