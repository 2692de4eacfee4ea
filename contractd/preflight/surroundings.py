"""The variables that a runtime adds to its environment from ``.env`` files of its own.

They count when its configuration is expanded, and its servers get them. A file in the folder comes with whatever was
cloned there: what it gives to a server is part of what is asked and remembered, by name, like the entry's own ``env``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from contractd.preflight.files import is_file, read_bytes
from contractd.preflight.model import FileView
from contractd.runtimes.base import Context, Entry, Setup
from contractd.runtimes.dotenv import with_env_files
from contractd.runtimes.runtime import Runtime


@dataclass(frozen=True)
class Surroundings:
    """``context`` with the variables of the files in it; ``added``: those that the environment did not have."""

    context: Context
    files: tuple[FileView, ...] = ()
    added: Mapping[str, str] = field(default_factory=dict, repr=False)

    def given_to(self, setup: Setup) -> Setup:
        """The setup with each server that is started given what it inherits of them."""
        return replace(setup, entries=tuple(self._given(entry) for entry in setup.entries)) if self.added else setup

    def _given(self, entry: Entry) -> Entry:
        spec = entry.spec
        if spec is None or spec.transport != "stdio":
            return entry
        inherited = {name: value for name, value in self.added.items() if spec.inherit == "all" or name in spec.inherit}
        return replace(entry, spec=replace(spec, env={**inherited, **spec.env}))


def surroundings(runtime: Runtime, context: Context) -> Surroundings:
    """Read the runtime's files of variables. Raises ConfigError for one that can't be read."""
    nearest = [next(filter(is_file, group), None) for group in runtime.env_files(context)]
    present = list(dict.fromkeys(path for path in nearest if path is not None))
    texts = [read_bytes(path, path).decode("utf-8", "replace") for path in present]
    environ = with_env_files(context.environ, texts)
    added = {name: value for name, value in environ.items() if name not in context.environ and "\0" not in value}
    files = tuple(
        FileView(
            path,
            "project" if path.startswith(context.cwd + "/") else "user",
            f"{runtime.title} adds its variables to the environment",
        )
        for path in present
    )
    return Surroundings(replace(context, environ={**context.environ, **added}, env_files=True), files, added)
