"""``contractd diff``: two sides read, compared and judged.

Comes in: two words, each a manifest, a lock or a configuration. Goes out: a ``Report`` of the same kind as preflight's.
Must not know: the command line. ``contracts.drift`` compares; here are the files, the findings and their words.
"""

from contractd.preflight.drift.engine import (
    DiffRequest,
    PreparedDiff,
    carry_out_diff,
    compare_files,
    diff,
    prepare_diff,
)

__all__ = ["DiffRequest", "PreparedDiff", "carry_out_diff", "compare_files", "diff", "prepare_diff"]
