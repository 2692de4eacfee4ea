"""``contractd schema``: the published JSON Schemas."""

from __future__ import annotations

import json
from importlib.resources import files

import click

from contractd.cli.output import write_result

NAMES = ("report", "manifest", "config")


@click.command(name="schema")
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> int:
    """Print a JSON Schema: of the json report, of a manifest in contractd's format, or of contractd.toml."""
    if name == "config":
        from contractd.policy import config_schema  # noqa: PLC0415

        write_result(json.dumps(config_schema(), indent=2) + "\n", None)
    else:
        write_result((files("contractd") / "schemas" / f"{name}-1.schema.json").read_text("utf-8"), None)
    return 0
