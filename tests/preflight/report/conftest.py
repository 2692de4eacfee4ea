"""Reports built by hand: one of the founding incident with neighbours of every status, one full of hostile text."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from contractd.documents import Document, parse
from contractd.errors import Place
from contractd.preflight.model import (
    FileView,
    Finding,
    ProviderView,
    Remedy,
    Report,
    Rule,
    RuntimeView,
    ToolView,
    verdict_of,
)

BASE = "/home/ada/project"
FILE = f"{BASE}/.qwen/settings.json"

SETTINGS = """\
{
  // my servers
  "mcpServers": {
    "mail": {
      "command": "python",
      "args": ["server.py", "--as", "planner"],
      "env": {
        "MAIL_TOKEN": "hunter2-and-more",
        "REGION": "${REGION}"
      }
    },
    "search": {"command": "search-server", "args": ["--api-key", "sk-live-0123456789abcdef"]},
    "wiki": {"httpUrl": "https://wiki.example/mcp?key=abcdef0123", "timeout": 5000},
    "drive": {"httpUrl": "https://drive.example/mcp"},
    "old": {"command": "old-server", "disabled": true},
    "big": {"command": "big-server"}
  }
}
"""

SHADOWING = Rule("CTD301", "builtin-shadowing", None, "A tool's own name is a built-in's: a call of it lands there.")
FAILED = Rule("CTD201", "provider-failed", "high", "A server could not be started or reached, or broke off.")
SECRET = Rule("CTD107", "plain-text-secret", None, "A credential stands in the configuration in plain text.")
UNSET = Rule("CTD108", "unset-variable", "medium", "A variable used in the configuration is not set.")
LOOK_ALIKE = Rule("CTD304", "look-alike-name", None, "Two names differ by so little that one passes for the other.")
NOT_CONTACTED = Rule("CTD207", "not-contacted", "info", "A server was not contacted.", undetermined=True)
UNAUTHORIZED = Rule("CTD206", "unauthorized", None, "A server refuses the credentials, or wants some.")
LOST = Rule("CTD405", "parameters-lost", "high", "A tool's input schema is nothing but $schema.")

NASTY = (
    "\x1b[2J\x1b]0;pwned\x07",
    "\u202egnissim\u2066",
    "a\nb\r\nc\rd\u2028e\x85f",
    "::error::pwned",
    "\n::error file=x,line=1::pwned",
    "word ::stop-commands::x",
    "##[error]pwned ##[group]x",
    "]]></failure><script>alert(1)</script>",
    "</td></tr></table>",
    "`code` ``` ~~~",
    "a|b\\|c\\",
    "[x](https://evil.example) ![i](https://evil.example/i.png) <img src=x onerror=y>",
    "@octocat #1 https://evil.example www.evil.example ada@evil.example :smile: $x$ *b* _b_ ~~s~~",
    "lone \ud800 surrogate \udfff",
    "n" * 500,
    "\u200bzero\u2060width\ufeff",
    "ｗｉｄｅ 表 e\u0301",
    "%0A::error::x",
    "<!-- --> &lt; &#64;x",
    "\x00\x7f\x9b31m",
    "\t- item\n# head\n---",
    "",
    "   ",
)


def finding(
    rule: Rule, severity: str, message: str, *, line: int | None = None, column: int = 5, **more: object
) -> Finding:
    """A finding in FILE."""
    place = Place(FILE, line, column if line else None, str(more.pop("pointer", "")))
    action = str(more.pop("action", "do something"))
    return Finding(rule, severity, message, action, place, **more)  # type: ignore[arg-type]


def report_of(
    findings: tuple[Finding, ...] = (),
    providers: tuple[ProviderView, ...] = (),
    tools: tuple[ToolView, ...] = (),
    **more: object,
) -> Report:
    """A report whose verdict follows from its findings."""
    verdict, undetermined = verdict_of(findings, "medium", frozenset())
    values: dict[str, object] = {
        "verdict": verdict,
        "runtime": RuntimeView(
            "qwen-code",
            "Qwen Code",
            "0.21.13",
            "program",
            "recognised by its place, .qwen/settings.json",
            data_version="0.21.10",
            conditions={"mode": "headless"},
            assumed={"approval": ("default", "yolo"), "team": ("off", "on"), "workflows": ("off",)},
        ),
        "files": (FileView(FILE, "project", "Qwen Code reads this file in project scope"),),
        "fail_on": "medium",
        "undetermined": undetermined,
    }
    return Report(findings=findings, providers=providers, tools=tools, **{**values, **more})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], None]:
    """Compare with a file of golden/; CONTRACTD_UPDATE_GOLDEN=1 writes it instead."""

    def compare(name: str, text: str) -> None:
        file = Path(__file__).parent / "golden" / name
        if os.environ.get("CONTRACTD_UPDATE_GOLDEN"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        assert text == file.read_text("utf-8")

    return compare


@pytest.fixture(scope="session")
def runner() -> Callable[[str], list[tuple[str, dict[str, str], str]]]:
    """What GitHub's runner makes of an output: the commands in it, as command, properties, data.

    Its rules (actions/runner, ActionCommand.cs): a line that starts with ``::`` after blanks, or ``##[`` anywhere.
    """

    def unescape(text: str) -> str:
        for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            text = text.replace(code, char)
        return text

    def commands(output: str) -> list[tuple[str, dict[str, str], str]]:
        found = []
        for line in re.split(r"\r\n|\r|\n", output):
            start = re.sub(r"\x1b\[[0-9;]*m", "", line).lstrip()
            if start.startswith("::") and "::" in start[2:]:
                head, _, data = start[2:].partition("::")
                name, _, given = head.partition(" ")
                pairs = (pair.partition("=") for pair in given.split(",") if pair)
                found.append((name, {key: unescape(value) for key, _, value in pairs}, unescape(data)))
            elif "##[" in line:
                found.append(("##[", {}, line))
        return found

    return commands


@pytest.fixture(scope="session")
def unsafe() -> Callable[[str], set[str]]:
    """The characters in a text that a reader would not see, or that would change what is seen."""

    def found(text: str) -> set[str]:
        return {
            char for char in text
            if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        }  # fmt: skip

    return found


@pytest.fixture(scope="session")
def make() -> Callable[..., Report]:
    """Build a report: findings, providers, tools, and any field of Report."""
    return report_of


@pytest.fixture(scope="session")
def make_finding() -> Callable[..., Finding]:
    """Build a finding in FILE: rule, severity, message, and any field of Finding."""
    return finding


@pytest.fixture(scope="session")
def documents() -> Mapping[str, Document]:
    """The settings file, parsed."""
    return {FILE: parse(FILE, SETTINGS.encode(), "json")}


@pytest.fixture(scope="session")
def incident() -> Report:
    """The founding incident, beside a server of every other kind."""
    return report_of(_findings(), _providers(), _tools(), notes=("2 findings of the baseline are gone",), hidden=1)


def _providers() -> tuple[ProviderView, ...]:
    at = {
        name: Place(FILE, line, 5, f"/mcpServers/{name}")
        for line, name in enumerate(("search", "wiki", "drive", "old", "big"), 12)
    }
    return (
        ProviderView(
            "mail", "mail", "stdio", "ready", "python server.py --as planner", Place(FILE, 4, 5, "/mcpServers/mail"),
            "project", era="legacy", protocol_version="2025-06-18", tools=3, seconds=0.412, budget=30.0, started=True,
            manifest_digest="sha256:" + "0" * 64,
        ),
        ProviderView(
            "search", "search", "stdio", "failed", "search-server --api-key ***", at["search"], "project",
            reason="it ended before it answered", signal="stdio-02", retryable=True, seconds=1.2, budget=30.0,
            exit_code=1,
            stderr_tail="Traceback (most recent call last):\nModuleNotFoundError: No module named 'search'\n",
            started=True,
            foreign=("hello",),
        ),
        ProviderView("wiki", "wiki", "http", "failed", "https://wiki.example/mcp", at["wiki"], "project",
                     reason="HTTP 401", signal="http-03", retryable=False, seconds=0.08, budget=5.0),
        ProviderView("drive", "drive", "http", "skipped", "https://drive.example/mcp", at["drive"], "project",
                     reason="declined"),
        ProviderView("old", "old", "stdio", "disabled", "old-server", at["old"], "project",
                     reason="disabled in its entry"),
        ProviderView("Big One", "big-one", "stdio", "ready", "big-server", at["big"], "project", era="modern",
                     protocol_version="2026-07-28", tools=20, seconds=0.9, budget=30.0, started=True),
    )  # fmt: skip


def _tools() -> tuple[ToolView, ...]:
    note = "its bare name goes to the built-in send_message"
    mail = (
        ToolView("mail", "list_agents", "mcp__mail__list_agents", "deferred", "shadowed", "sha256:" + "1" * 64,
                 "its bare name goes to the built-in list_agents"),
        ToolView("mail", "send_message", "mcp__mail__send_message", "deferred", "shadowed", "sha256:" + "2" * 64, note),
        ToolView("mail", "check_inbox", "mcp__mail__check_inbox", "deferred", "bound", "sha256:" + "3" * 64),
    )  # fmt: skip
    big = [ToolView("Big One", f"tool_{n}", f"mcp__Big_One__tool_{n}", "yes", "bound", "sha256:" + "4" * 64)
           for n in range(1, 19)]  # fmt: skip
    bad = ToolView("Big One", "broken", None, "no", "quarantined", None, "CTD405: its parameters are lost")
    long = "make_a_very_long_name_" * 6 + "end"
    out = ToolView("Big One", long, f"mcp__Big_One__{long}", "unknown", "excluded", "sha256:" + "5" * 64)
    return (*mail, *big, bad, out)


def _findings() -> tuple[Finding, ...]:
    deny = '{\n  "tools": {"disabled": ["send_message", "list_agents"]}\n}'
    return (
        finding(LOOK_ALIKE, "low", "wiki.send_mesage looks like mail.send_message", line=13, provider="mail",
                tool="send_message", confidence="low", pointer="/mcpServers/wiki"),
        finding(SHADOWING, "high", "a call of send_message lands in Qwen Code's built-in send_message: it answers "
                "\"Message broadcast to all teammates.\", and mail never hears of it", line=4, provider="mail",
                tool="send_message", retryable=False, pointer="/mcpServers/mail",
                action="take the built-in away, and name the tool mcp__mail__send_message in the instructions",
                remedies=(Remedy(FILE, deny),), details={"built-in": "send_message", "same job": False}),
        finding(SHADOWING, "medium", "a call of list_agents lands in Qwen Code's built-in", line=4, provider="mail",
                tool="list_agents", settled="tools.disabled takes the built-in away (.qwen/settings.json:20)"),
        finding(FAILED, "high", "search: it ended before it answered (exit code 1)", line=12, provider="search",
                retryable=True, action="run it by hand and read its stderr", pointer="/mcpServers/search"),
        finding(SECRET, "low", "mail: MAIL_TOKEN stands there in plain text", line=8, column=9, provider="mail",
                pointer="/mcpServers/mail/env/MAIL_TOKEN", action="write ${MAIL_TOKEN}, and set it in the environment"),
        finding(UNSET, "medium", "REGION is not set", line=9, column=9, provider="mail",
                pointer="/mcpServers/mail/env/REGION",
                suppressed="set on the build machine only"),
        finding(UNAUTHORIZED, "medium", "wiki: HTTP 401", line=13, provider="wiki", retryable=False, undetermined=True,
                pointer="/mcpServers/wiki", action="sign in through the runtime"),
        finding(NOT_CONTACTED, "info", "drive was not contacted: declined", line=14, provider="drive", retryable=True,
                undetermined=True, pointer="/mcpServers/drive", action="let it be contacted to know its tools"),
        finding(LOST, "high", "Big One: the input schema of broken is nothing but $schema", provider="Big One",
                tool="broken"),
    )  # fmt: skip


@pytest.fixture(scope="session")
def hostile() -> Report:
    """Every text that a server, a file or a path could bring, in every place where such text stands."""
    providers = tuple(
        ProviderView(text, f"p{n}", "stdio", "failed", text, Place(FILE, 4, 5, text), text, reason=text, signal=text,
                     era="legacy", protocol_version=text, stderr_tail=text, foreign=(text,), manifest_digest=text)
        for n, text in enumerate(NASTY)
    )  # fmt: skip
    tools = tuple(ToolView(text, text, text, "yes", "shadowed", text, text) for text in NASTY)
    findings = tuple(
        Finding(SHADOWING, "high", f"it is {text}", text, Place(text, 1, 1, text), provider=text, tool=text,
                subject=text,
                remedies=(Remedy(text, text, text),), details={text: text},
                settled=text if n % 3 == 1 else None, suppressed=text if n % 3 == 2 else None)
        for n, text in enumerate(NASTY)
    )  # fmt: skip
    runtime = RuntimeView("qwen-code", "Qwen Code", NASTY[0], "stated", NASTY[3], NASTY[1], NASTY[6],
                          dict.fromkeys(NASTY, "x\n::error::"), dict.fromkeys(NASTY, NASTY))  # fmt: skip
    files = tuple(FileView(text, text, text) for text in NASTY)
    return Report("not_ready", runtime, files, providers, tools, findings, "low", True, NASTY, 3, NASTY)
