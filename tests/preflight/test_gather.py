"""What gather finds for a runtime beside plain files: a repository's root, texts of variables and of other files."""

from __future__ import annotations

import pytest

from contractd.errors import ConfigError
from contractd.preflight.gather import gather
from tests.preflight.situations import Bench, Setup

LOCAL = '{"mcp": {"%s": {"type": "local", "command": ["sh"]%s}}}'
OPENCODE = Setup(LOCAL % ("near", ""), runtime="opencode@1.18.18", name="opencode.json", options={"discover": True})


def test_a_projects_files_are_looked_for_up_to_the_root_of_its_repository(bench: Bench) -> None:
    bench.write("../opencode.json", LOCAL % ("above", ""))
    (bench.here.parent / ".git").write_text("gitdir: elsewhere\n")  # as in a worktree
    assert [entry.name for entry in gather(bench.request(OPENCODE)).setup.entries] == ["above", "near"]
    (bench.here / ".git").mkdir()
    assert [entry.name for entry in gather(bench.request(OPENCODE)).setup.entries] == ["near"]


def test_a_configuration_may_stand_in_a_variable(bench: Bench) -> None:
    (bench.here / ".git").mkdir()
    stated = OPENCODE.but(environ={"OPENCODE_CONFIG_CONTENT": LOCAL % ("said", ', "bogus": 1')})
    gathered = gather(bench.request(stated))
    assert [entry.name for entry in gathered.setup.entries] == ["near", "said"]
    assert [problem.place.file for problem in gathered.setup.problems] == ["$OPENCODE_CONFIG_CONTENT"]
    broken = OPENCODE.but(environ={"OPENCODE_CONFIG_CONTENT": "{"})
    with pytest.raises(ConfigError) as caught:
        gather(bench.request(broken))
    assert caught.value.place is not None and caught.value.place.file == "$OPENCODE_CONFIG_CONTENT"


def test_what_a_file_holds_is_given_to_the_server_and_one_that_is_not_there_is_an_error(bench: Bench) -> None:
    setup = Setup(LOCAL % ("mail", ', "environment": {"KEY": "{file:key}"}'), runtime="opencode", name="opencode.json")
    with pytest.raises(ConfigError):
        gather(bench.request(setup))
    bench.write("key", "s3cret\n")
    gathered = gather(bench.request(setup))
    spec = gathered.setup.entries[0].spec
    assert spec is not None and spec.env == {"KEY": "s3cret"} and "s3cret" not in repr(gathered.context)


@pytest.mark.parametrize(
    ("name", "text", "runtime", "said"),
    [
        (".qwen/settings.json", "{\"mcpServers\": 'x'}", None, "strings take double quotes in JSON; Qwen Code 0.21.10"),
        ("settings.json", "", "qwen-code", "overwrites it with {}"),
        (".mcp.json", "{", "qwen-code", "warns on stderr"),
        (".openhands/mcp.json", "{", None, "exit status 1"),
    ],
)
def test_over_a_file_that_cannot_be_parsed_the_hint_says_what_its_runtime_does(
    bench: Bench, name: str, text: str, runtime: str | None, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        gather(bench.request(Setup(text, runtime=runtime, name=name)))
    assert said in (caught.value.hint or "") and caught.value.place is not None


def test_a_file_that_nobody_named_is_judged_by_the_runtime_that_reads_it(bench: Bench) -> None:
    bench.write("~/.qwen/settings.json", "{")
    with pytest.raises(ConfigError) as caught:
        gather(bench.request(OPENCODE.but(runtime="qwen-code")))
    assert "overwrites it with {}" in (caught.value.hint or "")


def test_a_file_that_is_not_there_has_no_such_hint(bench: Bench) -> None:
    request = bench.request(Setup("{}", runtime="qwen-code", name="settings.json"))
    (bench.here / "settings.json").unlink()
    with pytest.raises(ConfigError) as caught:
        gather(request)
    assert "overwrites" not in (caught.value.hint or "")
