"""Markdown, rendered as GitHub would and looked at."""

from __future__ import annotations

import html as entities
import re

import pytest

from contractd.errors import Place
from contractd.preflight.model import Finding, ProviderView, Remedy, Rule
from contractd.preflight.report import render
from contractd.preflight.report.as_markdown import AT_MOST, code, prose

markdown_it = pytest.importorskip("markdown_it")
pytest.importorskip("linkify_it")

RULE = Rule("CTD301", "builtin-shadowing", None, "s")
NASTY_IN_PROSE = re.compile(r"@\w|#\d|\w:\w+:|://|www\.|\bGH-\d", re.IGNORECASE)


def tokens(text: str):
    """The tokens of GitHub-flavoured Markdown, children included; raw HTML is allowed, so that it would be seen."""
    parser = markdown_it.MarkdownIt("gfm-like", {"html": True})
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": True, "fuzzy_ip": False})
    flat = []
    for token in parser.parse(text):
        flat += [token, *(token.children or [])]
    return flat


def check(text: str) -> None:
    """Nothing active in it but our own markup, and rows of six cells."""
    found = tokens(text)
    kinds = {token.type for token in found}
    assert not kinds & {
        "link_open",
        "image",
        "em_open",
        "s_open",
        "blockquote_open",
        "hr",
        "code_block",
        "ordered_list_open",
    }
    html = {token.content.strip() for token in found if token.type in ("html_inline", "html_block")}
    assert all(
        re.fullmatch(r"</?code>|</details>|<details><summary>\d+ settled, \d+ suppressed</summary>", piece)
        for piece in html
    )
    cells = sum(token.type in ("td_open", "th_open") for token in found)
    assert cells == 6 * sum(token.type == "tr_open" for token in found)
    assert sum(token.type == "heading_open" for token in found) <= 2
    inside = False
    for token in found:
        if token.type == "html_inline":
            inside = token.content == "<code>"
        elif token.type == "text" and not inside:
            assert not NASTY_IN_PROSE.search(token.content), token.content


def test_it_reads_as_it_always_has(incident, golden):
    golden("incident.md", render(incident, "markdown", base="/home/ada/project"))


def test_our_own_markup_is_all_that_is_active(make, incident, hostile):
    for report in (make(), incident, hostile):
        check(render(report, "markdown", verbose=True))


def test_a_table_has_a_row_for_each_provider(hostile):
    found = tokens(render(hostile, "markdown"))
    assert sum(token.type == "tr_open" for token in found) == 1 + len(hostile.providers)


@pytest.mark.parametrize("name", ["plain", "a|b", "a`b", "a\\", "a\\|b", "``", "|", "`|\\`", "x" * 100])
def test_a_name_survives_as_code_in_a_table(name):
    table = f"| a | b |\n|---|---|\n| {code(name)} | 2 |\n"
    html = markdown_it.MarkdownIt("gfm-like", {"html": True}).render(table)
    shown = re.search(r"<td><code>(.*?)</code></td>", html)
    assert shown, html
    assert entities.unescape(shown.group(1)) == name
    assert html.count("<td>") == 2


@pytest.mark.parametrize(
    "text", ["send_message", "mcp__mail__send_message", "a 2 * 3 [x] <y> & `z`", "C:\\x", "_x_", "~~a~~"]
)
def test_a_sentence_survives_as_it_is(text):
    rendered = markdown_it.MarkdownIt("gfm-like", {"html": True}).render("- x: " + prose(text))
    shown = re.search(r"<li>x: (.*?)</li>", rendered)
    assert shown, rendered
    assert entities.unescape(shown.group(1)).replace("\u200b", "") == text


def test_common_names_are_readable_in_the_source_too():
    assert prose("mcp__mail__send_message-2 (v1.2)") == "mcp__mail__send_message-2 (v1.2)"
    assert code("mcp__mail__send_message") == "`mcp__mail__send_message`"


def test_a_remedy_can_t_close_its_own_fence(make):
    found = Finding(RULE, "high", "m", "a", Place("f"), remedies=(Remedy("k", "a\n```\n# head\n`````x\n", "json"),))
    blocks = [token for token in tokens(render(make((found,)), "markdown")) if token.type == "fence"]
    assert [(block.content, block.info) for block in blocks] == [("a\n```\n# head\n`````x\n", "json")]


def test_a_remedy_s_language_is_a_word_or_nothing(make):
    found = Finding(RULE, "high", "m", "a", Place("f"), remedies=(Remedy("k", "a", "js`x\n# y"),))
    blocks = [token for token in tokens(render(make((found,)), "markdown")) if token.type == "fence"]
    assert [block.info for block in blocks] == [""]


def test_many_findings_are_counted_past_what_a_comment_can_hold(make, make_finding):
    found = tuple(make_finding(RULE, "high", f"m{n}", subject=str(n)) for n in range(AT_MOST + 7))
    assert "\n- … 7 more\n" in render(make(found), "markdown")
    assert "more" not in render(make(found), "markdown", verbose=True)


def test_settled_and_suppressed_ones_are_folded_away(incident):
    text = render(incident, "markdown")
    assert "<details><summary>1 settled, 1 suppressed</summary>\n\n- settled: CTD301" in text


def test_why_a_provider_failed_stands_in_its_row(make):
    provider = ProviderView("a|b", "ab", "stdio", "failed", "", Place("f"), "user", reason="x | y\nz")
    row = render(make(providers=(provider,)), "markdown").splitlines()[-1]
    assert row == "| <code>a&#124;b</code> | ✗ failed: x &#124; y&#92;x0az | stdio |  |  |  |"
