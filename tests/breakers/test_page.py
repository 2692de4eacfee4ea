"""docs/reference/breakers.md: its example prints what is shown, its tables are the code's."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from contractd.breakers import marks
from contractd.breakers.page import PARTS, filled
from tests.breakers.adapter import DIFFERS

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/breakers.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table that begins with this line."""
    table = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_example_prints_what_is_shown() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "breakers.md", "exec"), {})
    assert out.getvalue() == shown


def test_states_and_knobs_are_the_code_s() -> None:
    for name in PARTS:
        assert f"<!-- {name} -->" in PAGE
    assert filled(PAGE) == PAGE, "run: python -m contractd.breakers.page < PAGE > PAGE.new, and take it"


def test_the_marks_are_the_code_s() -> None:
    told = {row[0].split("`")[1]: tuple(cell or "neutral" for cell in row[1:]) for row in rows("| | provider | tool")}
    named = {name: value for name, value in vars(marks).items() if isinstance(value, marks.Marks)}
    assert told == {name: (one.provider, one.tool, one.contract, one.config) for name, one in named.items()}


def test_the_cases_that_differ_are_the_ones_that_the_tests_let_differ() -> None:
    told = {
        name: row[0].strip("`") for row in rows("| knob | here |") for name in re.findall(r"\w+-\d+", " ".join(row))
    }
    assert told == DIFFERS
