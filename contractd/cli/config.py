"""``contractd config``: contractd's own settings."""

from __future__ import annotations

import json
import os

import click

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
@click.option("--policy", metavar="FILE", envvar="CONTRACTD_POLICY", help="This file, not the one found from here.")
@click.option("--no-policy", is_flag=True, help="Look for no file: show the defaults.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def show(policy: str | None, no_policy: bool, format_: str) -> int:
    """Print every setting, and where its value came from."""
    from contractd.preflight.gather import own_settings  # noqa: PLC0415
    from contractd.preflight.request import Request  # noqa: PLC0415

    loaded = own_settings(Request(policy=policy, use_policy=not no_policy, environ=dict(os.environ)))
    rows = loaded.rows()
    if format_ == "json":
        body = [{"setting": name, "value": value, "origin": origin} for name, value, origin in rows]
        write_result(json.dumps(body, indent=2) + "\n", None)
        return 0
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{name:{width}}  {json.dumps(value)}  # {origin}" for name, value, origin in rows]
    write_result("\n".join(lines) + "\n", None)
    return 0
