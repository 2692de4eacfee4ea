"""What a comparison of two contracts, or of two manifests, says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from contractd.contracts.compat import Comparison
from contractd.contracts.compat.result import Effect, Verdict
from contractd.contracts.contract import Contract, FlawedTool

if TYPE_CHECKING:
    from contractd.contracts.uses import ToolUse

Aspect = Literal["arguments", "results", "annotations", "description"]
Bearing = Effect | Literal["riskier", "safer"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two contracts.

    The pointers (RFC 6901) lead into the tool as MCP lists it; None where it is in one of the two only. ``effect``: as
    in ``compat.Change``; of an annotation whether calls became riskier or safer by it. ``rule`` is the aspect and the
    kind: ``arguments-newly-required``.
    """

    kind: str
    pointer_old: str | None
    pointer_new: str | None
    direction: Aspect
    effect: Bearing

    @property
    def rule(self) -> str:
        """A stable id of what was noticed."""
        return f"{self.direction}-{self.kind}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What refuses a witness: where in the value, the keyword, and the keyword's place in the refusing schema.

    ``property``: the one that is missing, or not taken. ``accepts``: what would be taken, for people.
    """

    pointer: str
    keyword: str
    schema_pointer: str
    property: str | None = None
    accepts: str | None = None


@dataclass(frozen=True)
class Narrowed:
    """What a change means to an agent that uses a tool only in part. ``doubts``: what of it could not be told apart
    from the rest, so that all counts."""

    use: ToolUse
    arguments: Comparison
    results: Comparison
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContractChange:
    """How a contract changed. ``verdict`` is for any call and any result that the schemas allow.

    ``told`` is for those who keep to what is declared: calls without arguments that the old contract does not name,
    results without fields that the new one does not name, integers that JSON carries safely (RFC 7493 section 2.2).
    An optional parameter added to an open object breaks the first and not the second. ``declared`` holds the
    comparisons of that kind where the ones for everything say ``breaking``; ``refusals`` what refuses each witness.
    ``narrowed`` takes its place where it is known what an agent uses (``contracts.uses``).
    """

    old: Contract
    new: Contract
    arguments: Comparison
    results: Comparison
    changes: tuple[Difference, ...] = ()
    declared: tuple[Comparison, ...] = ()
    refusals: tuple[tuple[Comparison, Refusal], ...] = field(default=(), repr=False)
    narrowed: Narrowed | None = None

    @property
    def verdict(self) -> Verdict:
        """Breaking if either direction is; unknown if either is and none is breaking."""
        return _worst(self.arguments.verdict, self.results.verdict)

    @property
    def told(self) -> Verdict:
        """The same for those who keep to what is declared; or for the agent whose uses are known."""
        return _worst(*(comparison.verdict for comparison in self.judged))

    @property
    def judged(self) -> tuple[Comparison, Comparison]:
        """Arguments, then results: for what the agent uses, where that is known; else ``for_anyone``."""
        if self.narrowed is not None:
            return self.narrowed.arguments, self.narrowed.results
        return self.for_anyone

    @property
    def for_anyone(self) -> tuple[Comparison, Comparison]:
        """Arguments, then results: the comparison for what is declared where there is one."""
        by_direction = {comparison.direction: comparison for comparison in self.declared}
        return by_direction.get("arguments", self.arguments), by_direction.get("results", self.results)

    @property
    def riskier(self) -> bool:
        """Whether a call may do more harm than was said."""
        return any(change.effect == "riskier" for change in self.changes)

    @property
    def unchanged(self) -> bool:
        """Nothing differs that a caller, a reader or a model could notice. The list of changes proves nothing, so the
        verdict has its say as well."""
        return not self.changes and self.verdict == "compatible"

    def of(self, *directions: Aspect) -> tuple[Difference, ...]:
        """The changes of these aspects."""
        return tuple(change for change in self.changes if change.direction in directions)

    def refusal(self, comparison: Comparison) -> Refusal | None:
        """What refuses the witness of one of the comparisons."""
        return next((refusal for of, refusal in self.refusals if of is comparison), None)


@dataclass(frozen=True)
class Rename:
    """A tool that is gone and one that is new, probably the same: its name or its shape says so."""

    old: Contract
    new: Contract
    reason: str
    change: ContractChange


@dataclass(frozen=True)
class ManifestChange:
    """How a manifest changed; the tools of the new one in its order, removed ones in the order of the old one.

    ``lost``: sound contracts of the old manifest whose tools the new one lists in a form that is no contract.
    ``unreadable``: tools that were and are none.
    """

    changed: tuple[ContractChange, ...] = ()
    removed: tuple[Contract, ...] = ()
    added: tuple[Contract, ...] = ()
    renamed: tuple[Rename, ...] = ()
    unchanged: tuple[str, ...] = ()
    lost: tuple[tuple[Contract, FlawedTool], ...] = ()
    unreadable: tuple[FlawedTool, ...] = ()


def _worst(*verdicts: Verdict) -> Verdict:
    if "breaking" in verdicts:
        return "breaking"
    return "unknown" if "unknown" in verdicts else "compatible"
