"""CTD3xx: one name, two tools; and what the model gets to see."""

from __future__ import annotations

from tests.preflight.pairs.pair import SH, Pair, setup
from tests.preflight.situations import MARK, Setup, tool

OK = setup(SH)
GET = tool("get_x", "id")
SEND = tool("send_message", "target", "text")
QWEN, GEMINI, CODEX, OPENCODE = "qwen-code@0.21.10", "gemini-cli@0.61.0", "codex-cli@0.171.0", "opencode@1.18.18"


def two(first: str, second: str, runtime: str, mark: bool = True) -> Setup:
    """Two servers, the second marked."""
    return Setup(
        f'{{"mcpServers": {{"{first}": {{"command": "sh", "trust": true}},\n'
        f'{MARK if mark else ""}"{second}": {{"command": "sh", "args": ["2"], "trust": true}}}}}}',
        runtime=runtime,
    )


LOCAL = (
    '{{"mcp": {{"{0}": {{"type": "local", "command": ["sh"]}},\n{1}"{2}": {{"type": "local", "command": ["sh"]}}}}}}'
)

PAIRS = [
    Pair(
        "CTD301",
        setup(SH, runtime=QWEN).but(tools={"mail": [SEND]}),
        setup(SH, runtime=QWEN).but(tools={"mail": [tool("post_letter", "target", "text")]}),
        "high",
        "A call of send_message lands in the built-in. The server is reached as mcp__mail__send_message only",
        "take the built-in away, and name the tool in instructions as mcp__mail__send_message",
        provider="mail",
        tool="send_message",
        remedy='{"tools": {"disabled": ["send_message"]}}',
    ),
    Pair(
        "CTD301",
        OK.but(tools={"mail": [SEND]}),
        OK.but(tools={"mail": [tool("send_letter", "target", "text")]}),
        "medium",
        "SendMessage is Claude Code's own tool, and send_message reads as the same. A call of send_message is refused "
        "with an error, one of SendMessage lands in the built-in",
        "take the built-in away",
        provider="mail",
        tool="send_message",
        about="folded",
    ),
    Pair(
        "CTD302",
        Setup(
            '{"mcpServers": {"a b": {"command": "sh", "trust": true},\n'
            f'{MARK}"a_b": {{"command": "sh", "args": ["2"], "trust": true}}}}}}',
            {"a b": [GET], "a_b": [GET]},
            GEMINI,
        ),
        Setup(
            '{"mcpServers": {"a b": {"command": "sh"}, "a_c": {"command": "sh"}}}',
            {"a b": [GET], "a_c": [GET]},
            GEMINI,
        ),
        "medium",
        "get_x of a b and get_x of a_b are both mcp_a_b_get_x to the model: whoever connects last wins, so which one "
        "wins changes from run to run",
        "rename one of the servers",
        provider="a_b",
        tool="get_x",
    ),
    Pair(
        "CTD302",
        OK.but(tools={"mail": [GET, tool("get_x", "id", "more")]}),
        OK.but(tools={"mail": [GET, tool("get_z", "id", "more")]}),
        "medium",
        "mail lists get_x twice",
        "names must be unique within it",
        provider="mail",
        tool="get_x",
        about="within one server",
    ),
    Pair(
        "CTD303",
        two("a", "a_b", GEMINI).but(tools={"a": [tool("b_send", "x")], "a_b": [tool("send", "x")]}),
        two("a", "a_b", GEMINI, mark=False).but(tools={"a": [tool("c_send", "x")], "a_b": [tool("send", "x")]}),
        "high",
        "b_send of a and send of a_b are both mcp_a_b_send to the model",
        "rename one of the servers",
        provider="a_b",
        tool="send",
    ),
    Pair(
        "CTD303",
        OK.but(runtime=GEMINI, tools={"mail": [tool("get/x", "id"), tool("get x", "id")]}),
        OK.but(runtime=GEMINI, tools={"mail": [tool("get.x", "id"), tool("get x", "id")]}),
        "medium",
        "get/x of mail and get x of mail are both mcp_mail_get_x to the model: only one of them is left",
        "rename one of the tools",
        provider="mail",
        tool="get x",
        about="within one server",
    ),
    Pair(
        "CTD304",
        two("mail", "post", "contractd").but(
            tools={"mail": [tool("send_mail", "to")], "post": [tool("sеnd_mail", "to")]}
        ),
        two("mail", "post", "contractd", mark=False).but(
            tools={"mail": [tool("send_mail", "to")], "post": [tool("sand_mail", "day")]}
        ),
        "medium",
        "sеnd_mail of post differs from send_mail of mail by letters that look the same but are not",
        "make sure which of the two is meant",
        provider="post",
        tool="sеnd_mail",
        about="look-alike letters",
    ),
    Pair(
        "CTD304",
        two("mail", "post", "contractd").but(
            tools={"mail": [tool("list_issues", "repo")], "post": [tool("list_issue", "repo")]}
        ),
        two("mail", "post", "contractd", mark=False).but(
            tools={"mail": [tool("list_part1", "repo")], "post": [tool("list_part2", "repo")]}
        ),
        "low",
        "list_issue of post differs from list_issues of mail by one character",
        "say in instructions which of the two is meant",
        provider="post",
        tool="list_issue",
        confidence="medium",
        about="one slip of the finger",
    ),
    Pair(
        "CTD304",
        OK.but(runtime=GEMINI, tools={"mail": [tool("read_files", "file_path")]}),
        OK.but(runtime=GEMINI, tools={"mail": [tool("read_files", "ids")]}),
        "low",
        "read_files of mail differs from the built-in read_file by one character",
        "say in instructions which of the two is meant",
        provider="mail",
        tool="read_files",
        confidence="medium",
        about="beside a built-in",
    ),
    Pair(
        "CTD305",
        Setup(LOCAL.format("a", MARK, "mail"), {"a": [GET], "mail": [tool("x" * 60, "id")]}, OPENCODE, "opencode.json"),
        Setup(LOCAL.format("a", "", "mail"), {"a": [GET], "mail": [tool("x" * 50, "id")]}, OPENCODE, "opencode.json"),
        "medium",
        "65 characters, which some providers of models refuse, and with it the whole list of tools",
        "leave the tool out, or shorten the server's name",
        provider="mail",
        tool="x" * 60,
        confidence="medium",
    ),
    Pair(
        "CTD305",
        OK.but(runtime="cursor", tools={"mail": [tool("x" * 60, "id")]}),
        OK.but(runtime="cursor", tools={"mail": [tool("x" * 40, "id")]}),
        "medium",
        "is dropped by Cursor: its name would have 64 characters, more than the 59 it keeps",
        "give the server or the tool a shorter or plainer name",
        provider="mail",
        tool="x" * 60,
        about="dropped by the runtime",
    ),
    Pair(
        "CTD306",
        Setup(
            LOCAL.format("comms", MARK, "apply"),
            {"comms": [GET], "apply": [tool("patch", "text")]},
            OPENCODE,
            "opencode.json",
        ),
        Setup(
            LOCAL.format("comms", "", "apply"),
            {"comms": [GET], "apply": [tool("patches", "text")]},
            OPENCODE,
            "opencode.json",
        ),
        "high",
        "patch of apply becomes apply_patch, which is OpenCode's own tool: the server's tool replaces the built-in",
        "rename the server or leave the tool out",
        provider="apply",
        tool="patch",
        confidence="medium",
    ),
    Pair(
        "CTD307",
        Setup(f'{MARK}{{"mcpServers": {{"mail": {{"command": "sh"}}}}}}', runtime="cursor"),
        Setup('{"mcpServers": {"mail": {"command": "sh"}}}', runtime=GEMINI),
        "info",
        "the tools that Cursor brings of its own are not known",
        "--allow-undetermined CTD307",
        undetermined=True,
    ),
    Pair(
        "CTD308",
        OK.but(runtime=GEMINI, options={"conditions": {"mode": "headless", "approval": "default"}}),
        setup(f'{SH}, "trust": true', runtime=GEMINI).but(
            options={"conditions": {"mode": "headless", "approval": "default"}}
        ),
        "medium",
        "Gemini CLI never shows the model 1 tool of mail",
        "change the mode or the setting that hides them",
        provider="mail",
        remedy='"trust": true',
    ),
    Pair(
        "CTD308",
        OK.but(runtime=GEMINI),
        setup(f'{SH}, "trust": true', runtime=GEMINI),
        "low",
        "whether the model sees 1 tool of mail hangs on how Gemini CLI is run: never in mode=headless with "
        "approval=default",
        "say how it is run, with --condition mode=headless or mode=interactive, or have them shown in every run",
        provider="mail",
        undetermined=True,
        remedy='"trust": true',
        about="where it hangs on the run",
    ),
    Pair(
        "CTD308",
        OK.but(runtime=GEMINI, options={"conditions": {"mode": "interactive", "approval": "plan"}}),
        OK.but(runtime=GEMINI, options={"conditions": {"mode": "interactive", "approval": "default"}}),
        "low",
        "hangs on how Gemini CLI is run: nobody knows for mode=interactive with approval=plan",
        "have them shown in every run",
        provider="mail",
        undetermined=True,
        about="where nobody knows",
    ),
    Pair(
        "CTD309",
        OK.but(tools={"mail": [GET]}),
        setup(f'{SH}, "alwaysLoad": true').but(tools={"mail": [GET]}),
        "info",
        "Claude Code keeps the tools of mail out of the model's list until it searches for them",
        "name the tools in the instructions, or have them shown at once",
        provider="mail",
        remedy='"alwaysLoad": true',
    ),
    Pair(
        "CTD310",
        two("mail", "post", "claude-code@2.1.332").but(tools={"mail": [GET], "post": [GET]}),
        two("mail", "post", "claude-code@2.1.332", mark=False).but(tools={"mail": [GET], "post": [tool("get_yy")]}),
        "info",
        "get_x is offered by mail and post: an instruction that says only this name leaves the choice to the model",
        "mcp__mail__get_x or mcp__post__get_x",
        provider="post",
        tool="get_x",
    ),
    Pair(
        "CTD311",
        setup(f'{SH}, "includeTools": ["get_x", {MARK}"getx2"]', runtime=GEMINI).but(tools={"mail": [GET]}),
        setup(f'{SH}, "includeTools": ["get_x"]', runtime=GEMINI).but(tools={"mail": [GET]}),
        "medium",
        "the entry of mail includes only getx2, which is not offered; did you mean get_x?",
        "correct the name in the list",
        provider="mail",
        tool="getx2",
    ),
    Pair(
        "CTD311",
        Setup(
            f'[mcp_servers.mail]\ncommand = "sh"\n{MARK}disabled_tools = ["drop_all"]\n',
            {"mail": [GET]},
            CODEX,
            "config.toml",
        ),
        Setup(
            '[mcp_servers.mail]\ncommand = "sh"\ndisabled_tools = ["get_x"]\n', {"mail": [GET]}, CODEX, "config.toml"
        ),
        "low",
        "the entry of mail leaves out drop_all, which is not offered; it offers get_x",
        "correct the name in the list",
        provider="mail",
        tool="drop_all",
        about="an exclude list",
    ),
    Pair(
        "CTD312",
        Setup(
            OK.text.replace(MARK, ""),
            {"mail": [GET]},
            places={"contractd.toml": f'{MARK}[tools."mail.get-x"]\neffect = "read"\n'},
        ),
        Setup(
            OK.text.replace(MARK, ""),
            {"mail": [GET]},
            places={"contractd.toml": '[tools."mail.get_x"]\neffect = "read"\n'},
        ),
        "low",
        "contractd.toml declares something of mail.get-x: it is not offered; did you mean get_x?",
        "correct the name, or take it out",
        provider="mail",
        tool="get-x",
    ),
    Pair(
        "CTD312",
        Setup(
            OK.text.replace(MARK, ""),
            {"mail": [GET]},
            places={"contractd.toml": f'{MARK}[tools."mall.get_x"]\neffect = "read"\n'},
        ),
        Setup(
            OK.text.replace(MARK, ""),
            places={"contractd.toml": '[tools."mail.get-x"]\neffect = "read"\n'},
            skipped={"mail": "it was declined"},
        ),
        "low",
        "contractd.toml declares something of mall.get_x: no server of this name is configured; did you mean mail?",
        "correct the name, or take it out",
        tool="get_x",
        about="no such server, and a server that was not seen",
    ),
]
