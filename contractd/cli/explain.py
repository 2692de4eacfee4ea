"""``contractd explain``."""

from __future__ import annotations

import json

import click

from contractd.cli.output import write_result
from contractd.errors import UsageError


@click.command(name="explain")
@click.argument("rule", required=False, metavar="RULE")
@click.option("--all", "everything", is_flag=True, help="List every rule.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(rule: str | None, everything: bool, format_: str) -> int:
    """Print the page of a rule: what it checks, why, an example, what to do.

    \b
    Examples:
      contractd explain CTD301
      contractd explain builtin-shadowing --format json
      contractd explain --all
    """
    from contractd.preflight.catalogue import BY_ID, BY_NAME, RULES  # noqa: PLC0415
    from contractd.preflight.pages import page, severity_word  # noqa: PLC0415

    if everything or rule is None:
        rows = [
            {"id": known.id, "name": known.name, "severity": severity_word(known), "summary": known.summary}
            for known in RULES
        ]
        text = "\n".join(f"{row['id']}  {row['name']:26} {row['severity']:13} {row['summary']}" for row in rows)
        write_result(json.dumps(rows, indent=2) + "\n" if format_ == "json" else text + "\n", None)
        return 0
    found = BY_ID.get(rule.upper()) or BY_NAME.get(rule.lower())
    if found is None:
        from contractd.preflight.likeness import nearest  # noqa: PLC0415

        close = nearest(rule.upper(), list(BY_ID)) or nearest(rule.lower(), list(BY_NAME))
        raise UsageError(f"{rule!r} is no rule", hint=f"did you mean {close}?" if close else "contractd explain --all")
    text = page(found)
    if format_ == "json":
        body = {"id": found.id, "name": found.name, "severity": severity_word(found), "summary": found.summary}
        text = json.dumps({**body, "page": text}, indent=2) + "\n"
    write_result(text, None)
    return 0
