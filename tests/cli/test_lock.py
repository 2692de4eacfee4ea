"""``contractd lock``, ``preflight --lock`` and ``diff`` with locks and configurations, as a shell runs them."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Shell, servers, stub

SEND = {
    "name": "send",
    "description": "Send it.",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
}
FIND = {"name": "find", "description": "Find it.", "inputSchema": {"type": "object", "properties": {}}}
RENAMED = {
    **SEND,
    "inputSchema": {"type": "object", "properties": {"target": {"type": "string"}}, "required": ["target"]},
}
WIDER = {
    **SEND,
    "inputSchema": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "cc": {"type": "string"}},
        "required": ["to"],
    },
}
POLICY = '[providers.mail]\nmanifest = "mail.json"\n'
LOCK = ("lock", "-q", "--config", "contractd.toml")
PREFLIGHT = ("preflight", "-q", "--config", "contractd.toml", "--format", "json")


def offers(shell: Shell, *tools: dict[str, Any]) -> None:
    """What the server lists from now on; a manifest file stands for it, so that nothing has to be started."""
    shell.write("mail.json", json.dumps({"schema_version": "1", "tools": tools}))


def blocks(shell: Shell) -> list[str]:
    """The tools that have a block in the lock."""
    lines = (shell.work / "contracts.lock").read_text("utf-8").splitlines()
    return [line.split('"')[1] for line in lines if line.startswith("[tool.")]


@pytest.fixture
def mail(shell: Shell) -> Shell:
    """A folder with a lock of one server with two tools."""
    shell.write("contractd.toml", POLICY)
    offers(shell, FIND, SEND)
    done = shell.quick(*LOCK)
    assert (done.code, done.err) == (0, "")
    assert "✓ contracts.lock written: 2 tools of 1 server (2 accepted)" in done.out
    return shell


def test_a_lock_that_holds_is_not_written_again(mail: Shell) -> None:
    before = (mail.work / "contracts.lock").stat().st_mtime_ns
    done = mail.quick(*LOCK)
    assert (done.code, done.out) == (0, "✓ contracts.lock is up to date: 2 tools of 1 server (2 unchanged)\n")
    assert (mail.work / "contracts.lock").stat().st_mtime_ns == before
    assert mail.quick(*LOCK, "--check").code == 0
    assert mail.quick(*PREFLIGHT, "--lock").report["findings"] == []


def test_what_differs_is_told_and_not_accepted(mail: Shell) -> None:
    before = (mail.work / "contracts.lock").read_bytes()
    offers(mail, FIND, RENAMED)
    for more in ((), ("--check",), ("--dry-run",)):
        done = mail.quick(*LOCK, *more)
        assert done.code == 1
        assert "mail.send: a call that was valid is refused now: target is required" in done.out
        assert '{"name": "send", "arguments": {"to": ""}}' in done.out
        assert "contractd lock --config contractd.toml --upgrade mail.send" in " ".join(done.out.split())
        assert (mail.work / "contracts.lock").read_bytes() == before
    done = mail.quick(*PREFLIGHT, "--lock")
    assert (done.code, done.rules()) == (1, ["CTD410"])


def test_what_is_named_is_accepted(mail: Shell) -> None:
    offers(mail, RENAMED)
    dry = mail.quick(*LOCK, "--upgrade", "mail.send", "--dry-run")
    assert "~ mail.send changed: breaking-drift" in dry.out
    assert dry.out.endswith("nothing was written (1 accepted, 1 difference not accepted)\n")
    assert (mail.quick(*LOCK, "--upgrade", "mail.send").code, blocks(mail)) == (1, ["mail.find", "mail.send"])
    done = mail.quick(*LOCK, "--upgrade", "mail", "--format", "json")
    said = json.loads(done.out)
    assert (done.code, said["verdict"], said["written"]) == (0, "ready", True)
    assert said["accepted"] == [{"tool": "mail.find", "became": "removed", "how": "named", "rules": ["tool-removed"]}]
    assert blocks(mail) == ["mail.send"]
    assert mail.quick(*LOCK, "--check").code == 0


def test_a_safe_widening_is_accepted_by_policy_and_check_tells_that_the_lock_is_behind(mail: Shell) -> None:
    mail.write("contractd.toml", POLICY + '[lock]\naccept = ["compatible-drift"]\n')
    offers(mail, FIND, WIDER)
    checked = mail.quick(*LOCK, "--check")
    assert (checked.code, "nothing was written (1 accepted, 1 unchanged)" in checked.out) == (1, True)
    done = mail.quick(*LOCK)
    assert (done.code, done.out.splitlines()[0]) == (0, "~ mail.send changed: compatible-drift, by lock.accept")
    assert mail.quick(*LOCK, "--check").code == 0


def test_the_first_lock_is_written_where_the_policy_says(shell: Shell) -> None:
    shell.write("contractd.toml", POLICY + '[lock]\nfile = "contracts.lock"\n')
    offers(shell, FIND)
    assert (shell.quick(*LOCK).code, blocks(shell)) == (0, ["mail.find"])
    assert shell.quick(*PREFLIGHT).report["findings"] == []


@pytest.mark.parametrize("named", ["mail.send", "mail"])
def test_a_block_that_was_edited_is_written_anew_when_it_is_named(mail: Shell, named: str) -> None:
    text = (mail.work / "contracts.lock").read_text("utf-8")
    mail.write("contracts.lock", text.replace("Send it.", "Send it to me."))
    assert mail.quick(*LOCK).code == mail.quick(*LOCK, "--upgrade", "mail.find").code == 2
    done = mail.quick(*LOCK, "--upgrade", named)
    assert (done.code, done.out.splitlines()[0]) == (0, "+ mail.send new: tool-not-locked")
    assert mail.quick(*LOCK, "--check").code == 0


def test_a_tool_that_is_none_is_told_whenever_a_lock_is_written_or_checked(shell: Shell) -> None:
    shell.write("contractd.toml", POLICY)
    offers(shell, FIND, {"name": "bad", "inputSchema": {"type": 5}})
    for more in ((), ("--check",)):
        assert "mail: offline the lock can't stand in for it: bad is no valid tool" in shell.quick(*LOCK, *more).out


def test_a_lock_in_the_root_speaks_for_the_same_server_from_a_folder_below(shell: Shell) -> None:
    entry = stub(tools=1)
    copied = shell.work / "stub.py"
    shutil.copy(Path(entry["args"][2]), copied)
    shell.write(
        "servers.json",
        servers(mail={**entry, "args": ["-S", "-E", str(copied), "legacy", "{}"], "cwd": str(shell.work)}),
    )
    assert shell.run("lock", "--config", "servers.json", "--runtime", "contractd", "--yes", "-q").code == 0
    below = shell.work / "tools"
    below.mkdir()
    args = ("preflight", "--config", "../servers.json", "--runtime", "contractd", "--offline", "--format", "json")
    done = shell.run(*args, "--lock", "../contracts.lock", cwd=below)
    assert (done.code, done.report["providers"][0]["status"]) == (0, "locked")


def test_a_check_without_a_lock_and_other_slips_are_exit_status_2(shell: Shell) -> None:
    shell.write("contractd.toml", POLICY)
    offers(shell, FIND)
    for args, said in (
        ((*LOCK, "--check"), "contracts.lock: there is no such lock"),
        ((*LOCK, "--check", "--upgrade", "mail"), "--check compares and --upgrade accepts"),
        ((*LOCK, "--upgrade", "post"), "--upgrade post: no server is called so"),
        ((*LOCK, "--lock", "none/contracts.lock"), "there is no folder none"),
        ((*LOCK, "--offline"), "there is no option '--offline'"),
        ((*PREFLIGHT, "--lock"), "contracts.lock: there is no such lock"),
        (("diff", "mail.json", "contractd.toml", "--provider", "post"), "--provider post: neither side has it"),
    ):
        done = shell.quick(*args)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
    assert not (shell.work / "contracts.lock").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"to"', '"too"', "the contract of mail.send is not the one that was accepted: its digest is another"),
        ('format = "1.0"', 'format = "2.0"', "the lock has format 2.0; this contractd reads 1.x"),
        ("[provider.mail]", "<<<<<<< HEAD\n[provider.mail]", "it holds a merge conflict"),
    ],
)
@pytest.mark.parametrize("args", [LOCK, (*PREFLIGHT, "--lock"), ("diff", "contracts.lock", "mail.json")])
def test_a_lock_that_can_not_be_read_is_exit_status_2_with_its_line(
    mail: Shell, args: tuple[str, ...], old: str, new: str, said: str
) -> None:
    text = (mail.work / "contracts.lock").read_text("utf-8")
    mail.write("contracts.lock", text.replace(old, new))
    done = mail.quick(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: contracts.lock:")
    assert said in done.err
    assert (mail.work / "contracts.lock").read_text("utf-8") == text.replace(old, new)


def test_a_diff_takes_locks_manifests_and_configurations_on_either_side(mail: Shell) -> None:
    offers(mail, FIND, RENAMED, {**FIND, "name": "list"})
    sides = {"lock": "contracts.lock", "manifest": "mail.json", "live": "contractd.toml"}
    for old, new, rules in (
        ("lock", "manifest", ["CTD410"]),
        ("lock", "live", ["CTD410"]),
        ("live", "lock", ["CTD410", "CTD414"]),
        ("manifest", "lock", ["CTD410", "CTD414"]),
        ("manifest", "live", []),
        ("live", "live", []),
        ("lock", "lock", []),
    ):
        done = mail.quick("diff", sides[old], sides[new], "--format", "json")
        assert (old, new, done.rules()) == (old, new, rules), done.err
        assert done.code == (1 if rules else 0)
        drift = done.report["drift"]
        assert (drift["old"]["file"], drift["new"]["file"]) == (sides[old], sides[new])
    done = mail.quick("diff", "contracts.lock", "contractd.toml", "--format", "json")
    assert done.report["drift"]["tools"]["breaking"] == ["mail.send"]
    assert done.report["drift"]["tools"]["added"] == ["mail.list"]
    assert {finding["provider"] for finding in done.report["findings"]} == {"mail"}


def test_a_diff_of_several_servers_asks_which_one_a_manifest_is_of(mail: Shell) -> None:
    mail.write("contractd.toml", POLICY + '[providers.post]\nmanifest = "post.json"\n')
    mail.write("post.json", json.dumps({"schema_version": "1", "tools": [FIND]}))
    done = mail.quick("diff", "mail.json", "contractd.toml")
    assert (done.code, done.out) == (2, "")
    assert "hint: --provider NAME says which: mail and post" in done.err
    assert mail.quick("diff", "mail.json", "contractd.toml", "--provider", "mail").code == 0
    new = mail.quick("diff", "contracts.lock", "contractd.toml", "--format", "json")
    assert (new.code, new.report["notes"]) == (0, ["post is new, with 1 tool: find"])
    gone = mail.quick("diff", "contractd.toml", "contracts.lock", "--format", "json")
    assert (gone.code, gone.rules()) == (1, ["CTD414"])
    assert "post is not in contracts.lock: its 1 tool is gone (find)" in gone.out


def test_a_file_that_is_none_of_the_three_is_an_error(shell: Shell) -> None:
    shell.write("x.json", '{"tool": []}')
    shell.write("x.yaml", "a: 1\n")
    for name in ("x.json", "x.yaml"):
        done = shell.quick("diff", name, name)
        assert (done.code, done.out) == (2, "")
        assert f"error: {name}:1" in done.err
        assert "hint: a lock (contracts.lock), an agent runtime's configuration, or a manifest" in done.err


def test_a_server_that_is_started_is_locked_and_stands_in_offline(shell: Shell) -> None:
    spawns = shell.folder / "spawns"
    shell.write(".mcp.json", servers(mail=stub(tools=2, spawns=str(spawns))))
    args = ("--config", ".mcp.json", "--runtime", "claude-code@2.1.332")
    refused = shell.run("lock", *args, "-q")
    assert (refused.code, spawns.exists()) == (3, False)
    assert "? mail could not be compared: nobody agreed to it" in " ".join(refused.out.split())
    assert shell.run("lock", *args, "--yes", "-q").code == 0
    assert len(blocks(shell)) == 2
    offline = shell.run("preflight", *args, "--offline", "--lock", "--format", "json")
    assert (offline.code, offline.report["verdict"]) == (0, "ready")
    assert [row["status"] for row in offline.report["providers"]] == ["locked"]
    assert shell.run("preflight", *args, "--offline", "--format", "json").code == 3
    same = shell.run("diff", "contracts.lock", ".mcp.json", "--yes", "-q", "--runtime", "claude-code@2.1.332")
    assert (same.code, "✓ ready: 2 unchanged" in same.out) == (0, True)
    unasked = shell.run("diff", "contracts.lock", ".mcp.json", "--format", "json")
    assert (unasked.code, unasked.rules()) == (3, ["CTD415"])
    assert len(spawns.read_text().splitlines()) == 2


def test_a_lock_is_the_same_in_another_checkout(shell: Shell) -> None:
    """The project's folder stands as ``.``: a colleague's lock speaks for the same server elsewhere."""
    copies = [shell.folder / name for name in ("one", "two")]
    for copy in copies:
        copy.mkdir()
        entry = {"command": sys.executable, "args": ["-S", "-E", str(copy / "stub.py"), "legacy", "{}"]}
        shutil.copy(Path(stub()["args"][2]), copy / "stub.py")
        (copy / "servers.json").write_text(servers(mail=entry), "utf-8")
    args = ("--config", "servers.json", "--runtime", "contractd")
    assert shell.run("lock", *args, "--yes", "-q", cwd=copies[0]).code == 0
    shutil.copy(copies[0] / "contracts.lock", copies[1])
    done = shell.run("preflight", *args, "--offline", "--lock", "--format", "json", cwd=copies[1])
    assert (done.code, done.report["providers"][0]["status"]) == (0, "locked")
