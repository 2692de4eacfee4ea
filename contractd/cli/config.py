"""``contractd config``: contractd's own settings."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from contractd.cli.options import option
from contractd.cli.output import write_result


@click.group(name="config")
def command() -> None:
    """contractd's own settings (contractd.toml)."""


@command.command(name="schema")
def schema() -> int:
    """Print the JSON Schema of contractd.toml."""
    from contractd.policy import config_schema  # noqa: PLC0415

    write_result(json.dumps(config_schema(), indent=2) + "\n", None)
    return 0


@command.command(name="show")
@option("--policy", metavar="FILE", help="This file, not the one found from here.")
@option("--no-policy", is_flag=True, help="Look for no file: show the defaults.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def show(policy: str | None, no_policy: bool, format_: str) -> int:
    """Print every setting, and the file and line its value came from. Secrets are hidden.

    The user's contractd.toml comes first, then the nearest one from here, or a pyproject.toml with [tool.contractd].
    """
    from contractd.preflight.own import own_settings  # noqa: PLC0415
    from contractd.preflight.request import Request  # noqa: PLC0415

    own = own_settings(Request(policy=policy, use_policy=not no_policy, environ=dict(os.environ)))
    rows = [(name, _hidden(name, value), origin) for name, value, origin in own.loaded.rows()]
    if format_ == "json":
        body = [{"setting": name, "value": value, "origin": origin} for name, value, origin in rows]
        write_result(json.dumps(body, indent=2) + "\n", None)
        return 0
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{_safe(name):{width}}  {json.dumps(value)}  # {_safe(origin)}" for name, value, origin in rows]
    write_result("\n".join(lines) + "\n", None)
    return 0


def _hidden(name: str, value: Any) -> Any:
    """The value without what looks like a credential in it."""
    from contractd.runtimes.secrets import is_secret, redact, redact_argv  # noqa: PLC0415

    if not name.startswith("providers."):
        return value
    if isinstance(value, list):
        return redact_argv(value) if name.endswith(".command") else value
    if not isinstance(value, str):
        return value
    key = name.rpartition(".")[2].strip('"')
    return "***" if is_secret(key, value) else redact(value)


def _safe(text: str) -> str:
    from contractd.text import visible  # noqa: PLC0415

    return visible(text, 400)
