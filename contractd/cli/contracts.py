"""``contractd contracts``: what is used of the tools' contracts."""

from __future__ import annotations

import click

from contractd.cli import exit_codes
from contractd.cli.options import FILES, here
from contractd.cli.output import check_output, write_result
from contractd.cli.replay import command as replay
from contractd.cli.replay import stdin_of
from contractd.errors import UsageError

USES = """Write the uses file of recorded calls: which arguments were sent to which tool, which fields came back.

CALLS is a file of JSON objects, one a line: {"tool": "send", "arguments": {…}, "result": …}, the tool by its own name
or as provider.tool, the result if it was kept; - is standard input. The uses file holds names and never a value. With
it, contractd diff --uses counts as breaking only what this agent notices. One line that is no call, and nothing is
written.

\b
Examples:
  contractd contracts uses --from calls.jsonl -o contracts.uses.toml
  cat calls/*.jsonl | contractd contracts uses --from -
"""


@click.group(name="contracts")
def command() -> None:
    """What an agent uses of its tools' contracts, and whether its recorded calls still fit them."""


command.add_command(replay)


@command.command(name="uses", help=USES, epilog=exit_codes.EPILOG)
@click.option("--from", "calls", type=FILES, required=True, metavar="CALLS", help="The recorded calls.")
@click.option("-o", "--output", metavar="FILE", help="Write the uses file there, once it is complete.")
@click.option("--complete", is_flag=True, help="Say in it that this agent uses no other tool.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr.")
def uses(calls: str, output: str | None, complete: bool, quiet: bool) -> int:
    """Read, write, say how many there were."""
    from dataclasses import replace  # noqa: PLC0415 - heavy rooms load where they are used

    from contractd.policy import uses_text  # noqa: PLC0415
    from contractd.preflight.uses import record_calls  # noqa: PLC0415
    from contractd.text import listed, plural  # noqa: PLC0415

    check_output(output, inputs=(calls,))
    if not calls:
        raise UsageError("--from '' names no file")
    recorded = record_calls(calls, here(), stdin_of("--from -") if calls == "-" else None)
    write_result(uses_text(replace(recorded.uses, complete=complete)), output)
    if not quiet:
        counted = plural(recorded.calls, "call"), plural(len(recorded.uses.tools), "tool")
        click.echo(f"note: {counted[0]} of {counted[1]}, {recorded.results} with a result", err=True)
        if recorded.blurred:
            names = listed(recorded.blurred)
            click.echo(f"note: too much differs between the calls of {names}: everything counts there", err=True)
    return exit_codes.READY
