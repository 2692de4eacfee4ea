"""A lock as text: sorted, one block per tool, so that two branches that accept different tools merge.

There is no line that every change touches: no date of the whole file, no digest over it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from contractd.contracts import Contract
from contractd.documents import toml_key, toml_string
from contractd.registry.lock.model import FORMAT, Lock, LockedProvider, LockedTool
from contractd.text import is_hidden

_HEAD = """\
# The contracts of the tools that were accepted for this project, as `contractd lock` wrote them. Commit this file, and
# read its changes as you read code: a description that changed is what the model is told. Not to be edited by hand.
"""


def lock_text(lock: Lock) -> str:
    """The whole file. The same lock gives the same text."""
    return "".join(_blocks(lock))


def _blocks(lock: Lock) -> Iterator[str]:
    yield f'{_HEAD}\nformat = "{FORMAT[0]}.{FORMAT[1]}"\n'
    for provider in sorted(lock.providers.values(), key=lambda one: one.id):
        yield _provider(provider)
        for name in sorted(provider.tools):
            yield _tool(provider.id, provider.tools[name])


def _provider(provider: LockedProvider) -> str:
    lines = [f"\n[provider.{toml_key(provider.id)}]", f"from = {toml_string(provider.source)}"]
    lines.append(f"transport = {toml_string(provider.transport)}")
    for key, text in (
        ("launch", provider.launch),
        ("protocol", provider.protocol),
        ("announced", provider.announced),
    ):
        if text is not None:
            lines.append(f"{key} = {toml_string(text)}")
    if provider.doubts:
        lines += ["doubts = [", *(f"  {toml_string(doubt)}," for doubt in provider.doubts), "]"]
    return "\n".join(lines) + "\n"


def _tool(provider: str, tool: LockedTool) -> str:
    contract = tool.contract
    return (
        f"\n[tool.{toml_string(f'{provider}.{contract.name}')}]\n"
        f"digest = {toml_string(contract.digest)}\n"
        f"description = {toml_string(contract.description_digest)}\n"
        f"accepted = {tool.accepted}\n"
        f"contract = '''\n{_json(contract)}\n'''\n"
    )


def _json(contract: Contract) -> str:
    """The tool in MCP's shape. Characters that nobody sees, and ``'''``, which would end it, stand as escapes."""
    shape = {
        "name": contract.name,
        "title": contract.title,
        "description": contract.description,
        "inputSchema": contract.input_schema,
        "outputSchema": contract.output_schema,
        "annotations": contract.annotations.as_given() or None,
    }
    kept = {key: value for key, value in shape.items() if value is not None}
    text = json.dumps(kept, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return _HIDDEN.sub(_escape, text).replace("'''", "\\u0027" * 3).replace("##[", "#\\u0023[")


_HIDDEN = re.compile(r"[^\n -~]")


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if not is_hidden(char):
        return char
    code = ord(char)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
