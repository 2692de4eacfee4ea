"""The text format: what a person reads."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from contractd.documents import parse
from contractd.errors import Place
from contractd.preflight.model import Finding, ProviderView, Remedy, Rule, RuntimeView, ToolView
from contractd.preflight.report import render

BASE = "/home/ada/project"
RULE = Rule("CTD301", "builtin-shadowing", None, "A tool's own name is a built-in's.")
SGR = re.compile(r"\x1b\[[0-9;]+m")


def test_it_reads_as_it_always_has(incident, documents, golden):
    golden("incident.txt", render(incident, documents=documents, base=BASE))


def test_verbose_tells_everything(incident, documents, golden):
    golden("incident-verbose.txt", render(incident, documents=documents, base=BASE, verbose=True))


def test_an_empty_report_is_a_head_and_a_summary(make):
    text = render(make())
    assert text.splitlines()[-1] == "✓ ready: no findings, no providers, 0 tools"
    assert text.count("\n\n") == 1


def test_the_summary_is_the_last_line_and_the_only_one(incident):
    lines = render(incident).splitlines()
    assert [line for line in lines if "findings (" in line] == lines[-1:]
    assert lines[-1].startswith("✗ not_ready: 7 findings (3 high, 1 medium, 2 low, 1 info, 2 of them undetermined; ")
    assert "2 of 5 providers ready (1 disabled), 23 tools" in lines[-1]


def test_without_colour_there_is_no_escape_at_all(incident, documents):
    assert "\x1b" not in render(incident, documents=documents)


def test_colour_changes_nothing_but_colour(incident, documents):
    coloured = render(incident, documents=documents, color=True)
    assert SGR.search(coloured)
    assert SGR.sub("", coloured) == render(incident, documents=documents)


def test_every_status_is_said_in_a_word_and_a_symbol(incident):
    text = render(incident, verbose=True)
    for phrase in ("✓ mail ready", "✗ search failed", "– drive skipped", "○ old disabled"):
        assert f"\n{phrase} · " in text
    for phrase in ("✓ bound", "! shadowed", "✗ quarantined", "– excluded"):
        assert phrase in text


def test_the_severest_open_finding_comes_first_and_the_suppressed_last(incident):
    heads = re.findall(r"^(high|medium|low|info|settled|suppressed)\b", render(incident), re.MULTILINE)
    assert heads == ["high", "high", "high", "medium", "low", "low", "info", "settled", "suppressed"]


def test_a_long_list_shows_what_is_not_bound_first_and_counts_the_rest(make):
    provider = ProviderView("big", "big", "stdio", "ready", "big", Place("f"), "user", tools=100)
    tools = [ToolView("big", f"t{n:03}", f"big_t{n:03}", "yes", "bound") for n in range(98)]
    tools[50:50] = [ToolView("big", f"odd{n}", None, "no", "refused") for n in range(2)]
    report = make(providers=(provider,), tools=tuple(tools))
    lines = render(report).splitlines()
    rows = [line for line in lines if re.match(r"    \S", line)]
    assert [row.split()[0] for row in rows[1:4]] == ["odd0", "odd1", "t000"]
    assert rows[-1].strip() == "… 88 more bound"
    assert len(rows) == 1 + 12 + 1
    assert "more bound" not in render(report, verbose=True)


def test_what_was_left_out_on_purpose_comes_last(make):
    tools = [ToolView("big", f"off{n}", None, "no", "excluded") for n in range(20)]
    tools[7:7] = [ToolView("big", f"on{n}", f"big_on{n}", "yes", "bound") for n in range(2)]
    rows = [line.split()[0] for line in render(make(tools=tuple(tools))).splitlines() if re.match(r"    o", line)]
    assert rows == ["on0", "on1", *(f"off{n}" for n in range(10))]
    assert "\n    … 10 more excluded\n" in render(make(tools=tuple(tools)))


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_name_is_ever_cut_at_any_width(make, width):
    """Names that differ in one letter must not look the same; where a table has no room for them there is none."""
    names = [f"read_{letter}_of_a_file" for letter in "abc"]
    tools = tuple(ToolView("files", name, f"mcp__filesystem__{name}", "yes", "bound") for name in names)
    text = re.sub(r"\n +", "", render(make(tools=tools), width=width))
    for name in names:
        assert text.count(f"mcp__filesystem__{name}") == 1 and text.count(name) == 2


def test_one_long_name_takes_the_table_from_no_other(make):
    tools = (
        ToolView("files", "x" * 90, "y" * 90, "yes", "bound"),
        ToolView("files", "read", "files_read", "yes", "bound"),
    )
    text = render(make(tools=tools), width=100)
    assert "\n    read  files_read    yes             ✓ bound\n" in text and "x" * 90 in text and "y" * 90 in text


def test_many_tools_that_are_not_bound_are_counted_too(make):
    tools = tuple(ToolView("gone", f"t{n}", None, "no", "refused") for n in range(50))
    text = render(make(tools=tools))
    assert "\n    … 10 more, not bound\n" in text
    assert "more bound" not in text


def test_tools_of_an_unlisted_provider_are_not_lost(make):
    assert "\nghost\n    tool  runtime name" in render(make(tools=(ToolView("ghost", "t", "g_t", "yes", "bound"),)))


def test_the_caret_stands_under_the_key(incident, documents):
    lines = render(incident, documents=documents).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(' 4 │     "mail"'))
    assert lines[at][lines[at + 1].index("^") :].startswith('"mail"')
    assert lines[at + 1].count("^") == len('"mail"')


def test_a_value_inside_an_entry_is_shown_with_the_entry(incident, documents):
    text = render(incident, documents=documents)
    assert ' 4 │     "mail": {\n ⋮ │\n 8 │         "MAIL_TOKEN": "***",\n   │         ^^^^^^^^^^^^\n' in text


def test_a_file_without_a_document_has_a_place_and_no_lines(incident):
    text = render(incident, base=BASE)
    assert "--> .qwen/settings.json:4:5" in text
    assert "^" not in text


def test_a_remedy_is_ready_to_paste(incident):
    text = render(incident)
    assert '\n      {\n        "tools": {"disabled": ["send_message", "list_agents"]}\n      }\n' in text


def test_a_remedy_is_never_wrapped(make, make_finding):
    line = '{"tools": {"disabled": [' + ", ".join(f'"tool_{n}"' for n in range(60)) + "]}}"
    found = make_finding(RULE, "high", "m", remedies=(Remedy("settings.json", line),))
    assert f"\n      {line}\n" in render(make((found,)))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_but_the_pasted_and_the_last_line_is_wider_than_the_terminal(incident, hostile, documents, width):
    for report in (replace(incident, findings=_unpasted(incident)), replace(hostile, findings=_unpasted(hostile))):
        for line in render(report, documents=documents, width=width, base=BASE).splitlines()[:-1]:
            if not re.match(r"(  -->|[✗✓–○] )", line):
                assert len(line) <= width + 4, line  # 4: a defused command is a little longer


def _unpasted(report) -> tuple[Finding, ...]:
    return tuple(replace(finding, remedies=()) for finding in report.findings)


def test_the_head_says_what_is_not_known(make):
    def head(**fields):
        about = RuntimeView("goose", "Goose", **{"version": None, "version_source": "assumed", "reason": "r", **fields})
        return render(make(runtime=about)).splitlines()[:3]

    assert head()[0] == "runtime  Goose (version unknown); its built-in tools are not known"
    assert head(version="1.2", version_source="stated", data_version="1.2")[0] == (
        "runtime  Goose 1.2 (as stated); built-in tools of 1.2"
    )
    assert head(version="1.3", data_version="1.2", note="assumed from 1.2") == [
        "runtime  Goose 1.3 (assumed)", "         r", "         assumed from 1.2",
    ]  # fmt: skip


def test_many_conditions_stay_on_one_line_unless_asked(make):
    about = RuntimeView("goose", "Goose", "1", "stated", "r", assumed={f"switch{n}": ("off", "on") for n in range(20)})
    text = render(make(runtime=about))
    line = next(line for line in text.splitlines() if line.startswith("assumed"))
    assert len(line) <= 120
    assert re.search(r"; and \d+ more$", line)
    assert "switch19=off or on" in render(make(runtime=about), verbose=True)


def test_a_failed_provider_says_which_question_got_an_answer(incident):
    text = render(incident)
    asked = "    asked by contractd: configured yes, started yes, tools listed no; by the runtime: undetermined\n"
    assert text.count(asked) == 1
    assert "    stderr │ ModuleNotFoundError: No module named 'search'\n" in text


def test_no_hostile_text_becomes_a_workflow_command_in_a_ci_log(hostile, documents, runner):
    assert runner(render(hostile, documents=documents, verbose=True)) == []
    assert runner(render(hostile, documents=documents, color=True)) == []


def test_wrapping_does_not_put_a_command_at_the_start_of_a_line(make, make_finding, runner):
    for length in range(60, 120):
        found = make_finding(RULE, "high", "x" * length + " ::error::pwned")
        assert runner(render(make((found,)))) == []


def test_a_minified_file_is_shown_around_the_column(make):
    text = '{"mcpServers": {' + ", ".join(f'"server{n}": {{"command": "c"}}' for n in range(4000)) + "}}"
    document = parse("min.json", text.encode())
    place = document.place("/mcpServers/server2000")
    found = Finding(RULE, "high", "m", "a", place)
    lines = render(make((found,)), documents={"min.json": document}).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(" 1 │"))
    assert len(lines[at]) <= 120
    assert lines[at].startswith(" 1 │ …")
    assert lines[at].endswith("…")
    assert lines[at][lines[at + 1].index("^") :].startswith('"server2000"')


def test_wide_and_invisible_characters_don_t_move_the_caret(make):
    document = parse("w.json", '{"表\u202e": 1, "k": 2}'.encode())
    found = Finding(RULE, "high", "m", "a", document.place("/k"))
    lines = render(make((found,)), documents={"w.json": document}).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(" 1 │"))
    assert lines[at] == ' 1 │ {"表\\u202e": 1, "k": 2}'
    assert lines[at + 1].index("^") == lines[at].index('"k"') + 1  # 表 takes two columns


def test_an_unknown_format_is_refused(make):
    with pytest.raises(ValueError, match="there are text, json, sarif, junit, github, markdown"):
        render(make(), "yaml")


def test_a_hundred_findings_of_one_kind_are_counted_and_not_all_printed(make, make_finding):
    rule = Rule("CTD302", "provider-collision", None, "Tools of one name in two servers have one runtime name.")
    many = tuple(
        make_finding(rule, "high", f"clash {n}", line=4, provider="mail", tool=f"tool_{n}", subject=str(n))
        for n in range(100)
    )
    text = render(make(many))
    assert text.count("high[CTD302] provider-collision: clash") == 8
    assert "… 92 more high[CTD302] provider-collision of mail; --verbose shows them" in text
    assert "not_ready: 100 findings (100 high)" in text
    assert render(make(many), verbose=True).count("high[CTD302] provider-collision: clash") == 100


def test_findings_past_a_hundred_and_twenty_and_past_sixty_settled_ones_are_counted(make, make_finding):
    rule = Rule("CTD201", "provider-failed", "high", "A server could not be started or reached, or broke off.")
    many = [make_finding(rule, "high", f"down {n}", line=4, provider=f"server-{n}") for n in range(150)]
    many += [make_finding(rule, "low", "x", provider=f"old-{n}", settled="it is off") for n in range(70)]
    text = render(make(tuple(many)))
    assert text.count("provider-failed: down") == 120
    assert "18 more of other kinds" in text
    assert text.count("settled low[CTD201]") == 60
    assert "… 10 more, settled or suppressed; --verbose shows them" in text
