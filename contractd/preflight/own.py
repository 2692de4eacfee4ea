"""contractd's own settings: found from here or named; and whose word in them starts programs.

A file that merely lies in the folder comes with whatever was cloned there. It may say what is expected and what is
accepted, but it can't agree for the user to start something: ``consent.allow`` counts in the user's own file and in
one that was named on the command line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path

from contractd.documents import Document
from contractd.policy import Loaded, load_policy
from contractd.preflight.files import POLICY_FILE, is_file, is_policy, read_bytes, read_document, read_named
from contractd.preflight.request import Request
from contractd.runtimes.base import Scope


@dataclass(frozen=True)
class Own:
    """``scopes`` by path. ``agreed``: the digests in ``consent.allow`` that count; ``not_counted``: the others, each
    with its file."""

    loaded: Loaded
    scopes: Mapping[str, Scope] = field(default_factory=dict)
    agreed: frozenset[str] = frozenset()
    not_counted: Mapping[str, str] = field(default_factory=dict)


def own_settings(request: Request, named: list[Document] | None = None) -> Own:
    """The user's file, then the project's; or alone what was named: ``--policy``, else one of ``--config``.

    Raises ConfigError.
    """
    stated = [document for document in named or () if is_policy(document)]
    if request.policy:
        stated = [read_named(request.policy, request)]
    if stated:
        return _own([(document, "stated") for document in stated])
    if not request.use_policy:
        return _own([])
    found: list[tuple[Document, Scope]] = []
    user = Path(user_config_path("contractd")) / POLICY_FILE
    if is_file(user):
        found.append((read_document(str(user)), "user"))
    project = project_policy(Path(request.cwd).resolve())
    if project is not None and project.path not in {document.path for document, _ in found}:
        found.append((project, "project"))
    return _own(found)


def project_policy(folder: Path) -> Document | None:
    """The nearest contractd.toml, or pyproject.toml with a [tool.contractd], up to the repository's root."""
    for here in (folder, *folder.parents):
        named = here / POLICY_FILE
        if is_file(named):
            return read_document(str(named))
        project = here / "pyproject.toml"
        if is_file(project) and b"contractd" in read_bytes(str(project), str(project)):
            document = read_document(str(project))
            if is_policy(document):
                return document
        if os.path.exists(here / ".git"):  # noqa: PTH110 - Path.exists raises where a folder may not be entered
            break
    return None


def _own(layers: list[tuple[Document, Scope]]) -> Own:
    loaded = load_policy([document for document, _ in layers])
    agreed: set[str] = set()
    not_counted: dict[str, str] = {}
    for document, scope in layers:
        base = "/tool/contractd" if document.path.endswith("pyproject.toml") else ""
        listed = document.get(f"{base}/consent/allow") or ()
        digests = {digest.strip() for digest in listed if isinstance(digest, str)}
        if scope == "project":
            not_counted |= dict.fromkeys(digests, document.path)
        else:
            agreed |= digests
    return Own(loaded, {document.path: scope for document, scope in layers}, frozenset(agreed), not_counted)
