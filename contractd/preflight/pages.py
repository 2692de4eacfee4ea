"""The page of each rule: one Markdown file beside this module, shown by ``contractd explain`` and in docs/rules.md."""

from __future__ import annotations

from importlib.resources import files

from contractd.preflight.catalogue import RULES
from contractd.preflight.model import Rule


def page(rule: Rule) -> str:
    """The whole page, with its heading."""
    body = (files("contractd.preflight") / "pages_text" / f"{rule.id}.md").read_text("utf-8")
    note = (
        "\n\nA finding of this rule means *undetermined*: it keeps the verdict from `ready`."
        if rule.undetermined
        else ""
    )
    return f"# {rule.id} {rule.name}\n\n{rule.summary}\n\nSeverity: {severity_word(rule)}.{note}\n\n{body.strip()}\n"


def severity_word(rule: Rule) -> str:
    """The severity, or that it depends."""
    return rule.severity or "earned"


def all_pages() -> str:
    """Every page below one heading, for docs/rules.md."""
    table = "\n".join(
        f"| [{rule.id}](#{rule.id.lower()}-{rule.name}) | {rule.name} | {severity_word(rule)} | {rule.summary} |"
        for rule in RULES
    )
    head = "# Rules\n\nWritten by `python -m contractd.preflight.pages`; `contractd explain` prints one page.\n\n"
    pages = "\n".join(page(rule).replace("\n## ", "\n### ").replace("# CTD", "## CTD", 1) for rule in RULES)
    return f"{head}| rule | name | severity | |\n|---|---|---|---|\n{table}\n\n{pages}"


if __name__ == "__main__":
    import sys

    sys.stdout.write(all_pages())
