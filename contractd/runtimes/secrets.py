"""Does a text hold a secret, and how to show a command line without one. Pure; values are never kept."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

MAX_LOOK = 8192  # characters of a text that are looked at; no credential is longer

# Shapes that providers publish for their own tokens, so that scanners find them.
_TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|"
    r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|"
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{20,}|"
    r"eyJ[A-Za-z0-9_-]{8,512}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]+|ntn_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|"
    r"tvly-(?=[A-Za-z-]{0,64}[0-9])[A-Za-z0-9-]{16,}|npm_[A-Za-z0-9]{30,}|pypi-AgE[A-Za-z0-9_-]{30,}|"
    r"shpat_[0-9a-f]{20,}|dop_v1_[0-9a-f]{32,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|"
    r"lin_api_[A-Za-z0-9]{20,}|figd_[A-Za-z0-9_-]{20,}|whsec_[A-Za-z0-9+/=]{20,}|pplx-[A-Za-z0-9]{20,}|"
    r"gsk_[A-Za-z0-9]{20,})|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
)
_SECRET_NAME = re.compile(
    r"(?i)(api[_-]?key|access[_-]?key|secret|token|passw(or)?d|passphrase|credential|private[_-]?key|authorization|"
    r"cookie|\bauth\b|_auth\b|[_-]pat\b|[_-]pass\b|[_-]pwd\b|x-api-key|^--?key$)"
)
_KEY_NAME = re.compile(r"(?:^|_)KEY$")  # PRIMARY_KEY and CACHE_KEY as well: the value must look it
# What says something about a secret without being one.
_NOT_SECRET_NAME = re.compile(
    r"(?i)(?:[_-]?(?:files?|path|dir|url|uri|env|var|name|id|type|count|limit|budget|size|length|ttl|timeout|expiry|"
    r"expires|expiration|method|mode|host|domain|scheme|header|prefix|format|version|algorithm|alg|enabled|required|"
    r"region|scopes?|audience|issuer|store|backend|provider|helper|command|cmd|cache|policy|endpoint)|max_tokens|tokens)$"
    r"|public[_-]?key|tokeni[sz]er|^tokens_|max[_-]tokens"
)
_PLACEHOLDER = re.compile(
    r"(?i)(?:|x+|\*+|\.+|none|null|true|false|changeme|change[-_ ]?me|dummy|test|example|placeholder|todo|secret|"
    r"password|pass|token|(?:your|my|the|test|dummy|fake|example|sample|demo)[-_ ].*|<.*>|\[.*\]|\{\{.*\}\}|"
    r"sk-(?:none|test|xxx.*|\.\.\.)|.*(?:your|insert|replace)[-_ ].*|.*(?:xxxx|\.\.\.|…).*)",
    re.DOTALL,
)
_USERINFO = re.compile(r"(?i)(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}://)([^/@\s:]{0,256}):([^/@\s]{1,256})@")
_QUERY = re.compile(r"(?i)([?&](?:[a-z_-]{0,40}(?:key|token|secret|password|sig|signature))=)([^&#\s]+)")
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60}):\s*(\S.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$\{[^}]{1,256}\}|\$[A-Za-z_][A-Za-z0-9_]*|\{env:[^}]{1,256}\}|\{file:[^}]{1,256}\}|%[A-Z_]+%")
_PATH = re.compile(r"(?:~|\.{1,2})?/.*|[A-Za-z]:[\\/].*|file://.*", re.DOTALL)
_SCHEME = re.compile(r"(?i)^(?:bearer|basic|token|apikey|digest)\s+")
# What a credential on a command line is written in: no white space, and nothing a shell or an interpreter acts on.
_WORD = r"[A-Za-z0-9_+/=~!@%^*:,.#?-]"
_WORDS = re.compile(f"{_WORD}+")
_OPTION = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]{0,60}=")
_ASSIGNED = re.compile(rf"(?<![A-Za-z0-9_-])(-{{0,2}}[A-Za-z_][A-Za-z0-9_-]{{0,80}})=[\"']?({_WORD}+)")
_COOKIE = re.compile(rf"=({_WORD}+)")


def is_secret(name: str, value: str) -> bool:
    """Whether ``value`` under ``name`` (a variable, header or option) is a credential written out in plain text."""
    text = _VARIABLE.sub("", value[:MAX_LOOK].strip())
    header = _HEADER.fullmatch(text)
    if header and _names_secret(header[1]):
        name, text = header[1], header[2]
    bare = _SCHEME.sub("", text).strip()
    if _PLACEHOLDER.fullmatch(bare):
        return False
    if any(_entropy(match.group()) >= 2.8 for match in _TOKENS.finditer(text)):
        return True
    if any(not _PLACEHOLDER.fullmatch(match[3]) for match in _USERINFO.finditer(text)):
        return True
    if any(len(match[2]) >= 8 and _looks_random(match[2]) for match in _QUERY.finditer(text)):
        return True
    if len(bare) < 8 or " " in bare or _PATH.fullmatch(bare):
        return False
    if _KEY_NAME.search(name) and not _SECRET_NAME.search(name):
        return len(bare) >= 16 and _looks_random(bare) and not _NOT_SECRET_NAME.search(name)
    return _names_secret(name) and _entropy(bare) >= 2.2


def tokens_in(value: str) -> list[str]:
    """What in a text has the shape of a published kind of token."""
    return [match.group() for match in _TOKENS.finditer(value[:MAX_LOOK])]


def holds_token(value: str) -> bool:
    """Whether a text holds something of a shape that providers publish for their tokens, or a private key."""
    return _TOKENS.search(value[:MAX_LOOK]) is not None


def named_in(value: str) -> str | None:
    """The header that a text such as ``Authorization: Bearer …`` names, if it is one that holds a secret."""
    header = _HEADER.fullmatch(value[:MAX_LOOK].strip())
    return header[1] if header and _names_secret(header[1]) else None


def redact(text: str) -> str:
    """``text`` with every recognisable token, password in a URL and secret query value replaced by ``***``; what is
    longer than any command line people read is cut."""
    text = text if len(text) <= MAX_LOOK else text[:MAX_LOOK] + "…"
    text = _USERINFO.sub(r"\1\2:***@", text)
    text = _QUERY.sub(r"\1***", text)
    header = _HEADER.fullmatch(text)
    if header and _names_secret(header[1]):
        text = f"{header[1]}: ***"
    return _TOKENS.sub("***", text)


def secret_spans(argv: Sequence[str]) -> list[list[tuple[int, int]]]:
    """For each argument the parts that are a secret by the name before them: ``--token X``, ``API_KEY=X``, a header.

    Only words are taken: whoever writes a command line must not be able to hide in it what a shell would run.
    """
    found: list[list[tuple[int, int]]] = []
    follows = False
    for argument in argv:
        text = argument[:MAX_LOOK]
        if follows and _WORDS.fullmatch(text) and (not text.startswith("-") or _looks_random(text)):
            found.append([(0, len(argument))])
            follows = False
            continue
        option = _OPTION.match(text)
        header = _HEADER.fullmatch(text, option.end() if option else 0)
        if header and _names_secret(header[1]):
            found.append(_header_spans(header))
        else:
            found.append([match.span(2) for match in _ASSIGNED.finditer(text) if _hides(match[1])])
        follows = argument.startswith("-") and "=" not in argument and _hides(argument)
    return found


def _header_spans(header: re.Match[str]) -> list[tuple[int, int]]:
    start = header.start(2)
    if header[1].lower().endswith("cookie"):
        return [(start + match.start(1), start + match.end(1)) for match in _COOKIE.finditer(header[2])]
    scheme = _SCHEME.match(header[2])
    start += scheme.end() if scheme else 0
    word = _WORDS.match(header.string, start)
    return [word.span()] if word else []


def _hides(name: str) -> bool:
    return _names_secret(name) or _KEY_NAME.search(name) is not None


def redact_argv(argv: Sequence[str]) -> list[str]:
    """A command line for people, without its secrets; what else it holds is all there, as far as it is shown."""
    return [_shown(argument, spans) for argument, spans in zip(argv, secret_spans(argv), strict=True)]


def _shown(argument: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [argument[at:start], "***"]
        at = end
    text = "".join([*parts, argument[at:]])
    text = text if len(text) <= MAX_LOOK else text[:MAX_LOOK] + f"… (+{len(text) - MAX_LOOK} characters)"
    text = _USERINFO.sub(lambda m: f"{m[1]}{m[2]}:***@" if _WORDS.fullmatch(m[3]) else m[0], text)
    text = _QUERY.sub(lambda m: f"{m[1]}***" if _WORDS.fullmatch(m[2]) else m[0], text)
    return _TOKENS.sub("***", text)


def _names_secret(name: str) -> bool:
    name = name[:256]
    return bool(_SECRET_NAME.search(name)) and not _NOT_SECRET_NAME.search(name)


def _looks_random(text: str) -> bool:
    """Letters and digits mixed, as no word, path or number is."""
    mixed = re.search(r"[0-9]", text) and re.search(r"[A-Za-z]", text)
    return bool(mixed) and _entropy(text) >= 2.8


def _entropy(text: str) -> float:
    """Shannon's entropy in bits per character: ``aaaaaaaa`` is no password anybody uses."""
    counts = Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
