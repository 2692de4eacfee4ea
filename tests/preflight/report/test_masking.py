"""Source lines never show a secret."""

from __future__ import annotations

import pytest

from contractd.documents import parse
from contractd.preflight.report import FORMATS, render
from contractd.preflight.report.masking import MASK, Masker
from contractd.preflight.report.snippet import Sources


def masked(text: str, line: str | None = None, path: str = "c.json") -> str:
    shown = line if line is not None else text
    spans = Masker(parse(path, text.encode())).spans(shown)
    for start, end in reversed(spans):
        shown = shown[:start] + MASK + shown[end:]
    return shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"env": {"PASSWORD": "hunter2"}}', '{"env": {"PASSWORD": "***"}}'),
        ('{"env": {"X": "a1b2c3d4e5"}}', '{"env": {"X": "***"}}'),
        ('{"headers": {"X-Team": "blue-team"}}', '{"headers": {"X-Team": "***"}}'),
        ('{"headers": {"Authorization": "Bearer ${TOKEN}"}}', None),
        ('{"env": {"TOKEN": "${TOKEN}", "B": "$TOKEN", "C": "{env:TOKEN}", "D": "${input:key}"}}', None),
        ('{"env": {"TOKEN": "${TOKEN:-s3cret-default}"}}', '{"env": {"TOKEN": "***"}}'),
        ('{"env": {"PORT": "8080", "HOME_DIR": "/srv/data", "MODE": "production", "DEBUG": "1"}}', None),
        ('{"args": ["--api-key", "s3cret", "--port", "8080"]}', '{"args": ["--api-key", "***", "--port", "8080"]}'),
        ('{"args": ["--token=s3cret", "--name=x1y2"]}', '{"args": ["--token=***", "--name=x1y2"]}'),
        ('{"command": ["srv", "--password", "opensesame"]}', '{"command": ["srv", "--password", "***"]}'),
        ('{"url": "https://ada:pw@host/mcp?key=abc&x=1"}', '{"url": "https://***@host/mcp?***&***"}'),
        ('{"a": "sk-live-0123456789"}', '{"a": "***"}'),
        ('{"a": "ghp_abcdefghij0123456789abcdefghij012345"}', '{"a": "***"}'),
        ('{"a": 1} // old: eyJhbGciOiJIUzI1NiJ9.e30.abc', '{"a": 1} // old: ***'),
        ('{"env": {"PASSWORD": "$ecret1"}}', '{"env": {"PASSWORD": "***"}}'),
        ('{"bearer_token_env_var": "WIKI_TOKEN", "env_http_headers": {"Authorization": "WIKI_AUTH"}}', None),
        ('{"env": {"TOKEN_FILE": "hunter2-hunter2"}}', '{"env": {"TOKEN_FILE": "***"}}'),
        ('{"args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/projects"]}', None),
        ('{"args": ["mcp-server-time==2026.10.19"]}', None),
        ('{"env": {"TOKEN": "a\\"b\\\\c\\u00e9"}}', '{"env": {"TOKEN": "***"}}'),
    ],
)  # fmt: skip
def test_what_looks_like_a_secret_is_masked_and_a_reference_stays(text, expected):
    assert masked(text) == (text if expected is None else expected)


def test_every_line_of_a_long_secret_is_masked():
    text = "env:\n  KEY: |\n    -----BEGIN\n    abcd1234\n    -----END\n"
    assert masked(text, "    abcd1234", "c.yaml") == "    ***"


def test_toml_is_masked_as_well():
    text = '[mcp_servers.x]\nenv = { TOKEN = "hunter2" }\n'
    assert masked(text, 'env = { TOKEN = "hunter2" }', "c.toml") == 'env = { TOKEN = "***" }'


def test_what_a_finding_calls_a_secret_is_masked_whatever_it_looks_like():
    document = parse("c.json", b'{"a": {"b": "plain words"}}')
    place = document.place("/a/b")
    assert "plain words" in Sources({"c.json": document}).around(place, 80)[0].text
    assert "plain words" not in Sources({"c.json": document}).around(place, 80, secret=True)[0].text


def test_a_secret_cut_by_the_window_is_masked_too():
    secret = "sk-" + "a1" * 150
    text = '{"k": "' + "x " * 100 + secret + '", "m": 1}'
    document = parse("c.json", text.encode())
    (line,) = Sources({"c.json": document}).around(document.place("/m"), 40)
    assert "a1a1" not in line.text


def test_the_lines_of_the_incident_hold_no_secret(incident, documents):
    for name in FORMATS:
        text = render(incident, name, documents=documents, verbose=True)
        assert not any(secret in text for secret in ("hunter2", "sk-live", "abcdef0123"))
