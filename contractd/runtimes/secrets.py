"""Does a text hold a secret, and how to show a command line without one. Pure; values are never kept."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

# Shapes that providers publish for their own tokens, so that scanners find them.
_TOKENS = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|"
    r"xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{20,}|"
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+|ntn_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|"
    r"tvly-[A-Za-z0-9-]{16,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,})"
)
_SECRET_NAME = re.compile(
    r"(?i)(api[_-]?key|access[_-]?key|secret|token|passw(or)?d|passphrase|credential|private[_-]?key|authorization|"
    r"cookie|\bauth\b|_auth\b|_pat\b|x-api-key)|(?-i:(?:^|_)KEY$)"
)
_NOT_SECRET_NAME = re.compile(r"(?i)(_file|_path|_dir|_url|_uri|_env|_name|_id|_type|_count|_limit|max_tokens|tokens)$")
_PLACEHOLDER = re.compile(
    r"(?i)^(|x+|\*+|\.+|none|null|true|false|changeme|change[-_ ]?me|dummy|test|example|placeholder|todo|secret|"
    r"password|(your|my|the)[-_ ].*|<.*>|\[.*\]|\{\{.*\}\}|sk-(none|test|xxx.*|\.\.\.)|.*(your|insert|replace)[-_ ].*)$"
)
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*://)([^/@\s:]+):([^/@\s]+)@", re.IGNORECASE)
_QUERY = re.compile(r"(?i)([?&](?:[a-z_-]*(?:key|token|secret|password|sig|signature))=)([^&#\s]+)")
_VARIABLE = re.compile(r"\$\{?[A-Za-z_]|\{env:|\{file:|\{\{")


def is_secret(name: str, value: str) -> bool:
    """Whether ``value`` under ``name`` (a variable, header or option) is a credential written out in plain text."""
    text = value.strip()
    bare = re.sub(r"(?i)^(bearer|basic|token)\s+", "", text)
    if _VARIABLE.search(text) or _PLACEHOLDER.match(bare):
        return False
    if _TOKENS.search(text) or _USERINFO.search(text) or _QUERY.search(text):
        return True
    named = bool(_SECRET_NAME.search(name)) and not _NOT_SECRET_NAME.search(name)
    return named and len(bare) >= 8 and " " not in bare and _entropy(bare) >= 2.2


def redact(text: str) -> str:
    """``text`` with every recognisable token, password in a URL and secret query value replaced by ``***``."""
    text = _USERINFO.sub(r"\1\2:***@", text)
    text = _QUERY.sub(r"\1***", text)
    return _TOKENS.sub("***", text)


def redact_argv(argv: Iterable[str]) -> list[str]:
    """A command line for people: what follows (or is joined by ``=`` to) an option named like a secret is hidden."""
    shown: list[str] = []
    hide_next = False
    for argument in argv:
        name, joined, value = argument.partition("=")
        if hide_next and not argument.startswith("-"):
            shown.append("***")
            hide_next = False
            continue
        option = name.startswith("-") or (joined and name.isupper())
        secret = bool(option and _SECRET_NAME.search(name) and not _NOT_SECRET_NAME.search(name))
        hide_next = secret and not joined
        shown.append(f"{name}=***" if secret and value else redact(argument))
    return shown


def _entropy(text: str) -> float:
    """Shannon's entropy in bits per character: ``aaaaaaaa`` is no password anybody uses."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
