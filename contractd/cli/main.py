"""The entry point: a lazy group of commands, and one place where errors become messages and exit codes."""

from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

import click

from contractd._version import __version__
from contractd.cli import exit_codes
from contractd.errors import ContractdError

_COMMANDS = {
    "preflight": "contractd.cli.preflight",
    "rules": "contractd.cli.rules",
    "explain": "contractd.cli.explain",
    "config": "contractd.cli.config",
    "schema": "contractd.cli.schema",
}


class _Lazy(click.Group):
    """Imports the module of the chosen command only: ``--version`` costs no more than click."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(module).command
        return command


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=exit_codes.EPILOG,
)
@click.version_option(__version__, "-V", "--version", prog_name="contractd")
def cli() -> None:
    """Check what an AI agent is told about its tools, before it acts on it."""


def main() -> NoReturn:
    """Run the command line and exit."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.Abort:
        code = exit_codes.INTERRUPTED
        click.echo("interrupted", err=True)
    except click.ClickException as error:
        error.show()
        code = exit_codes.USAGE
    except KeyboardInterrupt:
        code = exit_codes.INTERRUPTED
        click.echo("interrupted: every process that was started has been ended", err=True)
    except ContractdError as error:
        show_error(error)
        code = exit_codes.USAGE
    except BrokenPipeError:
        code = exit_codes.USAGE
    leave(code if isinstance(code, int) else 0)


def show_error(error: ContractdError) -> None:
    """One line that says where and what, one that says what to do."""
    click.echo(f"error: {error}", err=True)
    if error.hint:
        click.echo(f"\nhint: {error.hint}", err=True)


def leave(code: int) -> NoReturn:
    """Exit without a traceback even where nobody reads stdout any more."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            # Python flushes again at exit and would complain: give it somewhere to flush to.
            if stream is not None:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
