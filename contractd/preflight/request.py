"""What is asked of preflight: the command line, or an embedding program, as one value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from contractd.preflight.model import FailOn


@dataclass(frozen=True)
class Request:
    """``configs`` empty: the files the runtime would itself read from ``cwd``. ``stdin`` stands for a config named
    ``-``. ``runtime`` is NAME or NAME@VERSION. ``fail_on`` None and empty lists: what the policy says.

    ``consented``: start and contact everything; else what ``allow`` (names, digests) or the user's settings agree to,
    and what ``ask`` answers. ``budget``: seconds for each server instead of the runtime's own. Any iterable of texts is
    taken for a tuple, and a single text for a tuple of one. ``lock``: the lock to compare with, empty for the one of
    this folder; None: only if the policy names one, and ``use_lock`` False: not even then. ``uses``: a uses file, by
    which differences from the lock are judged.
    """

    configs: tuple[str, ...] = ()
    stdin: bytes = b""
    runtime: str | None = None
    cwd: str = field(default_factory=os.getcwd)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    conditions: Mapping[str, str] = field(default_factory=dict)
    expect: tuple[str, ...] = ()
    allow_undetermined: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    baseline: str | None = None
    policy: str | None = None
    use_policy: bool = True
    offline: bool = False
    consented: bool = False
    allow: tuple[str, ...] = ()
    budget: float | None = None
    lock: str | None = None
    use_lock: bool = True
    uses: str | None = None

    def __post_init__(self) -> None:
        for name in ("configs", "expect", "allow_undetermined", "select", "ignore", "allow"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))

    @property
    def home(self) -> str:
        """The home directory, as the environment says."""
        return self.environ.get("HOME") or str(Path.home())
