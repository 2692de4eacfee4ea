"""``contractd diff``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import click

from contractd.cli import exit_codes
from contractd.cli.options import FILES, asks, option, reaching, request_from, standard_input, watched
from contractd.cli.output import check_output, is_tty, wants_color, write_result
from contractd.cli.preflight import FORMATS, LEVELS

HELP = """Compare what is offered with what was: which tools are gone, renamed or changed, and which valid calls are
refused now.

OLD and NEW are each a lock (contracts.lock), an agent runtime's configuration, whose servers are asked, or a manifest:
a file in contractd's format or a list as MCP gives it ({"tools": […]}). One of them may be - for standard input. A
breaking change is shown with a call that proves it. Two files are compared without starting anything.

\b
Examples:
  contractd diff tools-1.4.json tools-1.5.json
  contractd diff contracts.lock qwen.json --yes
  contractd diff contracts.lock - --provider mail --format github < listed.json
  contractd diff old.json new.json --fail-on high --ignore CTD412
  contractd diff contracts.lock qwen.json --uses contracts.uses.toml
"""


@click.command(name="diff", help=HELP, epilog=exit_codes.EPILOG)
@click.argument("old", type=FILES, metavar="OLD")
@click.argument("new", type=FILES, metavar="NEW")
@option("--provider", metavar="NAME", help="Compare only this server; of two manifests, with --uses: whose they are.")
@option("--uses", metavar="FILE", help="Judge by what this agent sends and reads: contractd contracts uses writes it.")
@option("--fail-on", type=click.Choice(LEVELS), help="The least severity for not_ready. [default: medium]")
@option("--allow-undetermined", multiple=True, metavar="RULE", help="Accept what this rule could not determine.")
@option("--select", multiple=True, metavar="RULE", help="Report only these: an id, a name, or CTD4 for a family.")
@option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out.")
@option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the result there, once it is complete.")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@option("--runtime", metavar="NAME[@VERSION]", help="The agent runtime a configuration is for.")
@reaching
def command(**options: Any) -> int:
    """Parse, compare, render, exit."""
    from contractd.preflight.drift import DiffRequest, carry_out_diff, compare_files, prepare_diff  # noqa: PLC0415 - heavy rooms
    from contractd.preflight.report import render  # noqa: PLC0415

    sides = (options["old"], options["new"])
    check_output(options["output"], inputs=sides)
    stdin = standard_input("-") if "-" in sides and sides != ("-", "-") else b""
    names = ("fail_on", "select", "ignore", "allow_undetermined", "provider", "uses")
    contact = request_from({**options, "configs": ()})
    chosen = {name: options[name] for name in names}
    request = DiffRequest(*sides, stdin=stdin, cwd=contact.cwd, contact=contact, **chosen)
    prepared = prepare_diff(request, ask=asks({**options, "configs": sides}))
    if prepared.contacts:
        report, documents = watched(options, lambda observer: carry_out_diff(prepared, observer=observer))
    else:
        report, documents = compare_files(prepared)
    to_terminal = options["output"] is None and is_tty(sys.stdout)
    text = render(
        report,
        options["format_"],
        documents=documents,
        color=wants_color(options["color"], os.environ, tty=to_terminal),
        verbose=options["verbose"] > 0,
        width=min(shutil.get_terminal_size().columns, 160) if to_terminal else 120,
        base=request.cwd,
    )
    write_result(text, options["output"])
    return exit_codes.BY_VERDICT[report.verdict]
