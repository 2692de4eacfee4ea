"""``contractd lock``."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import click

from contractd.cli import exit_codes
from contractd.cli.options import FILES, asks, contacting, option, request_from, watched
from contractd.cli.output import check_output, is_tty, write_result
from contractd.errors import UsageError

HELP = """Write down the contracts of the tools that are offered now, as accepted: contracts.lock.

The first lock accepts everything it lists; commit the file, and read its changes in review. After that nothing becomes
part of it that was not named with --upgrade or is accepted by lock.accept in contractd.toml: what differs is told, and
the lock keeps to the old contract. preflight --lock compares a configuration with it.

\b
Examples:
  contractd lock --config qwen.json
  contractd lock --config qwen.json --check                       in CI: does the lock still hold
  contractd lock --config qwen.json --upgrade mail.send_message   accept that tool as it is now
  contractd lock --config qwen.json --upgrade mail --dry-run      what accepting all of mail would change
"""
EPILOG = (
    "\b\nExit status: 0 the lock is what is offered, 1 something differs that was not accepted, 2 the command or a\n"
    "file is wrong and the lock is as it was (or only these words had no place to go), 3 a server could not be\n"
    "compared, 130 interrupted."
)


@click.command(name="lock", help=HELP, epilog=EPILOG)
@contacting
@option("--lock", "file", type=FILES, default="", metavar="FILE", help="The lock. [default: contracts.lock]")
@click.option("--upgrade", multiple=True, metavar="SERVER[.TOOL]", help="Accept it as it is now; repeatable.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the lock is not what is offered.")
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would be written.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write what is said there, once it is complete.")
def command(**options: Any) -> int:
    """Parse, contact, write, exit."""
    from contractd.preflight.lockfile import check_unchanged  # noqa: PLC0415
    from contractd.preflight.locking.engine import LockRequest, carry_out_lock, prepare_lock  # noqa: PLC0415 - heavy rooms
    from contractd.preflight.locking.told import as_json, as_text  # noqa: PLC0415

    if options["check"] and options["upgrade"]:
        raise UsageError("--check compares and --upgrade accepts: give one of them", hint="--dry-run writes nothing")
    asked = LockRequest(request_from(options), options["file"], options["upgrade"], options["check"])
    ready = prepare_lock(asked, ask=asks(options))
    writes = not (options["check"] or options["dry_run"])
    if ready.file.shown == "-":
        raise UsageError("a lock is a file: --lock - names none")
    check_output(options["output"], inputs=(*options["configs"], ready.file.shown))
    check_output(ready.file.shown if writes else None, inputs=options["configs"])
    locked = watched(options, lambda observer: carry_out_lock(ready, observer=observer))
    written = writes and locked.stale and bool(locked.plan.lock.providers or ready.file.document)
    if written:
        check_unchanged(ready.file, locked.text)
        write_result(locked.text, ready.file.shown)
    stale = options["check"] and locked.stale and locked.verdict == "ready"
    code = exit_codes.BY_VERDICT["not_ready" if stale else locked.verdict]
    width = min(shutil.get_terminal_size().columns, 160) if is_tty(sys.stdout) else 120
    if options["format_"] == "json":
        said = as_json(locked, written=written)
    else:
        shown = {"written": written, "passed": code == exit_codes.READY, "verbose": options["verbose"] > 0}
        said = as_text(locked, width=width, **shown)
    write_result(said, options["output"])
    return code
