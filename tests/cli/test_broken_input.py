"""Files that can't be what they should be: where, what, what to do; never a traceback, and nothing is started."""

from __future__ import annotations

import re

import pytest

from tests.cli.harness import Ran, Shell, offline, servers

CLAUDE = ("--runtime", "claude-code@2.1.332")

BROKEN = [
    # name of the file, its bytes, options, what is said after the file's name
    ("a.json", b"", CLAUDE, r":1:1: "),
    ("a.json", b"{", CLAUDE, r":1:2: "),
    ("a.json", b'{"mcpServers": {\n  "mail": {"command" "sh"}\n}}', CLAUDE, r":2:\d+: "),
    ("a.json", b'{"mcpServers": {}} x', CLAUDE, r":1:20: "),
    ("a.json", b'{"mcpServers": tru}', CLAUDE, r":1:16: "),
    ("a.json", b"[1, 2]", CLAUDE, r":1:1: "),
    ("a.json", b'"text"', CLAUDE, r":1:1: "),
    ("a.json", b"\xff\xfe\xfd", CLAUDE, r""),
    ("a.json", b'{"a":\n "\xff"}', CLAUDE, r":2: the file is not UTF-8 text"),
    ("a.json", b"[" * 100_000, CLAUDE, r":1:\d+: "),
    ("a.json", b'{"mcpServers": {}} // mine', CLAUDE, r":1:20: .*comments"),
    ("a.json", b'{"mcpServers": {},}', CLAUDE, r":1:\d+: .*trailing comma"),
    ("a.json", b" " * 9_000_000, CLAUDE, r": the file has 8,388,609 bytes"),
    ("a.json", b'{"x": 1' + b"0" * 6000 + b"}", CLAUDE, r":1:\d+: "),
    ("config.toml", b"[mcp_servers.mail]\ncommand = sh\n", ("--runtime", "codex-cli"), r":2:11: not valid TOML"),
    ("config.toml", b"[a\n", ("--runtime", "codex-cli"), r":1:\d+: not valid TOML"),
    ("config.toml", b"a = 1\na = 2\n", ("--runtime", "codex-cli"), r":2:\d+: not valid TOML"),
    ("config.yaml", b"extensions:\n  mail: [\n", ("--runtime", "goose"), r":\d+:\d+: "),
    ("config.yaml", b"extensions:\n\t- x\n", ("--runtime", "goose"), r":2:\d+: "),
    ("config.yaml", b"a: &a [*a, *a]\n", ("--runtime", "goose"), r""),
    ("config.yaml", b"- a\n- b\n", ("--runtime", "goose"), r":1:1: "),
]


def in_one_line(done: Ran) -> str:
    """The message of a run that ended with a usage error: one line, and perhaps a hint below it."""
    assert (done.code, done.out) == (2, ""), done
    first, _, rest = done.err.partition("\n")
    assert first.startswith("error: ")
    assert rest == "" or re.fullmatch(r"\nhint: [^\n]+\n", rest), rest
    assert "Traceback" not in done.err
    return first.removeprefix("error: ")


@pytest.mark.parametrize(
    ("name", "data", "options", "said"), BROKEN, ids=[f"{row[0]} {row[1][:24]!r}" for row in BROKEN]
)
def test_a_broken_configuration_is_named_with_line_and_column(
    shell: Shell, name: str, data: bytes, options: tuple[str, ...], said: str
) -> None:
    shell.write(name, data)
    message = in_one_line(shell.quick(*offline("--config", name, *options)))
    assert re.match(re.escape(name) + said, message), message


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing.json", "missing.json: can't be read: there is no such file"),
        (".", ".: can't be read: it is a folder"),
        ("/dev/zero", "/dev/zero: can't be read: it is no regular file"),
        ("a.json/b.json", "a.json/b.json: can't be read: Not a directory"),
        ("x" * 300, "can't be read: File name too long"),
        ("loop.json", "can't be read: Too many levels of symbolic links"),
    ],
)
def test_a_file_that_can_t_be_read_says_why(shell: Shell, path: str, said: str) -> None:
    shell.write("a.json", "{}")
    (shell.work / "loop.json").symlink_to("loop.json")
    for option in ("--config", "--policy", "--baseline"):
        assert said in in_one_line(shell.quick(*offline("--config", "a.json", *CLAUDE, option, path)))


