"""CTD2xx: did it start, did it answer, are its tools there."""

from __future__ import annotations

from tests.preflight.pairs.pair import HTTP, SH, Pair, setup
from tests.preflight.situations import MARK, Setup, failed, ready, tool

OK = setup(SH)
REMOTE = setup(HTTP)
SEND = {"mail": [tool("post_letter", "to", "text")]}
EXPECTING = '[preflight]\nexpect = [\n  "mail.post_letter",\n]\n'

PAIRS = [
    Pair(
        "CTD201",
        OK.but(tools={"mail": failed("stdio-02", "it exited with code 1 before it answered")}),
        OK,
        "high",
        "mail: it exited with code 1 before it answered",
        "run it by hand and read its stderr: Claude Code will have none of its tools",
        provider="mail",
    ),
    Pair(
        "CTD201",
        REMOTE.but(tools={"mail": failed("aiohttp-01", "no connection: refused", retryable=True, started=False)}),
        REMOTE,
        "high",
        "mail: no connection: refused",
        "check the URL, and that the server runs",
        provider="mail",
        retryable=True,
        about="over HTTP",
    ),
    Pair(
        "CTD201",
        setup(f'{SH}, "cwd": "nowhere"', runtime="contractd").but(
            tools={"mail": failed("stdio-spawn", "not started: its cwd nowhere is no directory", started=False)}
        ),
        setup(SH, runtime="contractd"),
        "high",
        "its cwd nowhere is no directory",
        "run it by hand",
        provider="mail",
        about="its working directory is missing",
    ),
    Pair(
        "CTD201",
        OK.but(
            tools={
                "mail": failed(
                    "stdio-spawn",
                    "not started: the program that sh names in its first line was not found",
                    started=False,
                )
            }
        ),
        OK,
        "high",
        "the program that sh names in its first line was not found",
        "run it by hand",
        provider="mail",
        about="its interpreter is missing though its file is there",
    ),
    Pair(
        "CTD201",
        OK.but(tools={"mail": failed("local", "contractd failed on its answer: KeyError")}),
        OK,
        "high",
        "contractd failed on its answer",
        "please report it",
        provider="mail",
        about="contractd's own fault",
    ),
    Pair(
        "CTD201",
        Setup(
            f'{MARK}[providers.mail]\nmanifest = "gone.json"\n',
            {"mail": failed("manifest-file", "the manifest file can't be read: No such file", started=False)},
            None,
            "contractd.toml",
        ),
        Setup('[providers.mail]\nmanifest = "m.json"\n', {"mail": [tool("get_x")]}, None, "contractd.toml"),
        "high",
        "the manifest file can't be read",
        "correct the path of the manifest",
        provider="mail",
        about="a manifest file",
    ),
    Pair(
        "CTD202",
        OK.but(tools={"mail": failed("stdio-12", "no answer within 30 s: it was started", retryable=True)}),
        OK,
        "high",
        "no answer within 30 s",
        "find out what it waits for, or give it more time",
        provider="mail",
        retryable=True,
    ),
    Pair(
        "CTD203",
        OK.but(tools={"mail": failed("mcp-list", "it answered tools/list with error -32603", retryable=None)}),
        OK,
        "high",
        "it answered tools/list with error -32603",
        "a list that can't be read is not an empty one",
        provider="mail",
        retryable=None,
    ),
    Pair(
        "CTD203",
        Setup(
            f'{MARK}[providers.mail]\nmanifest = "m.json"\n',
            {"mail": failed("manifest-format", "not a contractd manifest: it is not JSON", started=False)},
            None,
            "contractd.toml",
        ),
        Setup('[providers.mail]\nmanifest = "m.json"\n', {"mail": [tool("get_x")]}, None, "contractd.toml"),
        "high",
        "not a contractd manifest: it is not JSON",
        "contractd schema manifest",
        provider="mail",
        about="a manifest",
    ),
    Pair(
        "CTD204",
        OK.but(tools={"mail": [tool("post_leter", "to")]}, options={"expect": ("mail.post_letter",)}),
        OK.but(tools=SEND, options={"expect": ("mail.post_letter",)}),
        "high",
        "mail.post_letter is expected, but the server does not offer it; the nearest it has is post_leter",
        "it must not be replaced by one of a similar name",
        provider="mail",
        tool="post_letter",
    ),
    Pair(
        "CTD204",
        Setup(
            OK.text.replace(MARK, ""),
            {"mail": [tool("PostLetter", "to")]},
            places={"contractd.toml": EXPECTING.replace("expect", f"{MARK}expect")},
        ),
        OK.but(tools=SEND, places={"contractd.toml": EXPECTING}),
        "high",
        "the nearest it has is PostLetter (the same but for case, - and _)",
        "correct the name",
        provider="mail",
        tool="post_letter",
        about="at its line in the settings",
    ),
    Pair(
        "CTD204",
        OK.but(text=f"{MARK}{OK.text.replace(MARK, '')}", tools=SEND, options={"expect": ("mall.post_letter",)}),
        OK.but(tools=SEND, options={"expect": ("mail.post_letter",)}),
        "high",
        "no server mall is configured; did you mean mail?",
        "correct the name",
        tool="post_letter",
        about="of a server that is not configured",
    ),
    Pair(
        "CTD204",
        OK.but(
            tools={"mail": failed("stdio-02", "it exited with code 1", retryable=True)},
            options={"expect": ("mail.post_letter",)},
        ),
        OK.but(skipped={"mail": "it was declined"}, options={"expect": ("mail.post_letter",)}),
        "high",
        "is expected, but its server is not there: it exited with code 1",
        "have its server come up",
        provider="mail",
        tool="post_letter",
        retryable=True,
        about="of a server that did not come up, not of one that was not asked",
    ),
    Pair(
        "CTD205",
        OK.but(tools={"mail": ready([tool("get_x")], foreign=("Welcome!",), foreign_count=3)}),
        OK,
        "low",
        "mail wrote 3 lines to stdout that are no messages, the first: Welcome!",
        "have it log to stderr",
        provider="mail",
    ),
    Pair(
        "CTD206",
        REMOTE.but(
            tools={"mail": failed("http-03", "it wants authorization (401)", details={"www_authenticate": "Bearer"})}
        ),
        REMOTE,
        "medium",
        "it wants authorization (401); it asks for Bearer",
        "sign in through the runtime",
        provider="mail",
        undetermined=True,
        about="where the runtime may bring a token of its own",
    ),
    Pair(
        "CTD206",
        setup(f'{HTTP}, "headers": {{"X-Team-Token": "${{T}}"}}', environ={"T": "x"}).but(
            tools={"mail": failed("http-05", "it refuses these credentials (403)")}
        ),
        setup(f'{HTTP}, "headers": {{"X-Team-Token": "${{T}}"}}', environ={"T": "x"}),
        "high",
        "it refuses these credentials (403)",
        "renew the credential in its headers",
        provider="mail",
        about="the configured credential is refused",
    ),
    Pair(
        "CTD207",
        OK.but(skipped={"mail": "it was declined; its digest is sha256:0"}),
        OK,
        "info",
        "mail was not contacted: it was declined",
        "agree to it to know its tools: --yes, or --allow mail",
        provider="mail",
        retryable=True,
        undetermined=True,
    ),
    Pair(
        "CTD208",
        OK.but(tools={"mail": ready([tool("get_x")], cursor_loop=True)}),
        OK,
        "medium",
        "its list of tools offers another page for ever",
        "nextCursor must be absent",
        provider="mail",
    ),
    Pair(
        "CTD209",
        OK.but(tools={"mail": ready([], declares_tools=False)}),
        OK,
        "low",
        "mail is up and offers no tool; it does not claim to have any",
        "look into what it needs",
        provider="mail",
        retryable=None,
    ),
    Pair(
        "CTD210",
        OK.but(tools={"mail": ready([tool("get_x")], ended="killed")}),
        OK.but(tools={"mail": ready([tool("get_x")], ended="terminated")}),
        "info",
        "mail went on after its stdin was closed and after SIGTERM",
        "end it by hand",
        provider="mail",
    ),
]
