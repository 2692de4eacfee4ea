"""``contracts.lock``: the contracts that a person accepted, as a text file that is read in review.

Comes in: what providers listed, or the file. Goes out: a ``Lock``, or its text. Must not know: how a difference is
judged, or who asks.
"""

from contractd.registry.lock.model import FORMAT, Lock, LockedProvider, LockedTool
from contractd.registry.lock.read import LOCK_FILE, MAX_LOCK_BYTES, is_lock, parse_lock
from contractd.registry.lock.write import lock_text

__all__ = [
    "FORMAT",
    "LOCK_FILE",
    "MAX_LOCK_BYTES",
    "Lock",
    "LockedProvider",
    "LockedTool",
    "is_lock",
    "lock_text",
    "parse_lock",
]