SETTINGS = [
    ("[preflight]\nfail_on = 'loud'\n", r":2:1: preflight\.fail_on: "),
    ("[preflight]\nfail-on = 'low'\n", r":2:1: preflight\.fail-on is no setting of contractd"),
    ("[preflight]\nexpect = ['mail']\n", r":2:1: preflight\.expect\.0: "),
    ("version = 2\n", r":1:1: version: "),
    ("[[suppress]]\nrule = 'CTD301'\nreason = 'agreed'\n\n[[suppress]]\nrule = 'CTD302'\nreason = ''\n", r":7:1: "),
    ("[[suppress]]\nrule = 'CTD301'\n", r":1:1: suppress\.0\.reason: "),
    ("[providers.mail]\ncommand = ['sh']\nurl = 'http://x'\n", r":1:1: providers\.mail: give exactly one of"),
    ("[providers.mail]\ncommand = 'sh'\n", r":2:1: providers\.mail\.command: "),
    ("[consent]\nallow = ['mail']\n", r":2:1: consent\.allow\.0: "),
    ("[preflight.conditions]\nmode = 'sideways'\n", r":2:1: condition mode has no value 'sideways'"),
    ("[preflight.conditions]\nmood = 'good'\n", r":2:1: no condition 'mood' is known"),
    ("[preflight]\nignore = ['CTD999']\n", r":2:1: 'CTD999' is no rule"),
    ("[preflight\n", r":1:\d+: not valid TOML"),
    ("preflight = 3\n", r":1:1: preflight: "),
]


@pytest.mark.parametrize(("text", "said"), SETTINGS, ids=[row[0][:40].replace("\n", " ") for row in SETTINGS])
def test_a_slip_in_the_settings_is_named_with_its_line(shell: Shell, text: str, said: str) -> None:
    shell.write("a.json", servers(mail={"command": "sh"}))
    path = shell.write("contractd.toml", text)
    done = shell.quick("preflight", "--yes", "--config", "a.json", *CLAUDE)
    message = in_one_line(done)
    assert re.match(re.escape(str(path)) + said, message), message
    assert "contractd.toml" in message
    if "no setting" in message:
        assert "contractd config schema prints what the file may hold" in done.err


def test_the_same_slip_in_a_pyproject_has_its_line_there(shell: Shell) -> None:
    shell.write("a.json", servers(mail={"command": "sh"}))
    path = shell.write("pyproject.toml", "[project]\nname = 'x'\n\n[tool.contractd.preflight]\nfail_on = 'loud'\n")
    message = in_one_line(shell.quick(*offline("--config", "a.json", *CLAUDE)))
    assert message.startswith(f"{path}:5:1: preflight.fail_on: ")


@pytest.mark.parametrize(
    ("args", "said", "hint"),
    [
        (["preflght"], "there is no command 'preflght'", "did you mean preflight?"),
        (["xyzzy"], "there is no command 'xyzzy'", "contractd --help lists them"),
        (["preflight", "--offlin"], "there is no option '--offlin'", "did you mean --offline?"),
        (["preflight", "x"], "got unexpected extra argument (x)", "contractd preflight --help"),
        (["preflight", "--runtime", "clod"], "no runtime is called 'clod'", "there are claude-code, cline"),
        (["preflight", "--runtime", "qwen@new"], "'new' is no version", "write it as qwen-code@1.2.3"),
        (["preflight", "--condition", "mode"], "--condition 'mode' is not KEY=VALUE", ""),
        (["preflight", "--expect", "mail"], "--expect 'mail' is not SERVER.TOOL", ""),
        (["preflight", "--select", "CTD3O1"], "'CTD3O1' is no rule", "did you mean CTD301?"),
        (["preflight", "--condition", "mood=x"], "no condition 'mood' is known for this runtime", "there are: "),
        (["explain", "builtin-shadow"], "'builtin-shadow' is no rule", "did you mean builtin-shadowing?"),
        (["preflight", "--timeout", "0"], "0.0 is not in the range", "contractd preflight --help"),
    ],
)
def test_a_slip_on_the_command_line_says_what_was_meant(shell: Shell, args: list[str], said: str, hint: str) -> None:
    shell.write("~/.claude.json", servers(mail={"command": "sh"}))
    env = {} if "--runtime" in args else {"CONTRACTD_RUNTIME": "claude-code"}
    done = shell.quick(*args, env=env)
    assert said in in_one_line(done)
    assert hint in done.err


def test_a_process_of_its_own_says_the_same(shell: Shell) -> None:
    shell.write("a.json", b'{"mcpServers": tru}')
    for args in (offline("--config", "a.json", *CLAUDE), ("preflght",), ("preflight", "--timeout", "0")):
        alone, quick = shell.run(*args), shell.quick(*args)
        assert in_one_line(alone) == in_one_line(quick)


def test_hostile_names_in_errors_can_t_touch_the_terminal(shell: Shell) -> None:
    for args in (["\x1b[2J"], ["explain", "\x1b]0;x\x07"], ["preflight", "--runtime", "\x1b[2J"]):
        message = in_one_line(shell.quick(*args))
        assert "\x1b" not in message
        assert "\x07" not in message
