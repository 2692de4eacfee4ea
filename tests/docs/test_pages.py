"""The docs say what the code does: every rule, command, option, setting, signal and condition has its place."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from contractd.preflight.catalogue import RULES
from contractd.preflight.pages import all_pages, page

ROOT = Path(__file__).parents[2]
HEADINGS = ["## What it checks", "## Why it matters", "## Example", "## What to do"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_a_page_with_the_four_headings(rule: object) -> None:
    assert re.findall(r"^## .*$", page(rule), re.MULTILINE) == HEADINGS  # type: ignore[arg-type]


def test_no_page_is_left_of_a_rule_that_is_gone() -> None:
    pages = {path.stem for path in (ROOT / "contractd/preflight/pages_text").glob("*.md")}
    assert pages == {rule.id for rule in RULES}


def test_the_page_of_all_rules_is_generated_from_the_same_text() -> None:
    written = (ROOT / "docs/rules.md").read_text("utf-8")
    assert written == all_pages(), "run: python -m contractd.preflight.pages > docs/rules.md"


def test_every_signal_that_the_code_can_give_is_in_the_table() -> None:
    given = set()
    rooms = ("carriers", "providers", "registry", "preflight")
    for path in (path for room in rooms for path in (ROOT / "contractd" / room).rglob("*.py")):
        text = path.read_text("utf-8")
        given |= set(re.findall(r"\"((?:stdio|http|aiohttp|mcp|manifest)-[a-z0-9]+)\"", text))
    assert len(given) > 30
    given -= {"manifest-url", "mcp-wins"}  # a transport and a clash, no signals
    table = (ROOT / "docs/reference/signals.md").read_text("utf-8")
    documented = set(re.findall(r"^\| `([a-z0-9-]+)`", table, re.MULTILINE))
    assert given - documented == set()


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    page_text = (ROOT / "docs/dependencies.md").read_text("utf-8").lower()
    for requirement in named:
        name = re.split(r"[<>=\[ ]", requirement)[0].lower()
        if name != "contractd" and not name.startswith("types-") and name != "pytest":
            assert name in page_text, f"docs/dependencies.md does not say why {name} is needed"


def test_links_between_the_pages_lead_somewhere() -> None:
    for source in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", source.read_text("utf-8")):
            assert (source.parent / target).exists(), f"{source.name} links to {target}"


def test_importing_contractd_loads_nothing_heavy() -> None:
    heavy = "aiohttp,pybreaker,pydantic,jsonschema_rs,yaml,click,mcp,opentelemetry"
    code = f"import sys, contractd; print([m for m in '{heavy}'.split(',') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
