"""Situations of the rules that need a lock."""

from __future__ import annotations

from typing import Any

from contractd.contracts import Contract, parse_tool
from contractd.preflight.locking.taken import Home, launch
from contractd.providers.base import ProviderSpec
from contractd.registry.lock import Lock, LockedProvider, LockedTool, lock_text
from tests.preflight.pairs.pair import SH, Pair, one
from tests.preflight.situations import MARK, Setup, tool

# Of a server that is started as ``sh`` and nothing else.
LAUNCH = launch(ProviderSpec("mail", "mail", "stdio", ("sh",), cwd="."), Home("/", "/"))
WHEN = "2026-11-30T10:00:00Z"
GET, SEND = tool("get_mail_of", "folder"), tool("send_mail_to", "to", "text")


def locked(*tools: dict[str, Any], provider: str = "mail", source: str = "sh", **more: Any) -> LockedProvider:
    """A provider as the lock has it."""
    made = {}
    for raw in tools:
        contract = parse_tool(raw)
        assert isinstance(contract, Contract)
        made[contract.name] = LockedTool(contract, WHEN)
    return LockedProvider(provider, source, "stdio", "2025-11-25", made, **{"launch": LAUNCH, **more})


def lock(*providers: LockedProvider) -> str:
    """The text of a lock."""
    return lock_text(Lock({one.id: one for one in providers}))


def beside(*tools: dict[str, Any], listed: tuple[dict[str, Any], ...] = (GET, SEND), **options: Any) -> Setup:
    """One server called ``mail``, of which these tools are locked, and which lists others."""
    return Setup(
        one(SH),
        tools={"mail": list(listed)},
        places={"contracts.lock": lock(locked(*tools))},
        options={"lock": "", **options},
    )


PAIRS = [
    Pair(
        "CTD417",
        beside(GET),
        beside(GET, SEND),
        "medium",
        "mail.send_mail_to is not in contracts.lock: nobody accepted it",
        "contractd lock --config servers.json --runtime claude-code@2.1.332 --upgrade mail.send_mail_to",
        provider="mail",
        tool="send_mail_to",
    ),
    Pair(
        "CTD417",
        Setup(
            one(SH), tools={"mail": [GET, SEND]}, places={"contracts.lock": lock()}, options={"lock": "contracts.lock"}
        ),
        Setup(one(SH), tools={"mail": [GET, SEND]}, places={"contracts.lock": lock()}),
        "medium",
        "mail is not in contracts.lock: nobody accepted its 2 tools (get_mail_of and send_mail_to)",
        "--upgrade mail",
        provider="mail",
        about="a whole server",
    ),
    Pair(
        "CTD418",
        Setup(
            one(SH).replace(MARK, ""),
            tools={"mail": [GET]},
            places={
                "contracts.lock": lock(locked(GET), locked(GET, SEND, provider="post")).replace(
                    "[provider.post]", f"{MARK}[provider.post]"
                )
            },
            options={"lock": ""},
        ),
        Setup(
            one(SH).replace(MARK, ""),
            tools={"mail": [GET]},
            places={"contracts.lock": lock(locked(GET))},
            options={"lock": ""},
        ),
        "info",
        "contracts.lock holds 2 tools of post, which is not configured",
        "--upgrade post",
    ),
]
