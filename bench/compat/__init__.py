"""How often is the verdict on two schemas right, what does it cost, and what do others make of the same cases.

``python -m bench.compat`` prints it; docs/accuracy.md keeps it.
"""

from bench.compat.cases import CASES, SIDES, read
from bench.compat.ours import measure

__all__ = ["CASES", "SIDES", "measure", "read"]
