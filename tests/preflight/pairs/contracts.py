"""CTD4xx: what can't be accepted of a server or a tool."""

from __future__ import annotations

from tests.preflight.pairs.pair import HTTP, SH, Pair, setup
from tests.preflight.situations import failed, ready, tool

OK = setup(SH)
REMOTE = setup(HTTP)
QWEN = setup(SH).but(runtime="qwen-code@0.24.4")
HANDS = setup(SH).but(runtime="openhands@1.16.0")
CLINE = setup(SH).but(runtime="cline@3.0.65")
PLAIN = setup(SH).but(runtime="contractd")
GOOD = tool("get_x", "id")
NO_TYPE = {"name": "get_y", "inputSchema": {"properties": {"id": {"type": "text"}}, "type": "object"}}
ODD_DIALECT = {"name": "get_y", "inputSchema": {"type": "object", "$schema": "https://example.org/mine"}}
LOST = {"name": "get_y", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#"}}
NO_SCHEMA = {"name": "get_y"}
NO_PARAMETERS = {"name": "get_y", "inputSchema": {"type": "object", "properties": {}}}

NO_TEXT = {**GOOD, "description": None}
MODERN = {"era": "modern", "protocol_version": "2026-07-28"}

PAIRS = [
    Pair(
        "CTD401",
        OK.but(tools={"mail": failed("mcp-14", "it speaks only 2023-01-01", details={"offered": ["2023-01-01"]})}),
        OK,
        "high",
        "mail: it speaks only 2023-01-01",
        "use a version of the server that speaks one of them",
        provider="mail",
    ),
    Pair(
        "CTD401",
        QWEN.but(tools={"mail": ready([GOOD], **MODERN, refusal="error -32022")}),
        QWEN.but(tools={"mail": ready([GOOD])}),
        "high",
        "mail speaks MCP 2026-07-28 only, and Qwen Code speaks 2025-11-25 at most: it will have none of its tools",
        "use a version of the server that answers initialize too",
        provider="mail",
        about="an era that the runtime does not speak",
    ),
    Pair(
        "CTD402",
        REMOTE.but(tools={"mail": failed("manifest-version", "the manifest says schema_version 9")}),
        REMOTE,
        "high",
        "the manifest says schema_version 9",
        "serve the manifest in a format version that is read",
        provider="mail",
    ),
    Pair(
        "CTD403",
        OK.but(tools={"mail": [GOOD, ODD_DIALECT]}),
        OK.but(tools={"mail": [GOOD, NO_PARAMETERS]}),
        "medium",
        "get_y of mail is quarantined: dialect 'https://example.org/mine' is not known",
        "a published dialect",
        provider="mail",
        tool="get_y",
    ),
    Pair(
        "CTD404",
        OK.but(tools={"mail": [GOOD, NO_TYPE]}),
        OK.but(tools={"mail": [GOOD, NO_PARAMETERS]}),
        "medium",
        "get_y of mail is quarantined",
        "mend the tool's definition in the server",
        provider="mail",
        tool="get_y",
    ),
    Pair(
        "CTD405",
        OK.but(tools={"mail": [GOOD, LOST]}),
        OK.but(tools={"mail": [GOOD, NO_PARAMETERS]}),
        "high",
        "the input schema is nothing but $schema",
        "pin the server's dependencies",
        provider="mail",
        tool="get_y",
    ),
    Pair(
        "CTD406",
        OK.but(tools={"mail": [GOOD, LOST, tool("get_z")]}),
        OK.but(tools={"mail": [GOOD, NO_TYPE, tool("get_z")]}),
        "high",
        "Claude Code drops the whole list of mail over get_y: its 2 sound tools would be missing too",
        "mend that tool in the server",
        provider="mail",
    ),
    Pair(
        "CTD406",
        QWEN.but(tools={"mail": [GOOD, GOOD]}),
        QWEN.but(tools={"mail": [GOOD]}),
        "high",
        "Qwen Code drops the whole list of mail over get_x: its 1 sound tool would be missing too",
        "mend that tool in the server",
        provider="mail",
        about="one name twice",
    ),
    Pair(
        "CTD406",
        QWEN.but(tools={"mail": [GOOD, tool("constructor")]}),
        QWEN.but(tools={"mail": [GOOD, tool("constructors")]}),
        "high",
        "every JavaScript object has a property of that name",
        "mend that tool in the server",
        provider="mail",
        about="a name that every object has",
    ),
    Pair(
        "CTD406",
        HANDS.but(tools={"mail": [GOOD, NO_SCHEMA]}),
        HANDS.but(tools={"mail": [GOOD, NO_TYPE]}),
        "high",
        "OpenHands does not start over get_y of mail: no model is asked, and the exit status is 0",
        "mend that tool in the server",
        provider="mail",
        about="the whole agent",
    ),
    Pair(
        "CTD406",
        QWEN.but(tools={"mail": [NO_TEXT, tool("get_z")]}),
        HANDS.but(tools={"mail": [NO_TEXT, tool("get_z")]}),
        "high",
        "Qwen Code will have no tool of mail; its client, the MCP SDK for TypeScript 2, refuses answers of "
        "mail that are not as MCP's schema says: tool.description is null (in get_x)",
        "an optional member without a value must be left out",
        provider="mail",
        about="an answer that its client refuses",
    ),
    Pair(
        "CTD406",
        HANDS.but(tools={"mail": [{**GOOD, "icons": 5}]}),
        HANDS.but(tools={"mail": [{**GOOD, "icons": None}]}),
        "high",
        "OpenHands does not start: no model is asked, and the exit status is 0; its client, the MCP SDK for Python",
        "mend the server's answers",
        provider="mail",
        about="an answer that keeps the agent from starting",
    ),
    Pair(
        "CTD407",
        HANDS.but(tools={"mail": [NO_TEXT]}),
        HANDS.but(tools={"mail": [GOOD]}),
        "low",
        "answers of mail are not as MCP's schema says: tool.description is null (in get_x); OpenHands takes it",
        "mend the server's answers",
        provider="mail",
    ),
    Pair(
        "CTD407",
        CLINE.but(tools={"mail": [NO_TEXT]}),
        CLINE.but(tools={"mail": [GOOD]}),
        "medium",
        "whether Cline takes them is not known",
        "mend the server's answers",
        provider="mail",
        undetermined=True,
        about="nobody has tried",
    ),
    Pair(
        "CTD407",
        PLAIN.but(tools={"mail": [NO_TEXT]}),
        PLAIN.but(tools={"mail": [GOOD]}),
        "low",
        "contractd reads it; clients of other make may not",
        "mend the server's answers",
        provider="mail",
        about="contractd itself",
    ),
]
