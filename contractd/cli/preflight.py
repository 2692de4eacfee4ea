"""``contractd preflight``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import click

from contractd.cli import exit_codes
from contractd.cli.options import checked, option, shared
from contractd.cli.output import check_output, is_tty, wants_color, write_result

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown")
LEVELS = ("info", "low", "medium", "high", "never")

HELP = """Check a configuration before a session: what is configured, what starts, which tools the model would see
under which names, where a call of each name would land.

A configuration is a list of command lines. On a terminal they are shown and asked for once; without one, --yes or an
allow-list is needed; --offline starts nothing. Remote servers are contacted with the headers they are configured with.

\b
Examples:
  contractd preflight --config qwen.json
  contractd preflight --runtime claude-code          the files Claude Code would read from here
  contractd preflight --config .mcp.json --yes --format sarif -o preflight.sarif
  contractd preflight --config qwen.json --offline --lock      in a pre-commit hook: by what was accepted
  cat settings.json | contractd preflight --config - --runtime qwen-code@0.21.10 --offline
"""


@click.command(name="preflight", help=HELP, epilog=exit_codes.EPILOG)
@shared
@option("--fail-on", type=click.Choice(LEVELS), help="The least severity for not_ready. [default: medium]")
@option("--allow-undetermined", multiple=True, metavar="RULE", help="Accept what this rule could not determine.")
@option("--select", multiple=True, metavar="RULE", help="Report only these: an id, a name, or CTD3 for a family.")
@option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out.")
@option("--baseline", metavar="FILE", help="Accept the findings in this file; only new ones count.")
@click.option("--write-baseline", metavar="FILE", help="Write the findings of this run as a baseline.")
@option(
    "--lock",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[FILE]",
    help="Compare with what was accepted: this lock, or contracts.lock. With --offline it stands in for the servers.",
)
@option("--uses", metavar="FILE", help="With a lock: judge differences by what this agent uses (contracts uses).")
@option("--no-lock", is_flag=True, help="Compare with no lock, not even the one that contractd.toml names.")
@option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the result there, once it is complete.")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def command(**options: Any) -> int:
    """Parse, check, render, exit."""
    check_output(options["output"], options["write_baseline"])
    names = ("allow_undetermined", "select", "ignore", "fail_on", "baseline", "lock", "uses")
    prepared, report = checked(options, use_lock=not options["no_lock"], **{name: options[name] for name in names})
    text = _render(prepared, report, options)
    if options["write_baseline"]:
        from contractd.preflight.baseline import baseline_text  # noqa: PLC0415 - heavy rooms load where they are used

        write_result(baseline_text(report.findings), options["write_baseline"])
    write_result(text, options["output"])
    return exit_codes.BY_VERDICT[report.verdict]


def _render(prepared: Any, report: Any, options: dict[str, Any]) -> str:
    from contractd.preflight.report import render  # noqa: PLC0415

    to_terminal = options["output"] is None and is_tty(sys.stdout)
    return render(
        report,
        options["format_"],
        documents=prepared.documents,
        color=wants_color(options["color"], os.environ, tty=to_terminal),
        verbose=options["verbose"] > 0,
        width=min(shutil.get_terminal_size().columns, 160) if to_terminal else 120,
        base=prepared.request.cwd,
    )
