"""``contractd preflight``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from contractd.cli import exit_codes
from contractd.cli.output import is_tty, wants_color, write_result
from contractd.errors import ContractdError, UsageError

_Command = TypeVar("_Command", bound=Callable[..., Any])

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
  cat settings.json | contractd preflight --config - --runtime qwen-code@0.21.10 --offline
"""


def _option(*names: str, **attributes: Any) -> Callable[[_Command], _Command]:
    """An option with its twin in the environment, shown in the help: --fail-on is CONTRACTD_FAIL_ON."""
    twin = next(name for name in names if name.startswith("--")).strip("-").split("/")[0].replace("-", "_").upper()
    return click.option(*names, envvar=f"CONTRACTD_{twin}", show_envvar=True, **attributes)


@click.command(name="preflight", help=HELP, epilog=exit_codes.EPILOG)
@_option("--config", "configs", multiple=True, metavar="FILE",
         help="A configuration to check, - for standard input; repeatable, weakest first. Without it: the files the "
              "runtime would itself read from here.")  # fmt: skip
@_option("--runtime", metavar="NAME[@VERSION]", help="The agent runtime it is for, instead of recognising it.")
@_option("--condition", "conditions", multiple=True, metavar="KEY=VALUE",
         help="What is known of the run, such as mode=headless; what is not is assumed either way.")  # fmt: skip
@_option("--expect", multiple=True, metavar="SERVER.TOOL", help="A tool this session must have; repeatable.")
@_option("--offline", is_flag=True, help="Start and contact nothing; judge what can be judged.")
@_option("--yes", is_flag=True, help="Agree to everything the configuration would start or contact.")
@_option("--allow", multiple=True, metavar="SERVER|DIGEST", help="Agree to this server only; repeatable.")
@_option("--timeout", type=click.FloatRange(0.1, 3600), metavar="SECONDS",
         help="The budget of each server, instead of the runtime's own.")  # fmt: skip
@_option("--fail-on", type=click.Choice(LEVELS), help="The least severity that makes the verdict not_ready. "
         "[default: medium]")  # fmt: skip
@_option("--allow-undetermined", multiple=True, metavar="RULE", help="Accept what this rule could not determine.")
@_option(
    "--select", multiple=True, metavar="RULE", help="Report only these rules (an id, a name, or CTD3 for a family)."
)
@_option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out.")
@_option("--baseline", metavar="FILE", help="Accept the findings in this file; only new ones count.")
@_option("--write-baseline", metavar="FILE", help="Write the findings of this run as a baseline.")
@_option("--policy", metavar="FILE", help="contractd's own settings, instead of the contractd.toml found from here.")
@_option("--no-policy", is_flag=True, help="Look for no contractd.toml.")
@_option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
@_option("-o", "--output", metavar="FILE", help="Write the result there, once it is complete.")
@_option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@_option("-v", "--verbose", is_flag=True, help="Show every tool of long lists.")
@_option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
@_option("--no-progress", is_flag=True, help="The same as --quiet.")
@_option("--no-input", is_flag=True, help="Never ask, even on a terminal.")
def command(**options: Any) -> int:
    """Parse, check, render, exit."""
    from contractd.cli.run import run  # noqa: PLC0415 - heavy rooms load only for this command
    from contractd.preflight.engine import preflight  # noqa: PLC0415

    quiet = options["quiet"] or options["no_progress"]
    progress = _progress(quiet)
    asked = None if options["no_input"] or options["yes"] or not _can_ask(options["configs"]) else _ask
    try:
        report = run(preflight(_request(options), ask=asked, observer=progress))
    finally:
        if progress is not None:
            progress.close()
    if options["write_baseline"]:
        _write_baseline(options["write_baseline"], report)
    write_result(_render(report, options), options["output"])
    return exit_codes.BY_VERDICT[report.verdict]


def _request(options: dict[str, Any]) -> Any:
    from contractd.preflight.request import Request  # noqa: PLC0415

    conditions = {}
    for pair in options["conditions"]:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"--condition {pair!r} is not KEY=VALUE")
        conditions[key.strip()] = value.strip()
    for reference in options["expect"]:
        if not all(reference.partition(".")):
            raise UsageError(f"--expect {reference!r} is not SERVER.TOOL")
    configs = options["configs"]
    return Request(
        configs=configs,
        stdin=sys.stdin.buffer.read() if "-" in configs else b"",
        runtime=options["runtime"],
        conditions=conditions,
        expect=options["expect"],
        allow_undetermined=options["allow_undetermined"],
        select=options["select"],
        ignore=options["ignore"],
        fail_on=options["fail_on"],
        baseline=options["baseline"],
        policy=options["policy"],
        use_policy=not options["no_policy"],
        offline=options["offline"],
        consented=options["yes"],
        allow=tuple(options["allow"]) + tuple(_remembered()),
        budget=options["timeout"],
    )


def _render(report: Any, options: dict[str, Any]) -> str:
    from contractd.documents import Document  # noqa: PLC0415
    from contractd.preflight.gather import read_document  # noqa: PLC0415
    from contractd.preflight.report import render  # noqa: PLC0415

    documents: dict[str, Document] = {}
    for file in {finding.place.file for finding in report.findings}:
        try:
            documents[file] = read_document(file)
        except (ContractdError, OSError):
            continue  # standard input, or gone meanwhile: then no source lines
    to_terminal = options["output"] is None and is_tty(sys.stdout)
    return render(
        report,
        options["format_"],
        documents=documents,
        color=wants_color(options["color"], os.environ, tty=to_terminal),
        verbose=options["verbose"],
    )


def _progress(quiet: bool) -> Any:
    if quiet or sys.stderr is None:
        return None
    from contractd.cli.progress import Progress  # noqa: PLC0415

    return Progress(live=is_tty(sys.stderr))


def _store() -> Any:
    from platformdirs import user_state_path  # noqa: PLC0415

    from contractd.preflight.consent import ConsentStore  # noqa: PLC0415

    return ConsentStore(Path(user_state_path("contractd")) / "consent.json")


def _remembered() -> frozenset[str]:
    remembered: frozenset[str] = _store().load()
    return remembered


def _can_ask(configs: tuple[str, ...]) -> bool:
    return "-" not in configs and is_tty(sys.stdin) and is_tty(sys.stderr)


def _ask(questions: list[Any]) -> frozenset[str]:
    """Show every command line and URL, and ask once for all of them."""
    click.echo("This configuration would start or contact:\n", err=True)
    for question in questions:
        click.echo(f"  {question.spec.name}: {question.line}\n      {question.detail}", err=True)
    click.echo("", err=True)
    if not click.confirm("Go ahead? (remembered for these exact commands)", default=False, err=True):
        return frozenset()
    digests = frozenset(question.digest for question in questions)
    _store().add(digests)
    return digests


def _write_baseline(path: str, report: Any) -> None:
    from contractd.preflight.baseline import baseline_text  # noqa: PLC0415

    write_result(baseline_text(report.findings), path)
