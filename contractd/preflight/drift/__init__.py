"""``contractd diff``: two manifests read, compared and judged.

Comes in: the names of two files. Goes out: a ``Report`` of the same kind as preflight's. Must not know: the command
line. ``contracts.drift`` compares; here are the files, the findings and their words.
"""

from contractd.preflight.drift.engine import DiffRequest, diff

__all__ = ["DiffRequest", "diff"]
