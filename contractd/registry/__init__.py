"""All providers of one session, fetched at once.

Comes in: provider specs. Goes out: a row per provider, ready or failed with the cause; never an exception for a
provider's trouble. Must not know: agent runtimes, rules, reports.
"""

from contractd.registry.bootstrap import Row, bootstrap

__all__ = ["Row", "bootstrap"]
