"""The options that say what is checked and what may be started; shared by the commands that look at servers."""

from __future__ import annotations

import math
import os
import select
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import click

from contractd.cli.output import is_tty
from contractd.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

# Several files in one variable are separated as in PATH: names may hold blanks.
FILES = click.Path(allow_dash=True)


def option(*names: str, **attributes: Any) -> Callable[[Function], Function]:
    """An option with its twin in the environment, shown in the help: --fail-on is CONTRACTD_FAIL_ON."""
    twin = next(name for name in names if name.startswith("--")).strip("-").replace("-", "_").upper()
    return click.option(*names, envvar=f"CONTRACTD_{twin}", show_envvar=True, **attributes)


_FIRST = (
    option(
        "--config",
        "configs",
        multiple=True,
        type=FILES,
        metavar="FILE",
        help="A configuration to check, - for standard input; repeatable, weakest first. Without it: the files the "
        "runtime would itself read from here.",
    ),
    option("--runtime", metavar="NAME[@VERSION]", help="The agent runtime it is for, instead of recognising it."),
)
_RUN = (
    option(
        "--condition",
        "conditions",
        multiple=True,
        metavar="KEY=VALUE",
        help="What is known of the run, such as mode=headless; what is not is assumed either way.",
    ),
    option("--expect", multiple=True, metavar="SERVER.TOOL", help="A tool this session must have; repeatable."),
    option("--offline", is_flag=True, help="Start and contact nothing; judge what can be judged."),
)
_CONTACT = (
    option("--yes", is_flag=True, help="Agree to everything the configuration would start or contact."),
    option("--allow", multiple=True, metavar="SERVER|DIGEST", help="Agree to this server only; repeatable."),
    option("--no-input", is_flag=True, help="Never ask, even on a terminal."),
    option(
        "--timeout",
        type=click.FloatRange(0.1, 3600),
        metavar="SECONDS",
        help="The budget of each server, instead of the runtime's own.",
    ),
    option("--policy", metavar="FILE", help="contractd's own settings, instead of the contractd.toml found from here."),
    option("--no-policy", is_flag=True, help="Look for no contractd.toml."),
    option("-q", "--quiet", is_flag=True, help="No progress on stderr."),
    option("--no-progress", is_flag=True, help="The same as --quiet."),
    click.option(
        "-v",
        "--verbose",
        count=True,
        help="Show every tool of long lists and more of each finding; twice: also the traceback of an error in "
        "contractd itself.",
        callback=lambda ctx, _, value: note_verbosity(ctx, value),
    ),
)


def shared(function: Function) -> Function:
    """Add the options of the commands that check a configuration."""
    return _with(function, *_FIRST, *_RUN, *_CONTACT)


def contacting(function: Function) -> Function:
    """Add those of the commands that contact servers and judge no run of a runtime."""
    return _with(function, *_FIRST, *_CONTACT)


def reaching(function: Function) -> Function:
    """Add those that say how servers are contacted, and not which."""
    return _with(function, *_CONTACT)


def _with(function: Function, *options: Callable[[Function], Function]) -> Function:
    for add in reversed(options):
        function = add(function)
    return function


def note_verbosity(ctx: click.Context, value: int) -> int:
    """Tell the entry point, which shows tracebacks after -vv, and after CONTRACTD_DEBUG=1."""
    root = ctx.find_root()
    if isinstance(root.obj, dict):
        root.obj["verbose"] = value
    return value


