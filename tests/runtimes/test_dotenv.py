""".env files: what a line means, and that the environment beats them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contractd.runtimes.base import Context
from contractd.runtimes.dotenv import parse_env_file, with_env_files
from tests.runtimes.situations import CWD, HOME, context, runtime, servers, source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A=1\nB=2\n", {"A": "1", "B": "2"}),
        ("export A = 1 # why\r\nB='x # y' # z\n", {"A": "1", "B": "x # y"}),
        ('A="one\\ntwo"\nB=`t"i"c`\n', {"A": "one\ntwo", "B": 't"i"c'}),
        ('A="over\nlines"\nB=2', {"A": "over\nlines", "B": "2"}),
        ("# A=1\n\nnonsense\n=x\n1A=2\nB=3", {"B": "3"}),
        ("A=x#y\nB=#z\nC=", {"A": "x#y", "B": "", "C": ""}),
        ("A='open\nB=2", {"A": "'open", "B": "2"}),
        ("\ufeffA=1\nA=2", {"A": "2"}),
        ("", {}),
    ],
)
def test_a_file_of_variables_means_what_its_lines_say(text: str, found: dict[str, str]) -> None:
    assert parse_env_file(text) == found


def test_the_environment_beats_a_file_and_a_stronger_file_a_weaker_one() -> None:
    assert with_env_files({"A": "", "B": "env"}, ["A=1\nC=near", "C=far\nD=far"]) == {
        "A": "", "B": "env", "C": "near", "D": "far",
    }  # fmt: skip


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    assert all(isinstance(value, str) for value in parse_env_file(text).values())


@pytest.mark.parametrize(
    "hostile", ["A='\n" * 200_000, "A=" * 400_000, " " * 800_000, "export " * 100_000, "A=x #" * 100_000]
)
def test_a_large_file_is_read_in_a_moment(hostile: str) -> None:
    start = time.process_time()
    parse_env_file(hostile)
    assert time.process_time() - start < 10


def test_gemini_says_which_files_it_loads_and_with_them_read_an_unset_variable_weighs_more() -> None:
    gemini = runtime("gemini-cli")
    assert gemini.env_files(context()) == [(f"{CWD}/.env",), (f"{HOME}/.gemini/.env",)]
    own = source(servers("gemini-cli", {"srv": {"command": "x", "env": {"K": "${U}"}}}), "settings.json")
    unread = gemini.read([own], context()).problems[0]
    looked_into = gemini.read([own], Context({}, HOME, CWD, env_files=True)).problems[0]
    assert (unread.level, looked_into.level) == ("low", "medium")
    assert ".env" in unread.message and ".env" not in looked_into.message
