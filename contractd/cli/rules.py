"""``contractd rules``."""

from __future__ import annotations

import sys
from typing import Any

import click

from contractd.cli import exit_codes
from contractd.cli.options import checked, shared
from contractd.cli.output import write_result


@click.command(name="rules", epilog=exit_codes.EPILOG)
@shared
@click.option("-o", "--output", metavar="FILE", help="Write the paragraph there.")
def command(**options: Any) -> int:
    """Print the paragraph for the agent's own rule document (AGENTS.md, QWEN.md, …).

    It says which tools the session must have under which names (with --expect only those), that a missing one is
    reported and never replaced, and what counts as done. The servers are contacted, as in preflight, whose verdict
    is the exit status.

    \b
    Example:
      contractd rules --config qwen.json --expect mail.send_message >> AGENTS.md
    """
    from contractd.preflight.agent_rules import agent_rules  # noqa: PLC0415 - heavy rooms load where they are used

    report = checked(options)
    names = {provider.id: provider.name for provider in report.providers}
    wanted = {reference.partition(".")[::2] for reference in options["expect"]}
    expected = frozenset((names.get(provider, provider), tool) for provider, tool in wanted)
    write_result(agent_rules(report, expected), options["output"])
    if report.verdict != "ready" and sys.stderr is not None:
        click.echo(f"note: preflight says {report.verdict}; contractd preflight shows why", err=True)
    return exit_codes.BY_VERDICT[report.verdict]