def request_from(options: dict[str, Any], **more: Any) -> Any:
    """A preflight request. Raises UsageError for a badly put option."""
    from contractd.preflight.request import Request  # noqa: PLC0415 - heavy rooms load only where they are used

    conditions: dict[str, str] = {}
    for pair in options.get("conditions", ()):
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--condition {pair!r} is not KEY=VALUE")
        key, value = key.strip(), value.strip()
        if conditions.setdefault(key, value) != value:
            raise UsageError(f"--condition {key} is given twice, as {conditions[key]} and as {value}")
    configs = options["configs"]
    if "" in configs:
        raise UsageError("--config '' names no file")
    if options["timeout"] is not None and not math.isfinite(options["timeout"]):
        raise UsageError(f"--timeout {options['timeout']} is no number of seconds")
    return Request(
        configs=configs,
        stdin=standard_input("--config -") if "-" in configs else b"",
        runtime=options["runtime"],
        cwd=here(),
        conditions=conditions,
        expect=options.get("expect", ()),
        policy=options["policy"],
        use_policy=not options["no_policy"],
        offline=options.get("offline", False),
        consented=options["yes"],
        allow=tuple(options["allow"]) + tuple(store().load()),
        budget=options["timeout"],
        **more,
    )


def checked(options: dict[str, Any], **more: Any) -> tuple[Any, Any]:
    """Run preflight with progress on stderr: what was prepared, and the report."""
    from contractd.preflight.engine import assess, carry_out  # noqa: PLC0415
    from contractd.preflight.prepare import prepare  # noqa: PLC0415

    # Asked before the event loop takes over the signals: an interrupt must end the question too.
    prepared = prepare(request_from(options, **more), ask=asks(options))
    if not prepared.contacts:
        return prepared, assess(prepared)
    return prepared, watched(options, lambda observer: carry_out(prepared, observer=observer))


def asks(options: dict[str, Any]) -> Callable[[list[Any]], frozenset[str]] | None:
    """Who can be asked what may be started; None where nobody can, or need be."""
    never = options["no_input"] or options["yes"] or "-" in options["configs"]
    return None if never or not (is_tty(sys.stdin) and is_tty(sys.stderr)) else _ask


def watched(options: dict[str, Any], work: Callable[[Any], Coroutine[Any, Any, Result]]) -> Result:
    """Run what contacts servers, with progress on stderr; ``work`` takes the observer that shows it."""
    from contractd.cli.progress import Progress  # noqa: PLC0415
    from contractd.cli.run import run  # noqa: PLC0415

    quiet = options["quiet"] or options["no_progress"] or sys.stderr is None
    live = is_tty(sys.stderr) and os.environ.get("TERM") != "dumb"
    progress = None if quiet else Progress(live=live)
    try:
        return run(work(progress))
    finally:
        if progress is not None:
            progress.close()


def store() -> Any:
    """Where agreed digests are remembered."""
    from platformdirs import user_state_path  # noqa: PLC0415

    from contractd.preflight.consent import ConsentStore  # noqa: PLC0415

    return ConsentStore(Path(user_state_path("contractd")) / "consent.json")


def _ask(questions: list[Any]) -> frozenset[str]:
    """Show every command line and URL, and ask once for all of them."""
    click.echo("This configuration would start or contact:\n", err=True)
    for question in questions:
        click.echo(f"  {question.name}: {question.line}\n      {question.detail}", err=True)
    click.echo("\nGo ahead? (remembered for these exact commands) [y/N] ", err=True, nl=False)
    if _answer().strip().lower() not in ("y", "yes"):
        return frozenset()
    digests = frozenset(question.digest for question in questions)
    store().add(digests)
    return digests


def _answer() -> str:
    """A line from the terminal. click's own question would write to stdout; and a signal that comes just before a
    read that blocks is seen only after it, so the wait is in short pieces. Raises Abort where the input ends."""
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        pass
    line = sys.stdin.readline()
    if not line:
        click.echo("", err=True)
        raise click.Abort
    return line


def standard_input(asked: str) -> bytes:
    """What is on standard input, up to just past the size that is parsed. ``asked``: who wants it, for the error."""
    from contractd.documents import MAX_BYTES  # noqa: PLC0415

    if sys.stdin is None:
        raise UsageError(f"{asked} reads standard input, which is closed")
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def here() -> str:
    """The working directory. Raises UsageError."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError as error:
        raise UsageError(f"the working directory can't be used: {error.strerror}") from None
