"""Without --config: what the named or the installed runtime would read from here, in its order, traced to its files."""

from __future__ import annotations

import json

import pytest

from tests.cli.harness import Ran, Shell, offline, servers

HERE = {"command": "sh"}
JSON = ("--format", "json")


def files(done: Ran) -> list[tuple[str, str]]:
    return [(row["path"], row["scope"]) for row in done.report["files"]]


def placed(done: Ran) -> dict[str, str]:
    """Each server's name and the file it was taken from."""
    return {row["name"]: row["location"]["file"] for row in done.report["providers"]}


def test_qwen_code_reads_the_user_s_file_then_the_project_s_and_the_later_wins(shell: Shell) -> None:
    user = shell.write("~/.qwen/settings.json", servers(mail={"command": "user"}, wiki=HERE))
    project = shell.write(".qwen/settings.json", servers(mail={"command": "project"}))
    done = shell.quick(*offline("--runtime", "qwen-code", *JSON))
    assert placed(done) == {"mail": str(project), "wiki": str(user)}
    assert files(done) == [(str(user), "user"), (str(project), "project")]
    targets = {row["name"]: row["target"] for row in done.report["providers"]}
    assert targets["mail"] == "project"


def test_claude_code_reads_project_files_from_the_folders_above_too(shell: Shell) -> None:
    user = shell.write("~/.claude.json", servers(mail=HERE))
    above = shell.write(".mcp.json", servers(wiki=HERE, git=HERE))
    below = shell.write("sub/folder/.mcp.json", servers(git={"command": "below"}))
    done = shell.quick(*offline("--runtime", "claude-code", *JSON), cwd=below.parent)
    assert placed(done) == {"mail": str(user), "wiki": str(above), "git": str(below)}


def test_settings_beside_the_servers_are_read_and_listed(shell: Shell) -> None:
    shell.write("~/.claude.json", servers(mail=HERE))
    settings = shell.write(".claude/settings.json", '{"permissions": {"deny": ["SendMessage"]}}')
    done = shell.quick(*offline("--runtime", "claude-code", *JSON))
    assert (str(settings), "project") in files(done)


def test_one_file_that_is_the_user_s_and_the_project_s_counts_as_the_user_s(shell: Shell) -> None:
    path = shell.write("~/.qwen/settings.json", servers(mail=HERE))
    done = shell.quick(*offline("--runtime", "qwen-code", *JSON), cwd=shell.home)
    assert files(done) == [(str(path), "user")]
    assert "CTD112" not in done.rules()


def test_a_variable_that_moves_the_user_s_folder_is_followed(shell: Shell) -> None:
    path = shell.write("elsewhere/config.toml", '[mcp_servers.mail]\ncommand = "sh"\n')
    done = shell.quick(*offline("--runtime", "codex-cli", *JSON), env={"CODEX_HOME": str(path.parent)})
    assert placed(done) == {"mail": str(path)}


def test_the_installed_runtime_that_has_a_configuration_is_taken(shell: Shell) -> None:
    shell.program("qwen", "echo 0.21.10")
    shell.program("claude", "echo 2.1.332")
    shell.write("~/.qwen/settings.json", servers(mail=HERE))
    done = shell.quick(*offline(*JSON))
    assert done.report["runtime"]["name"] == "qwen-code"
    assert done.report["runtime"]["reason"] == "qwen is on PATH, and it has a configuration here"


def test_several_that_could_be_meant_are_a_usage_error_that_names_them(shell: Shell) -> None:
    shell.program("qwen", "echo 0.21.10")
    shell.program("claude", "echo 2.1.332")
    shell.write("~/.qwen/settings.json", servers(mail=HERE))
    shell.write(".mcp.json", servers(mail=HERE))
    done = shell.quick(*offline())
    assert (done.code, done.out) == (2, "")
    assert "several agent runtimes are installed and configured here: qwen-code and claude-code" in done.err
    assert "hint: say which: contractd preflight --runtime qwen-code" in done.err


@pytest.mark.parametrize("programs", [(), ("qwen",), ("qwen", "claude")])
def test_nothing_to_check_is_a_usage_error_that_says_where_it_looked_or_what_to_say(
    shell: Shell, programs: tuple[str, ...]
) -> None:
    for program in programs:
        shell.program(program, "echo 1.2.3")
    done = shell.quick(*offline())
    assert (done.code, done.out) == (2, "")
    if len(programs) == 1:
        assert "there is no configuration of Qwen Code to read from here" in done.err
        assert str(shell.home / ".qwen/settings.json") in done.err
    else:
        assert "nothing to check: no configuration was named" in done.err
    assert "--config FILE" in done.err


def test_contractd_s_own_file_is_taken_where_no_runtime_is_installed(shell: Shell) -> None:
    path = shell.write("contractd.toml", '[providers.mail]\ncommand = ["sh"]\n')
    (shell.work / "sub").mkdir()
    done = shell.quick(*offline(*JSON), cwd=shell.work / "sub")
    assert done.report["runtime"]["name"] == "contractd"
    assert placed(done) == {"mail": str(path)}


