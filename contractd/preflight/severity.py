"""How bad a clash of names is: earned, not given. Pure; each rule of thumb has its reason beside it.

A call that goes to the wrong tool is worse than a clear error; a lost write is worse than a wrong read; a built-in
that does the wanted job in the same world (reads the same file) is no loss at all.
"""

from __future__ import annotations

import re
from typing import Literal

from contractd.contracts import Contract
from contractd.policy import ToolPolicy
from contractd.preflight.likeness import folded
from contractd.preflight.model import Severity
from contractd.runtimes.profile import BuiltinTool

Effect = Literal["read", "write"]

# Worlds that a built-in and a server share: a file written by either is the same file. The others are the runtime's
# own: its sub-agents, to-do list, plans. A message sent to those reaches nobody outside.
_SHARED_WORLDS = frozenset({"filesystem", "shell", "web", "desktop", "user"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READS = _words(
    """
    get list read search fetch find check show describe query view count lookup look inspect status stat info ls cat
    grep glob head tail tree diff log resolve explain preview think test validate verify compare analyze analyse
    retrieve browse crawl extract summarize convert calculate compute translate download export select exists has is
    ping echo help peek watch wait await monitor screenshot snapshot scan measure estimate recall suggest recommend
    """
)
_WRITES = _words(
    """
    send write create delete remove update edit set add put post push move rename insert append replace execute exec
    run start stop kill cancel merge commit publish deploy approve assign upload spawn submit apply patch drop clear
    reset close open click type reply forward broadcast notify schedule pay buy book invoke call save store remember
    archive share invite grant revoke enable disable install uninstall sync restore transfer charge refund comment
    upsert modify change destroy purge truncate terminate restart rollback release register message tell
    """
)
# Of these a server knows better than its tool's name: open_nodes may only look, run_query too.
_DEPENDS = _words("open run call invoke execute exec start type click close")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

# Parameters that mean the same thing in real tools of the same job.
_SYNONYMS = (
    frozenset({"path", "filepath", "file", "filename", "absolutepath", "targetfile", "dir", "dirpath", "directory"}),
    frozenset({"folder", "path", "directory", "dirpath", "dir"}),
    frozenset({"command", "cmd", "script", "commandline"}),
    frozenset({"query", "q", "search", "searchquery", "term", "searchterm"}),
    frozenset({"pattern", "regex", "query", "glob"}),
    frozenset({"url", "uri", "link", "href"}),
    frozenset({"content", "contents", "text", "filetext", "newcontent"}),
    frozenset({"question", "questions", "prompt"}),
)

# Parameters that say where: a built-in without them acts here and nowhere else.
_ELSEWHERE = _words(
    """
    host hostname server machine node cluster container containerid containername pod podname namespace device deviceid
    repo repository reponame owner org project projectid projectkey bucket region account accountid tenant workspace
    workspaceid session sessionid connection connectionid database db instance instanceid vm vmid remote
    """
)
_OTHER_MACHINE = re.compile(
    r"(?i)\b(ssh|remote|containers?|docker|kubernetes|k8s|pods?|virtual machine|vms?|cluster)\b"
)


def effect_of(tool: Contract, policy: ToolPolicy | None, like: BuiltinTool | None = None) -> Effect:
    """Read or write: the user's word, else the server's hint unless the name belies it, else the name, else the
    built-in of the same name, else write (what is not known may be lost)."""
    if policy and policy.effect:
        return "read" if policy.effect == "read" else "write"
    by_name, verb = _effect_by_name(tool.name)
    declared = tool.annotations.effect
    if declared == "read":
        return "write" if by_name == "write" and verb not in _DEPENDS else "read"
    if declared is not None:
        # destructiveHint alone is the default of many frameworks; a name that plainly reads outweighs it.
        return "read" if by_name == "read" and "readOnlyHint" not in tool.annotations.declared else "write"
    if by_name:
        return by_name
    return "read" if like is not None and like.effect == "read" else "write"


def _effect_by_name(name: str) -> tuple[Effect | None, str]:
    """What the first verb in a name says, and that verb; a second one behind *and* or *or* counts if it writes."""
    words = [word.lower() for word in _WORDS.findall(name[:200])]
    for index, word in enumerate(words):
        if word in _WRITES:
            return "write", word
        if word in _READS:
            for conjunction, verb in zip(words[index:], words[index + 1 :], strict=False):
                if conjunction in ("and", "or") and verb in _WRITES:
                    return "write", verb
            return "read", word
    return None, ""


def same_job(tool: Contract, builtin: BuiltinTool) -> bool:
    """Whether the built-in does what the server's tool is asked for: it acts on a world that both share, and it can
    be told everything the tool needs to know. A ``host`` or ``repo`` that it has no word for, required or not, or a
    description that speaks of another machine, means another world."""
    if builtin.acts_on not in _SHARED_WORLDS:
        return False
    if builtin.acts_on != "web" and _OTHER_MACHINE.search((tool.description or "")[:4000]):
        return False
    known = {folded(name) for name in builtin.parameters or ()}
    if any(folded(name) in _ELSEWHERE - known for name in tool.parameters):
        return False
    required = [folded(name) for name in tool.required]
    if builtin.parameters is None:
        # It is there, and nobody knows its parameters: a search is a search, but a write is not put at risk on a guess.
        return builtin.effect == "read" and all(any(name in group for group in _SYNONYMS) for name in required)
    return all(any(same_parameter(name, other) for other in known) for name in required)


def same_parameter(one: str, other: str) -> bool:
    """Whether two folded parameter names mean the same."""
    return one == other or any(one in group and other in group for group in _SYNONYMS)


def shadowing(
    *, tool: Contract, effect: Effect, builtin: BuiltinTool, answers: bool, switched_on: bool, reached: bool = False
) -> tuple[Severity, str]:
    """The severity of a bare name that is (or folds to) a built-in's, and why.

    ``answers``: a call of the tool's own name lands in the built-in (else the runtime answers with an error, and only
    a model that picks the similar name goes wrong). ``reached``: that call reaches the server's tool. ``switched_on``
    False: the built-in is off unless switched on.
    """
    if same_job(tool, builtin):
        return "low", "the built-in does the same job with the same arguments, so a call that lands there is not lost"
    if not switched_on:
        return "low", "the built-in is off by default, and nothing seen here switches it on"
    if answers:
        if effect == "write":
            return "high", "what is written or sent through it never reaches the server, and the screen says done"
        return "medium", "the built-in answers from its own world: plausible, and wrong"
    if reached:
        return "low", "each of them answers to its own name, and the two read as the same"
    if effect == "write":
        return "medium", "the bare name is refused, but a model that takes the similar built-in instead loses the write"
    return "low", "the bare name is refused with an error that the model sees"


def equal_names(effect: Effect, *, aborts: bool, switched_on: bool = True) -> Severity:
    """The severity of two tools under one runtime name."""
    if not switched_on:
        return "low"
    return "high" if aborts or effect == "write" else "medium"
