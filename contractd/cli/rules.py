"""``contractd rules``."""

from __future__ import annotations

import sys
from typing import Any

import click

from contractd.cli import exit_codes
from contractd.cli.options import checked, shared
from contractd.cli.output import check_output, write_result
from contractd.errors import UsageError


@click.command(name="rules", epilog=exit_codes.EPILOG)
@shared
@click.option("-o", "--output", metavar="FILE", help="Write the paragraph there.")
def command(**options: Any) -> int:
    """Print the paragraph for the agent's own rule document (AGENTS.md, QWEN.md, …).

    It says which tools the session must have under which names (with --expect only those), that a missing one is
    reported and never replaced, and what counts as done. The servers are contacted, as in preflight, whose verdict
    is the exit status. Without any tool to name there is no paragraph.

    \b
    Example:
      contractd rules --config qwen.json --expect mail.send_message >> AGENTS.md
    """
    from contractd.preflight.agent_rules import agent_rules, wanted_tools  # noqa: PLC0415

    check_output(options["output"])
    prepared, report = checked(options)
    wanted = wanted_tools(report, (*options["expect"], *prepared.gathered.policy.policy.preflight.expect))
    if wanted.tools:
        write_result(agent_rules(report, wanted), options["output"])
    for reference in wanted.missing:
        _note(f"{reference} is expected and not there, so the paragraph does not name it")
    if report.verdict != "ready":
        _note(f"preflight says {report.verdict}; contractd preflight shows why")
    elif not wanted.tools:
        raise UsageError("no server offers a tool, so there is nothing to write rules about")
    return exit_codes.BY_VERDICT[report.verdict]


def _note(text: str) -> None:
    if sys.stderr is not None:
        click.echo(f"note: {text}", err=True)