def test_a_pyproject_is_read_where_it_has_settings_and_the_search_ends_at_the_repository(shell: Shell) -> None:
    outer = shell.write("pyproject.toml", '[tool.contractd.providers.mail]\ncommand = ["sh"]\n')
    inner = shell.write("repo/sub/x", "").parent
    assert placed(shell.quick(*offline(*JSON), cwd=inner)) == {"mail": str(outer)}
    (shell.work / "repo" / ".git").mkdir()
    assert shell.quick(*offline(*JSON), cwd=inner).code == 2
    shell.write("repo/pyproject.toml", '[project]\nname = "contractd-user"\n')
    assert shell.quick(*offline(*JSON), cwd=inner).code == 2


def test_the_settings_may_name_the_runtime_and_say_so_when_it_is_none(shell: Shell) -> None:
    shell.write("~/.qwen/settings.json", servers(mail=HERE))
    path = shell.write("contractd.toml", 'version = 1\nruntime = "qwen-code@0.21.10"\n')
    done = shell.quick(*offline(*JSON))
    runtime = done.report["runtime"]
    assert (runtime["name"], runtime["version"], runtime["version_source"]) == ("qwen-code", "0.21.10", "stated")
    assert runtime["reason"] == f"{path} names it"
    named = shell.quick(*offline(*JSON, "--config", "contractd.toml"))
    assert list(placed(named)) == ["mail"], "settings that name a runtime hold no servers of its"
    shell.write("contractd.toml", 'version = 1\nruntime = "qwen-cod"\n')
    wrong = shell.quick(*offline())
    assert wrong.code == 2
    assert wrong.err.startswith(f"error: {path}:2:1: no runtime is called 'qwen-cod'")


def test_several_files_are_laid_over_each_other_weakest_first(shell: Shell) -> None:
    shell.write("a.json", servers(mail=HERE, git={"command": "a"}))
    shell.write("b.json", servers(git={"command": "b"}))
    done = shell.quick(*offline("--config", "a.json", "--config", "b.json", "--runtime", "claude-code", *JSON))
    assert placed(done) == {"mail": "a.json", "git": "b.json"}


def test_a_named_file_is_read_in_the_scope_of_its_place_even_through_a_link(shell: Shell) -> None:
    real = shell.write("~/dotfiles/qwen.json", servers(mail=HERE))
    (shell.home / ".qwen").mkdir()
    (shell.home / ".qwen/settings.json").symlink_to(real)
    done = shell.quick(*offline("--config", "../home/.qwen/settings.json", *JSON))
    assert [row["scope"] for row in done.report["files"]] == ["user"]
    assert "reads this file in user scope" in done.report["files"][0]["why"]
    shell.write(".mcp.json", servers(mail=HERE))
    project = shell.quick(*offline("--config", ".mcp.json", *JSON))
    assert project.report["files"][-1]["scope"] == "project"


def test_the_runtime_is_recognised_with_its_reason_and_overridden_by_name(shell: Shell) -> None:
    shell.write("qwen.json", servers(mail=HERE))
    done = shell.quick(*offline("--config", "qwen.json", *JSON))
    assert done.report["runtime"]["name"] == "qwen-code"
    assert "qwen" in done.report["runtime"]["reason"]
    other = shell.quick(*offline("--config", "qwen.json", "--runtime", "Claude@2.1.332", *JSON))
    assert other.report["runtime"]["name"] == "claude-code"
    assert other.report["runtime"]["reason"] == "--runtime names it"


def test_of_several_files_the_first_that_tells_decides_for_which_runtime_they_are(shell: Shell) -> None:
    shell.write("a.json", servers(mail=HERE))
    shell.write("qwen-team.json", servers(git=HERE))
    done = shell.quick(*offline("--config", "a.json", "--config", "qwen-team.json", *JSON))
    assert done.report["runtime"]["name"] == "qwen-code"


def test_the_user_s_settings_are_laid_under_the_project_s(shell: Shell) -> None:
    user = shell.write("~/.config/contractd/contractd.toml", '[preflight]\nfail_on = "high"\nignore = ["CTD309"]\n')
    project = shell.write("contractd.toml", '[preflight]\nfail_on = "low"\n')
    shown = json.loads(shell.quick("config", "show", "--format", "json").out)
    origins = {row["setting"]: (row["value"], row["origin"]) for row in shown}
    assert origins["preflight.fail_on"] == ("low", f"{project}:2:1")
    assert origins["preflight.ignore"] == (["CTD309"], f"{user}:3:1")
    assert origins["preflight.expect"] == ([], "default")
    shell.write("a.json", servers(mail=HERE))
    done = shell.quick(*offline("--config", "a.json", "--runtime", "claude-code", *JSON))
    assert done.report["fail_on"] == "low"
    assert files(done)[-2:] == [(str(user), "user"), (str(project), "project")]
    bare = shell.quick(*offline("--config", "a.json", "--runtime", "claude-code", "--no-policy", *JSON))
    assert bare.report["fail_on"] == "medium"
