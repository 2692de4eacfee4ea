"""``contractd contracts replay``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any, BinaryIO

import click

from contractd.cli import exit_codes
from contractd.cli.options import FILES, here, option
from contractd.cli.output import check_output, is_tty, wants_color, write_result
from contractd.cli.preflight import FORMATS, LEVELS
from contractd.errors import UsageError

HELP = """Try recorded calls against a manifest, without calling anything: which would be refused now, and why.

CALLS is as for contractd contracts uses, NEW and OLD are manifests or locks; one of them may be -, standard input. With
--from, the manifest the calls were made under, a call that was refused before is told apart, and a tool with another
name is recognised. Findings give the line of the call, the place and the rule, and what would be accepted; never what
was sent.

\b
Examples:
  contractd contracts replay --calls calls.jsonl --against tools-1.5.json
  contractd contracts replay --calls calls.jsonl --against new.json --from old.json --format json
"""


@click.command(name="replay", help=HELP, epilog=exit_codes.EPILOG)
@click.option("--calls", type=FILES, required=True, metavar="CALLS", help="The recorded calls.")
@click.option("--against", type=FILES, required=True, metavar="NEW", help="What they are tried against.")
@click.option("--from", "made_under", type=FILES, metavar="OLD", help="What they were made under.")
@option(
    "--provider", metavar="NAME", help="Only this server; of a manifest: whose it is. Calls of others are passed over."
)
@option("--fail-on", type=click.Choice(LEVELS), help="The least severity for not_ready. [default: medium]")
@option("--allow-undetermined", multiple=True, metavar="RULE", help="Accept what this rule could not determine.")
@option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the result there, once it is complete.")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("-v", "--verbose", is_flag=True, help="Show every finding, and each with all that is known of it.")
def command(**options: Any) -> int:
    """Parse, replay, render, exit."""
    from contractd.preflight.replay import ReplayRequest, replay  # noqa: PLC0415 - heavy rooms load where they are used
    from contractd.preflight.report import render  # noqa: PLC0415

    files = [options[name] for name in ("calls", "against", "made_under")]
    check_output(options["output"], inputs=[name for name in files if name])
    if "" in files:
        raise UsageError("'' names no file")
    names = ("calls", "against", "made_under", "provider", "fail_on", "allow_undetermined")
    given: dict[str, Any] = {name: options[name] for name in names}
    if files.count("-") == 1:
        given["stdin"] = stdin_of("-")
    request = ReplayRequest(**given, cwd=here())
    to_terminal = options["output"] is None and is_tty(sys.stdout)
    report = replay(request)
    text = render(
        report,
        options["format_"],
        color=wants_color(options["color"], os.environ, tty=to_terminal),
        verbose=options["verbose"],
        width=min(shutil.get_terminal_size().columns, 160) if to_terminal else 120,
        base=request.cwd,
    )
    write_result(text, options["output"])
    return exit_codes.BY_VERDICT[report.verdict]


def stdin_of(asked: str) -> BinaryIO:
    """Standard input, to be read piece by piece. ``asked``: who wants it, for the error."""
    if sys.stdin is None:
        raise UsageError(f"{asked} reads standard input, which is closed")
    return sys.stdin.buffer
