"""All providers of one session, fetched at once; and the lock, what was accepted of them.

Comes in: provider specs. Goes out: a row per provider, ready or failed with the cause; never an exception for a
provider's trouble. Must not know: agent runtimes, rules, reports. ``bootstrap.py`` fetches, and brings aiohttp; rows
and the lock are light.
"""

from contractd.registry.row import Row

__all__ = ["Row"]
