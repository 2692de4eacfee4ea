"""The entry point: a lazy group of commands, and one place where errors become messages and exit codes."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import click

from contractd._version import __version__
from contractd.cli import exit_codes
from contractd.cli.output import let_go, settle_streams
from contractd.errors import ContractdError, UsageError

_COMMANDS = {
    "preflight": "contractd.cli.preflight",
    "diff": "contractd.cli.diff",
    "lock": "contractd.cli.lock",
    "contracts": "contractd.cli.contracts",
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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in _COMMANDS or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        from contractd.preflight.likeness import nearest  # noqa: PLC0415
        from contractd.text import visible  # noqa: PLC0415

        close = nearest(args[0], list(_COMMANDS))
        raise UsageError(
            f"there is no command {visible(args[0], 60)!r}",
            hint=f"did you mean {close}?" if close else "contractd --help lists them",
        )


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
    settle_streams()
    told: dict[str, Any] = {"verbose": 0}
    try:
        code = _code_of(told)
    except KeyboardInterrupt:  # during the message about something else
        code = exit_codes.INTERRUPTED
    let_go()
    sys.exit(code)


def _code_of(told: dict[str, Any]) -> int:
    try:
        result = cli.main(standalone_mode=False, obj=told)
    except click.exceptions.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        tell("interrupted: every process that was started has been ended\n")
        return exit_codes.INTERRUPTED
    except click.ClickException as error:
        show_click_error(error)
    except ContractdError as error:
        show_error(str(error), error.hint)
    except (BrokenPipeError, SystemExit) as error:  # nobody reads any more; click makes an exit status of it
        return exit_codes.INTERRUPTED if isinstance(error.__context__, KeyboardInterrupt) else exit_codes.USAGE
    except Exception as error:
        show_bug(error, verbose=told["verbose"])
    else:
        return result if isinstance(result, int) else 0
    return exit_codes.USAGE


def show_error(message: str, hint: str | None) -> None:
    """One line that says where and what, one that says what to do."""
    tell(f"error: {message}\n" + (f"\nhint: {hint}\n" if hint else ""))


def tell(text: str) -> None:
    """Say something on stderr; that nobody reads it changes nothing."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(text, err=True, nl=False)


def show_click_error(error: click.ClickException) -> None:
    """The same shape for what click finds wrong; a command group without a command shows its help."""
    said = error.format_message().removesuffix(".")
    if said.startswith("Usage:"):
        tell(f"{said}\n")
        return
    look = f"{error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else None
    if isinstance(error, click.NoSuchOption):
        said = f"there is no option {error.option_name!r}"
        if error.possibilities:
            look = f"did you mean {error.possibilities[0]}? {look} lists them all"
    show_error(said[:1].lower() + said[1:], look)


def show_bug(error: Exception, *, verbose: int) -> None:
    """An error that nobody foresaw: one line, and where to report it; the traceback for who asks for it."""
    if verbose > 1 or os.environ.get("CONTRACTD_DEBUG", "0") not in ("", "0"):
        import traceback  # noqa: PLC0415

        tell("".join(traceback.format_exception(error)))
    from contractd.text import visible  # noqa: PLC0415 - it may quote what a server said

    first = next(_leaves(error))
    said = visible(str(first), 300)
    show_error(
        f"contractd itself failed: {type(first).__name__}{f': {said}' if said else ''}",
        f"this is a fault of contractd {__version__}. Please report it, with the traceback that CONTRACTD_DEBUG=1 "
        "(or -vv) shows, through the issues of the repository you got it from",
    )


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions of a group, or the exception itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
