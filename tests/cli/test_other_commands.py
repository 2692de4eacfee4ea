"""explain, rules, config, schema, and the version."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from contractd._version import __version__
from contractd.preflight.catalogue import RULES
from contractd.preflight.pages import all_pages, page
from tests.cli.harness import SEND, Shell, servers, stub

QWEN = "qwen-code@0.21.10"


def test_the_version(shell: Shell) -> None:
    for option in ("--version", "-V"):
        done = shell.quick(option)
        assert (done.code, done.out, done.err) == (0, f"contractd, version {__version__}\n", "")


def test_without_a_command_the_help_is_shown_as_an_error(shell: Shell) -> None:
    for args in ((), ("config",)):
        done = shell.quick(*args)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("Usage: ")
        assert "Commands:" in done.err


# ---- explain


@pytest.mark.parametrize("word", ["CTD301", "ctd301", "builtin-shadowing", "Builtin-Shadowing"])
def test_a_rule_s_page_is_found_by_id_or_name(shell: Shell, word: str) -> None:
    done = shell.quick("explain", word)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("# CTD301 builtin-shadowing\n")


def test_every_rule_is_listed(shell: Shell) -> None:
    for args in (("explain",), ("explain", "--all")):
        assert re.findall(r"^CTD\d+", shell.quick(*args).out, re.MULTILINE) == [rule.id for rule in RULES]
    rows = json.loads(shell.quick("explain", "--all", "--format", "json").out)
    assert [row["name"] for row in rows] == [rule.name for rule in RULES]
    one = json.loads(shell.quick("explain", "CTD207", "--format", "json").out)
    assert one["id"] == "CTD207"
    assert "keeps the verdict from `ready`" in one["page"]


def test_pages_and_the_page_of_all_of_them_say_one_thing() -> None:
    everything = all_pages()
    for rule in RULES:
        assert f"## {rule.id} {rule.name}\n" in everything
        assert page(rule).splitlines()[2] in everything


# ---- schema and config


def test_the_report_keeps_to_its_published_schema(shell: Shell) -> None:
    schema = json.loads(shell.quick("schema", "report").out)
    shell.write("qwen.json", servers(mail=stub("listed", listed=[SEND]), gone={"command": "no-such-program"}))
    done = shell.run("preflight", "--config", "qwen.json", "--runtime", QWEN, "--yes", "--format", "json")
    jsonschema.validate(done.report, schema)


@pytest.mark.parametrize("name", ["report", "manifest", "config"])
def test_every_schema_is_one(shell: Shell, name: str) -> None:
    done = shell.quick("schema", name)
    assert (done.code, done.err) == (0, "")
    jsonschema.Draft202012Validator.check_schema(json.loads(done.out))


def test_the_schema_of_the_settings_is_printed_in_both_places(shell: Shell) -> None:
    assert shell.quick("schema", "config").out == shell.quick("config", "schema").out


def test_every_setting_is_shown_with_the_file_and_line_of_its_value(shell: Shell) -> None:
    text = '[preflight]\nfail_on = "low"\n\n[tools."mail.send"]\neffect = "write"\n'
    path = shell.write("contractd.toml", text)
    done = shell.quick("config", "show")
    assert (done.code, done.err) == (0, "")
    assert f'"low"  # {path}:2:1' in done.out
    assert 'tools."mail.send".effect' in done.out
    assert f'"write"  # {path}:5:1' in done.out
    assert re.search(r"^preflight\.select +\[\]  # default$", done.out, re.MULTILINE)
    defaults = shell.quick("config", "show", "--no-policy").out
    assert str(path) not in defaults
    assert "# default" in defaults


def test_settings_that_were_named_are_shown_alone(shell: Shell) -> None:
    shell.write("contractd.toml", '[preflight]\nfail_on = "low"\n')
    shell.write("ci.toml", '[preflight]\nfail_on = "high"\n')
    assert '"high"  # ci.toml:2:1' in shell.quick("config", "show", "--policy", "ci.toml").out


def test_secrets_in_the_settings_are_not_shown(shell: Shell) -> None:
    secret = "kX8v2Lq9Zp1Rt5mB"
    shell.write(
        "contractd.toml",
        f'[providers.a]\ncommand = ["server", "--token", "{secret}"]\n[providers.a.env]\nAPI_KEY = "{secret}"\n'
        f'[providers.b]\nurl = "https://x.example/mcp?api_key={secret}"\n[providers.b.headers]\n'
        f'Authorization = "Bearer {secret}"\n',
    )
    for form in ("text", "json"):
        done = shell.quick("config", "show", "--format", form)
        assert done.code == 0
        assert secret not in done.out
        assert done.out.count("***") == 4


# ---- rules


def test_the_paragraph_names_the_tools_the_built_ins_and_what_counts_as_done(shell: Shell) -> None:
    tools = [SEND, {"name": "check_inbox", "inputSchema": {"type": "object"}}]
    shell.write("qwen.json", servers(mail=stub("listed", listed=tools)))
    args = ("rules", "--config", "qwen.json", "--runtime", QWEN, "--yes", "-q")
    done = shell.run(*args)
    assert done.code == 1
    assert done.err == "note: preflight says not_ready; contractd preflight shows why\n"
    assert "- `mcp__mail__send_message`: `send_message` of the server `mail` (search first)" in done.out
    assert "`send_message` is a built-in tool of this program and reaches none of these servers." in done.out
    assert "Never replace it by a tool with a similar name" in done.out
    assert "A step is done when the tool's own result says so" in done.out
    only = shell.run(*args, "--expect", "mail.check_inbox")
    assert "check_inbox" in only.out
    assert "send_message" not in only.out


def test_an_expected_tool_that_is_not_there_is_told_and_not_written_down(shell: Shell) -> None:
    shell.write("qwen.json", servers(mail=stub("listed", listed=[SEND])))
    shell.write("contractd.toml", '[preflight]\nexpect = ["mail.send_message", "mail.check_inbox"]\n')
    done = shell.run("rules", "--config", "qwen.json", "--runtime", QWEN, "--yes", "-q", "-o", "rules.md")
    assert (done.code, done.out) == (1, "")
    assert "note: mail.check_inbox is expected and not there, so the paragraph does not name it\n" in done.err
    text = (shell.work / "rules.md").read_text()
    assert "`send_message` of the server `mail`" in text
    assert "check_inbox" not in text


def test_without_any_tool_there_is_no_paragraph(shell: Shell) -> None:
    shell.write("qwen.json", servers(mail=stub("listed", listed=[SEND])))
    args = ("rules", "--config", "qwen.json", "--runtime", QWEN, "-q", "-o", "rules.md")
    done = shell.run(*args)
    assert (done.code, done.out) == (3, "")
    assert not (shell.work / "rules.md").exists()
    shell.write("qwen.json", servers(mail=stub("listed", listed=[])))
    empty = shell.run("rules", "--config", "qwen.json", "--runtime", "claude-code", "-q", "-o", "rules.md", "--yes")
    assert empty.code == 2
    assert empty.err.startswith("error: no server offers a tool")
