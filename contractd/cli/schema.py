"""``contractd schema``: the published JSON Schemas."""

from __future__ import annotations

import json
from importlib.resources import files

import click

from contractd.cli.output import write_result

NAMES = ("report", "manifest", "config", "uses")


@click.command(name="schema")
@click.argument("name", type=click.Choice(NAMES))
def command(name: str) -> int:
    """Print a JSON Schema: of the json report, of a manifest, of contractd.toml, or of a uses file."""
    if name in ("config", "uses"):
        from contractd.policy import config_schema, uses_schema  # noqa: PLC0415

        schema = config_schema() if name == "config" else uses_schema()
        write_result(json.dumps(schema, indent=2) + "\n", None)
    else:
        write_result((files("contractd") / "schemas" / f"{name}-1.schema.json").read_text("utf-8"), None)
    return 0
