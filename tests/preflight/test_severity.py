"""How bad a clash is: real tools of well-known servers beside the real built-ins that the data files hold."""

from __future__ import annotations

from typing import Any

import pytest

from contractd.contracts import Contract
from contractd.contracts.manifest import build_manifest
from contractd.policy import ToolPolicy
from contractd.preflight.severity import effect_of, equal_names, same_job, same_parameter, shadowing
from contractd.runtimes.catalogue import profiles
from contractd.runtimes.profile import BuiltinTool
from tests.preflight.situations import hints, tool

READS, WRITES = hints(readOnlyHint=True), hints(readOnlyHint=False, destructiveHint=False)
SQL = hints(readOnlyHint=False, destructiveHint=True)


def contract(raw: dict[str, Any]) -> Contract:
    (only,) = build_manifest([raw]).tools
    return only


def builtin(runtime: str, name: str, version: str | None = None) -> BuiltinTool:
    profile = next(known for known in profiles(runtime) if version is None or known.version == version)
    return next(known for known in profile.tools or () if known.name == name)


@pytest.mark.parametrize(
    ("raw", "effect"),
    [
        # server, tool, hints as published
        (tool("read_graph", **READS), "read"),  # server-memory 2026.8.31
        (tool("open_nodes", "names", **READS), "read"),
        (tool("open_nodes", "names"), "write"),  # 0.6.2 says nothing, and open may be anything
        (tool("create_entities", "entities", **WRITES), "write"),
        (tool("delete_entities", "entityNames"), "write"),
        (tool("git_status", "repo_path"), "read"),  # mcp-server-git 0.6.2
        (tool("git_log", "repo_path"), "read"),
        (tool("git_commit", "repo_path", "message"), "write"),
        (tool("git_checkout", "repo_path", "branch_name"), "write"),
        (tool("get_file_contents", "project_id", "file_path"), "read"),  # server-gitlab
        (tool("create_or_update_file", "project_id"), "write"),
        (tool("browser_snapshot"), "read"),  # @playwright/mcp 0.0.10
        (tool("browser_click", "element", "ref"), "write"),
        (tool("browser_close", **READS), "read"),
        (tool("execute_query", "sql", **SQL), "write"),  # mcp-server-motherduck
        (tool("run_query", "query"), "write"),  # mcp-clickhouse says nothing of it
        (tool("run_query", "query", **READS), "read"),
        (tool("tavily-search", "query"), "read"),
        (tool("get_current_time", "timezone"), "read"),
        (tool("convert_time", "source_timezone"), "read"),
        (tool("sequentialthinking", "thought", **READS), "read"),
        (tool("check_inbox"), "read"),
        (tool("list_agents"), "read"),
        (tool("send_message", "target", "text"), "write"),
        (tool("SendMessage"), "write"),
        (tool("search_and_replace", "pattern"), "write"),
        (tool("get_or_create_issue", "title"), "write"),
        (tool("find_and_read", "query"), "read"),
        (tool("frobnicate"), "write"),  # not known may be lost
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else value,
)
def test_the_effect_is_the_hint_unless_the_name_belies_it(raw: dict[str, Any], effect: str) -> None:
    assert effect_of(contract(raw), None) == effect


def test_a_read_only_hint_does_not_make_sending_a_read() -> None:
    assert effect_of(contract(tool("send_message", **READS)), None) == "write"
    assert effect_of(contract(tool("delete_everything", **READS)), None) == "write"


def test_a_framework_s_default_hint_does_not_make_reading_a_write() -> None:
    assert effect_of(contract(tool("list_projects", **hints(destructiveHint=True))), None) == "read"
    assert effect_of(contract(tool("list_projects", **SQL)), None) == "write"


@pytest.mark.parametrize(("declared", "effect"), [("read", "read"), ("write", "write"), ("destructive", "write")])
def test_the_user_s_word_on_an_effect_outweighs_everything(declared: str, effect: str) -> None:
    policy = ToolPolicy.model_validate({"effect": declared})
    for raw in (tool("send_message", **WRITES), tool("list_agents", **READS)):
        assert effect_of(contract(raw), policy) == effect


def test_a_name_that_says_nothing_takes_the_effect_of_the_built_in_it_is_called_like() -> None:
    think = BuiltinTool(name="ponder", obtained="read", effect="read", acts_on="runtime")
    assert effect_of(contract(tool("ponder")), None, think) == "read"
    assert effect_of(contract(tool("ponder")), None) == "write"


SAME = [
    # runtime, built-in, the server's tool
    ("gemini-cli", "read_file", tool("read_file", "path", optional=["head", "tail"])),  # server-filesystem
    ("gemini-cli", "write_file", tool("write_file", "path", "content")),
    ("gemini-cli", "list_directory", tool("list_directory", "path")),
    ("claude-code", "WebSearch", tool("web_search", "query")),
    ("claude-code", "WebFetch", tool("web_fetch", "url", optional=["prompt"])),
    ("claude-code", "Bash", tool("bash", "command")),
    ("claude-code", "Read", tool("Read", "file_path")),
    ("claude-code", "AskUserQuestion", tool("ask_user_question", "question")),
    ("gemini-cli", "glob", tool("glob", "pattern", optional=["path"])),
    ("gemini-cli", "run_shell_command", tool("run_shell_command", "command")),
    ("codex-cli", "web_search", tool("web_search", "query")),  # its parameters are not known
]
OTHER = [
    ("gemini-cli", "run_shell_command", tool("run_shell_command", "host", "command")),
    ("gemini-cli", "run_shell_command", tool("run_shell_command", "command", optional=["host"])),
    (
        "gemini-cli",
        "run_shell_command",
        tool("run_shell_command", "command", description="Runs a command in the build container."),
    ),
    ("gemini-cli", "read_file", tool("read_file", "repo", "path")),  # a file of a repository far away
    ("gemini-cli", "read_file", tool("read_file", "path", optional=["project_id"])),
    ("gemini-cli", "write_file", tool("write_file", "path", "content", "commit_message")),
    ("claude-code", "SendMessage", tool("send_message", "to", "message")),  # its world is the runtime's own
    ("claude-code", "ListAgents", tool("list_agents")),
    ("claude-code", "TaskCreate", tool("task_create", "subject", "description")),
    ("codex-cli", "apply_patch", tool("apply_patch", "path")),  # a write is not put at risk on a guess
    ("codex-cli", "web_search", tool("web_search", "tenant_query")),
]


@pytest.mark.parametrize(("runtime", "name", "raw"), SAME, ids=lambda value: str(value)[:40])
def test_a_built_in_with_the_same_arguments_in_the_same_world_does_the_same_job(
    runtime: str, name: str, raw: dict[str, Any]
) -> None:
    assert same_job(contract(raw), builtin(runtime, name))


@pytest.mark.parametrize(("runtime", "name", "raw"), OTHER, ids=lambda value: str(value)[:40])
def test_a_tool_that_needs_to_know_more_or_acts_elsewhere_is_another_job(
    runtime: str, name: str, raw: dict[str, Any]
) -> None:
    assert not same_job(contract(raw), builtin(runtime, name))


# The two anchors, and what stands between them: severity of the bare name that is a built-in's.
ANCHORS = [
    ("qwen-code", "send_message", tool("send_message", "target", "text"), "high"),
    ("qwen-code", "send_message", tool("send_message", "recipient", "message", **READS), "high"),
    ("qwen-code", "list_agents", tool("list_agents"), "medium"),
    ("qwen-code", "list_agents", tool("list_agents", **READS), "medium"),  # elevenlabs-mcp 0.12.2
    ("qwen-code", "read_file", tool("read_file", "path"), "low"),
    ("qwen-code", "write_file", tool("write_file", "path", "content"), "low"),
    ("qwen-code", "list_directory", tool("list_directory", "path"), "low"),
    ("qwen-code", "run_shell_command", tool("run_shell_command", "host", "command"), "high"),
    ("qwen-code", "run_shell_command", tool("run_shell_command", "command"), "low"),
    ("qwen-code", "web_search", tool("web_search", "query"), "low"),
    ("qwen-code", "web_fetch", tool("web_fetch", "url"), "low"),
    ("qwen-code", "task_create", tool("task_create", "subject", "project_key"), "high"),  # a ticket system's
    ("qwen-code", "task_list", tool("task_list", "project_key"), "medium"),
    ("qwen-code", "todo_write", tool("todo_write", "todos"), "high"),
    ("qwen-code", "skill", tool("skill", "name"), "medium"),
]


@pytest.mark.parametrize(("runtime", "name", "raw", "severity"), ANCHORS, ids=lambda value: str(value)[:40])
def test_a_bare_name_that_lands_in_the_built_in_is_as_bad_as_what_is_lost(
    runtime: str, name: str, raw: dict[str, Any], severity: str
) -> None:
    taken, theirs = contract(raw), builtin(runtime, name)
    effect = effect_of(taken, None, theirs)
    assert shadowing(tool=taken, effect=effect, builtin=theirs, answers=True, switched_on=True)[0] == severity


@pytest.mark.parametrize(
    ("raw", "answers", "switched_on", "severity"),
    [
        (tool("send_message", "to"), True, True, "high"),
        (tool("send_message", "to"), False, True, "medium"),  # refused with an error, yet a model may take the other
        (tool("list_agents"), True, True, "medium"),
        (tool("list_agents"), False, True, "low"),
        (tool("send_message", "to"), True, False, "low"),
        (tool("send_message", "to"), False, False, "low"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_clear_error_is_better_than_a_wrong_answer_and_a_switched_off_built_in_harms_nobody(
    raw: dict[str, Any], answers: bool, switched_on: bool, severity: str
) -> None:
    theirs = builtin("claude-code", "SendMessage")
    taken = contract(raw)
    effect = effect_of(taken, None, theirs)
    found, why = shadowing(tool=taken, effect=effect, builtin=theirs, answers=answers, switched_on=switched_on)
    assert found == severity
    assert why


@pytest.mark.parametrize(
    ("effect", "aborts", "switched_on", "severity"),
    [
        ("write", False, True, "high"),
        ("read", False, True, "medium"),
        ("read", True, True, "high"),
        ("write", True, False, "low"),
    ],
)
def test_equal_runtime_names_are_worse_for_a_write_and_where_the_agent_does_not_start(
    effect: Any, aborts: bool, switched_on: bool, severity: str
) -> None:
    assert equal_names(effect, aborts=aborts, switched_on=switched_on) == severity


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("path", "filepath", True), ("cmd", "command", True), ("q", "query", True), ("path", "url", False)],
)
def test_parameters_of_one_meaning_are_known_by_their_usual_names(one: str, other: str, same: bool) -> None:
    assert same_parameter(one, other) is same
    assert same_parameter(other, one) is same
