"""Who else says something of two schemas, at which version, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bench.compat.cases import Direction

_TOOLS = "a list of one tool"
_BREAKING = "a break is what it calls breaking"
_WRAPPED = "a schema that is not of an object stands as the tool's one required argument"


@dataclass(frozen=True)
class Peer:
    """``adapter`` names the peer in adapter.py or adapter.cjs. ``needs``: the oldest Python it runs on. ``given``: how
    a case is put to it, and how its answer is read."""

    name: str
    version: str
    adapter: str
    source: Literal["pypi", "npm", "none"]
    given: str
    directions: tuple[Direction, ...] = ("arguments", "results")
    needs: tuple[int, int] = (3, 10)
    beside: tuple[str, ...] = ()  # what its verdicts hang on besides, pinned too

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}".strip()

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.version}"


_AS_IT_IS = "both schemas as they are"
_ARGUMENTS: tuple[Direction, ...] = ("arguments",)

PEERS = (
    Peer(
        "jsonsubschema",
        "0.0.8",
        "jsonsubschema",
        "pypi",
        f"{_AS_IT_IS}: is the old one a subschema of the new one, for results the other way round; draft-04 is all it "
        "reads, and its refusal of a schema, or of what it does not support, counts as giving up",
        beside=("greenery==4.2.3", "portion==2.6.3", "jsonref==1.1.0", "jsonschema==4.26.0"),
    ),
    Peer(
        "jsoncompat",
        "0.5.0",
        "jsoncompat",
        "pypi",
        f"{_AS_IT_IS}, its role `deserializer` for arguments, `serializer` for results; it reads 2020-12 only and "
        "refuses any other `$schema`; its answer *unknown* and its refusals count as giving up",
        needs=(3, 12),
    ),
    Peer("jsoncompat", "0.3.1", "jsoncompat", "pypi", "as 0.5.0, but it answers yes or no only"),
    Peer(
        "json-schema-diff",
        "1.0.0",
        "json-schema-diff",
        "npm",
        f"{_AS_IT_IS}: a break is what it finds removed, for results what it finds added; it reads draft-07, and its "
        "refusals count as giving up",
    ),
    Peer(
        "mcp-contract",
        "0.6.0",
        "mcp-contract",
        "pypi",
        f"{_TOOLS}, for results with the schema as its output schema; a break is a *breaking* change; {_WRAPPED}",
    ),
    Peer(
        "covenant-mcp",
        "0.2.0",
        "covenant-mcp",
        "pypi",
        f"{_TOOLS}, as above; a break is what fails its strict check",
    ),
    Peer(
        "argwitness",
        "0.3.0",
        "argwitness",
        "pypi",
        f"{_TOOLS}, as above; it calls only equal schemas safe, so *review* counts as giving up, as do its refusals "
        "(2020-12 is all it reads)",
        _ARGUMENTS,
        beside=("jsonschema==4.26.0",),
    ),
    Peer("mcpact", "0.2.0", "mcpact", "pypi", f"{_TOOLS}, as above, in a snapshot; {_BREAKING}", _ARGUMENTS),
    Peer("mujin-mcpdrift", "0.1.0", "mujin-mcpdrift", "pypi", f"{_TOOLS}, as above; {_BREAKING}", _ARGUMENTS),
    Peer("mcp-compat", "0.1.0", "mcp-compat", "pypi", f"{_TOOLS}, as above; {_BREAKING}", _ARGUMENTS),
    Peer("mcp-diff", "0.1.0", "mcp-diff", "pypi", f"{_TOOLS}, as above; {_BREAKING}", _ARGUMENTS),
    Peer(
        "a digest",
        "",
        "digest",
        "none",
        "SHA-256 of both schemas as sorted JSON: what pins on first use compare; any difference is a break",
    ),
)


def chosen(words: str) -> list[Peer]:
    """``all``, ``none``, or names with commas. Raises ValueError for a name that no peer has."""
    if words == "none":
        return []
    names = [word.strip() for word in words.split(",")]
    known = {peer.name for peer in PEERS}
    strange = [name for name in names if name != "all" and name not in known]
    if strange:
        raise ValueError(f"no peer is called {', '.join(strange)}; there are {', '.join(sorted(known))}")
    return [peer for peer in PEERS if "all" in names or peer.name in names]
