"""``contractd contracts replay``: recorded calls tried against a manifest, and nothing called.

Comes in: the names of files. Goes out: a ``Report`` of the same kind as preflight's. Must not know: the command line.
``contracts.uses.replay`` decides; here are the files, the findings and their words.
"""

from contractd.preflight.replay.engine import ReplayRequest, replay

__all__ = ["ReplayRequest", "replay"]
