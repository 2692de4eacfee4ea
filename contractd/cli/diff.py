"""``contractd diff``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import click

from contractd.cli import exit_codes
from contractd.cli.options import FILES, here, option, standard_input
from contractd.cli.output import check_output, is_tty, wants_color, write_result
from contractd.cli.preflight import FORMATS, LEVELS
from contractd.errors import UsageError

HELP = """Compare two manifests: which tools are gone, renamed or changed, and which valid calls are refused now.

OLD and NEW are files in contractd's manifest format, or lists as MCP gives them ({"tools": […]}); - for one of them is
standard input. A breaking change is shown with a call that proves it. Nothing is started or contacted.

\b
Examples:
  contractd diff tools-1.4.json tools-1.5.json
  contractd diff accepted.json - --format github < listed.json
  contractd diff old.json new.json --fail-on high --ignore CTD412
"""


@click.command(name="diff", help=HELP, epilog=exit_codes.EPILOG)
@click.argument("old", type=FILES, metavar="OLD")
@click.argument("new", type=FILES, metavar="NEW")
@option("--fail-on", type=click.Choice(LEVELS), help="The least severity for not_ready. [default: medium]")
@option("--allow-undetermined", multiple=True, metavar="RULE", help="Accept what this rule could not determine.")
@option("--select", multiple=True, metavar="RULE", help="Report only these: an id, a name, or CTD4 for a family.")
@option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out.")
@option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the result there, once it is complete.")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@option("-q", "--quiet", is_flag=True, help="No progress on stderr; a comparison shows none anyway.")
@click.option("-v", "--verbose", is_flag=True, help="Show every finding, and each with all that is known of it.")
def command(**options: Any) -> int:
    """Parse, compare, render, exit."""
    from contractd.preflight.drift import DiffRequest, diff  # noqa: PLC0415 - heavy rooms load where they are used
    from contractd.preflight.report import render  # noqa: PLC0415

    check_output(options["output"])
    sides = (options["old"], options["new"])
    if "" in sides:
        raise UsageError("'' names no file")
    stdin = standard_input("-") if "-" in sides and sides != ("-", "-") else b""
    names = ("fail_on", "select", "ignore", "allow_undetermined")
    request = DiffRequest(*sides, stdin=stdin, cwd=here(), **{name: options[name] for name in names})
    report, documents = diff(request)
    to_terminal = options["output"] is None and is_tty(sys.stdout)
    text = render(
        report,
        options["format_"],
        documents=documents,
        color=wants_color(options["color"], os.environ, tty=to_terminal),
        verbose=options["verbose"],
        width=min(shutil.get_terminal_size().columns, 160) if to_terminal else 120,
        base=request.cwd,
    )
    write_result(text, options["output"])
    return exit_codes.BY_VERDICT[report.verdict]
