"""``contractd lock`` and ``preflight --lock``: what was accepted, what is there now, and what of it may be accepted.

Comes in: a lock, and what servers listed. Goes out: findings, and the lock as it should be. Must not know: the command
line. ``registry.lock`` is the file; ``preflight.drift`` judges a difference. ``engine.py`` is the entry.
"""
