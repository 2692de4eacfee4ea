"""contracts.lock as text: what is written comes back, merges, and is refused where it is not what was written."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.contracts import Contract, parse_tool
from contractd.documents import parse
from contractd.errors import ConfigError
from contractd.registry.lock import FORMAT, Lock, LockedProvider, LockedTool, is_lock, lock_text, parse_lock
from contractd.text import is_hidden

WHEN = "2026-11-30T10:00:00Z"
TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
HOSTILE = st.one_of(
    TEXTS,
    st.sampled_from(["'''", "''''", "\u202e", "\x7f", "\r\n", "\\", '"""', "]\n[tool.x]", "\U000e0041", "\x1b[1m"]),
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        HOSTILE,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(HOSTILE, inner, max_size=3)),
    max_leaves=8,
)
TOOLS = st.fixed_dictionaries(
    {
        "name": HOSTILE.filter(bool),
        "inputSchema": st.fixed_dictionaries({"type": st.just("object"), "default": VALUES}),
    },
    optional={
        "title": HOSTILE,
        "description": HOSTILE,
        "outputSchema": st.fixed_dictionaries({"type": st.just("object"), "const": VALUES}),
        "annotations": st.fixed_dictionaries(
            {}, optional={"readOnlyHint": st.booleans(), "openWorldHint": st.booleans()}
        ),
    },
)


def contract(raw: dict[str, Any]) -> Contract:
    tool = parse_tool(raw)
    assert isinstance(tool, Contract), tool
    return tool


def locked(*tools: dict[str, Any], provider: str = "mail") -> Lock:
    made = {tool["name"]: LockedTool(contract(tool), WHEN) for tool in tools}
    return Lock({provider: LockedProvider(provider, "mail-server --stdio", "stdio", "2025-11-25", made)})


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def read(text: str) -> Lock:
    return parse_lock(parse("contracts.lock", text.encode(), "toml"))


@given(st.lists(TOOLS, max_size=4, unique_by=lambda raw: raw["name"]), HOSTILE)
def test_what_is_written_comes_back(tools: list[dict[str, Any]], source: str) -> None:
    made = {raw["name"]: LockedTool(contract(raw), WHEN) for raw in tools}
    lock = Lock({"p-1": LockedProvider("p-1", source, "http", None, made, doubts=(source,))})
    text = lock_text(lock)
    back = read(text)
    assert back.references == lock.references
    for name, one in back.providers["p-1"].tools.items():
        assert one.contract.digest == made[name].contract.digest
        assert one.contract.description_digest == made[name].contract.description_digest
        assert one.contract.annotations == made[name].contract.annotations
        assert one.accepted == WHEN
    assert (back.providers["p-1"].source, back.providers["p-1"].doubts) == (source, (source,))
    assert lock_text(back) == text
    assert not [char for char in text if is_hidden(char) and char != "\n"]


def test_the_order_in_which_tools_were_listed_changes_nothing() -> None:
    assert lock_text(locked(tool("a"), tool("b"))) == lock_text(locked(tool("b"), tool("a")))


def test_branches_that_accept_different_tools_merge(tmp_path: Path) -> None:
    base = [tool("archive"), tool("find"), tool("move"), tool("send")]
    ours = [tool("archive", folder={}), *base[1:]]
    theirs = [*base[:3], tool("send", to={})]
    for name, tools in (("base", base), ("ours", ours), ("theirs", theirs)):
        (tmp_path / name).write_text(lock_text(locked(*tools)), "utf-8")
    merged = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert merged.stdout == lock_text(locked(ours[0], *base[1:3], theirs[3]))


def test_each_tool_has_one_block_and_no_line_stands_for_all(tmp_path: Path) -> None:
    before = lock_text(locked(tool("archive"), tool("send"))).splitlines()
    after = lock_text(locked(tool("archive"), tool("send", to={}))).splitlines()
    start = after.index('[tool."mail.send"]')
    assert before[:start] == after[:start]


@pytest.mark.parametrize("version", ["2.0", "10.4"])
def test_a_newer_major_is_refused_with_its_line(version: str) -> None:
    text = lock_text(locked(tool("send"))).replace('format = "1.0"', f'format = "{version}"')
    with pytest.raises(ConfigError, match=r"this contractd reads 1\.x") as caught:
        read(text)
    assert caught.value.place is not None
    assert text.splitlines()[(caught.value.place.line or 0) - 1] == f'format = "{version}"'


def test_a_newer_minor_may_hold_more() -> None:
    text = lock_text(locked(tool("send"))).replace('format = "1.0"', f'format = "{FORMAT[0]}.7"\nnew_key = 1')
    assert read(text).references == {"mail.send"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"type": "object"', '"type": "object", "required": ["x"]', "is not the one that was accepted: its digest"),
        ('"name": "send"', '"name": "sent"', "is of another name"),
        ('"name": "send"', '"description": "new", "name": "send"', "its description is another"),
        ("format = ", "form = ", 'it has no "format"'),
        ('[tool."mail.send"]', '[tool."male.send"]', "has no [provider.male]"),
        ('[tool."mail.send"]', '[tool."mail"]', "is not provider.tool"),
        ('[tool."mail.send"]', '[tool."mail.sent"]', "is of another name"),
        ("accepted = 2026", "accepts = 2026", "lacks one of"),
        ("accepted = 2026-11-30T10:00:00Z", 'accepted = "now"', "is no time"),
        ('"properties"', "properties", "is not JSON"),
        ('"type": "object"', '"type": "objekt"', "is not valid"),
        ("[provider.mail]", "<<<<<<< ours\n[provider.mail]", "not valid TOML"),
        ('transport = "stdio"', "transport = 3", "transport of mail is no text"),
        ("\n[provider.mail]", "more = 1\n[provider.mail]", "more is no part of a lock"),
    ],
)
def test_what_was_edited_or_merged_wrongly_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    text = lock_text(locked(tool("send")))
    assert text.count(old) == 1
    with pytest.raises(ConfigError) as caught:
        read(text.replace(old, new))
    assert said in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line is not None


def test_a_lock_is_told_from_other_toml() -> None:
    assert is_lock(parse("x", lock_text(Lock()).encode(), "toml"))
    assert is_lock(parse("x", b'format = "9.0"', "toml"))
    assert not is_lock(parse("x", b"[preflight]\n", "toml"))
    assert not is_lock(parse("x", b'{"format": "1.0"}', "json"))
